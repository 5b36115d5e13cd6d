"""Draws a dialog of the browser onto a picture of its page."""

from __future__ import annotations

import contextlib
import itertools
import unicodedata
from collections.abc import Iterator
from enum import Enum, auto
from functools import cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from operator_console.browser.dialog_layout import DialogLayout, PartKind, rows_of
from operator_console.domain.geometry import Rect, Size
from operator_console.domain.pages import DialogKind, PageDialog

_FONTS = ("DejaVuSans.ttf", "NotoSans-Regular.ttf", "LiberationSans-Regular.ttf", "Arial.ttf")
_BOLD_FONTS = ("DejaVuSans-Bold.ttf", "NotoSans-Bold.ttf", "LiberationSans-Bold.ttf", "Arial_Bold.ttf")
_WIDE_FONTS = ("NotoSansCJK-Regular.ttc",)
_PICTURE_FONTS = ("NotoColorEmoji.ttf",)
_PICTURE_PX = 109
"""The one size that a font of small pictures has."""

_HIDDEN = "•" * 8
_TEXT_PX = 14
_PAPER, _INK, _EDGE, _ACCENT, _SHADE = "#ffffff", "#202124", "#80868b", "#0b57d0", 0.6


def draw_dialog(pixels: bytes | memoryview, size: Size, dialog: PageDialog, layout: DialogLayout) -> bytes:
    """The picture with the dialog on it, and all else darkened but for a list. BGRX rows."""
    page = np.frombuffer(pixels, dtype=np.uint8).reshape(size.height, size.width, 4)
    dark = page if dialog.kind is DialogKind.LIST else (page * _SHADE).astype(np.uint8)
    image = Image.frombytes("RGB", (size.width, size.height), dark[:, :, 2::-1].tobytes())
    (_draw_list if dialog.kind is DialogKind.LIST else _draw)(image, dialog, layout)
    drawn = np.zeros((size.height, size.width, 4), dtype=np.uint8)
    drawn[:, :, :3] = np.asarray(image)[:, :, ::-1]
    return drawn.tobytes()


