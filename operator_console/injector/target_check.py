"""Checks, right before an action, that its target is still what the model saw.

Finds where the target is now, which window owns the point, whether the screen under it still looks the same, and which
window has the keyboard focus. In doubt the action is refused, with the cause in words. Changes nothing on the desktop.

That the screen is still what the model saw is guaranteed here and nowhere else: what asks earlier is a courtesy. The
keyboard focus is checked in keyboard/focus_check.py.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.values import Window, WindowState
from operator_console.desktop.x11 import window_family, windows
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.monitors import monitor_rects
from operator_console.desktop.x11.screen_capture import Capture
from operator_console.domain.actions import UseElement
from operator_console.domain.errors import RejectedReason
from operator_console.domain.frames import OneWindow, VmTarget
from operator_console.domain.geometry import NativePoint, Rect, ScreenPoint
from operator_console.domain.grants import FocusRule, Grant, OwnerCheck, ScreenCheck
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import Refused
from operator_console.injector.action_limits import place_of
from operator_console.injector.keyboard.focus_check import FocusCheck, window_label

# Parts of the window class of programs in which Ctrl+V does not paste, pastes another machine's clipboard, or may be
# ignored by a page. Terminals are recognised by policy (Grant.terminal).
_NO_PASTE_BY_CTRL_V = (
    "emacs", "vim", "neovide",
    # These show pages, as Chromium does, but cannot be told apart by how they ask for the clipboard.
    "qutebrowser", "falkon", "epiphany", "webengine", "webkit",
    "xephyr", "xnest", "qemu", "virt-", "virtualbox", "vmware", "vmplayer", "gnome-boxes", "spicy", "remote", "vnc",
    "remmina", "rdp", "rdesktop", "krdc", "vinagre", "connections", "teamviewer", "anydesk", "rustdesk", "x2go",
    "nxplayer", "nomachine", "citrix", "wfica", "parsec", "moonlight", "scrcpy", "looking-glass", "dosbox",
)  # fmt: skip


def pastes_by_ctrl_v(app: str) -> bool:
    """Whether Ctrl+V pastes in a program of this window class; False for an unknown class."""
    name = app.lower()
    return bool(name) and not any(part in name for part in _NO_PASTE_BY_CTRL_V)


def _is_owner(now: Window | None, owner: OwnerCheck) -> bool:
    if now is None or owner.window_id is None:
        return now is None and owner.window_id is None
    # Window ids of a program that has ended are reused.
    return now.window_id == owner.window_id and (now.pid == owner.pid or None in {now.pid, owner.pid})


def _similar(check: ScreenCheck, now: bytes) -> bool:
    # Imported when the first pixel differs: numpy takes a fifth of this process's start.
    from operator_console.desktop.screen_similarity import similar

    return similar(check.pixels, now, check.region.size)


class TargetCheck:
    """Reads the desktop over a connection of its own.

    Args:
        display: the connection; closed with this object.
        own: the console's own windows.
        holds_keys: as in FocusCheck.
    """

    def __init__(self, display: Display, own: OwnWindows, holds_keys: Callable[[], bool] = lambda: False) -> None:
        self._display = display
        self._own = own
        self._capture = Capture(display, own)
        self._focus_check = FocusCheck(display, self._is_own, holds_keys)

    def corners(self) -> frozenset[tuple[int, int]]:
        """The corner pixels of all monitors, in input units."""
        rects = monitor_rects(self._display)
        return frozenset((x, y) for r in rects for x in (r.x, r.right - 1) for y in (r.y, r.bottom - 1))

    def offset(self, grant: Grant) -> tuple[int, int]:
        """How far the target window has moved since the frame was taken, in input units; (0, 0) for a monitor.

        Raises:
            Refused: the window is gone, hidden or resized, a viewer's also if it was moved; or the monitor was
                unplugged, moved or resized.
        """
        dx, dy, _ = self._locate(grant)
        return dx, dy

    def _locate(self, grant: Grant) -> tuple[int, int, list[Window] | None]:
        """The offset, and the windows that belong to a target window (None: the target is not a window)."""
        if not isinstance(grant.target, OneWindow):
            self._require_monitor(grant)
            return 0, 0, None
        self._display.pump()
        if isinstance(grant.target, VmTarget):
            return 0, 0, [self._unmoved_viewer(grant.target)]
        found = window_family.place_of(self._display, grant.target.window_id)
        if found is None:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.WINDOW_NOT_ON_SCREEN, window=grant.target.title))
        rect, family = found
        seen = grant.geometry.rect
        if rect.size != seen.size:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.WINDOW_SIZE_CHANGED))
        return rect.x - seen.x, rect.y - seen.y, family

    def resolve(self, grant: Grant, point: NativePoint) -> ScreenPoint:
        """Where a pixel of the frame is on the screen now. Raises Refused."""
        dx, dy = self.offset(grant)
        place = place_of(grant, point)
        return ScreenPoint(place.x + dx, place.y + dy)

    def check_point(self, grant: Grant, place: ScreenPoint) -> Window | None:
        """The window that a press at `place` reaches; None for the bare desktop.

        Raises:
            Refused: the place is not on the target, or is covered by another window.
        """
        window = windows.window_at(self._display, place.x, place.y)
        if window is not None and self._is_own(window):
            raise Refused(RejectedReason.OWN_WINDOW, notice(NoticeCode.CONSOLE_COVERS_POINT))
        if not isinstance(grant.target, OneWindow):
            self._require_monitor(grant)
            if not grant.geometry.rect.contains(place.x, place.y):
                raise Refused(RejectedReason.OUT_OF_RANGE, notice(NoticeCode.POINTER_OFF_MONITOR))
        if isinstance(grant.target, OneWindow):
            target = self._shown(grant.target)
            if window is None or not window_family.takes_input(self._display, window, target, grant.target):
                raise Refused(RejectedReason.COVERED, notice(NoticeCode.COVERED_BY_WINDOW, window=window_label(window)))
        return window

    def check_owners(self, grant: Grant) -> None:
        """For pointer actions: check that the windows at the points, and the focus, are the same as in the picture.

        Raises:
            Refused: another window is at a point or has the focus; the text names it.
        """
        for owner in grant.owners:
            place = self.resolve(grant, owner.at)
            now = windows.window_at(self._display, place.x, place.y)
            if now is not None and self._is_own(now):
                raise Refused(RejectedReason.OWN_WINDOW, notice(NoticeCode.CONSOLE_COVERS_POINT))
            if not _is_owner(now, owner):
                untitled = NoticeCode.THE_DESKTOP if owner.window_id is None else NoticeCode.ANOTHER_WINDOW
                before = f"“{owner.title}”" if owner.title else notice(untitled)
                raise Refused(
                    RejectedReason.STALE,
                    notice(NoticeCode.POINT_ON_OTHER_WINDOW, window=window_label(now), before=before),
                )
        self._focus_check.check_holder(grant)

    def check_element(self, grant: Grant, action: UseElement) -> None:
        """Before an element is used: check its place as before a click, except that other windows may cover a target
        window, whose picture shows the element all the same.

        Raises:
            Refused: the place is not on the target, belongs to another process or the console, or looks different.
        """
        target = grant.target
        if isinstance(target, OneWindow):
            self.resolve(grant, action.at)
            _, _, family = self._locate(grant)
            pids = {window.pid for window in family or () if not self._is_own(window)}
        else:
            owner = self.check_point(grant, self.resolve(grant, action.at))
            pids = {owner.pid} if owner is not None else set()
        if action.element.pid not in pids:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.ELEMENT_OF_OTHER_PROCESS))
        self.check_owners(grant)
        self.check_screen(grant)

    def check_screen(self, grant: Grant) -> None:
        """Raises Refused if the screen under the target no longer looks like the picture that the model saw."""
        if not grant.checks:
            return
        dx, dy, family = self._locate(grant)
        for check in grant.checks:
            now = self._pixels(grant.geometry.rect_to_screen(check.region).moved(dx, dy), family)
            now = None if now is None else check.as_seen(now)
            if now is None or (now != check.pixels and not _similar(check, now)):
                raise Refused(RejectedReason.STALE, notice(NoticeCode.SCREEN_CHANGED_UNDER_TARGET))

    def _pixels(self, region: Rect, family: Sequence[Window] | None) -> bytes | None:
        """The pixels of a region, of the windows of a target window alone; None where they cannot be seen."""
        if family is None:
            return bytes(self._capture.screen(region).pixels)
        grab = self._capture.windows(region, [window.frame_id for window in family])
        return None if grab is None else bytes(grab.pixels)

    def check_focus(self, grant: Grant, rule: FocusRule, *, text: bool = False) -> int | None:
        """The client window that receives keys now; None for none.

        Raises:
            Refused: it is not the intended one, or `text` is to be typed and no window has the focus.
        """
        if not isinstance(grant.target, OneWindow):
            self._require_monitor(grant)
        return self._focus_check.check(grant, rule, text=text)

    def check_clicked(self, grant: Grant, hit: Window) -> int | None:
        """As `check_focus` for text, after a click into `hit`."""
        return self._focus_check.check_clicked(grant, hit)

    def recheck_focus(self, check: Callable[[], object]) -> None:
        """Repeat a focus check that has passed, if anything changed since. Cheap enough to be made between keys."""
        if not self._focus_check.unchanged():
            check()

    def drag_source(self) -> int:
        """The source window of a drag and drop between windows (XDND); 0 for none."""
        return int(self._display.core.GetSelectionOwner(self._display.atom("XdndSelection")).reply().owner)

    def pastes(self, window_id: int) -> bool:
        """Whether Ctrl+V pastes in this window's program, see `pastes_by_ctrl_v`."""
        window = windows.describe(self._display, window_id)
        return window is not None and pastes_by_ctrl_v(window.app)

    def close(self) -> None:
        """Close the connection."""
        self._capture.close()
        self._display.close()

    def _require_monitor(self, grant: Grant) -> None:
        """Raises Refused if no monitor has exactly the area that the frame showed."""
        seen = grant.geometry.rect
        if seen not in monitor_rects(self._display):
            raise Refused(
                RejectedReason.STALE,
                notice(NoticeCode.MONITOR_AREA_CHANGED, width=seen.width, height=seen.height, x=seen.x, y=seen.y),
            )

    def _unmoved_viewer(self, target: VmTarget) -> Window:
        """The viewer's window. Raises Refused if it is not where it was when the picture was taken."""
        window = self._shown(target)
        if window.rect != target.window_rect:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.VIEWER_WINDOW_CHANGED))
        return window

    def _shown(self, target: OneWindow) -> Window:
        window = windows.describe(self._display, target.window_id)
        if window is None or window.state is not WindowState.SHOWN:
            raise Refused(RejectedReason.STALE, notice(NoticeCode.WINDOW_NOT_ON_SCREEN, window=target.title))
        return window

    def _is_own(self, window: Window) -> bool:
        ours = self._own.window_ids
        return window.pid in self._own.pids or window.window_id in ours or window.frame_id in ours
