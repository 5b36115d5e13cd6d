"""Saves the values of the settings dialog and the last choices of the set-up column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from operator_console.domain.geometry import Rect
from operator_console.domain.shutters import RegionShutter, shutter_text
from operator_console.domain.translations import _
from operator_console.ui.backend import ConsoleBackend, Preferences
from operator_console.ui.bridge import Bridge
from operator_console.ui.theme_colours import Theme
from operator_console.ui.window import MainWindow

if TYPE_CHECKING:
    from operator_console.ui.dialogs.kept_secrets import SecretsController
    from operator_console.ui.dialogs.settings import ChosenSettings


class PreferenceController(QObject):
    """Applies preferences at once; the bridge reports a failure to save them.

    Attributes:
        hotkeys_free: whether the hotkeys can be changed now.

    Signals:
        open_pressed: a folder is to be opened; carries its Path.
        told_changed: what leaves the machine is to be told again for a service (no payload).
    """

    open_pressed = Signal(object)
    told_changed = Signal()

    def __init__(self, backend: ConsoleBackend, bridge: Bridge, window: MainWindow, theme: Theme) -> None:
        super().__init__()
        self._backend, self._bridge, self._window, self._theme = backend, bridge, window, theme
        self.kept = backend.preferences
        self.hotkeys_free: Callable[[], bool] = lambda: True
        self._system_reduces = False
        self._secrets: SecretsController | None = None
        bridge.reduced_motion.connect(self._system_motion)
        self._apply_motion()
        window.preview.set_loupe(self.kept.loupe)
        window.preview_bar.menu.loupe.setChecked(self.kept.loupe)
        window.preview_bar.menu.loupe_switched.connect(self._loupe_switched)
        window.setup.show_preferences(self.kept)
        window.preview.place_drawn.connect(self._place_drawn)

    def open_settings(self) -> None:
        """Open the settings dialog."""
        self._open(None)

    def open_hotkeys(self) -> None:
        """Open the settings dialog at the hotkeys."""
        self._open(_("Hotkeys"))

    def _open(self, page: str | None) -> None:
        from operator_console.ui.dialogs.settings import SettingsContext, SettingsDialog

        backend = self._backend
        context = SettingsContext(
            hotkeys=backend.hotkeys, hotkeys_free=self.hotkeys_free(), check_hotkeys=backend.hotkey_trouble,
            folders=backend.folders, told=backend.services_told, motion_reduced=self._system_reduces,
        )  # fmt: skip
        dialog = SettingsDialog(self.kept, context, self._window)
        if page is not None:
            dialog.show_page(page)
        dialog.kept.connect(self._settings_kept)
        dialog.open_pressed.connect(self.open_pressed)
        dialog.secrets_pressed.connect(self._open_secrets)
        dialog.open()

    def hide_place(self) -> None:
        """Let a place be drawn on the preview, which the model is not shown from then on."""
        self._window.preview.draw_place(True)

    def why_no_place(self) -> str:
        """Why no place can be drawn now; "" if it can."""
        return "" if self._window.preview.live_frame is not None else _("There is no live picture to draw on.")

    def _place_drawn(self, place: object) -> None:
        frame = self._window.preview.live_frame
        if frame is None or not isinstance(place, Rect):
            return
        text = f"{frame.target.spec} {shutter_text(RegionShutter(rect=place))}"
        self.keep(replace(self.kept, hide=tuple(dict.fromkeys((*self.kept.hide, text)))))

    def _open_secrets(self) -> None:
        from operator_console.ui.dialogs.kept_secrets import SecretsController

        parent = self.sender()
        self._secrets = self._secrets or SecretsController(self._backend, self._bridge)
        self._secrets.open(parent if isinstance(parent, QWidget) else self._window)

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
            headless=setup.browser.headless, programs=setup.programs.chosen,
        ))  # fmt: skip

    def _settings_kept(self, chosen: ChosenSettings) -> None:
        before, preferences = self.kept, chosen.preferences
        self.keep(preferences)
        self._theme.choose(preferences.look)
        self._apply_motion()
        self._window.preview_bar.menu.loupe.setChecked(preferences.loupe)
        self._window.preview.set_loupe(preferences.loupe)
        self._window.setup.show_allowed(preferences.allow)
        if (before.max_steps, before.max_minutes) != (preferences.max_steps, preferences.max_minutes):
            self._window.setup.show_limits(preferences.max_steps, preferences.max_minutes)
        if chosen.hotkeys is not None:
            self._bridge.run("hotkeys", self._backend.use_hotkeys(chosen.hotkeys))
        for service in chosen.forget:
            self._bridge.run(f"forget_{service}", self._forget(service))

    def _system_motion(self, reduced: object) -> None:
        self._system_reduces = bool(reduced)
        self._apply_motion()

    def _apply_motion(self) -> None:
        """Reduce motion where the operator or the desktop asks for it."""
        self._window.set_reduced_motion(self.kept.reduced_motion or self._system_reduces)

    def _loupe_switched(self, on: object) -> None:
        self._window.preview.set_loupe(bool(on))
        self.keep(replace(self.kept, loupe=bool(on)))

    async def _forget(self, service: str) -> None:
        await self._backend.forget_told(service)
        self.told_changed.emit()

    def keep(self, preferences: Preferences) -> None:
        """Use these preferences from now on and save them."""
        if preferences == self.kept:
            return
        self.kept = preferences
        self._bridge.run("preferences", self._backend.save_preferences(preferences))
