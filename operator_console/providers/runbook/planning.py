"""Plans one step of a runbook from the accessible elements and the texts on the screen. Pure.

The step becomes an action, or a question which of several places is meant; or its text is not on the screen (yet); or
nothing needs to be done, for example where the text of a `wait for` is there; or it cannot be done here.

Elements take precedence over text that was read off the picture. A step that names a role is looked for in the picture
only where the application tells no elements at all, because a role cannot be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from operator_console.domain.actions import (
    Action,
    AskOperator,
    Back,
    Choice,
    Chord,
    Click,
    CloseTab,
    Drag,
    Forward,
    QuestionKind,
    Scroll,
    SwitchTab,
    TypeText,
)
from operator_console.domain.elements import Element, Role
from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.pages import Page
from operator_console.providers.runbook.language import (
    AskStep,
    BrowserStep,
    CheckStep,
    ClickStep,
    CloseTabStep,
    DragStep,
    ExpectStep,
    GoStep,
    HistoryStep,
    Named,
    PressStep,
    ScrollStep,
    Step,
    TabStep,
    TypeStep,
    WaitStep,
    show,
)
from operator_console.providers.runbook.named_controls import (
    controls_named,
    fields_named,
    hit_point,
    is_tall,
    lists_of,
    showing,
    switched_on,
    switches_named,
    texts_of,
)
from operator_console.providers.runbook.text_matching import apart, find, nearest, neighbour
from operator_console.providers.shared.arguments import going_to

_SAME_PLACE = 24  # pixels; a text that moved less is still the chosen one
_SINGLE_LINE = 6  # label heights; a higher field is a text area
_BESIDE = 1.5
_TABS_WITH_KEYS = 9
"""Browsers have keys for so many tabs."""


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
    """What is called `name` is not on the screen now. `readable`: reading the picture may find it."""

    name: str
    readable: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """Nothing needs to be done; `note` says why."""

    box: Rect
    note: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Impossible:
    """The step cannot be done here."""

    why: str


Plan: TypeAlias = Act | Which | Absent | Met | Impossible


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a step is planned from. All places are in native pixels.

    Attributes:
        elements: The visible accessible elements; empty if the application tells none.
        boxes: The texts on the frame; empty if it was not read.
        field: Finds the input field that belongs to a label in the picture.
        chosen: Places that the operator chose for names in this step.
        last: The point of the last action.
        native: The size of the frame.
        page: The page of a managed browser; None elsewhere.
    """

    elements: Sequence[Element] = ()
    boxes: Sequence[TextBox] = ()
    field: Callable[[Rect], Rect | None]
    chosen: Mapping[Named, Rect]
    last: NativePoint | None
    native: Size
    page: Page | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Spot:
    """One place that a name may mean; `element` None: a text that was read."""

    text: TextBox
    element: Element | None = None

    @property
    def box(self) -> Rect:
        return self.text.box


