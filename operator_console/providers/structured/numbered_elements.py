"""What is on the screen, as the model is told it: elements with numbers, and further texts.

Elements come from the applications themselves (`ScreenElements`), or are the texts that are read off the picture. A
number stands for one element as long as that is seen from frame to frame; afterwards it is not given to another element
for a long time, so that a number from an old screen is an error and never another element.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from operator_console.domain.elements import Element, ElementState, Role
from operator_console.domain.errors import ActionError, ConsoleError
from operator_console.domain.frames import Frame
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.shared.results import one_line
from operator_console.providers.spec import ScreenElements, ScreenReader
from operator_console.providers.structured.options import ElementsFrom

LARGEST_NUMBER = 999
_NAME_LENGTH = 80
_TEXT_LENGTH = 200
_LEAST_PX = 4

USED = frozenset(
    (
        Role.BUTTON, Role.CELL, Role.CHECK_BOX, Role.COMBO_BOX, Role.HEADER, Role.LINK, Role.LIST, Role.LIST_ITEM,
        Role.MENU, Role.MENU_ITEM, Role.PASSWORD_FIELD, Role.RADIO_BUTTON, Role.SEARCH_FIELD, Role.SLIDER,
        Role.SPIN_BUTTON, Role.SWITCH, Role.TAB, Role.TERMINAL, Role.TEXT_FIELD, Role.TOGGLE_BUTTON, Role.TREE_ITEM,
    )
)  # fmt: skip
"""Elements that a person clicks, types into or chooses from."""
_READ = frozenset(
    (
        Role.ALERT, Role.DIALOG, Role.HEADING, Role.LABEL, Role.PARAGRAPH, Role.PROGRESS_BAR, Role.STATUS_BAR,
        Role.TOOL_TIP,
    )
)  # fmt: skip
_TOLD_STATES = (
    ElementState.CHECKED, ElementState.DISABLED, ElementState.EXPANDED, ElementState.FOCUSED, ElementState.INVALID,
    ElementState.PRESSED, ElementState.READ_ONLY, ElementState.REQUIRED, ElementState.SELECTED,
)  # fmt: skip

Key: TypeAlias = tuple[str, Role, str]
"""What an element is recognised by on a later frame: its id, role and name. An id alone may pass to another row of a
list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered:
    """An element with its number, and what can be seen of it, in native pixels."""

    number: int
    element: Element
    box: Rect

    @property
    def middle(self) -> NativePoint:
        """The pixel in the middle of what can be seen of it."""
        return NativePoint(*self.box.centre)

    @property
    def words(self) -> str:
        """Role and name, in a few words."""
        return _named(self.element)


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """The elements of one frame.

    Attributes:
        numbered: in reading order.
        texts: of elements without a number, in reading order.
        left_out: how many elements did not get a number, because there are too many.
    """

    numbered: tuple[Numbered, ...] = ()
    texts: tuple[str, ...] = ()
    left_out: int = 0

    def element(self, number: int) -> Numbered:
        """The element with this number. Raises ActionError if it is not on this screen."""
        for each in self.numbered:
            if each.number == number:
                return each
        raise ActionError(notice(NoticeCode.ELEMENT_NOT_ON_SCREEN, number=str(number)[:20]))

    def same(self, earlier: Numbered) -> Numbered | None:
        """The element of an earlier screen, if it is on this one."""
        return next((each for each in self.numbered if key_of(each.element) == key_of(earlier.element)), None)

    def listing(self) -> str:
        """The elements, one a line, for the model."""
        lines = [f"[{each.number}] {each.words}{_details(each.element)}" for each in self.numbered]
        if self.left_out:
            lines.append(f"({self.left_out} more elements have no number: scroll, or click a point.)")
        listed = ["Elements with a number:", *(lines or ["(none is known: click points)"])]
        return "\n".join([*listed, *(["Further texts:", *self.texts] if self.texts else [])])


@dataclass(slots=True)
class Numbers:
    """Gives elements their numbers, from frame to frame."""

    _given: dict[Key, int] = field(default_factory=dict)
    _last: int = 0

    def numbered(self, elements: Sequence[tuple[Element, Rect]]) -> tuple[Numbered, ...]:
        """The elements with numbers: those that were on the last frame keep theirs."""
        given: dict[Key, int] = {}
        made: list[Numbered] = []
        taken = set(self._given.values())
        for element, box in elements:
            key = key_of(element)
            number = self._given.get(key)
            if number is None or key in given:
                number = self._next(taken)
            given.setdefault(key, number)
            taken.add(number)
            made.append(Numbered(number=number, element=element, box=box))
        self._given = given
        return tuple(made)

    def skip(self, number: object) -> None:
        """Give new numbers after this one, which was used in an earlier run. Anything else is ignored."""
        if isinstance(number, int) and self._last < number <= LARGEST_NUMBER:
            self._last = number

    def _next(self, taken: set[int]) -> int:
        number = self._last
        while True:
            number = number % LARGEST_NUMBER + 1
            if number not in taken:
                self._last = number
                return number


