"""The questions of a session as they come and go: the safety dialog, the side card, and the desktop's notification.

One dialog at a time.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, QSize, Signal
from PySide6.QtGui import QImage

from operator_console.domain.geometry import NativePoint
from operator_console.domain.translations import _
from operator_console.engine.visible_text import brief
from operator_console.ui.backend import ConsoleBackend
from operator_console.ui.dialogs.allow_or_deny import QuestionDialog
from operator_console.ui.theme_colours import Theme
from operator_console.ui.view.call_words import asking_of
from operator_console.ui.view.session_view import SessionView, asked_in_dialog
from operator_console.ui.widgets.announcement import announce
from operator_console.ui.widgets.typing_watch import TypingWatch
from operator_console.ui.window import MainWindow


class QuestionController(QObject):
    """Opens the safety dialog for the open question and closes it when the question is no longer open.

    Signals:
        intent: carries an Answer.
        stop_pressed: no payload.
        end_pressed: the session should end because its target was closed; no payload.
    """

    intent = Signal(object)
    stop_pressed = Signal()
    end_pressed = Signal()

    def __init__(self, backend: ConsoleBackend, window: MainWindow, theme: Theme) -> None:
        super().__init__()
        self._backend, self._window, self._theme = backend, window, theme
        self._dialog: QuestionDialog | None = None
        self._typing = TypingWatch(window)
        self._question_id = ""
        self._out_of_reach, self._gone = "", False

    @property
    def dialog(self) -> QuestionDialog | None:
        """The open dialog; None while closed."""
        return self._dialog

    def set_out_of_reach(self, why: str, *, gone: bool) -> None:
        """Why nothing is allowed: the target cannot be seen or reached; "": it can. `gone`: because it was closed."""
        self._out_of_reach, self._gone = why, gone
        if self._dialog is not None:
            self._dialog.set_out_of_reach(why, gone=gone)

    def show_view(
        self, view: SessionView, crop: Callable[[NativePoint, QSize], QImage | None], *, replay: bool,
        in_target: bool = False,
    ) -> None:  # fmt: skip
        """Open or close the dialog to match the view's question.

        `in_target`: the target's window has the keyboard.
        """
        question = view.question if not replay else None
        question_id = question.question_id if question is not None else ""
        if question_id == self._question_id:
            return
        self._question_id = question_id
        self._withdraw()
        if question is None:
            return
        if not self._window.isActiveWindow():
            self._backend.notify(_("Your answer is needed"), brief(question.text, 200))
        if not asked_in_dialog(question):
            self._window.come_forward_over_target(in_front=in_target)
            self._window.open_drawer()
            announce(self._window.side.card, question.text, urgent=True)
            return
        asking = asking_of(view, question)
        dialog = QuestionDialog(
            asking, self._theme.tokens, self._window, covering=self._backend.covered,
            devices=lambda: self._backend.devices,
        )  # fmt: skip
        self._dialog = dialog
        dialog.answered.connect(self._answered)
        dialog.stop_pressed.connect(self.stop_pressed)
        dialog.end_pressed.connect(self.end_pressed)
        if asking.point is not None:
            dialog.show_crop(crop(asking.point, dialog.crop_size()), crop)
        dialog.set_out_of_reach(self._out_of_reach, gone=self._gone)
        self._window.show_dim(True)
        dialog.ask(takes_focus=self._backend.has_focus(), typing=self._typing.typing)

    def close(self) -> None:
        """Close the dialog."""
        self._question_id = ""
        self._withdraw()

    def _withdraw(self) -> None:
        dialog, self._dialog = self._dialog, None
        if dialog is not None:
            dialog.withdraw()
        self._window.show_dim(False)

    def _answered(self, answer: object) -> None:
        self._dialog = None
        self._window.show_dim(False)
        self.intent.emit(answer)
