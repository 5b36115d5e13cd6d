"""API keys: opens the dialog, keeps, checks or forgets the key, and shows the result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from operator_console.domain.errors import ConsoleError
from operator_console.ui.backend import ConsoleBackend, ModelChoice
from operator_console.ui.bridge import Bridge
from operator_console.ui.window import MainWindow

if TYPE_CHECKING:
    from operator_console.ui.dialogs.api_key import KeyDialog, KeyEntered

TASK, KEYRING = "key", "keyring"


class ApiKeyController(QObject):
    """Handles the key dialog.

    Signals:
        kept: a key was kept or forgotten; carries the ModelChoice. The model list should be refreshed.
    """

    kept = Signal(object)

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, window: MainWindow) -> None:
        super().__init__()
        self._backend, self._bridge, self._window = backend, bridge, window
        self._dialog: KeyDialog | None = None

    @property
    def dialog(self) -> KeyDialog | None:
        """The open dialog; None while closed."""
        return self._dialog

    def enter(self, choice: object) -> None:
        """Open the dialog for a model's key."""
        if not isinstance(choice, ModelChoice):
            return
        from operator_console.ui.dialogs.api_key import KeyDialog  # not needed before Start can be pressed

        dialog = self._dialog = KeyDialog(choice, self._window)
        dialog.entered.connect(self._entered)
        dialog.forget_pressed.connect(self._forget_pressed)
        dialog.finished.connect(self._closed)
        dialog.open()
        self._bridge.run(KEYRING, self._ask_keyring())

    def failed(self, error: ConsoleError) -> bool:
        """Show the error in the dialog; returns False if it is closed."""
        if self._dialog is None:
            return False
        self._dialog.show_error(error)
        return True

    def _entered(self, entered: object) -> None:
        from operator_console.ui.dialogs.api_key import KeyEntered

        assert isinstance(entered, KeyEntered)
        self._bridge.run(TASK, self._keep(entered))

    def _forget_pressed(self, choice: object) -> None:
        assert isinstance(choice, ModelChoice)
        self._bridge.run(TASK, self._forget(choice))

    async def _ask_keyring(self) -> None:
        trouble = await self._backend.keyring_trouble()
        if self._dialog is not None:
            self._dialog.show_keyring(trouble)

    async def _keep(self, entered: KeyEntered) -> None:
        await self._backend.store_key(entered.choice, entered.key, entered.place)
        self.kept.emit(entered.choice)
        told = await self._backend.check_key(entered.choice)
        if self._dialog is not None:
            self._dialog.show_result(told, entered.place)

    async def _forget(self, choice: ModelChoice) -> None:
        await self._backend.forget_key(choice)
        self.kept.emit(choice)
        if self._dialog is not None:
            self._dialog.show_forgotten()

    def _closed(self, _result: int) -> None:
        self._dialog = None
        for name in (TASK, KEYRING):
            self._bridge.cancel(name)
