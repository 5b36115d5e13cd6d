"""Before an input: which window would get it, and making that window able to take it.

Policy assesses a call by the window that `receiver` tells, and the grant names it; the injector checks it again right
before it sends anything. `InputPreparation` lets input through the console's windows and puts the keyboard focus where
the model saw it. Sends no input. Runs in the thread of the capture.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing

from operator_console.computers.target_capture import TargetCapture
from operator_console.computers.window_wording import named
from operator_console.computers.worker_thread import Worker
from operator_console.desktop.values import Window
from operator_console.domain.errors import ComputerRejected, ComputerUnavailable, RejectedReason, UnavailableReason
from operator_console.domain.frames import Frame, KeyboardFocus, TargetKind, WindowInfo
from operator_console.domain.geometry import FrameGeometry, NativePoint, ScreenPoint, Size
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

NOTICED_WITHIN_S = 0.2
"""Bound of the wait for an application that was given the focus; one that hangs does not answer."""


def receiver(capture: TargetCapture, at: NativePoint | None) -> WindowInfo | None:
    """The window that would get an input; None if no window would.

    The console's own windows are passed over, because they let input through. For a window target the result is always
    the target, or a dialog or menu of it: input to any other window is refused.

    Args:
        capture: the target.
        at: the pixel of the target that would be clicked; None: key presses.

    Raises:
        ComputerUnavailable: the target cannot be seen.
    """
    window = capture.receiver_of(_focused(capture) if at is None else _window_at(capture, at))
    return None if window is None else _opener_of(capture, window).info(own=capture.is_own(window))


def keyboard_focus(capture: TargetCapture) -> KeyboardFocus:
    """Where the keyboard focus is now. Raises ComputerUnavailable: the target cannot be seen."""
    if not capture.knows_windows:
        return KeyboardFocus.TARGET
    holder = capture.current_focus()
    # A window that is not on the screen is the window manager's own, and stands for no focus.
    on_screen = holder is not None and not holder.frame_rect.intersect(capture.display.screen_rect()).empty
    if holder is None or not on_screen or capture.is_own(holder):
        return KeyboardFocus.NOBODY
    return KeyboardFocus.TARGET if capture.focus().in_target else KeyboardFocus.ELSEWHERE


def _focused(capture: TargetCapture) -> Window | None:
    focus = capture.focus()
    return focus.window if focus.in_target else None


def _window_at(capture: TargetCapture, at: NativePoint) -> Window | None:
    place = capture.place()
    x, y = place.x + at.x, place.y + at.y
    hit = capture.window_at(x, y)
    if hit is None or not capture.is_own(hit):
        return hit
    for layer in reversed(capture.screen_capture.window_layers.layers()):
        if not layer.own and any(part.contains(x, y) for part in layer.parts):
            return capture.display.describe(layer.client)
    return None


def _opener_of(capture: TargetCapture, window: Window) -> Window:
    """The window that a menu or popup belongs to; any other window itself."""
    if not window.override:
        return window
    if window.transient_for and (parent := capture.display.describe(window.transient_for)) is not None:
        return parent
    focused = capture.display.focused()
    same = focused is not None and (
        (window.pid is not None and focused.pid == window.pid) or (window.group and focused.group == window.group)
    )
    return focused if focused is not None and same else window


class InputPreparation:
    """Prepares input to one target."""

    def __init__(self, capture: TargetCapture, worker: Worker) -> None:
        self._capture = capture
        self._worker = worker
        able = capture.display.capabilities.click_through
        self._pass_through = capture.display.click_through() if able else None

    def prepare(self, frame: Frame | None, points: Sequence[NativePoint], needs_focus: bool) -> None:
        """Let input through at points of the last frame, and restore the focus.

        Args:
            frame: the last observed frame; None: none yet.
            points: where the input goes, in native pixels of the frame.
            needs_focus: whether it needs the keyboard focus. Where a click gives it, there must be a window at each
                point.

        Raises:
            ComputerRejected: stale, out of range, own window, covered, or no focus.
            ComputerUnavailable: the target cannot be before.
        """
        self._require_same_place(frame)
        self._capture.input_follows()
        by_click = bool(points) and self._capture.click_gives_focus
        if needs_focus and not by_click:
            self._restore_focus()
        for place in [self._screen_point(frame, point) for point in points]:
            hit = self._let_through(place)
            if needs_focus and hit is None and self._capture.knows_windows:
                raise ComputerRejected(
                    notice(NoticeCode.NO_WINDOW_AT_POINT),
                    reason=RejectedReason.NO_FOCUS,
                    remedy=notice(NoticeCode.CHOOSE_POINT_IN_WINDOW),
                )

    def restore(self) -> None:
        """The console's windows take input again."""
        if self._pass_through is not None:
            self._pass_through.restore()

    def _require_same_place(self, frame: Frame | None) -> None:
        """Reject what shows something else at a point once it was moved or resized. Windows may move."""
        if frame is None or not self._capture.fixed:
            return
        before, now = frame.geometry, self._capture.place()
        monitor = frame.target.kind is not TargetKind.VM
        if before.rect.size != now.size:
            what = NoticeCode.MONITOR_SIZE_CHANGED if monitor else NoticeCode.MACHINE_SCREEN_MOVED
            detail = _sizes(before.rect.size, now.size)
        elif before.origin != ScreenPoint(now.x, now.y):
            what = NoticeCode.MONITOR_MOVED if monitor else NoticeCode.MACHINE_SCREEN_MOVED
            was = before.origin
            detail = notice(NoticeCode.PLACE_WAS_AND_IS, old_x=was.x, old_y=was.y, x=now.x, y=now.y)
        else:
            return
        raise ComputerRejected(
            notice(what), reason=RejectedReason.STALE, detail=detail, remedy=notice(NoticeCode.LOOK_AGAIN),
        )  # fmt: skip

    def _screen_point(self, frame: Frame | None, at: NativePoint) -> ScreenPoint:
        """The current screen position of a pixel of the frame: a window may have moved."""
        rect = self._capture.place()
        origin = ScreenPoint(rect.x, rect.y)
        geometry = (
            frame.geometry.at(origin)
            if frame is not None
            else FrameGeometry(origin=origin, native=rect.size, sent=rect.size)
        )
        if geometry.rect != rect:
            raise ComputerRejected(
                notice(NoticeCode.TARGET_SIZE_CHANGED),
                reason=RejectedReason.STALE,
                detail=_sizes(geometry.rect.size, rect.size),
                remedy=notice(NoticeCode.LOOK_AGAIN),
            )
        if not geometry.contains(at):
            native = geometry.native
            raise ComputerRejected(
                notice(NoticeCode.POINT_OUTSIDE_TARGET),
                reason=RejectedReason.OUT_OF_RANGE,
                detail=notice(NoticeCode.POINT_NOT_WITHIN, x=at.x, y=at.y, width=native.width, height=native.height),
                remedy=notice(NoticeCode.CHOOSE_POINT_OF_PICTURE),
            )
        point = geometry.to_screen(at)
        if not self._capture.display.screen_rect().contains(point.x, point.y):
            raise ComputerRejected(
                notice(NoticeCode.POINT_OUTSIDE_SCREEN),
                reason=RejectedReason.OUT_OF_RANGE,
                remedy=notice(NoticeCode.MOVE_WINDOW_ONTO_SCREEN),
            )
        return point

    def _let_through(self, point: ScreenPoint) -> Window | None:
        """Let a click at the point through the console's windows. Returns the window that it would reach."""
        ours = [
            layer
            for layer in self._capture.screen_capture.window_layers.own_layers()
            if any(part.contains(point.x, point.y) for part in layer.parts)
        ]
        # Only windows of this process: a hole in another's (the terminal's) would remain if the console were killed.
        opened = [layer for layer in ours if layer.pid == os.getpid()] if self._pass_through is not None else []
        if self._pass_through is not None and opened:
            self._pass_through.open(opened, point)
        hit = self._capture.window_at(point.x, point.y)
        in_the_way = hit is not None and self._capture.is_own(hit)
        if in_the_way or (len(opened) < len(ours) and not self._capture.knows_windows):
            raise ComputerRejected(
                notice(NoticeCode.CONSOLE_IN_THE_WAY),
                reason=RejectedReason.OWN_WINDOW,
                remedy=notice(NoticeCode.MOVE_CONSOLE_AWAY),
            )
        if self._capture.receiver_of(hit) is not hit:
            raise ComputerRejected(
                notice(NoticeCode.TARGET_COVERED_BY, window=named(hit)),
                reason=RejectedReason.COVERED,
                remedy=notice(NoticeCode.BRING_TARGET_TO_FRONT),
            )
        return hit

    def _restore_focus(self) -> None:
        capture = self._capture
        if capture.keys_reach():
            return
        window = capture.window_for_keys()
        if window is not None:
            self._activate(window)
        now = capture.current_focus()
        if window is None or not capture.keys_reach():
            raise _no_focus(capture, now)
        self._await_notice(now)

    def _await_notice(self, window: Window | None) -> None:
        """Wait until the window's application has noticed that it has the focus: only then it tells what gets keys."""
        if window is None:
            return
        with closing(self._capture.display.ping(window.window_id)) as ping:
            self._capture.display.wait_until(ping.look, NOTICED_WITHIN_S)

    def _activate(self, window: Window) -> None:
        if self._worker.interrupted:  # cancelled, perhaps by a stop: leave the focus where it is
            raise ComputerUnavailable(notice(NoticeCode.TARGET_CLOSED), reason=UnavailableReason.GONE)
        self._capture.display.activate(window)


def _sizes(before: Size, now: Size) -> str:
    return notice(
        NoticeCode.SIZE_WAS_AND_IS,
        old_width=before.width, old_height=before.height, width=now.width, height=now.height,
    )  # fmt: skip


def _no_focus(capture: TargetCapture, focused: Window | None) -> ComputerRejected:
    own = focused is not None and capture.is_own(focused)
    name = notice(NoticeCode.CONSOLE_WINDOW) if own else named(focused)
    manager = capture.display.window_manager()
    return ComputerRejected(
        notice(NoticeCode.FOCUS_NOT_IN_TARGET, window=name),
        reason=RejectedReason.NO_FOCUS,
        detail=notice(NoticeCode.FOCUS_NOT_GIVEN_BY_MANAGER, manager=manager) if manager else "",
        remedy=notice(NoticeCode.CLICK_WINDOW_FIRST),
    )
