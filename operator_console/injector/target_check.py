"""Checks, right before an action, that its target is still what the model saw.

Finds where the target is now, which window owns the point, whether the screen under it still looks the same, and which
window has the keyboard focus. In doubt the action is refused, with the cause in words. Changes nothing on the desktop.

That the screen is still what the model saw is guaranteed here and nowhere else: what asks earlier is a courtesy. Which
window would receive keys depends on the focus, on windows that cover the focused one, and on keyboard grabs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.values import Window, WindowState
from operator_console.desktop.x11 import window_family, windows
from operator_console.desktop.x11.display import Display
from operator_console.desktop.x11.monitors import monitor_rects, screen_rect
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

_ALREADY_GRABBED = 1
_GRAB_ASYNC = 1
_COPY_DEPTH, _INPUT_ONLY = 0, 2
_INSET_PX = 3
_PASSIVE_KINDS = frozenset({"tooltip", "notification", "dnd", "dock", "desktop"})

FocusState = tuple[int, tuple[int, ...], bool]
"""The focused window, the root's children at its sample points, and whether another client grabs the keyboard."""


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
        holds_keys: whether the injector holds a key down. A window manager may grab the keyboard meanwhile.
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
        found = window_family.place_of(self._display, grant.target)
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

    def focus_unchanged(self) -> bool:
        """Whether nothing has changed since a focus check passed last. One round trip."""
        return self._focus_check.unchanged()

    def recheck_focus(self, check: Callable[[], object]) -> None:
        """Repeat a focus check that has passed, if anything changed since. Cheap enough to be made between keys."""
        if not self._focus_check.unchanged():
            check()

    def drag_source(self) -> int:
        """The source window of a drag and drop between windows (XDND); 0 for none."""
        return int(self._display.core.GetSelectionOwner(self._display.atom("XdndSelection")).reply().owner)

    def program(self, window_id: int) -> str:
        """The class of this window, which tells its program; "" where it is not known."""
        window = windows.describe(self._display, window_id)
        return "" if window is None else window.app

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


