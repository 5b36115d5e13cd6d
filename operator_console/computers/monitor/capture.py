"""Captures one monitor. desktop/x11/screen_capture.py leaves the console's own windows out of its pictures."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress

from operator_console.computers.blank_pictures import black_windows
from operator_console.computers.target_capture import CAPTURE_ATTEMPTS, Focus, TargetCapture
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.values import Grab, Monitor, Window, WindowState
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason
from operator_console.domain.frames import MonitorTarget, StackedWindow, VirtualTarget
from operator_console.domain.geometry import Rect
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

_POSITION_VALID_S = 0.25


class MonitorCapture(TargetCapture):
    """Captures the monitor with a number, and follows that monitor by its name from then on."""

    fixed = True
    click_gives_focus = True
    watch_reports_all = True

    def __init__(self, target: MonitorTarget | VirtualTarget, number: int, own: OwnWindows) -> None:
        super().__init__(target, own)
        self._number = number
        self._name: str | None = None
        self._last_rect: Rect | None = None
        self._quick_rect: tuple[float, Rect] | None = None

    def monitor(self) -> Monitor:
        """The monitor now. Raises ComputerUnavailable while it is switched off or unplugged: it may come back."""
        return self._among(self.display.monitors())

    def _among(self, found: Sequence[Monitor]) -> Monitor:
        for monitor in found:
            # By name once it is known: the numbers shift when another monitor is unplugged.
            if monitor.name == self._name or (self._name is None and monitor.number == self._number):
                self._name = monitor.name
                return monitor
        raise ComputerUnavailable(
            notice(NoticeCode.MONITOR_GONE, number=self._number),
            reason=UnavailableReason.HIDDEN,
            detail=notice(NoticeCode.MONITOR_OFF),
            remedy=notice(NoticeCode.SWITCH_MONITOR_ON),
        )

    def place(self) -> Rect:
        """The monitor's rectangle."""
        return self.monitor().rect

    def grab_all(self) -> Grab:
        """The monitor's pixels. Raises ComputerUnavailable if it is gone, or keeps changing its size."""
        for _ in range(CAPTURE_ATTEMPTS - 1):
            with suppress(ComputerUnavailable):  # the screen became smaller between the two requests
                return self._grab()
        return self._grab()

    def _grab(self) -> Grab:
        """Grabs the last known rectangle together with the query for the current one: one round trip if unchanged."""
        before, grab = self._last_rect, None
        monitors = self.display.ask_monitors()
        if before is not None:
            with suppress(ComputerUnavailable):  # the screen became smaller
                grab = self.screen_capture.screen(before)
        self._last_rect = self._among(monitors()).rect
        return grab if grab is not None and self._last_rect == before else self.screen_capture.screen(self._last_rect)

    def quick_grab(self) -> Grab:
        """The monitor's pixels at its position of at most 0.25 s ago; the query for it would slow the preview down."""
        now_s = time.monotonic()
        if self._quick_rect is not None and now_s - self._quick_rect[0] < _POSITION_VALID_S:
            with suppress(ComputerUnavailable):  # the screen became smaller
                rect = self._quick_rect[1]
                return self.without_hidden(lambda: self.screen_capture.screen(rect))
        grab = self.grab()
        self._quick_rect = (now_s, grab.rect)
        return grab

    def unreadable_part(self, grab: Grab) -> str:
        """Names the windows that are all black."""
        return black_windows(self.display, grab, self.screen_capture.window_layers.layers())

    def focus(self) -> Focus:
        """The focus. While the console has it: the window that had it before, or that is top-most below the console.

        Where no window is known, keys are taken to reach the target.
        """
        if not self.knows_windows:
            return Focus(window=None, in_target=True)
        window = self.current_focus()
        if window is None or self.is_own(window):
            own, window = window, self._remembered()
            if window is None and own is not None:
                window = self._topmost() or own
        if window is not None and not self.is_own(window):
            self._foreign_focus = window.window_id
        in_target = (
            window is not None
            and not self.is_own(window)
            and window.state is WindowState.SHOWN
            and not window.frame_rect.intersect(self.monitor().rect).empty
        )
        return Focus(window=window, in_target=in_target)

    def receiver_of(self, hit: Window | None) -> Window | None:
        """Any window on a monitor gets its own input."""
        return hit

    def keys_reach(self) -> bool:
        """Whether a window on the monitor has the focus that is not one of the console's, as far as it is known."""
        if not self.knows_windows:
            return True
        now = self.current_focus()
        return now is not None and not self.is_own(now) and not now.frame_rect.intersect(self.place()).empty

    def window_for_keys(self) -> Window | None:
        """Where the console or nobody has the focus: the window by which the call was assessed.

        None where another application has it, on another monitor.
        """
        now = self.current_focus()
        if now is not None and not self.is_own(now):
            return None
        last = self.focus()
        return last.window if last.in_target else None

    def _remembered(self) -> Window | None:
        return self.display.describe(self._foreign_focus) if self._foreign_focus is not None else None

    def _topmost(self) -> Window | None:
        """The top-most window of another application on this monitor: the person came to the console from there."""
        place = self.monitor().rect
        for window in self.display.all_windows():
            here = window.state is WindowState.SHOWN and not window.frame_rect.intersect(place).empty
            if here and not self.is_own(window):
                return window
        return None

    def stack(self) -> tuple[StackedWindow, ...] | None:
        """All windows but the console's, which let the agent's input through."""
        return self.screen_capture.stacked() if self.knows_windows else None

    @property
    def painted_in(self) -> None:
        """Anywhere on the screen."""
