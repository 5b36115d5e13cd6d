"""Plans one step of a runbook from the texts on the screen. Pure.

The step becomes an action, or a question which of several places is meant; or its text is not on the screen (yet); or,
for `wait for` and `expect`, the text is there and nothing needs to be done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from operator_console.domain.actions import (
    Action,
    AskOperator,
    Choice,
    Chord,
    Click,
    Drag,
    QuestionKind,
    Scroll,
    TypeText,
)
from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.providers.runbook.finding import apart, find, nearest, neighbour
from operator_console.providers.runbook.language import (
    AskStep,
    ClickStep,
    DragStep,
    ExpectStep,
    Named,
    PressStep,
    ScrollStep,
    Step,
    TypeStep,
    WaitStep,
)

_SAME_PLACE = 24  # pixels; a text that moved less is still the chosen one
_SINGLE_LINE = 6  # label heights; a higher field is a text area
_BESIDE = 1.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """Perform `action`. `box` is the text it refers to; `note` tells what was assumed."""

    action: Action
    box: Rect | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Which:
    """`named` matches several places; `ask` is the question which of them is meant."""

    named: Named
    places: tuple[Rect, ...]
    ask: AskOperator


@dataclass(frozen=True, slots=True, kw_only=True)
class Absent:
    """`text` is not on the screen now."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """The expected text is on the screen, in `box`."""

    box: Rect


Plan: TypeAlias = Act | Which | Absent | Met


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a step is planned from. All places are in native pixels.

    Attributes:
        boxes: The texts on the frame.
        field: Finds the input field that belongs to a label.
        chosen: Places that the operator chose for names in this step.
        last: The point of the last action.
        middle: The centre of the frame.
    """

    boxes: Sequence[TextBox]
    field: Callable[[Rect], Rect | None]
    chosen: Mapping[Named, Rect]
    last: NativePoint | None
    middle: NativePoint


class _Unclear(Exception):
    """A name does not have exactly one place. `plan` is the consequence."""

    def __init__(self, plan: Which | Absent) -> None:
        super().__init__()
        self.plan = plan


def plan(step: Step, scene: Scene) -> Plan:
    """Plan a step."""
    try:
        return _plan(step, scene)
    except _Unclear as unclear:
        return unclear.plan


def _plan(step: Step, scene: Scene) -> Plan:
    match step:
        case ClickStep():
            place = _place(step.target, scene)
            return Act(action=Click(at=_centre(place), button=step.button, count=step.count), box=place)
        case TypeStep():
            return Act(action=TypeText(text=step.text)) if step.into is None else _type_into(step, step.into, scene)
        case PressStep():
            return Act(action=Chord(keys=step.keys, repeat=step.repeat))
        case ScrollStep():
            on = None if step.on is None else _place(step.on, scene)
            at = _centre(on) if on is not None else scene.last or scene.middle
            return Act(action=Scroll(at=at, dx=step.dx, dy=step.dy), box=on)
        case DragStep():
            start, end = _place(step.start, scene), _place(step.end, scene)
            return Act(action=Drag(path=(_centre(start), _centre(end))), box=start)
        case WaitStep() | ExpectStep():
            found = find(scene.boxes, step.text)
            return Met(box=found[0].box) if found else Absent(text=step.text)
        case AskStep():
            return Act(action=AskOperator(question=step.question, answer=QuestionKind.CONFIRM))


def _type_into(step: TypeStep, into: Named, scene: Scene) -> Act:
    label = _place(into, scene)
    field = scene.field(label)
    if field is None:
        at = NativePoint(label.right + round(_BESIDE * label.height), label.centre[1])
        note = f"No field was found at {into.words}, so the place to the right of it is used."
    else:
        at, note = _caret(field, label), ""
    return Act(action=TypeText(text=step.text, at=at, clear=step.replace), box=label, note=note)


def _caret(field: Rect, label: Rect) -> NativePoint:
    """A point where a click puts the caret after the content: right of the centre, low in a text area."""
    tall = field.height > _SINGLE_LINE * label.height
    y = field.y + (field.height * 3) // 4 if tall else field.centre[1]
    return NativePoint(field.x + (field.width * 3) // 4, y)


def _place(named: Named, scene: Scene) -> Rect:
    """The place of a name. Raises _Unclear unless there is exactly one."""
    found = find(scene.boxes, named.text)
    if not found:
        raise _Unclear(Absent(text=named.text))
    chosen = scene.chosen.get(named)
    if chosen is not None:
        place = min((box.box for box in found), key=lambda box: apart(box, chosen))
        if apart(place, chosen) <= _SAME_PLACE:
            return place
    if len(found) > 1 and named.near:
        marks = find(scene.boxes, named.near)
        if not marks:
            raise _Unclear(Absent(text=named.near))
        return nearest(found, marks).box
    if len(found) > 1:
        raise _Unclear(_which(named, found, scene.boxes))
    return found[0].box


def _which(named: Named, found: Sequence[TextBox], boxes: Sequence[TextBox]) -> Which:
    choices = tuple(Choice(label=_describe(box, boxes), region=box.box) for box in found)
    times = "twice" if len(found) == 2 else f"{len(found)} times"
    question = f"“{named.text}” appears {times}. Which one is meant?"
    ask = AskOperator(question=question, answer=QuestionKind.CHOOSE, choices=choices)
    return Which(named=named, places=tuple(box.box for box in found), ask=ask)


def _describe(place: TextBox, boxes: Sequence[TextBox]) -> str:
    x, y = place.box.centre
    other = neighbour(boxes, place)
    beside = f" near “{other.text}”" if other is not None else ""
    return f"“{place.text}”{beside}, at {x}, {y}"


def _centre(rect: Rect) -> NativePoint:
    return NativePoint(*rect.centre)
