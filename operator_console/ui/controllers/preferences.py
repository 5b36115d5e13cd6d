"""What the operator keeps: the settings dialog, and the last choices of the set-up column."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from operator_console.domain.errors import ConsoleError
from operator_console.ui.backend import ConsoleBackend, Preferences
from operator_console.ui.dialogs.settings import SettingsDialog
from operator_console.ui.panels.banner import Notice
from operator_console.ui.theme import Theme
from operator_console.ui.window import MainWindow


class PreferenceController(QObject):
    """The desk.

    Signals:
        noticed: they could not be kept; carries a Notice.
    """

    noticed = Signal(object)

    def __init__(self, backend: ConsoleBackend, window: MainWindow, theme: Theme) -> None:
        super().__init__()
        self._backend, self._window, self._theme = backend, window, theme
        self.kept = backend.preferences
        window.stage.set_reduced_motion(self.kept.reduced_motion)
        window.setup.show_preferences(self.kept)

    def open_settings(self) -> None:
        """The dialog."""
        dialog = SettingsDialog(self.kept, self._backend.guard, self._window)
        dialog.kept.connect(self._settings_kept)
        dialog.open()

    def keep_choice(self) -> None:
        """What is set up now is offered again next time."""
        setup = self._window.setup
        target, model = setup.chosen_target, setup.chosen_model
        if target is None or model is None:
            return
        self._keep(replace(
            self.kept, target=target.spec, provider=model.provider, model=model.model, autonomy=setup.autonomy,
            max_steps=setup.max_steps.value(), max_minutes=float(setup.max_minutes.value()),
        ))  # fmt: skip

    def _settings_kept(self, preferences: object) -> None:
        assert isinstance(preferences, Preferences)
        self._keep(preferences)
        self._theme.choose(preferences.theme)
        self._window.stage.set_reduced_motion(preferences.reduced_motion)
        self._window.setup.show_allowed(preferences.allow)

    def _keep(self, preferences: Preferences) -> None:
        if preferences == self.kept:
            return
        self.kept = preferences
        try:
            self._backend.keep(preferences)
        except ConsoleError as error:
            self.noticed.emit(Notice.of(error))
