"""Captures the machine's screen in a viewer's window, and tells why it cannot be seen or used.

Of the window only this part is in a picture: neither menus and borders nor dialogs of the viewer, so that no input goes
there. While a dialog or menu of the viewer lies over the screen, there is no picture.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from operator_console.computers.target_capture import CAPTURE_ATTEMPTS, Focus, Surroundings
from operator_console.computers.vm.guest_area import GuestArea
from operator_console.computers.vm.viewer_windows import MachineState, shown_machine
from operator_console.computers.window.capture import WindowCapture
from operator_console.computers.window_wording import quoted
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.values import Grab, Window
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason
from operator_console.domain.frames import Frame, ImageNeeds, VmTarget
from operator_console.domain.geometry import Rect, Size
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.viewer_names import Viewer

_PLACE_VALID_S = 0.25
_SLIDES_AWAY_S, _POLL_S = 4.0, 0.1
_WHOLE_WINDOW = frozenset((Viewer.QEMU_SDL, Viewer.FREERDP, Viewer.TIGERVNC))
"""Viewers that paint nothing else in their window."""
_BORDERS = {Viewer.TIGERVNC: 0x282828}
"""The colour around the screen where it is not black. Seen."""
_TELL_NO_GRAB = frozenset((Viewer.BOXES, Viewer.VIRTUALBOX, Viewer.VMWARE, Viewer.REMMINA))
"""Viewers whose title does not say that they hold the pointer."""
_PASSING = frozenset(("tooltip", "notification", "dnd"))
"""Kinds of windows that go by themselves."""

_TROUBLES = {
    MachineState.PAUSED: (NoticeCode.MACHINE_IS_PAUSED, NoticeCode.LET_MACHINE_RUN),
    MachineState.OFF: (NoticeCode.MACHINE_IS_OFF, NoticeCode.START_MACHINE),
    MachineState.GRABS_POINTER: (NoticeCode.VIEWER_HOLDS_POINTER, NoticeCode.GIVE_MACHINE_A_TABLET),
}


class _ToolBarShown(ComputerUnavailable):
    """A tool bar that goes by itself lies over the machine's screen."""


