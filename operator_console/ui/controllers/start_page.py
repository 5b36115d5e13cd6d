"""The start page: when it is shown, and what its buttons do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from operator_console.ui.backend import ConsoleBackend, ModelChoice, TargetChoice
from operator_console.ui.bridge import Bridge
from operator_console.ui.controllers.preferences import PreferenceController
from operator_console.ui.window import MainWindow

if TYPE_CHECKING:
    from operator_console.ui.panels.start_page import StartPage

TASK = "recent sessions"


class StartPageController(QObject):
    """Shows the page at the first start, and on request; hides it once the person goes another way.

    It gives way when another target is chosen, a task is written, a session starts or a record opens. It is not shown
    by itself again once a session was run or the page was closed by its own button.

    Signals:
        practice_pressed, practice_end_pressed, open_pressed: no payload.
        key_pressed: carries the ModelChoice; recent_chosen: carries a Path.
        toggled: the page was shown or hidden; carries whether it is shown.
    """

    practice_pressed = Signal()
    practice_end_pressed = Signal()
    key_pressed = Signal(object)
    open_pressed = Signal()
    recent_chosen = Signal(object)
    toggled = Signal(object)

    def __init__(
        self, backend: ConsoleBackend, bridge: Bridge, window: MainWindow, preferences: PreferenceController
    ) -> None:
        super().__init__()
        self._backend, self._bridge, self._window, self._preferences = backend, bridge, window, preferences
        self.page: StartPage | None = None
        self._models: Sequence[ModelChoice] = ()
        self._target = ""
        self._practice = (False, False)
        self._soon = QTimer(window)  # ends with the widgets that it is about
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self.show)
        window.setup.task.textChanged.connect(self._task_changed)
        window.setup.chooser.chosen.connect(self._target_chosen)

    @property
    def shown(self) -> bool:
        """Whether the page is shown."""
        return self.page is not None and not self.page.isHidden()

    def begin(self) -> None:
        """Show the page soon, after the window was painted, unless it was seen before or a task is being written."""
        if not self._preferences.kept.start_page_seen and not self._window.setup.task.toPlainText().strip():
            self._soon.start()

    def show(self) -> None:
        """Show the page, with the newest sessions. It takes no focus."""
        page = self.page = self.page or self._furnish()
        page.show_model(_model_to_start_with(self._models))
        opening, running = self._practice
        page.show_practice(opening=opening, running=running)
        page.open_page()
        self._bridge.run(TASK, self._recent())
        self.toggled.emit(True)

    def hide(self) -> None:
        """Give way to the preview."""
        self._soon.stop()
        if self.page is not None and self.shown:
            focused: QWidget | None = self._window.focusWidget()
            had_focus = focused is not None and self.page.isAncestorOf(focused)
            self.page.give_way()
            if had_focus:
                self._window.setup.task.setFocus()
            self.toggled.emit(False)

    def remember(self) -> None:
        """Do not show it by itself again."""
        self._preferences.keep(replace(self._preferences.kept, start_page_seen=True))

    def show_models(self, models: Sequence[ModelChoice]) -> None:
        """Take the models to choose from."""
        self._models = models
        if self.page is not None:
            self.page.show_model(_model_to_start_with(models))

    def show_practice(self, *, opening: bool, running: bool) -> None:
        """Show whether the practice window is being opened, or is open."""
        self._practice = opening, running
        if self.page is not None:
            self.page.show_practice(opening=opening, running=running)

    def _furnish(self) -> StartPage:
        from operator_console.ui.panels.start_page import StartPage  # not needed for the first paint

        page = StartPage(self._window.stage)
        page.follow_in_tab_order(self._window.setup.task)  # where the keyboard is at the first start
        page.practice_pressed.connect(self.practice_pressed)
        page.practice_end_pressed.connect(self.practice_end_pressed)
        page.key_pressed.connect(self.key_pressed)
        page.open_pressed.connect(self.open_pressed)
        page.recent_chosen.connect(self.recent_chosen)
        page.write_pressed.connect(self._write_pressed)
        page.closed.connect(self._closed)
        return page

    async def _recent(self) -> None:
        found = await self._backend.sessions()
        if self.page is not None:
            self.page.show_recent([each for each in found if not each.trouble])

    def _write_pressed(self) -> None:
        self.hide()
        self._window.setup.task.setFocus()

    def _closed(self) -> None:
        self.hide()
        self.remember()

    def _task_changed(self) -> None:
        if self._window.setup.task.toPlainText().strip():
            self.hide()

    def _target_chosen(self, choice: object) -> None:
        spec = choice.spec if isinstance(choice, TargetChoice) else ""
        before, self._target = self._target, spec or self._target
        if before and spec and spec != before:
            self.hide()


def _model_to_start_with(models: Sequence[ModelChoice]) -> ModelChoice | None:
    """The first model that needs a key, as the services of the program are listed: its default one."""
    return next((each for each in models if each.needs_key and not each.profile), None)
