"""Works the open list of a `<select>` at the rows that the console has drawn for it.

The browser's own list takes no pointer from the protocol: a click on a row would go to the page beneath. So a row is
chosen by the list's keys, and nothing is clicked through it.
"""

from __future__ import annotations

from collections.abc import Callable

from operator_console.browser.dialog_layout import DialogLayout, PartKind, scrolled
from operator_console.browser.host.dialogs import Step
from operator_console.domain.actions import Button, Click, InputAction, Move, Scroll
from operator_console.domain.errors import RejectedReason
from operator_console.domain.geometry import NativePoint
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.pages import PageDialog
from operator_console.injector.action_errors import Refused
from operator_console.injector.browser.element_input import ElementInput
from operator_console.injector.progress import Progress


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
