"""Uses an element of a page that is recognised again, or a row of the open list that is drawn for a `<select>`.

Nothing is done by a script: what reaches the page is what a hand could have sent. The browser's own list takes no
pointer from the protocol, a click on a row would go to the page beneath: a row is chosen by the list's keys.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from operator_console.browser.devtools import ProtocolError
from operator_console.browser.dialog_layout import DialogLayout, PartKind, scrolled
from operator_console.browser.host.dialogs import Step
from operator_console.browser.page_state import PageState
from operator_console.domain.actions import Button, Click, InputAction, Move, Scroll, UseElement
from operator_console.domain.element_uses import PRESSED_BY, ElementUse
from operator_console.domain.errors import RejectedReason
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.pages import DialogKind, PageDialog
from operator_console.injector.action_errors import DeliveryUnknown, Refused
from operator_console.injector.browser.page_input import PageInput, strokes_of
from operator_console.injector.input_gate import InputGate
from operator_console.injector.progress import Progress

_SHOWS_WITHIN_S = 0.7
_CLOSES_WITHIN_S = 0.5
_ATTEMPTS = 6
_FIELDS = frozenset(("combobox", "password", "searchbox", "spinbutton", "textbox"))


class ElementInput:
    """Uses elements of one browser.

    Args:
        page: where input is sent.
        gate: asked before each event.
        state: asks the browser what it shows.
    """

    def __init__(self, page: PageInput, gate: InputGate, state: Callable[[], PageState]) -> None:
        self._page = page
        self._gate = gate
        self._state = state

    def perform(self, action: UseElement, progress: Progress) -> None:
        """Use the element of the grant. Raises Refused before anything was sent, and Halted, DeliveryUnknown."""
        element = action.element
        self._require_same(action)
        progress.count(0, 1)
        match action.use:
            case ElementUse.PRESS:
                if action.name.lower() not in PRESSED_BY.get(element.role, ()):
                    raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.ELEMENT_HAS_NO_ACTION))
                self._click(element.element_id)
                progress.way = "click on the element"
            case ElementUse.FOCUS if element.role_name in _FIELDS and element.role_name != "combobox":
                self._click(element.element_id)
                progress.way = "click into the element"
            case ElementUse.FOCUS:
                self._focus(element.element_id)
                progress.way = "focus of the element"
            case ElementUse.CHOOSE:
                progress.way = self._choose(element.element_id, action.option)
        progress.count(1, 1)

    def choose_row(self, dialog: PageDialog, number: int) -> None:
        """Choose an option of the list that is open, by its keys. Raises Halted, DeliveryUnknown."""
        before = [each for each in dialog.options if not each.disabled]
        place = next(at for at, each in enumerate(before) if each.number == number)
        (home,), (down,), (enter,) = (strokes_of((Key(name),)) for name in ("home", "down", "enter"))
        self._page.stroke(home)
        for _ in range(place):
            self._page.stroke(down)
        self._page.stroke(enter)
        if not self._gate.wait_for(lambda: self._chosen(dialog.element) == number, _SHOWS_WITHIN_S):
            raise DeliveryUnknown(notice(NoticeCode.OPTION_NOT_SHOWN_CHOSEN))

    def close_list(self) -> None:
        """Close what the browser shows over the page for a field, without choosing anything. Raises Refused, Halted,
        DeliveryUnknown.

        One that is still being opened does not take the key.
        """
        (escape,) = strokes_of((Key("esc"),))
        for _ in range(_ATTEMPTS):
            self._page.stroke(escape)
            if self._gate.wait_for(lambda: not _list_is_open(self._state()), _CLOSES_WITHIN_S):
                return
        raise Refused(RejectedReason.COVERED, notice(NoticeCode.LIST_IS_OPEN))

    def _require_same(self, action: UseElement) -> None:
        """Raises Refused where it is not the element of the grant any more."""
        meant, now = action.element, self._ask("look", action.element.element_id)
        if now is None:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.ELEMENT_GONE))
        computed = (now.get("accessible") or {}).get("name", {}).get("value", "")
        names = [" ".join(str(name).split()) for name in (now["name"], computed)]
        if now["role"] != meant.role_name or meant.name not in names:
            raise Refused(
                RejectedReason.STALE, notice(NoticeCode.ELEMENT_CHANGED, name=names[0][:60], before=meant.name)
            )
        if "disabled" in now["states"]:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.ELEMENT_NOT_USABLE))

    def _click(self, element: str) -> None:
        """Click where the element can be seen, scrolled into view. Raises Refused where something covers it."""
        spot = self._ask("reach", element)
        if spot is None:
            raise Refused(RejectedReason.COVERED, notice(NoticeCode.OTHER_ELEMENT_AT_PLACE))
        self._page.move(*spot)
        self._page.press(Button.LEFT, *spot)
        self._page.release(Button.LEFT, *spot)

    def _focus(self, element: str) -> None:
        with self._gate.primitive():
            self._gate.stamp()
            took = self._ask("focus", element)
        if not took:
            raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.ELEMENT_TAKES_NO_FOCUS))

    def _choose(self, element: str, name: str) -> str:
        """Choose an option; how that was done."""
        told = self._ask("options", element)
        if told is None or not told["options"]:
            raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.ELEMENT_HAS_NO_OPTIONS))
        option = _named(told["options"], name)
        if not told["drops"]:
            self._click(option["id"])
            return "click on the option"
        self._click(element)
        dialog: PageDialog | None = None

        def opened() -> bool:
            nonlocal dialog
            dialog = self._state().page.dialog
            return dialog is not None and dialog.kind is DialogKind.LIST and dialog.element == element

        if not self._gate.wait_for(opened, _SHOWS_WITHIN_S) or dialog is None:
            raise DeliveryUnknown(notice(NoticeCode.OPTION_NOT_CHOOSABLE))
        self.choose_row(dialog, option["number"])
        return "open list, arrow keys and Enter"

    def _chosen(self, element: str) -> int | None:
        told = self._ask("options", element)
        return None if told is None else int(told["value"])

    def _ask(self, do: str, element: str) -> Any:
        try:
            return self._page.ask("Operator.element", {"do": do, "element": element})["found"]
        except ProtocolError as error:
            raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.ELEMENT_NOT_ANSWERING)) from error


def _named(options: Sequence[Mapping[str, Any]], name: str) -> Mapping[str, Any]:
    """The option with this name. Raises Refused where none or several have it, or it is disabled."""
    wanted = " ".join(name.split())
    found = [each for each in options if each["name"] == wanted]
    if len(found) != 1:
        code = NoticeCode.OPTION_NOT_THERE if not found else NoticeCode.OPTION_NOT_UNIQUE
        raise Refused(RejectedReason.UNSUPPORTED, notice(code, option=wanted[:60]))
    if found[0]["disabled"]:
        raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.ELEMENT_NOT_USABLE))
    return found[0]


def _list_is_open(state: PageState) -> bool:
    """Whether the browser shows a list or a picker over the page."""
    return bool(state.picker) or (state.page.dialog is not None and state.page.dialog.kind is DialogKind.LIST)


class ListInput:
    """Pointer input for the open lists of one browser.

    Args:
        elements: chooses a row, or closes the list.
        answer: does a step to a dialog, by its id.
    """

    def __init__(self, elements: ElementInput, answer: Callable[[PageDialog, Step, dict[str, object]], None]) -> None:
        self._elements = elements
        self._answer = answer

    def perform(self, action: InputAction, dialog: PageDialog, layout: DialogLayout, progress: Progress) -> None:
        """Carry out a pointer action. Raises Refused, Halted, DeliveryUnknown."""
        match action:
            case Click(at=NativePoint() as at, button=Button.LEFT, count=1, modifiers=()):
                progress.count(0, 1)
                progress.way = self._click(at, dialog, layout)
                progress.count(1, 1)
            case Scroll(at=NativePoint() as at, dy=dy) if layout.box.contains(at.x, at.y):
                self._answer(dialog, Step.SCROLL, {"first": scrolled(dialog, layout, dy)})
                progress.count(abs(dy), abs(dy))
            case Move():
                progress.count(1, 1)
            case _:
                raise Refused(RejectedReason.COVERED, notice(NoticeCode.LIST_IS_OPEN))

    def _click(self, at: NativePoint, dialog: PageDialog, layout: DialogLayout) -> str:
        part = layout.part_at(at.x, at.y)
        if part is not None and part.kind is PartKind.OPTION:
            self._elements.choose_row(dialog, part.number)
            return "arrow keys and Enter in the open list"
        if not layout.box.contains(at.x, at.y):
            self._elements.close_list()
            return "Escape, which closes the open list"
        return "nothing: the row cannot be chosen"
