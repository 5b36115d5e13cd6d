"""Fills in and answers the dialog that a page waits with, by points and keys, as a person would."""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.browser.dialog_layout import DialogLayout
from operator_console.browser.host.dialogs import Step, clicked
from operator_console.domain.actions import (
    Button,
    Chord,
    Click,
    Drag,
    HoldKeys,
    InputAction,
    KeyDown,
    KeyUp,
    Press,
    TypeText,
)
from operator_console.domain.errors import RejectedReason
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.pages import PageDialog
from operator_console.injector.action_errors import Refused
from operator_console.injector.browser.page_input import PageInput
from operator_console.injector.input_gate import InputGate
from operator_console.injector.progress import Method, Progress

_ENTER = frozenset((Key("enter"), Key("kp_enter")))
_NOT_FOR_DIALOGS = (KeyDown, KeyUp, HoldKeys, Press, Drag)


class DialogInput:
    """Input for the dialogs of one browser."""

    def __init__(self, page: PageInput, gate: InputGate) -> None:
        self._page = page
        self._gate = gate

    def perform(self, action: InputAction, dialog: PageDialog, layout: DialogLayout, progress: Progress) -> None:
        """Carry out an action on it. Raises Refused, Halted, DeliveryUnknown."""
        match action:
            case Click(at=at, button=Button.LEFT):
                self._click(at, dialog, layout)
                progress.count(1, 1)
            case TypeText(text=text, at=at, clear=clear, submit=submit):
                if at is not None:
                    self._click(at, dialog, layout)
                if clear:
                    self._do(dialog, Step.CLEAR)
                progress.count(0, len(text))
                self._do(dialog, Step.TYPE, text=" ".join(text.splitlines()))
                progress.typed(Method.COMMITTED, len(text))
                if submit or text.endswith("\n"):
                    self._do(dialog, Step.ACCEPT)
            case Chord(keys=keys, repeat=repeat):
                for done in range(1, repeat + 1):
                    answered = self._chord(keys, dialog)
                    progress.count(done, repeat)
                    if answered:
                        break  # what comes after it is not for the page
            case _ if isinstance(action, _NOT_FOR_DIALOGS):
                raise Refused(RejectedReason.COVERED, notice(NoticeCode.DIALOG_TAKES_INPUT))
            case _:
                progress.count(1, 1)  # pointing and scrolling over a dialog do nothing

    def _click(self, at: NativePoint | None, dialog: PageDialog, layout: DialogLayout) -> None:
        for step, more in () if at is None else clicked(layout, at):
            self.do(dialog, step, more)

    def _chord(self, keys: Sequence[Key], dialog: PageDialog) -> bool:
        """Carry out a chord; whether it answers the dialog."""
        fields = max(len(dialog.values), 1)
        match tuple(keys):
            case (key,) if key in _ENTER:
                self._do(dialog, Step.ACCEPT)
                return True
            case (Key("esc"),):
                self._do(dialog, Step.DISMISS)
                return True
            case (Key("backspace" | "delete"),):
                self._do(dialog, Step.ERASE)
            case (Key("tab"),):
                self._do(dialog, Step.FOCUS, field=(dialog.focus + 1) % fields)
            case (Key("ctrl"), Key("a")):
                self._do(dialog, Step.SELECT)
            case (key,) if len(key) == 1:
                self._do(dialog, Step.TYPE, text=key)
            case _:
                raise Refused(RejectedReason.UNSUPPORTED, notice(NoticeCode.DIALOG_TAKES_INPUT))
        return False

    def _do(self, dialog: PageDialog, step: Step, **more: object) -> None:
        self.do(dialog, step, more)

    def do(self, dialog: PageDialog, step: Step, more: dict[str, object]) -> None:
        """Do a step to a dialog. Raises Halted, DeliveryUnknown."""
        with self._gate.primitive():
            self._gate.stamp()
            self._page.answer(int(dialog.dialog_id), step.value, more)