def key_of(element: Element) -> Key:
    """What an element is recognised by."""
    return element.element_id, element.role, element.name


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementSources:
    """Where the elements of a session come from.

    Attributes:
        told: What tells its elements itself; None where nothing does, or it is not asked.
        reader: Reads texts off the picture, which are taken for elements; None where that is not available or wanted.
    """

    told: ScreenElements | None = None
    reader: ScreenReader | None = None

    @classmethod
    def of(cls, chosen: ElementsFrom, elements: ScreenElements | None, reader: ScreenReader | None) -> ElementSources:
        """The sources that were chosen, as far as they are available."""
        return cls(
            told=elements if chosen is not ElementsFrom.TEXT else None,
            reader=reader if chosen is not ElementsFrom.ACCESSIBILITY else None,
        )

    async def screen(self, frame: Frame, numbers: Numbers, most: int) -> Screen:
        """The elements of a frame, of which at most `most` get a number, and as many others are listed."""
        told = _seen(await self.told.listed(frame) if self.told is not None else (), frame)
        used = [(element, box) for element, box in told if _is_used(element)]
        texts = [element for element, _ in told if not _is_used(element) and element.role in _READ]
        window = _focused_part(frame)
        if self.reader is not None and not any(not box.intersect(window).empty for _, box in used):
            # Of the window that is worked in nothing is told, whatever panels and other windows tell.
            used += _seen(await _texts(self.reader, frame, window if used else None), frame)
        lines = dict.fromkeys(_named(element, _TEXT_LENGTH) for element in texts)
        return Screen(
            numbered=numbers.numbered(used[:most]),
            texts=tuple(lines)[:most],
            left_out=max(0, len(used) - most),
        )


async def _texts(reader: ScreenReader, frame: Frame, region: Rect | None) -> Sequence[Element]:
    """The texts in a region of the frame, in native pixels (None: all of it); none where it cannot be read."""
    try:
        found = await reader.read(frame, region)
    except ConsoleError:
        return ()
    # What is read has no identity: the place tells equal texts apart.
    return tuple(
        Element(element_id=f"text {each.box.x // 8} {each.box.y // 8}", role=Role.LABEL, name=each.text, box=each.box)
        for each in found
        if each.text.strip()
    )


def _seen(elements: Iterable[Element], frame: Frame) -> list[tuple[Element, Rect]]:
    """Elements of which something can be seen, each place and name once."""
    native = frame.geometry.native
    made: dict[tuple[Rect, str], tuple[Element, Rect]] = {}
    for element in elements:
        box = element.box.intersect(Rect(0, 0, native.width, native.height))
        if box.width >= _LEAST_PX and box.height >= _LEAST_PX:
            made.setdefault((box, _named(element)), (element, box))
    return list(made.values())


def _is_used(element: Element) -> bool:
    if ElementState.DISABLED in element.states:
        return False
    return element.role in USED or ElementState.EDITABLE in element.states


def _focused_part(frame: Frame) -> Rect:
    """The part of the frame that the window with the focus has; all of it where none is known. Native pixels."""
    geometry = frame.geometry
    whole = Rect(0, 0, geometry.native.width, geometry.native.height)
    if frame.focus is None or frame.focus.own or not frame.focus_in_target:
        return whole
    inside = geometry.rect_from_screen(frame.focus.rect).intersect(whole)
    return whole if inside.empty else inside


def _named(element: Element, length: int = _NAME_LENGTH) -> str:
    name = element.name or element.label or element.text or element.description
    return f"{element.role} “{one_line(name, length)}”" if name.strip() else str(element.role)


def _details(element: Element) -> str:
    """The value and the states of an element, on one line, so that no text can look like an element of its own."""
    value = f" = “{one_line(element.value, _NAME_LENGTH)}”" if element.value and element.value != element.name else ""
    states = ", ".join(state.value for state in _TOLD_STATES if state in element.states)
    return f"{value} ({states})" if states else value
