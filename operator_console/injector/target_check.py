"""Where a grant's target is at the moment of acting, and whether what is there is still what was meant.

Looks, never touches: the target's place now, who owns the point, whether the screen under it is similar to what the
model saw, who holds the focus. Any doubt is a refusal that names what stood in the way.
"""

from __future__ import annotations

from collections.abc import Callable

from operator_console.desktop.own_windows import OwnWindows
from operator_console.desktop.screen_similarity import similar
from operator_console.desktop.values import Window, WindowState
from operator_console.desktop.x11 import window_family, windows
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.monitors import monitor_rects
from operator_console.desktop.x11.screen_capture import Capture
from operator_console.domain.decisions import FocusRule, Grant, OwnerCheck, ScreenCheck
from operator_console.domain.errors import OutOfRange, RejectedReason
from operator_console.domain.frames import TargetKind
from operator_console.domain.geometry import NativePoint, ScreenPoint
from operator_console.injector.input_sender import Refused, named
from operator_console.injector.keyboard.focus import Focusing, area_of

# Where Ctrl+V is not pasting, or pastes what another machine has on its clipboard, or may be lost on a page: a program
# is left out by any part of its class. Terminals are policy's to tell (Grant.terminal).
_NOT_PASTING = (
    "emacs", "vim", "neovide",
    # Show pages, as Chromium does (clipboard_holder.py), but ask as all others do.
    "qutebrowser", "falkon", "epiphany", "webengine", "webkit",
    "xephyr", "xnest", "qemu", "virt-", "virtualbox", "vmware", "vmplayer", "gnome-boxes", "spicy", "remote", "vnc",
    "remmina", "rdp", "rdesktop", "krdc", "vinagre", "connections", "teamviewer", "anydesk", "rustdesk", "x2go",
    "nxplayer", "nomachine", "citrix", "wfica", "parsec", "moonlight", "scrcpy", "looking-glass", "dosbox",
)  # fmt: skip


def pastes_by_ctrl_v(app: str) -> bool:
    """Whether that is what Ctrl+V does in a program of this class, as far as the class tells."""
    name = app.lower()
    return bool(name) and not any(part in name for part in _NOT_PASTING)


def _is_owner(now: Window | None, owner: OwnerCheck) -> bool:
    if now is None or owner.window_id is None:
        return now is None and owner.window_id is None
    # The ids of a program that has ended are given to another one.
    return now.window_id == owner.window_id and (now.pid == owner.pid or None in {now.pid, owner.pid})


