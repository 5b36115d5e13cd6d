"""Opens the model settings, and saves, deletes and checks what is edited there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from operator_console.domain.errors import ConsoleError
from operator_console.ui.backend import ConsoleBackend
from operator_console.ui.bridge import Bridge
from operator_console.ui.profile_values import ModelProfile
from operator_console.ui.window import MainWindow

if TYPE_CHECKING:
    from operator_console.ui.dialogs.model_settings import ModelSettingsDialog
    from operator_console.ui.dialogs.profile_form import ProfileEdit

_OPEN, _CHANGE, _CHECK = "model_settings", "model_settings_change", "model_settings_check"


class ModelSettingsController(QObject):
    """Handles the dialog.

    Signals:
        changed: profiles were changed; carries the name of the one to choose, or "".
    """

    changed = Signal(object)

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, window: MainWindow) -> None:
        super().__init__()
        self._backend, self._bridge, self._window = backend, bridge, window
        self._dialog: ModelSettingsDialog | None = None

    @property
    def dialog(self) -> ModelSettingsDialog | None:
        """The open dialog; None while closed."""
        return self._dialog

    def open(self) -> None:
        """Open the dialog."""
        if self._dialog is None and not self._bridge.running(_OPEN):
            self._bridge.run(_OPEN, self._open())

    def failed(self, name: str, error: ConsoleError) -> bool:
        """Show the error of a task in the dialog; returns False if it is of another, or the dialog is closed."""
        if self._dialog is None or name not in (_CHANGE, _CHECK):
            return False
        self._dialog.show_error(error)
        return True

    async def _open(self) -> None:
        from operator_console.ui.dialogs.model_settings import ModelSettingsDialog  # not needed for a start

        settings = await self._backend.model_settings()
        chosen = self._window.setup.chosen_model
        model = chosen.model if chosen and not chosen.profile else ""
        provider = chosen.provider if chosen else settings.providers[0].name
        draft = ModelProfile(name="", values={"provider": provider, "model": model})
        dialog = self._dialog = ModelSettingsDialog(settings, draft, self._window)
        if chosen and chosen.profile:
            dialog.show_settings(settings, chosen.profile)
        dialog.saved.connect(self._saved)
        dialog.deleted.connect(self._deleted)
        dialog.checked.connect(self._checked)
        dialog.check_cancelled.connect(self._check_cancelled)
        dialog.finished.connect(self._closed)
        dialog.open()
        trouble = await self._backend.keyring_trouble()
        if self._dialog is dialog:
            dialog.form.show_keyring(trouble)

    def _saved(self, edit: ProfileEdit) -> None:
        self._bridge.run(_CHANGE, self._save(edit))

    async def _save(self, edit: ProfileEdit) -> None:
        await self._backend.save_profile(edit.profile, edit.before, edit.key)
        chosen = self._window.setup.chosen_model
        of_chosen = chosen is not None and chosen.profile == edit.before
        self.changed.emit(edit.profile.name if not edit.before or of_chosen else "")
        await self._show(edit.profile.name)
        if self._dialog is not None:
            self._dialog.show_saved()

    def _deleted(self, name: object) -> None:
        self._bridge.run(_CHANGE, self._delete(str(name)))

    async def _delete(self, name: str) -> None:
        await self._backend.delete_profile(name)
        self.changed.emit("")
        await self._show("")

    async def _show(self, chosen: str) -> None:
        settings = await self._backend.model_settings()
        if self._dialog is None:
            return
        names = [profile.name for profile in settings.profiles]
        self._dialog.show_settings(settings, chosen or next(iter(names), ""))

    def _checked(self, edit: ProfileEdit) -> None:
        self._bridge.run(_CHECK, self._check(edit))

    async def _check(self, edit: ProfileEdit) -> None:
        report = await self._backend.check_profile(edit.profile, edit.before, edit.key)
        if self._dialog is not None:
            self._dialog.show_report(report)

    def _check_cancelled(self) -> None:
        self._bridge.cancel(_CHECK)

    def _closed(self, _result: int) -> None:
        self._dialog = None
        self._bridge.cancel(_CHECK)