def _draw(image: Image.Image, dialog: PageDialog, layout: DialogLayout) -> None:
    draw = ImageDraw.Draw(image)
    radius, line = round(8 * layout.scale), max(1, round(layout.scale))
    draw.rounded_rectangle(_corners(layout.box), radius=radius, fill=_PAPER, outline=_EDGE, width=line)
    _write(image, layout, layout.title_box, layout.title, bold=True)
    for text, box in layout.lines:
        _write(image, layout, box, text)
    for part in layout.parts:
        match part.kind:
            case PartKind.FIELD:
                focused = part.number == dialog.focus
                draw.rounded_rectangle(
                    _corners(part.box), radius=radius // 2, fill=_PAPER, outline=_ACCENT if focused else _EDGE,
                    width=2 * line if focused else line,
                )  # fmt: skip
                value = dialog.values[part.number] if part.number < len(dialog.values) else ""
                if not value and dialog.filled[part.number : part.number + 1] == (True,):
                    value = _HIDDEN
                _write(image, layout, _inside(part.box, layout.scale), value, end=True)
            case PartKind.FILE:
                _write(image, layout, part.box, part.name, colour=_ACCENT)
            case PartKind.OPTION | PartKind.DISABLED:
                pass  # of lists
            case PartKind.ACCEPT | PartKind.DISMISS:
                accepts = part.kind is PartKind.ACCEPT
                fill = _ACCENT if accepts else _PAPER
                draw.rounded_rectangle(_corners(part.box), radius=radius // 2, fill=fill, outline=_ACCENT, width=line)
                font = _loaded(_FONTS, round(_TEXT_PX * layout.scale))
                draw.text(part.box.centre, part.name, font=font, fill=_PAPER if accepts else _ACCENT, anchor="mm")


def _draw_list(image: Image.Image, dialog: PageDialog, layout: DialogLayout) -> None:
    draw = ImageDraw.Draw(image)
    draw.rectangle(_corners(layout.box), fill=_PAPER, outline=_EDGE)
    for line, box in layout.lines:
        _write(image, layout, _inside(box, layout.scale), line, bold=True)
    for part in layout.parts:
        chosen = part.number == dialog.chosen
        if chosen:
            draw.rectangle(_corners(part.box), fill=_ACCENT)
        colour = _EDGE if part.kind is PartKind.DISABLED else _PAPER if chosen else _INK
        _write(image, layout, _inside(part.box, layout.scale), part.name, colour=colour)
    rows, shown = len(rows_of(dialog)), len(layout.parts) + len(layout.lines)
    if rows > shown:  # where in the list the rows stand
        height, right = layout.box.height - 2, layout.box.right - 2
        top = layout.box.y + 1 + height * min(dialog.first, rows - shown) // rows
        draw.rectangle((right - round(6 * layout.scale), top, right, top + height * shown // rows), fill=_EDGE)


def _write(
    image: Image.Image, layout: DialogLayout, box: Rect, text: str, *,
    bold: bool = False, colour: str = _INK, end: bool = False,
) -> None:  # fmt: skip
    """Write a line of text, cut where it is too long; `end`: its end is shown, where a person would be typing."""
    size_px = round(_TEXT_PX * layout.scale)
    shown = text
    while shown and _width(shown, size_px, bold=bold) > box.width:
        shown = f"…{shown.lstrip('…')[1:]}" if end else f"{shown.rstrip('…')[:-1]}…"
        if shown == "…":
            break
    x, middle = float(box.x), box.y + box.height // 2
    right_to_left = any(unicodedata.bidirectional(each) in ("R", "AL") for each in shown)
    runs = list(_runs(shown))
    for kind, run in reversed(runs) if right_to_left else runs:
        x += _write_run(image, (x, middle), run, kind, size_px, bold=bold, colour=colour)


class _Kind(Enum):
    PLAIN = auto()
    WIDE = auto()
    PICTURE = auto()


def _kind(character: str) -> _Kind:
    code = ord(character)
    if code >= 0x1F000 or code in (0x200D, 0xFE0F) or 0x2600 <= code <= 0x27BF:
        return _Kind.PICTURE
    return _Kind.WIDE if 0x2E80 <= code < 0xFB00 or 0xFE30 <= code <= 0xFFEF or code >= 0x20000 else _Kind.PLAIN


def _runs(text: str) -> Iterator[tuple[_Kind, str]]:
    for kind, run in itertools.groupby(text, _kind):
        yield kind, "".join(run)


def _width(text: str, size_px: int, *, bold: bool) -> float:
    return sum(_run_width(run, kind, size_px, bold=bold) for kind, run in _runs(text))


def _run_width(run: str, kind: _Kind, size_px: int, *, bold: bool) -> float:
    font = _font(kind, size_px, bold=bold)
    return font.getlength(run) * (size_px / _PICTURE_PX if kind is _Kind.PICTURE and font.size == _PICTURE_PX else 1)


def _write_run(
    image: Image.Image, at: tuple[float, int], run: str, kind: _Kind, size_px: int, *, bold: bool, colour: str
) -> float:
    """Write text of one kind with its left middle there; its width."""
    width = _run_width(run, kind, size_px, bold=bold)
    font = _font(kind, size_px, bold=bold)
    if kind is _Kind.PICTURE and font.size == _PICTURE_PX:
        large = Image.new("RGBA", (max(1, round(font.getlength(run))), round(_PICTURE_PX * 1.2)))
        ImageDraw.Draw(large).text((0, large.height // 2), run, font=font, anchor="lm", embedded_color=True)
        height = round(large.height * size_px / _PICTURE_PX)
        small = large.resize((max(1, round(width)), height), Image.Resampling.LANCZOS)
        image.paste(small, (round(at[0]), at[1] - height // 2), small)
    else:
        ImageDraw.Draw(image).text(at, run, font=font, fill=colour, anchor="lm")
    return width


def _inside(box: Rect, scale: float) -> Rect:
    edge = round(8 * scale)
    return Rect(box.x + edge, box.y, box.width - 2 * edge, box.height)


def _corners(box: Rect) -> tuple[int, int, int, int]:
    return box.x, box.y, box.right - 1, box.bottom - 1


def _font(kind: _Kind, size_px: int, *, bold: bool) -> ImageFont.FreeTypeFont:
    plain = _BOLD_FONTS if bold else _FONTS
    match kind:
        case _Kind.WIDE:
            return _loaded(_WIDE_FONTS + plain, size_px)
        case _Kind.PICTURE:
            return _loaded(_PICTURE_FONTS, _PICTURE_PX, otherwise=(plain, size_px))
        case _Kind.PLAIN:
            return _loaded(plain, size_px)


@cache
def _loaded(
    names: tuple[str, ...], size_px: int, otherwise: tuple[tuple[str, ...], int] | None = None
) -> ImageFont.FreeTypeFont:
    """The first of these fonts that is installed; else the first of others, else Pillow's own."""
    for name in names:
        with contextlib.suppress(OSError):
            return ImageFont.truetype(name, size_px)
    if otherwise is not None:
        return _loaded(*otherwise)
    own = ImageFont.load_default(size_px)
    assert isinstance(own, ImageFont.FreeTypeFont)
    return own
