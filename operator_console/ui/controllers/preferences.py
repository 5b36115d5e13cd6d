"""Saves the values of the settings dialog and the last choices of the set-up column."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject

from operator_console.ui.backend import ConsoleBackend, Preferences
from operator_console.ui.bridge import Bridge
from operator_console.ui.dialogs.settings import SettingsDialog
from operator_console.ui.theme_colours import Theme
from operator_console.ui.window import MainWindow


class PreferenceController(QObject):
    """Applies preferences at once; the bridge reports a failure to save them."""

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, window: MainWindow, theme: Theme) -> None:
        super().__init__()
        self._backend, self._bridge, self._window, self._theme = backend, bridge, window, theme
        self.kept = backend.preferences
        window.stage.set_reduced_motion(self.kept.reduced_motion)
        window.stage.set_loupe(self.kept.loupe)
        window.stage_bar.menu.loupe.setChecked(self.kept.loupe)
        window.stage_bar.menu.loupe_switched.connect(self._loupe_switched)
        window.setup.show_preferences(self.kept)

    def open_settings(self) -> None:
        """Open the settings dialog."""
        dialog = SettingsDialog(self.kept, self._backend.guard, self._window)
        dialog.kept.connect(self._settings_kept)
        dialog.open()

    def keep_choice(self) -> None:
        """Save the current set-up as the initial values of the next start."""
        setup = self._window.setup
        target, model = setup.chosen_target, setup.chosen_model
        if target is None or model is None:
            return
        limits = setup.own_limits
        self.keep(replace(
            self.kept, target=target.spec, provider=model.provider, model=model.model, profile=model.profile,
            autonomy=setup.autonomy, max_steps=limits.max_steps, max_minutes=float(limits.max_minutes),
        ))  # fmt: skip

    def _settings_kept(self, preferences: object) -> None:
        assert isinstance(preferences, Preferences)
        self.keep(preferences)
        self._theme.choose(preferences.theme)
        self._window.stage.set_reduced_motion(preferences.reduced_motion)
        self._window.setup.show_allowed(preferences.allow)

    def _loupe_switched(self, on: object) -> None:
        self._window.stage.set_loupe(bool(on))
        self.keep(replace(self.kept, loupe=bool(on)))

    def keep(self, preferences: Preferences) -> None:
        """Use these preferences from now on and save them."""
        if preferences == self.kept:
            return
        self.kept = preferences
        self._bridge.run("preferences", self._backend.save_preferences(preferences))
