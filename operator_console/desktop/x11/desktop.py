"""`X11Desktop`: the functions of this package as methods of one connection."""

from __future__ import annotations

from contextlib import closing
from functools import cached_property

from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.values import Capabilities, SizeHints, Window
from operator_console.desktop.x11 import monitors as screen
from operator_console.desktop.x11 import window_family, windows
from operator_console.desktop.x11.click_through import ClickThrough
from operator_console.desktop.x11.damage import DamageWatch
from operator_console.desktop.x11.display import Display, losing
from operator_console.desktop.x11.layers import WindowLayers
from operator_console.desktop.x11.painted_area import PaintedArea
from operator_console.desktop.x11.pixels import Grabber
from operator_console.desktop.x11.screen_capture import Capture
from operator_console.desktop.x11.window_changes import WindowChanges
from operator_console.domain.geometry import Size
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

_DPMS_ON, _SAVER_ON = 0, 1
_ALREADY_GRABBED, _ASYNC, _INPUT_ONLY, _BUTTONS = 1, 1, 2, 0x1F00
_HINT_WORDS, _BASE_AND_LEAST = 17, 1 << 8 | 1 << 4


class X11Desktop(Display):
    """Fits `protocols.Desktop`. Methods assigned here are documented in the modules they come from."""

    monitors = screen.monitors
    ask_monitors = screen.request_monitors
    screen_rect = screen.screen_rect
    all_windows = windows.all_windows
    describe = windows.describe
    window_at = windows.window_at
    pointer_position = windows.pointer_position
    belongs = window_family.belongs
    family = window_family.family
    family_area = window_family.area
    focused = windows.focused
    focus_id = windows.focus_id
    activate = windows.activate
    ask_to_close = windows.ask_to_close
    losing = losing

    @cached_property
    def capabilities(self) -> Capabilities:
        """What the server's extensions allow."""
        return Capabilities(
            paint_events=self.extension("damage") is not None, click_through=self.extension("shape") is not None
        )

    def is_xwayland(self) -> bool:
        """Whether the X server is the one a Wayland compositor runs for old applications."""
        name = "XWAYLAND"
        reply = self.answer(self.core.QueryExtension(len(name), name))
        return bool(reply is not None and reply.present) or any(
            monitor.name.upper().startswith(name) for monitor in self.monitors()
        )

    def asleep(self) -> str:
        """Whether DPMS has switched the screen off, or the screen saver is on, as a sentence."""
        dpms = self.extension("dpms")
        power = self.answer(dpms.Info()) if dpms is not None else None
        if power is not None and power.state and power.power_level != _DPMS_ON:
            return notice(NoticeCode.SCREEN_IN_POWER_SAVING)
        saver = self.extension("screensaver")
        state = self.answer(saver.QueryInfo(self.root)) if saver is not None else None
        is_on = state is not None and state.state == _SAVER_ON
        return notice(NoticeCode.SCREEN_SAVER_ON) if is_on else ""

    def accessibility_bus(self) -> str:
        """The address of the accessibility bus for this display's applications (AT_SPI_BUS of the root window)."""
        return self.text(self.ask(self.root, "AT_SPI_BUS")).decode("utf-8", "replace").rstrip("\0")

    def painted_area(self) -> PaintedArea:
        """Asks the accessibility bus."""
        return PaintedArea(self.accessibility_bus())

    def size_hints(self, window: Window) -> SizeHints | None:
        """WM_NORMAL_HINTS (ICCCM 4.1.2.3)."""
        hints = self.words(self.ask(window.window_id, "WM_NORMAL_HINTS"))
        if len(hints) < _HINT_WORDS or hints[0] & _BASE_AND_LEAST != _BASE_AND_LEAST:
            return None
        return SizeHints(least=Size(*hints[5:7]), base=Size(*hints[15:17]))

    def pointer_held(self) -> bool:
        """Whether a program holds the pointer while no button is down.

        A grab on a window that is not mapped always fails, and the status tells whether another client has one.
        """
        core = self.core
        grab = core.GrabPointer(False, self._unmapped, 0, _ASYNC, _ASYNC, 0, 0, 0)
        pointer = core.QueryPointer(self.root)
        answer, state = self.answer(grab), self.answer(pointer)
        held = answer is not None and answer.status == _ALREADY_GRABBED
        return held and state is not None and not state.mask & _BUTTONS

    @cached_property
    def _unmapped(self) -> int:
        window = int(self.connection.generate_id())
        self.core.CreateWindow(0, window, self.root, -10, -10, 1, 1, 0, _INPUT_ONLY, 0, 0, [])
        return window

    def capture(self, own: OwnWindows) -> Capture:
        """Captures by MIT-SHM and XComposite, or mss."""
        return Capture(self, own)

    def shares_memory(self) -> bool:
        """Whether pictures are captured by MIT-SHM."""
        with closing(Grabber(self)) as grabber:
            return grabber.shares_memory()

    def watch_painting(self, window_id: int | None) -> DamageWatch:
        """Reports painting by XDamage."""
        return DamageWatch(self, self.root if window_id is None else window_id)

    def window_layers(self, own: OwnWindows) -> WindowLayers:
        """The children of the root window."""
        return WindowLayers(self, own)

    def window_changes(self) -> WindowChanges:
        """The window manager's lists and RandR's events."""
        return WindowChanges(self)

    def window_manager(self) -> str:
        """The name that it gives itself by _NET_SUPPORTING_WM_CHECK."""
        found = windows.window_manager(self)
        return "" if found is None else found.name

    def ping(self, window: int | None) -> windows.Ping:
        """Asks by _NET_WM_PING."""
        return windows.Ping(self, window)

    def click_through(self) -> ClickThrough:
        """Lets input through by the Input shape."""
        return ClickThrough(self)
