"""Gives the target to a person who takes over in this window, and takes it back.

On the person's own desktop the console folds and raises the target. What has no window of its own is used in the
preview.
"""

from __future__ import annotations

from collections.abc import Callable

from operator_console.domain.intents import Intent, TakeOver
from operator_console.ui.controllers.target import TargetController
from operator_console.ui.view.session_view import Phase, SessionView
from operator_console.ui.view.target_words import has_own_window, used_in_preview
from operator_console.ui.window import MainWindow


class HandOverController:
    """Follows the session; a hand-over that was not asked for here moves no window."""

    def __init__(
        self, window: MainWindow, targets: TargetController, open_console: Callable[[], None],
        show_live: Callable[[], None],
    ) -> None:  # fmt: skip
        self._window, self._targets = window, targets
        self._open_console, self._show_live = open_console, show_live
        self._asked = self._folded = False
        window.preview.hand_left.connect(window.line.take_over.setFocus)

    def posted(self, intent: Intent) -> None:
        """The operator sends this intent."""
        self._asked = self._asked or isinstance(intent, TakeOver)

    def opened(self) -> None:
        """The console was opened again, by whatever."""
        self._folded = False

    def follow(self, view: SessionView) -> None:
        """The session changed."""
        handed_over = view.phase is Phase.HANDED_OVER
        target = view.started.target if view.started is not None else None
        in_preview = target is not None and used_in_preview(target)
        self._window.preview.set_hand(handed_over and in_preview)
        self._asked = self._asked and view.phase.active
        if handed_over and self._asked:
            self._asked = False
            if in_preview:
                self._show_live()
                self._window.preview.setFocus()
            elif self._targets.on_this_desktop or (target is not None and has_own_window(target)):
                self._folded = True
                self._window.showMinimized()
                self._targets.bring_forward()
        elif self._folded and not handed_over:
            self._open_console()