class VmCapture(WindowCapture):
    """Captures the part of the target's window that shows the machine's screen."""

    fixed = True
    others_join = False
    watch_reports_all = True

    def __init__(self, target: VmTarget, own: OwnWindows) -> None:
        super().__init__(target, own)
        self._machine = target
        self._guest = GuestArea(_BORDERS.get(target.viewer, 0), scales=target.viewer is not Viewer.TIGERVNC)
        self._painted = self.display.painted_area()
        self._area: tuple[float, Rect, Rect] | None = None
        self._window_rect: Rect | None = None

    def window(self) -> Window:
        """The window now. Raises ComputerUnavailable: as for any window; or it does not show the machine running."""
        window = super().window()
        machine = shown_machine(window)
        if machine is None or (machine.name or window.app) != self._machine.name:
            raise self._unavailable(NoticeCode.VIEWER_SHOWS_OTHER, NoticeCode.SHOW_MACHINE_AGAIN)
        state = MachineState.GRABS_POINTER if self._holds_pointer() else machine.state
        if state is not MachineState.RUNNING:
            raise self._unavailable(*_TROUBLES[state])
        return window

    def _holds_pointer(self) -> bool:
        """Whether the viewer holds the pointer without a word in its title."""
        if self._machine.viewer not in _TELL_NO_GRAB or not self.display.pointer_held():
            return False
        return self.focus().in_target

    @property
    def base(self) -> None:
        """That of the machine's screen."""
        return

    def place(self) -> Rect:
        """The machine's screen, by a picture of now: it may have another size in the same window."""
        return self.grab().rect

    def grab_all(self) -> Grab:
        """The pixels of the machine's screen."""
        for _ in range(CAPTURE_ATTEMPTS):
            window, family = self.family()
            area = self._area_of(window)
            self._require_uncovered(window, family, area)
            grab = self.screen_capture.windows(area, [window.frame_id])
            if grab is not None:
                self._window_rect = window.rect
                return _cut(grab, self._guest.of(grab.pixels, area.size, self._shape(window, area)))
        raise self._unavailable(NoticeCode.WINDOWS_CHANGE_TOO_FAST, NoticeCode.WAIT_FOR_STILL_WINDOW)

    def frame(
        self, needs: ImageNeeds, recognise: Callable[[Grab], tuple[Grab, str]] = lambda grab: (grab, "")
    ) -> Frame:
        """As for any target; a tool bar of the viewer is given time to slide away."""
        deadline_s = time.monotonic() + _SLIDES_AWAY_S
        while True:
            try:
                return super().frame(needs, recognise)
            except _ToolBarShown:
                if time.monotonic() > deadline_s:
                    raise
                self.display.wait(_POLL_S)

    def focus(self) -> Focus:
        """The focus. Keys for a dialog of the viewer do not reach the machine."""
        now = self.current_focus()
        return Focus(window=now, in_target=now is not None and now.window_id == self._window_id)

    def receiver_of(self, hit: Window | None) -> Window | None:
        """The viewer's window: what else lies there is not the machine."""
        window = self.window()
        return hit if hit is not None and hit.window_id == window.window_id else window

    def require_seen(self, grab: Grab) -> None:
        """A machine may show nothing but black, and a key may wake it."""

    def close(self) -> None:
        """Disconnect from the display and the accessibility bus."""
        self._painted.close()
        super().close()

    def _frame(self, around: Surroundings, grab: Grab, needs: ImageNeeds, taken_s: float, frame_id: str) -> Frame:
        frame = super()._frame(around, grab, needs, taken_s, frame_id)
        return replace(frame, target=replace(self._machine, window_rect=self._window_rect))

    def _area_of(self, window: Window) -> Rect:
        """What the viewer paints, the machine's screen and borders, in root coordinates. Raises ComputerUnavailable."""
        known, now_s = self._area, time.monotonic()
        if known is None or known[1] != window.rect or now_s - known[0] > _PLACE_VALID_S:
            self._area = known = (now_s, window.rect, self._found_in(window))
        return known[2]

    def _found_in(self, window: Window) -> Rect:
        rect = window.rect
        if self._machine.viewer in _WHOLE_WINDOW:
            return rect
        painted = self._painted.find(window)
        if painted is not None:
            if painted.over:
                raise self._covered(notice(NoticeCode.A_TOOL_BAR), goes=True)
            return painted.rect.moved(rect.x, rect.y).intersect(rect)
        hints = self.display.size_hints(window) if self._machine.viewer is Viewer.QEMU_GTK else None
        if hints is not None:
            above = hints.least.height - hints.base.height
            return Rect(rect.x, rect.y + above, rect.width, rect.height - above)
        if self._fills_monitor(rect):
            return rect
        raise self._unavailable(NoticeCode.MACHINE_SCREEN_NOT_FOUND, NoticeCode.SHOW_MACHINE_IN_FULL_SCREEN)

    def _shape(self, window: Window, area: Rect) -> Size | None:
        """What the viewer tells of the screen's proportions. QEMU stretches it to fill a monitor."""
        if self._machine.viewer is not Viewer.QEMU_GTK:
            return None
        if self._fills_monitor(area):
            return area.size
        hints = self.display.size_hints(window)
        return None if hints is None or 0 in (hints.base.width, hints.base.height) else hints.base

    def _fills_monitor(self, rect: Rect) -> bool:
        return any(monitor.rect == rect for monitor in self.display.monitors())

    def _require_uncovered(self, window: Window, family: list[Window], area: Rect) -> None:
        for other in family:
            if other.frame_id == window.frame_id or _PASSING.intersection(other.kinds):
                continue
            if not other.frame_rect.intersect(area).empty:
                raise self._covered(quoted(other.title) if other.title else notice(NoticeCode.A_MENU))

    def _covered(self, cover: str, *, goes: bool = False) -> ComputerUnavailable:
        error = self._unavailable(NoticeCode.VIEWER_COVERS_MACHINE, NoticeCode.CLOSE_VIEWERS_DIALOG, cover=cover)
        return _ToolBarShown(error.title, reason=error.reason, remedy=error.remedy) if goes else error

    def _unavailable(self, what: NoticeCode, remedy: NoticeCode, **values: str) -> ComputerUnavailable:
        return ComputerUnavailable(
            notice(what, machine=quoted(self._machine.name), **values), reason=UnavailableReason.BLANK,
            remedy=notice(remedy),
        )  # fmt: skip


def _cut(grab: Grab, part: Rect) -> Grab:
    """A part of a picture; `part` in its pixels."""
    rect = grab.rect
    if part == Rect(0, 0, rect.width, rect.height):
        return grab
    rows = np.frombuffer(grab.pixels, dtype=np.uint32).reshape(rect.height, rect.width)
    pixels = rows[part.y : part.bottom, part.x : part.right].tobytes()
    return replace(grab, pixels=memoryview(pixels), rect=part.moved(rect.x, rect.y))