class Surroundings:
    """The desktop around one target, read over a connection of its own. `holds_keys`: as Focusing."""

    def __init__(self, display: Display, own: OwnWindows, holds_keys: Callable[[], bool] = lambda: False) -> None:
        self._display = display
        self._own = own
        self._capture = Capture(display, own)
        self._focusing = Focusing(display, self._is_own, holds_keys)

    def corners(self) -> frozenset[tuple[int, int]]:
        """The corner pixels of all monitors, input units."""
        rects = monitor_rects(self._display)
        return frozenset((x, y) for r in rects for x in (r.x, r.right - 1) for y in (r.y, r.bottom - 1))

    def offset(self, grant: Grant) -> tuple[int, int]:
        """How far the target moved since the frame, in input units. Raises Refused (gone, hidden, resized; a monitor:
        moved too, for what stands at its places now is not what was seen)."""
        dx, dy, _ = self._now(grant)
        return dx, dy

    def _now(self, grant: Grant) -> tuple[int, int, list[Window] | None]:
        """As offset, and what belongs to a target window (None: the target is none)."""
        if grant.target.kind is not TargetKind.WINDOW or grant.target.window_id is None:
            self._require_monitor(grant)
            return 0, 0, None
        self._display.pump()
        found = window_family.place_of(self._display, grant.target.window_id)
        if found is None:
            raise Refused(RejectedReason.STALE, f"The window “{grant.target.title}” is not on the screen any more.")
        rect, family = found
        native, origin = grant.geometry.native, grant.geometry.origin
        if (rect.width, rect.height) != (native.width, native.height):
            raise Refused(RejectedReason.STALE, "The window's size changed since the picture was taken.")
        return rect.x - origin.x, rect.y - origin.y, family

    def resolve(self, grant: Grant, point: NativePoint) -> ScreenPoint:
        """Where a native pixel of the frame is now. Raises Refused."""
        dx, dy = self.offset(grant)
        try:
            place = grant.geometry.to_screen(point)
        except OutOfRange as error:
            raise Refused(RejectedReason.OUT_OF_RANGE, str(error)) from error
        return ScreenPoint(place.x + dx, place.y + dy)

    def check_point(self, grant: Grant, place: ScreenPoint) -> Window | None:
        """The window that a press at `place` reaches (None: the bare desktop). Raises Refused where it is not
        the target's."""
        window = windows.window_at(self._display, place.x, place.y)
        if window is not None and self._is_own(window):
            raise Refused(RejectedReason.OWN_WINDOW, "The point lies under a window of this console.")
        if grant.target.kind is not TargetKind.WINDOW:
            self._require_monitor(grant)
            if not area_of(grant).contains(place.x, place.y):
                raise Refused(RejectedReason.OUT_OF_RANGE, "The pointer is not on the monitor that is worked on.")
        if grant.target.kind is TargetKind.WINDOW and grant.target.window_id is not None:
            target = windows.describe(self._display, grant.target.window_id)
            if target is None or target.state is not WindowState.SHOWN:
                raise Refused(RejectedReason.STALE, f"The window “{grant.target.title}” is not on the screen any more.")
            if window is None or not window_family.belongs(self._display, window, target):
                raise Refused(RejectedReason.COVERED, f"Covered by {named(window)}.")
        return window

    def check_owners(self, grant: Grant) -> None:
        """For pointer actions. Raises Refused, naming the window, where a point lies in another one than in the
        picture, or another one holds the focus."""
        for owner in grant.owners:
            place = self.resolve(grant, owner.at)
            now = windows.window_at(self._display, place.x, place.y)
            if now is not None and self._is_own(now):
                raise Refused(RejectedReason.OWN_WINDOW, "The point lies under a window of this console.")
            if not _is_owner(now, owner):
                was = (
                    f"“{owner.title}”"
                    if owner.title
                    else "the desktop"
                    if owner.window_id is None
                    else "another window"
                )
                raise Refused(RejectedReason.STALE, f"{named(now)} lies there now, where {was} lay in the picture.")
        self._focusing.check_holder(grant)

    def check_screen(self, grant: Grant) -> None:
        """Raises Refused where the screen under the target is not similar to what the model saw."""
        for check in grant.checks:
            now = self._crop(grant, check)
            if now is None or not similar(check.pixels, now, check.region.size):
                raise Refused(RejectedReason.STALE, "The screen changed under the target since the picture was taken.")

    def check_focus(self, grant: Grant, rule: FocusRule, *, text: bool = False) -> int | None:
        """The client window that keys go to now. Raises Refused where it is not the one meant, or (for text) none."""
        if grant.target.kind is not TargetKind.WINDOW:
            self._require_monitor(grant)
        return self._focusing.check(grant, rule, text=text)

    def check_clicked(self, grant: Grant, hit: Window) -> int | None:
        """As check_focus for text, after a click into `hit`."""
        return self._focusing.check_clicked(grant, hit)

    def still_focused(self, again: Callable[[], object]) -> None:
        """Between keys: `again` is the check that was passed; it is made anew only where anything changed."""
        if not self._focusing.unchanged():
            again()

    def drag_source(self) -> int:
        """The window that owns what is being dragged between windows (XDND), 0 for none."""
        return int(self._display.core.GetSelectionOwner(self._display.atom("XdndSelection")).reply().owner)

    def pastes(self, window_id: int) -> bool:
        """As pastes_by_ctrl_v, of a window."""
        window = windows.describe(self._display, window_id)
        return window is not None and pastes_by_ctrl_v(window.app)

    def close(self) -> None:
        """Let go of the connection."""
        self._capture.close()
        self._display.close()

    def _require_monitor(self, grant: Grant) -> None:
        """Raises Refused where no monitor covers what the frame showed: unplugged, moved, or of another size now."""
        seen = area_of(grant)
        if seen not in monitor_rects(self._display):
            raise Refused(
                RejectedReason.STALE,
                f"The monitor of {seen.width} x {seen.height} at {seen.x}, {seen.y} was unplugged, moved or resized "
                "since the picture was taken.",
            )

    def _is_own(self, window: Window) -> bool:
        ours = self._own.window_ids
        return window.pid in self._own.pids or window.window_id in ours or window.frame_id in ours

    def _crop(self, grant: Grant, check: ScreenCheck) -> bytes | None:
        dx, dy, family = self._now(grant)
        origin = grant.geometry.origin
        region = check.region.moved(origin.x + dx, origin.y + dy)
        if family is None:
            return bytes(self._capture.screen(region).pixels)
        grab = self._capture.windows(region, [window.frame_id for window in family])
        return None if grab is None else bytes(grab.pixels)
