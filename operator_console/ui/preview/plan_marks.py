"""Plans the marks over the preview from the view: one per call, in native pixels. Pure; `paint_marks` paints them.

A mark gives the position (points), the shape, how far the call has got (stage) and its risk, but no drawing sizes.
`MarkMotion` is how marks change with time: a ring closes during its lead time, and what was done fades.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from operator_console.domain import actions as a
from operator_console.domain.element_marks import ElementMark
from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.domain.risk import RiskClass
from operator_console.engine.visible_text import brief, cut
from operator_console.ui.view.call_words import as_asked, assessed_words, would_be
from operator_console.ui.view.session_view import Call, Phase, SessionView, Step


class MarkShape(StrEnum):
    """The shape drawn at the point. REGION and KEYS have no ring: KEYS go to the control that has the focus."""

    POINT = "point"
    DRAG = "drag"
    SCROLL = "scroll"
    TEXT = "text"
    KEYS = "keys"
    REGION = "region"
    CHOICE = "choice"


class MarkStage(StrEnum):
    """How far the call has got."""

    WAITING = "waiting"
    NEXT = "next"
    DONE = "done"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One mark of the overlay.

    Attributes:
        key: stays the same for one call across views.
        number: as written in the label, from 1.
        points: the positions: a drag has its whole path, all others one point.
        region: what the action or the model refers to.
        controls: the extents of the controls that are hit, as far as they are known: two for a drag.
        notches: scroll, dx and dy.
        text: the text to type, in full (cut when drawn, in full in the tooltip).
        risk: None if it has not been judged.
        lead_s: how long its ring takes to close; 0 without a lead time.
    """

    key: str
    number: int
    shape: MarkShape
    stage: MarkStage
    label: str
    points: tuple[NativePoint, ...] = ()
    region: Rect | None = None
    controls: tuple[Rect, ...] = ()
    notches: tuple[int, int] = (0, 0)
    text: str = ""
    risk: RiskClass | None = None
    lead_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """The numbered boxes of elements on a picture of `native` pixels."""

    native: Size
    marks: tuple[ElementMark, ...]


def marks_of(view: SessionView, edited: a.Action | None = None) -> tuple[Mark, ...]:
    """The marks of the newest step or of an open *choose* question; `edited` replaces the action of the asked call."""
    step = view.step
    if step is None or not view.phase.active or view.phase is Phase.HANDED_OVER:
        return ()
    question = view.question
    if question is not None and question.choices:
        return tuple(
            Mark(
                key=f"choice {number}", number=number, shape=MarkShape.CHOICE, stage=MarkStage.NEXT,
                label=brief(choice.label, 200), region=choice.region, points=_middle(choice.region),
            )
            for number, choice in enumerate(question.choices, start=1)
            if choice.region is not None
        )  # fmt: skip
    upcoming = _upcoming(view)
    pointer: NativePoint | None = None
    found: list[Mark] = []
    for call in step.calls:
        shown = (
            would_be(as_asked(call, view), edited) if upcoming is not None and call.index == upcoming.index else call
        )
        mark = _mark(shown, upcoming, pointer)
        if mark is not None:
            found.append(mark)
            pointer = mark.points[-1] if mark.points and mark.shape is not MarkShape.KEYS else pointer
    return tuple(found)


def marks_of_step(step: Step) -> tuple[Mark, ...]:
    """The marks of a past step: all of its calls as they were proposed or edited."""
    marks = (_mark(call, None, None) for call in step.calls)
    return tuple(replace(mark, stage=MarkStage.NEXT, lead_s=0.0) for mark in marks if mark is not None)


def numbers_of(view: SessionView) -> Numbers | None:
    """The numbered boxes of the newest step, as long as none of its calls has changed the screen; None: none."""
    step = view.step
    if step is None or not view.phase.active or any(call.granted for call in step.calls):
        return None
    return numbers_of_step(step)


def numbers_of_step(step: Step) -> Numbers | None:
    """The numbered boxes on the picture that the model got; None: none."""
    if step.observed is None or not step.observed.marks:
        return None
    return Numbers(native=step.observed.geometry.native, marks=step.observed.marks)


def _upcoming(view: SessionView) -> Call | None:
    return view.leading_call or view.asked_call or next(iter(view.open_calls), None)


def _middle(region: Rect | None) -> tuple[NativePoint, ...]:
    return (NativePoint(*region.centre),) if region is not None else ()