class _Unclear(Exception):
    """A name does not have exactly one place. `plan` is the consequence."""

    def __init__(self, plan: Which | Absent | Impossible) -> None:
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
            spot = _spot(step.target, scene)
            click = Click(at=_point(spot, scene), button=step.button, count=step.count)
            return Act(action=click, box=spot.box, note=_unverified(step.target, spot))
        case TypeStep():
            return Act(action=TypeText(text=step.text)) if step.into is None else _type_into(step, step.into, scene)
        case CheckStep():
            return _check(step, scene)
        case PressStep():
            return Act(action=Chord(keys=step.keys, repeat=step.repeat))
        case ScrollStep():
            on = None if step.on is None else _spot(step.on, scene)
            middle = NativePoint(scene.native.width // 2, scene.native.height // 2)
            at = _point(on, scene) if on is not None else scene.last or middle
            return Act(action=Scroll(at=at, dx=step.dx, dy=step.dy), box=on.box if on is not None else None)
        case DragStep():
            start, end = _spot(step.start, scene), _spot(step.end, scene)
            return Act(action=Drag(path=(_point(start, scene), _point(end, scene))), box=start.box)
        case WaitStep() | ExpectStep():
            return _expect(step.target, scene)
        case AskStep():
            return Act(action=AskOperator(question=step.question, answer=QuestionKind.CONFIRM))
        case GoStep() | TabStep() | CloseTabStep() | HistoryStep():
            return _browse(step, scene.page)


def _browse(step: BrowserStep, page: Page | None) -> Plan:
    match step:
        case GoStep():
            going = going_to(step.url, new_tab=step.new_tab)
            return Act(action=going.action, note=going.note)
        case TabStep() if page is None and step.number > _TABS_WITH_KEYS:
            return Impossible(why=notice(NoticeCode.NUMBER_EXPECTED, least=1, most=_TABS_WITH_KEYS))
        case TabStep() if page is not None and step.number > len(page.tabs):
            return Absent(name=show(step), readable=False)  # it may be about to open
        case TabStep():
            return Act(action=SwitchTab(number=step.number))
        case CloseTabStep():
            return Act(action=CloseTab())
        case HistoryStep():
            return Act(action=Forward() if step.forward else Back())


def _expect(target: Named, scene: Scene) -> Met | Absent:
    shown = showing(scene.elements, target)
    boxes = [element.box for element in shown] or [box.box for box in _read(target, scene)]
    if not boxes:
        return _absent(target, scene)
    return Met(box=boxes[0], note=notice(NoticeCode.NAME_ON_SCREEN, name=target.name))


def _check(step: CheckStep, scene: Scene) -> Plan:
    found = switches_named(scene.elements, step.target)
    if not found and not scene.elements:
        return Impossible(why=notice(NoticeCode.CHECKED_UNKNOWN, name=step.target.name))
    spots = [_of_element(element) for element in found]
    spot = _only(step.target, spots, scene) if spots else None
    if spot is None or spot.element is None:
        return Absent(name=step.target.name, readable=False)
    if switched_on(spot.element) is step.on:
        already = NoticeCode.CHECKED_ALREADY if step.on else NoticeCode.UNCHECKED_ALREADY
        return Met(box=spot.box, note=notice(already, name=step.target.name))
    return Act(action=Click(at=_point(spot, scene)), box=spot.box)


def _type_into(step: TypeStep, into: Named, scene: Scene) -> Act:
    fields = [_of_element(element) for element in fields_named(scene.elements, into)]
    if fields:
        spot = _only(into, fields, scene)
        assert spot.element is not None
        at = _caret(_visible(spot.box, scene), tall=is_tall(spot.element))
        return Act(action=TypeText(text=step.text, at=at, clear=step.replace), box=spot.box)
    label = _spot(into, scene)
    field = scene.field(label.box)
    note = _unverified(into, label)
    if field is None:
        at = NativePoint(label.box.right + round(_BESIDE * label.box.height), label.box.centre[1])
        note = notice(NoticeCode.PLACE_BESIDE_LABEL_USED, label=into.words)
    else:
        at = _caret(field, tall=field.height > _SINGLE_LINE * label.box.height)
    return Act(action=TypeText(text=step.text, at=at, clear=step.replace), box=label.box, note=note)


def _caret(field: Rect, *, tall: bool) -> NativePoint:
    """A point where a click puts the caret after the content: right of the centre, low in a text area."""
    y = field.y + (field.height * 3) // 4 if tall else field.centre[1]
    return NativePoint(field.x + (field.width * 3) // 4, y)


def _spot(named: Named, scene: Scene) -> _Spot:
    """The place of a name. Raises _Unclear unless there is exactly one."""
    found = [_of_element(element) for element in controls_named(scene.elements, named)]
    found = found or [_Spot(text=box) for box in _read(named, scene)]
    if not found:
        raise _Unclear(_absent(named, scene))
    return _only(named, found, scene)


def _only(named: Named, found: Sequence[_Spot], scene: Scene) -> _Spot:
    """The one that is meant. Raises _Unclear if that is not known."""
    chosen = scene.chosen.get(named)
    if chosen is not None:
        spot = min(found, key=lambda each: apart(each.box, chosen))
        if apart(spot.box, chosen) <= _SAME_PLACE:
            return spot
    if len(found) > 1 and named.near:
        near = Named(text=named.near)
        marks = [_of_element(e).text for e in showing(scene.elements, near)] or find(scene.boxes, named.near)
        if not marks:
            raise _Unclear(_absent(near, scene))
        nearest_box = nearest([spot.text for spot in found], marks)
        return next(spot for spot in found if spot.text is nearest_box)
    if len(found) > 1:
        raise _Unclear(_which(named, found, scene))
    return found[0]


def _read(named: Named, scene: Scene) -> Sequence[TextBox]:
    """The places of the text in the picture; none for a role where elements are known."""
    return () if named.role is not None and scene.elements else find(scene.boxes, named.text)


def _absent(named: Named, scene: Scene) -> Absent:
    return Absent(name=named.name, readable=named.role is None or not scene.elements)


def _unverified(named: Named, spot: _Spot) -> str:
    if named.role is None or spot.element is not None:
        return ""
    return notice(NoticeCode.ROLE_NOT_CHECKED, role=named.role.value)


def _which(named: Named, found: Sequence[_Spot], scene: Scene) -> Which:
    texts = (*texts_of(scene.elements), *scene.boxes)
    choices = tuple(Choice(label=_describe(spot, texts), region=spot.box) for spot in found)
    name = named.name[:1].upper() + named.name[1:]
    question = notice(NoticeCode.WHICH_ONE_IS_MEANT, name=name, count=len(found))
    ask = AskOperator(question=question, answer=QuestionKind.CHOOSE, choices=choices)
    return Which(named=named, places=tuple(spot.box for spot in found), ask=ask)


def _describe(spot: _Spot, texts: Sequence[TextBox]) -> NoticeText:
    x, y = spot.box.centre
    role = f"{spot.element.role.value} " if spot.element is not None and spot.element.role is not Role.UNKNOWN else ""
    control = f"{role}“{spot.text.text}”"
    other = neighbour(texts, spot.text)
    if other is None:
        return notice(NoticeCode.CONTROL_AT, control=control, x=x, y=y)
    return notice(NoticeCode.CONTROL_NEAR_AT, control=control, other=other.text, x=x, y=y)


def _of_element(element: Element) -> _Spot:
    (text,) = texts_of((element,)) or (TextBox(text="", box=element.box, source="accessible"),)
    return _Spot(text=text, element=element)


def _visible(box: Rect, scene: Scene) -> Rect:
    """The part of it that is on the picture and, for an entry, in its list; all of it where none is, so that the point
    is refused as out of range."""
    part = box.intersect(Rect(0, 0, scene.native.width, scene.native.height))
    for around in lists_of(scene.elements):
        if around.x <= part.x and part.right <= around.right:  # applications tell entries that are scrolled half away
            part = part if (shown := part.intersect(around)).empty else shown
    return box if part.empty else part


def _point(spot: _Spot, scene: Scene) -> NativePoint:
    box = _visible(spot.box, scene)
    return NativePoint(*box.centre) if spot.element is None else hit_point(spot.element, box)
