"""X11 as a Desktop: the functions of this folder on one connection."""

from __future__ import annotations

from operator_console.desktop.own import OwnWindows
from operator_console.desktop.x11 import belonging, focus, windows
from operator_console.desktop.x11 import monitors as screen
from operator_console.desktop.x11.capture import Capture
from operator_console.desktop.x11.damage import DamageWatch
from operator_console.desktop.x11.display import Display, losing
from operator_console.desktop.x11.pass_through import PassThrough
from operator_console.desktop.x11.scene import Scene

_DPMS_ON, _SAVER_ON = 0, 1


class X11Desktop(Display):
    """Fits `protocols.Desktop`. What is not defined here does what the module it comes from says."""

    monitors = screen.monitors
    ask_monitors = screen.ask
    screen_rect = screen.screen_rect
    all_windows = windows.all_windows
    describe = windows.describe
    window_at = windows.window_at
    pointer_position = windows.pointer_position
    belongs = belonging.belongs
    family = belonging.family
    family_area = belonging.area
    focused = focus.focused
    focus_id = focus.focus_id
    activate = focus.activate
    losing = losing

    def is_xwayland(self) -> bool:
        """Whether the X server is the one a Wayland compositor runs for old applications."""
        name = "XWAYLAND"
        reply = self.answer(self.core.QueryExtension(len(name), name))
        return bool(reply is not None and reply.present) or any(
            monitor.name.upper().startswith(name) for monitor in self.monitors()
        )

    def asleep(self) -> str:
        """By DPMS and the screen saver extension."""
        dpms = self.extension("dpms")
        power = self.answer(dpms.Info()) if dpms is not None else None
        if power is not None and power.state and power.power_level != _DPMS_ON:
            return "The screen is switched off to save power."
        saver = self.extension("screensaver")
        state = self.answer(saver.QueryInfo(self.root)) if saver is not None else None
        return "The screen saver is on." if state is not None and state.state == _SAVER_ON else ""

    def capture(self, own: OwnWindows) -> Capture:
        """By MIT-SHM and XComposite, or mss."""
        return Capture(self, own)

    def watch_painting(self, window_id: int | None) -> DamageWatch:
        """By XDamage."""
        return DamageWatch(self, self.root if window_id is None else window_id)

    def window_layers(self, own: OwnWindows) -> Scene:
        """The children of the root."""
        return Scene(self, own)

    def ping(self, window: int | None) -> windows.Ping:
        """By _NET_WM_PING."""
        return windows.Ping(self, window)

    def click_through(self) -> PassThrough:
        """By the Input shape."""
        return PassThrough(self)