def _mark(call: Call, upcoming: Call | None, pointer: NativePoint | None) -> Mark | None:
    action, known = call.action, (call.from_control, call.control)
    extents = tuple(control.extent for control in known if control is not None and control.extent is not None)
    extent = call.control.extent if call.control is not None else None
    field = extent or call.proposed.box
    shape, points = _shape(action, pointer, field)
    if shape is None and isinstance(action, _KEYS) and extent is not None:
        shape, points = MarkShape.KEYS, _middle(extent)
    if shape is None:
        return None
    box = _region(action) or call.proposed.box
    stage = MarkStage.WAITING
    if not call.open:
        stage = MarkStage.DONE
    elif upcoming is not None and call.index == upcoming.index:
        stage = MarkStage.NEXT
    return Mark(
        key=f"{call.step}.{call.index}",
        number=call.index + 1,
        shape=shape,
        stage=stage,
        label=_label(call),
        points=points,
        region=None if box is not None and extent is not None and _alike(box, extent) else box,
        controls=extents,
        notches=(action.dx, action.dy) if isinstance(action, a.Scroll) else (0, 0),
        text=action.text if isinstance(action, a.TypeText) else "",
        risk=call.assessment.risk if call.assessment else None,
        lead_s=call.lead_s if not call.granted and call.open else 0.0,
    )


_KEYS = a.Chord | a.KeyDown | a.KeyUp | a.HoldKeys
_ALIKE_PX = 4


def _alike(box: Rect, extent: Rect) -> bool:
    """Whether two outlines would run beside each other all the way."""
    sides = ((box.x, extent.x), (box.y, extent.y), (box.right, extent.right), (box.bottom, extent.bottom))
    return all(abs(one - other) <= _ALIKE_PX for one, other in sides)


def _label(call: Call) -> str:
    return cut(assessed_words(call.action, call.assessment, limit=40, window=False).phrase, 44)


def _region(action: a.Action | None) -> Rect | None:
    return action.region if isinstance(action, a.Zoom | a.QuoteText) else None


def _shape(
    action: a.Action | None, pointer: NativePoint | None, field: Rect | None
) -> tuple[MarkShape | None, tuple[NativePoint, ...]]:
    match action:
        case a.Drag(path=path):
            return MarkShape.DRAG, path
        case a.Scroll(at=at):
            point = at or pointer
            return (MarkShape.SCROLL, (point,)) if point else (None, ())
        case a.TypeText(at=at):
            point = at or (NativePoint(*field.centre) if field else None) or pointer
            return (MarkShape.TEXT, (point,)) if point else (None, ())
        case a.Move(at=at) | a.Click(at=at) | a.Press(at=at) | a.Release(at=at):
            point = at or pointer
            return (MarkShape.POINT, (point,)) if point else (None, ())
        case a.UseElement(at=at):
            return MarkShape.POINT, (at,)
        case a.Zoom(region=region) | a.QuoteText(region=region):
            return MarkShape.REGION, (NativePoint(*region.centre),)
        case _:
            return None, ()


FADE_S = 0.6


class MarkMotion:
    """Knows when each mark began and was done. `reduced`: nothing moves."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self.reduced = False
        self._monotonic = monotonic
        self._begun: dict[str, float] = {}
        self._done: dict[str, float] = {}

    def show(self, marks: Sequence[Mark]) -> None:
        """These marks are shown from now on; those that were shown go on as they were."""
        now_s = self._monotonic()
        keys = {mark.key for mark in marks}
        self._begun = {key: when_s for key, when_s in self._begun.items() if key in keys}
        self._done = {key: when_s for key, when_s in self._done.items() if key in keys}
        for mark in marks:
            if mark.lead_s:
                self._begun.setdefault(mark.key, now_s)
            if mark.stage is MarkStage.DONE:
                self._done.setdefault(mark.key, now_s)

    def lead(self, mark: Mark) -> float | None:
        """The part of its lead time that has passed, 0 to 1; None without one."""
        if not mark.lead_s or mark.key not in self._begun:
            return None
        return 1.0 if self.reduced else min(1.0, (self._monotonic() - self._begun[mark.key]) / mark.lead_s)

    def opacity(self, mark: Mark) -> float:
        """0 to 1, over the live picture."""
        if mark.stage is not MarkStage.DONE:
            return 1.0
        if self.reduced:
            return 0.0
        return max(0.0, 1.0 - (self._monotonic() - self._done.get(mark.key, 0.0)) / FADE_S)

    def moving(self, marks: Sequence[Mark], *, live: bool) -> bool:
        """Whether any of them looks different a moment later. `live`: over the live picture, where marks fade."""
        if self.reduced:
            return False
        leading = any((part := self.lead(mark)) is not None and part < 1.0 for mark in marks)
        return leading or (live and any(mark.stage is MarkStage.DONE and self.opacity(mark) > 0.0 for mark in marks))
