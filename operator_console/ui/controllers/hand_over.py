"""Gives the target to a person who takes over in this window: folds the console, raises the target, and comes back."""

from __future__ import annotations

from collections.abc import Callable

from operator_console.domain.intents import Intent, TakeOver
from operator_console.ui.controllers.target import TargetController
from operator_console.ui.view.session_view import Phase, SessionView
from operator_console.ui.window import MainWindow


class HandOverController:
    """Follows the session; a hand-over that was not asked for here moves no window."""

    def __init__(self, window: MainWindow, targets: TargetController, open_console: Callable[[], None]) -> None:
        self._window, self._targets, self._open_console = window, targets, open_console
        self._asked = self._folded = False

    def posted(self, intent: Intent) -> None:
        """The operator sends this intent."""
        self._asked = self._asked or isinstance(intent, TakeOver)

    def opened(self) -> None:
        """The console was opened again, by whatever."""
        self._folded = False

    def follow(self, view: SessionView) -> None:
        """The session changed."""
        handed_over = view.phase is Phase.HANDED_OVER
        self._asked = self._asked and view.phase.active
        if handed_over and self._asked:
            self._asked = False
            if self._targets.on_this_desktop:
                self._folded = True
                self._window.showMinimized()
                self._targets.bring_forward()
        elif self._folded and not handed_over:
            self._open_console()