class FocusCheck:
    """Checks which window would receive keys sent now, and whether it is the intended one.

    Args:
        display: the connection.
        own: whether a window is the console's.
        holds_keys: whether the injector holds a key down. A window manager may grab the keyboard meanwhile.
    """

    def __init__(self, display: Display, own: Callable[[Window], bool], holds_keys: Callable[[], bool]) -> None:
        self._display = display
        self._own = own
        self._holds_keys = holds_keys
        self._points: tuple[tuple[int, int], ...] = ()
        self._passed: FocusState | None = None
        # A grab on an unmapped window always fails, and the status tells whether another client has the keyboard.
        self._unmapped = display.connection.generate_id()
        display.core.CreateWindow(_COPY_DEPTH, self._unmapped, display.root, -10, -10, 1, 1, 0, _INPUT_ONLY, 0, 0, [])
        display.sync()

    def check(self, grant: Grant, rule: FocusRule, *, text: bool, by_click: bool = False) -> int | None:
        """The window that receives keys now; None if there is none and `text` is False.

        Args:
            grant: its target, and the window that had the focus in the picture.
            rule: which window must have the focus.
            text: whether text is to be typed, which always needs a window.
            by_click: whether a click of this action set the focus, so that the focus in the picture does not matter.

        Raises:
            Refused: the focus is elsewhere, the window is covered, or another client grabs the keyboard.
        """
        self._display.pump()
        self._passed = None
        holder = self._holder()
        if holder is None and not text and rule.window_id is None and not isinstance(grant.target, OneWindow):
            return None
        popup = self._popup(rule)
        if holder is None:
            if popup is not None and self._grabbed():
                return popup.window_id  # a launcher, which grabs the keyboard instead of taking the focus
            raise Refused(RejectedReason.NO_FOCUS, notice(NoticeCode.NO_WINDOW_HAS_FOCUS))
        if self._own(holder):
            raise Refused(RejectedReason.NO_FOCUS, notice(NoticeCode.CONSOLE_HAS_FOCUS))
        if not by_click:
            self._require_holder(grant, holder)
        if not self._is_intended(grant, rule, holder, popup):
            raise Refused(
                RejectedReason.NO_FOCUS, notice(NoticeCode.OTHER_WINDOW_HAS_FOCUS, window=window_label(holder))
            )
        self._points = self._sample_points(holder)
        state = self._query_state()
        self._require_undisturbed(grant, state, holder, popup)
        self._passed = state
        return holder.window_id

    def check_clicked(self, grant: Grant, hit: Window) -> int | None:
        """As `check`, after a click into `hit`: it must have the focus now, or the window that it is a popup of."""
        found = self.check(grant, FocusRule(window_id=hit.window_id), text=True, by_click=True)
        if found != hit.window_id and not hit.override:
            raise Refused(RejectedReason.NO_FOCUS, notice(NoticeCode.CLICK_DID_NOT_FOCUS, window=window_label(hit)))
        return found

    def check_holder(self, grant: Grant) -> None:
        """Before a pointer action: check that the focused window is the same as in the picture.

        No focus passes, as do the console (a click on Approve focuses it) and windows outside the target, where a
        person may be working.

        Raises:
            Refused: another window of the target has the focus.
        """
        self._display.pump()
        holder = self._holder() if grant.holder is not None else None
        if holder is not None and not self._own(holder):
            self._require_holder(grant, holder)

    def _require_holder(self, grant: Grant, holder: Window) -> None:
        meant = grant.holder
        if meant is None or meant.window_id == holder.window_id or not self._of_target(grant, holder):
            return
        now = window_label(holder)
        raise Refused(
            RejectedReason.STALE,
            notice(NoticeCode.FOCUS_MOVED_FROM, window=now, before=meant.title)
            if meant.title
            else notice(NoticeCode.FOCUS_MOVED, window=now),
        )

    def _of_target(self, grant: Grant, holder: Window) -> bool:
        if not isinstance(grant.target, OneWindow):
            return self._on_target(grant, holder)
        target = windows.describe(self._display, grant.target.window_id)
        return target is not None and window_family.takes_input(self._display, holder, target, grant.target)

    def unchanged(self) -> bool:
        """Whether the state is the same as when `check` last passed. One round trip."""
        return self._passed is not None and self._query_state() == self._passed

    def _holder(self) -> Window | None:
        """The focused window. One that is not on the screen is a window manager's own, which means no focus."""
        holder = windows.focused(self._display)
        if holder is None or holder.frame_rect.intersect(screen_rect(self._display)).empty:
            return None
        return holder

    def _popup(self, rule: FocusRule) -> Window | None:
        """The rule's window if it is override-redirect: it is shown, but does not get the focus."""
        window = windows.describe(self._display, rule.window_id) if rule.window_id is not None else None
        return window if window is not None and window.override else None

    def _is_intended(self, grant: Grant, rule: FocusRule, holder: Window, popup: Window | None) -> bool:
        if rule.window_id == holder.window_id:
            return self._on_target(grant, holder)
        if isinstance(grant.target, OneWindow):
            target = windows.describe(self._display, grant.target.window_id)
            return target is not None and window_family.takes_input(self._display, holder, target, grant.target)
        if popup is not None:
            return self._grabbed() or window_family.belongs(self._display, popup, holder)
        return rule.window_id is None and self._on_target(grant, holder)

    def _on_target(self, grant: Grant, holder: Window) -> bool:
        """Whether a window is at least partly on the target monitor; True if the target is a window."""
        if isinstance(grant.target, OneWindow):
            return True
        return not holder.frame_rect.intersect(grant.geometry.rect).empty

    def _sample_points(self, holder: Window) -> tuple[tuple[int, int], ...]:
        """The centre and the corners of the visible part of a window."""
        visible = holder.frame_rect.intersect(screen_rect(self._display))
        left, right = visible.x + _INSET_PX, visible.right - 1 - _INSET_PX
        top, bottom = visible.y + _INSET_PX, visible.bottom - 1 - _INSET_PX
        return visible.centre, (left, top), (right, top), (left, bottom), (right, bottom)

    def _query_state(self) -> FocusState:
        core, root = self._display.core, self._display.root
        focused = core.GetInputFocus()
        tops = [core.TranslateCoordinates(root, root, x, y) for x, y in self._points]
        grab = core.GrabKeyboard(False, self._unmapped, 0, _GRAB_ASYNC, _GRAB_ASYNC)
        focus_reply, grab_reply = self._display.answer(focused), self._display.answer(grab)
        children = tuple(reply.child if reply is not None else 0 for reply in map(self._display.answer, tops))
        grabbed = grab_reply is not None and grab_reply.status == _ALREADY_GRABBED
        return focus_reply.focus if focus_reply is not None else 0, children, grabbed

    def _grabbed(self) -> bool:
        return self._query_state()[2]

    def _require_undisturbed(self, grant: Grant, state: FocusState, holder: Window, popup: Window | None) -> None:
        """Raises Refused if a screen lock, a launcher, a menu of another program or of a viewer reads the keyboard."""
        _, tops, grabbed = state
        over = {top: self._foreign(grant, top, holder, popup) for top in set(tops) - {0, holder.frame_id}}
        if all(over.get(top) is not None for top in tops):
            raise Refused(
                RejectedReason.NO_FOCUS,
                notice(
                    NoticeCode.WINDOW_COVERED_COMPLETELY,
                    cover=window_label(over[tops[0]]),
                    window=window_label(holder),
                ),
            )
        if not grabbed or self._holds_keys():
            return
        for layer, _ in windows.shown(self._display):
            taker = self._foreign(grant, layer, holder, popup)
            if taker is not None and not _PASSIVE_KINDS.intersection(taker.kinds) and self._takes_input(taker):
                raise Refused(RejectedReason.NO_FOCUS, notice(NoticeCode.KEYBOARD_TAKEN, window=window_label(taker)))

    def _foreign(self, grant: Grant, layer: int, holder: Window, popup: Window | None) -> Window | None:
        """The layer's window if it is override-redirect and not ours, the intended popup or the holder's own."""
        window = windows.describe(self._display, layer)
        if window is None or not window.override or self._own(window):
            return None
        if popup is not None and window.window_id == popup.window_id:
            return None
        ours = not isinstance(grant.target, VmTarget) and window_family.belongs(self._display, window, holder)
        return None if ours else window

    def _takes_input(self, window: Window) -> bool:
        visible = window.frame_rect.intersect(screen_rect(self._display))
        top = None if visible.empty else windows.window_at(self._display, *visible.centre)
        return top is not None and top.frame_id == window.frame_id


def window_label(window: Window | None) -> str:
    """How a window is called in messages."""
    if window is None:
        return notice(NoticeCode.THE_DESKTOP)
    title = window.title or window.app
    return f"“{title}”" if title else notice(NoticeCode.WINDOW_BY_ID, id=f"0x{window.window_id:x}")
