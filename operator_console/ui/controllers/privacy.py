"""What leaves this machine: shown before a session with a service that the operator was not told about."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

from operator_console.ui.backend import ConsoleBackend, ModelChoice
from operator_console.ui.widgets.show_without_focus import open_modal
from operator_console.ui.window import MainWindow

if TYPE_CHECKING:
    from operator_console.ui.dialogs.privacy import PrivacySheet


class PrivacyController(QObject):
    """Asks before a start. The operator counts as told only once a session has started (`SessionController`)."""

    def __init__(self, backend: ConsoleBackend, window: MainWindow) -> None:
        super().__init__()
        self._backend, self._window = backend, window
        self._go: Callable[[], None] | None = None
        self.sheet: PrivacySheet | None = None

    def before(self, choice: ModelChoice | None, go: Callable[[], None]) -> None:
        """Run `go` at once, or after the operator read the sheet and agreed; not at all if it is cancelled."""
        if choice is None or choice.told or not choice.leaves:
            go()
            return
        if self.sheet is not None:
            return
        self._go = go
        from operator_console.ui.dialogs.privacy import PrivacySheet  # not needed before Start can be pressed

        sheet = self.sheet = PrivacySheet(choice, self._window)
        sheet.agreed.connect(self._agreed)
        sheet.finished.connect(self._closed)
        open_modal(sheet, takes_focus=self._backend.has_focus())  # a start that waited for the models asks late

    def close(self) -> None:
        """Close the sheet without a start."""
        if self.sheet is not None:
            self.sheet.reject()

    def _agreed(self) -> None:
        go, self._go = self._go, None
        if go is not None:
            go()

    def _closed(self, _result: int) -> None:
        self.sheet = self._go = None
