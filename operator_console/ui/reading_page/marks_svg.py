"""The marks of a step as SVG over its picture: where it pointed, the way of a drag, and what it typed.

Places are those of native pixels and scale with the picture; rings, lines and labels keep their size, so that they stay
legible at any width. `preview/paint_marks.py` paints the same marks in the window.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from markupsafe import Markup, escape

from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.domain.risk import RiskClass
from operator_console.engine.visible_text import shown
from operator_console.ui.preview.fit import Box, Fit, place_label
from operator_console.ui.preview.plan_marks import Mark, MarkShape

_RING, _CLEAR = 13.0, 22.0
_HEAD = "M0 0 -11 -5 -11 5Z"
_NOTCH, _MOST_NOTCHES = 7, 8
_REGION_GAP_PX = 4
# Labels are placed for a picture of this width; a narrower one shows numbers only (reading_page.css).
_SHOWN_WIDTH = 1040
_CHARACTER_WIDTH, _LABEL_HEIGHT, _LABEL_EXTRA = 6.9, 22.0, 30.0


def marks_svg(marks: Sequence[Mark], native: Size) -> Markup:
    """The overlay for a picture of `native` pixels; empty without marks."""
    if not marks:
        return Markup()
    scaled = _tag(
        "svg",
        _way(marks),
        *(_areas(mark, native) for mark in marks),
        *(_drag(mark) for mark in marks if mark.shape is MarkShape.DRAG),
        viewBox=f"0 0 {native.width} {native.height}", preserveAspectRatio="none", width="100%", height="100%",
    )  # fmt: skip
    fixed = [_reticle(mark, native) for mark in marks if _has_reticle(mark)]
    return _tag(
        "svg", scaled, *fixed, *_labels(marks, native),
        class_="marks", width="100%", height="100%", aria_hidden="true", focusable="false",
    )  # fmt: skip


def _tag(name: str, /, *content: str, **attributes: str | float | None) -> Markup:
    """An element; None leaves an attribute out, `class_` is "class", and an underscore in a name is a hyphen."""
    given = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items() if value is not None}
    pairs = "".join(f' {key}="{_written(value)}"' for key, value in given.items())
    return Markup(f"<{name}{pairs}>{_joined(*content)}</{name}>")  # noqa: S704 - its parts are escaped


def _written(value: str | float) -> str:
    return f"{value:g}" if isinstance(value, float) else escape(value)


def _joined(*parts: str) -> Markup:
    return Markup("".join(map(escape, parts)))  # noqa: S704 - its parts are escaped


def _risk(mark: Mark) -> str:
    return f"risk-{int(mark.risk)}" if mark.risk is not None else "risk-1"


def _has_reticle(mark: Mark) -> bool:
    return bool(mark.points) and mark.shape not in (MarkShape.REGION, MarkShape.CHOICE, MarkShape.KEYS)


def _twice(*shapes: Markup) -> Markup:
    """Wide in white, then in the colour: legible on every ground."""
    return _joined(_tag("g", *shapes, class_="halo"), _tag("g", *shapes, class_="ink"))


def _at(point: NativePoint) -> tuple[float, float]:
    return point.x + 0.5, point.y + 0.5


def _way(marks: Sequence[Mark]) -> Markup:
    """Dashed lines from one call's point to that of the next."""
    pointed = [mark for mark in marks if _has_reticle(mark)]
    lines = []
    for before, after in itertools.pairwise(pointed):
        (x1, y1), (x2, y2) = _at(before.points[-1]), _at(after.points[0])
        if math.hypot(x2 - x1, y2 - y1) > 5 * _RING:
            lines.append(_tag("line", x1=x1, y1=y1, x2=x2, y2=y2))
    return _tag("g", _twice(*lines), class_="way") if lines else Markup()


def _areas(mark: Mark, native: Size) -> Markup:
    whole = Rect(0, 0, native.width, native.height)
    parts = [_twice(_box(extent.intersect(whole), rx=3)) for extent in mark.controls]
    if mark.region is not None:
        gap = _REGION_GAP_PX
        region = mark.region
        around = Rect(region.x - gap, region.y - gap, region.width + 2 * gap, region.height + 2 * gap)
        parts.append(_tag("g", _twice(_box(around)), class_="region"))
    return _tag("g", *parts, class_=_risk(mark)) if parts else Markup()


def _box(rect: Rect, rx: int | None = None) -> Markup:
    return _tag("rect", x=rect.x, y=rect.y, width=rect.width, height=rect.height, rx=rx)


def _drag(mark: Mark) -> Markup:
    points = " ".join(f"{x:g},{y:g}" for x, y in map(_at, mark.points))
    return _tag("g", _twice(_tag("polyline", points=points)), class_=f"drag {_risk(mark)}")


