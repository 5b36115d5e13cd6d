"""Before an input: our own windows let it through, and keys and text find the focus where the model saw it.

Sends no input itself. Runs in the thread of its eye.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

from operator_console.computers.eyes import Eye, MonitorEye, WindowEye
from operator_console.computers.window_wording import named
from operator_console.computers.worker import Worker
from operator_console.desktop.values import Window, WindowState
from operator_console.domain.errors import ComputerRejected, ComputerUnavailable, RejectedReason, UnavailableReason
from operator_console.domain.frames import Frame
from operator_console.domain.geometry import NativePoint, ScreenPoint, Size


class InputPreparation:
    """For one eye's target."""

    def __init__(self, eye: MonitorEye | WindowEye, worker: Worker) -> None:
        self._eye = eye
        self._worker = worker
        self._pass_through = eye.display.click_through()

    def prepare(self, frame: Frame | None, points: Sequence[NativePoint], needs_focus: bool) -> None:
        """Make way at points of the last frame, and restore the focus.

        Text with a point of its own gets the focus by its click; there only a window can take it.

        Raises ComputerRejected (stale, out of range, own window, covered, no focus) naming what stands in the way, and
        ComputerUnavailable where the target cannot be seen.
        """
        self._require_same_monitor(frame)
        by_click = bool(points) and isinstance(self._eye, MonitorEye)
        if needs_focus and not by_click:
            self._restore_focus()
        for place in [self._screen_point(frame, point) for point in points]:
            hit = self._make_way(place)
            if needs_focus and hit is None:
                raise ComputerRejected(
                    "There is no window at that point that could take keys.",
                    reason=RejectedReason.NO_FOCUS,
                    remedy="Choose a point inside a window.",
                )

    def restore(self) -> None:
        """Our own windows take input again."""
        self._pass_through.restore()

    def _require_same_monitor(self, frame: Frame | None) -> None:
        """A window is followed where it goes; a monitor that went elsewhere shows other things at the same point."""
        if frame is None or not isinstance(self._eye, MonitorEye):
            return
        seen, now = frame.geometry, self._eye.place()
        if seen.native != now.size:
            what, was, is_ = "changed its size", seen.native, now.size
            detail = f"It was {was.width} x {was.height}, now it is {is_.width} x {is_.height}."
        elif seen.origin != ScreenPoint(now.x, now.y):
            what = "was moved"
            detail = f"It began at {seen.origin.x}, {seen.origin.y} of the desktop, now at {now.x}, {now.y}."
        else:
            return
        raise ComputerRejected(
            f"The monitor {what} after the picture was taken.",
            reason=RejectedReason.STALE, detail=detail, remedy="Look again.",
        )  # fmt: skip

    def _screen_point(self, frame: Frame | None, at: NativePoint) -> ScreenPoint:
        """Where a pixel of the frame lies now: a window may have moved since."""
        rect = self._eye.place()
        native = frame.geometry.native if frame is not None else Size(rect.width, rect.height)
        if native != rect.size:
            raise ComputerRejected(
                "The target changed its size after the picture was taken.",
                reason=RejectedReason.STALE,
                detail=f"It was {native.width} x {native.height}, now it is {rect.width} x {rect.height}.",
                remedy="Look again.",
            )
        point = ScreenPoint(rect.x + at.x, rect.y + at.y)
        if not rect.contains(point.x, point.y):
            raise ComputerRejected(
                "That point lies outside the target.",
                reason=RejectedReason.OUT_OF_RANGE,
                detail=f"{at.x}, {at.y} is not within {native.width} x {native.height}.",
                remedy="Choose a point of the picture.",
            )
        if not self._eye.display.screen_rect().contains(point.x, point.y):
            raise ComputerRejected(
                "That point of the window lies outside the screen.",
                reason=RejectedReason.OUT_OF_RANGE,
                remedy="Move the window onto the screen.",
            )
        return point

    def _make_way(self, point: ScreenPoint) -> Window | None:
        """Let a press at the point through our own windows; the window that it hits."""
        # Only windows of this process: what is cut out of another's (the terminal's) would outlive a killed console.
        layers = [
            layer
            for layer in self._eye.capture.scene.own_layers()
            if layer.pid == os.getpid() and any(part.contains(point.x, point.y) for part in layer.parts)
        ]
        if layers:
            self._pass_through.open(layers, point)
        hit = self._eye.display.window_at(point.x, point.y)
        if hit is not None and self._eye.is_own(hit):
            raise ComputerRejected(
                "The console's own window lies there and cannot be clicked through.",
                reason=RejectedReason.OWN_WINDOW,
                remedy="Move the console away from that place.",
            )
        if isinstance(self._eye, WindowEye):
            self._require_target(hit)
        return hit

    def _require_target(self, hit: Window | None) -> None:
        assert isinstance(self._eye, WindowEye)
        if hit is not None and self._eye.display.belongs(hit, self._eye.window()):
            return
        raise ComputerRejected(
            f"The target is covered there by {named(hit)}.",
            reason=RejectedReason.COVERED,
            remedy="Bring the target to the front.",
        )

    def _restore_focus(self) -> None:
        eye = self._eye
        if isinstance(eye, WindowEye):
            if not eye.focus().in_target:
                self._activate(eye.window())
            if not eye.focus().in_target:
                raise _no_focus(eye, eye.current_focus())
            return
        now = eye.current_focus()
        if now is not None and not eye.is_own(now):
            if now.frame_rect.intersect(eye.place()).empty:
                raise _no_focus(eye, now)
            return
        # Ours has it (the click on Approve took it), or nobody: back to who had it last, as the call was judged by.
        held = eye.focus()
        window = held.window if held.in_target else None
        if window is None or window.state is not WindowState.SHOWN or not self._activate(window):
            raise _no_focus(eye, eye.current_focus())

    def _activate(self, window: Window) -> bool:
        if self._worker.interrupted:  # cancelled meanwhile, perhaps by a stop: the focus stays where it is
            raise ComputerUnavailable("The target was let go of.", reason=UnavailableReason.GONE)
        return self._eye.display.activate(window)


def _no_focus(eye: Eye, holder: Window | None) -> ComputerRejected:
    who = "the console's own window" if holder is not None and eye.is_own(holder) else named(holder)
    return ComputerRejected(
        f"The keyboard focus is not in the target: {who} has it.",
        reason=RejectedReason.NO_FOCUS,
        remedy="Click into the window that should receive the keys first.",
    )