def _placed(point: NativePoint, native: Size, *content: Markup, class_: str) -> Markup:
    """Content in CSS pixels around a point of the picture."""
    x, y = _at(point)
    across, down = f"{100 * x / native.width:.3f}%", f"{100 * y / native.height:.3f}%"
    return _tag("svg", *content, x=across, y=down, overflow="visible", class_=class_)


def _reticle(mark: Mark, native: Size) -> Markup:
    rings = [_tag("circle", r=_RING)]
    further = 4 if mark.risk is RiskClass.C3 else 0
    if mark.risk is RiskClass.C3:
        rings.append(_tag("circle", r=_RING + further))
    if mark.risk is RiskClass.C4:
        rings.append(_tag("path", d="M-5 5 -9 9M5 -5 9 -9"))
    inner, outer = _RING - 1 + further, _RING + 6 + further
    rings += [_tag("path", d=f"M{inner:g} 0H{outer:g}", transform=f"rotate({angle})") for angle in (0, 90, 180, 270)]
    parts = [
        _twice(*rings, *_scroll_lines(mark)),
        _tag("circle", r=3.4, class_="dot-halo"),
        _tag("circle", r=1.9, class_="dot"),
    ]
    parts += _scroll_heads(mark)
    parts.append(_tag("text", str(mark.number), x=_RING + 7, y=-_RING, class_="number"))
    drawn = _placed(mark.points[0], native, *parts, class_=_risk(mark))
    if mark.shape is not MarkShape.DRAG:
        return drawn
    tip = mark.points[-1]
    before = next((p for p in reversed(mark.points[:-1]) if math.hypot(p.x - tip.x, p.y - tip.y) > 2), mark.points[0])
    angle = math.degrees(math.atan2(tip.y - before.y, tip.x - before.x))
    head = _tag("path", d=_HEAD, transform=f"rotate({angle:.1f})", class_="head")
    return _joined(drawn, _placed(tip, native, head, class_=_risk(mark)))


def _scroll_ways(mark: Mark) -> list[tuple[int, float]]:
    """The angle in degrees and the length in CSS pixels of each arrow of a scroll."""
    if mark.shape is not MarkShape.SCROLL:
        return []
    across, down = mark.notches
    ways = [(0 if across > 0 else 180, across), (90 if down > 0 else 270, down)]
    return [(angle, _RING + 8 + _NOTCH * (min(abs(n), _MOST_NOTCHES) + 1.5)) for angle, n in ways if n]


def _scroll_lines(mark: Mark) -> list[Markup]:
    lines = []
    for angle, length in _scroll_ways(mark):
        count = round((length - _RING - 8) / _NOTCH - 1.5)
        notches = "".join(f"M{_RING + 8 + _NOTCH * (n + 0.5):g} -4.5V4.5" for n in range(count))
        lines.append(_tag("path", d=f"M{_RING + 8:g} 0H{length:g}{notches}", transform=f"rotate({angle})"))
    return lines


def _scroll_heads(mark: Mark) -> list[Markup]:
    return [
        _tag("path", d=_HEAD, transform=f"rotate({angle}) translate({length:g} 0)", class_="head")
        for angle, length in _scroll_ways(mark)
    ]


def _labels(marks: Sequence[Mark], native: Size) -> list[Markup]:
    height = max(1, round(_SHOWN_WIDTH * native.height / native.width))
    fit = Fit(native=native, x=0, y=0, width=_SHOWN_WIDTH, height=height)
    points = [fit.to_device(point) for mark in marks for point in mark.points]
    taken = [Box(at.x - _CLEAR, at.y - _CLEAR, 2 * _CLEAR, 2 * _CLEAR) for at in points]
    labels = []
    for mark in marks:
        if not mark.points:
            continue
        at = fit.to_device(mark.points[0])
        width = _LABEL_EXTRA + _CHARACTER_WIDTH * len(mark.label)
        controls = [fit.to_box(extent) for extent in mark.controls]
        box = place_label(at, (width, _LABEL_HEIGHT), clear=_CLEAR * 0.8, bounds=fit.box, taken=[*taken, *controls])
        taken.append(box)
        words = _tag("span", _tag("b", str(mark.number)), f" {shown(mark.label)}", class_="label")
        # A label left of its point ends there, whatever its text really measures.
        side = "ends" if box.x + box.width / 2 < at.x - 1 else None
        holder = _tag("div", words, class_=side)
        frame = _tag("foreignObject", holder, x=round(box.x - at.x, 1), y=round(box.y - at.y, 1), width=round(width, 1),
                    height=_LABEL_HEIGHT)  # fmt: skip
        labels.append(_placed(mark.points[0], native, frame, class_=f"{_risk(mark)} labelled"))
    return labels
