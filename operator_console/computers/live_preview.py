"""The live preview of a target: captured whenever something was painted, up to 60 times a second.

It uses the same capture code as the model's pictures, in a thread and with a connection of its own, so that neither
waits for the other. Each frame has an id that changes with the picture, and the area that differs from the last one.
"""

from __future__ import annotations

import itertools
import logging
import select
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

from operator_console.desktop.protocols import PaintWatch
from operator_console.desktop.stoppable_thread import StoppableThread
from operator_console.desktop.values import Grab
from operator_console.domain.errors import ComputerUnavailable, ConsoleError, UnavailableReason
from operator_console.domain.frames import Change, Frame, ImageNeeds
from operator_console.domain.geometry import Rect
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

if TYPE_CHECKING:
    from operator_console.computers.target_capture import TargetCapture

LEAST_GAP_S = 1 / 60
"""Least time between two pictures, in seconds."""

THOROUGH_S = 2.0
"""Pictures are compared at least this often, in seconds, whatever was reported as painted."""

THIN_PX = 4
"""Own windows of at most this width hide too little to be compared at every frame: the sides of the target's frame,
which together would make the whole picture count as changed."""

_POLL_S = 0.1  # without paint events
_RETRY_S = 0.5  # while the target cannot be seen
_LOOK_AGAIN_S = 1.0  # without any event: the target may be gone, or its title changed
FINAL = frozenset({UnavailableReason.GONE, UnavailableReason.NO_DISPLAY})

OnFrame = Callable[[Frame], None]
OnLost = Callable[[ConsoleError], None]


class PreviewSource(Protocol):
    """What delivers the live frames of a target, whatever its kind; `LiveSource` says what the callbacks mean."""

    def start(self, on_frame: OnFrame, on_lost: OnLost, on_same: OnFrame | None = None) -> None:
        """Start. Once."""

    def stop(self) -> None:
        """Stop; no callback follows. Does not wait."""

    @property
    def running(self) -> bool:
        """Whether it runs, or has not ended yet."""

    def join(self, timeout_s: float | None = None) -> None:
        """Wait until a stopped source has ended, at most `timeout_s`. Blocking, not on the event loop."""


_NOTHING = Rect(0, 0, 0, 0)

_numbers = itertools.count(1)  # over all sources, so that no two pictures of a process share an id
_log = logging.getLogger(__name__)


class LiveSource:
    """Delivers frames of one target to callbacks, in a thread of its own.

    `on_frame(Frame)`: the picture may have changed. `on_same(Frame)`: it was captured again, about once a second, and
    is unchanged. `on_lost(ConsoleError)`: the target cannot be seen (minimised, gone); called once, frames continue
    when it can be seen again. The source ends when the target is gone.
    """

    def __init__(self, open_capture: Callable[[], TargetCapture]) -> None:
        self._open_capture = open_capture
        self._thread = StoppableThread("live", self._capture_until_stopped)
        self._on_frame: OnFrame = _ignore
        self._on_lost: OnLost = _ignore
        self._on_same: OnFrame = _ignore
        self.stop, self.join = self._thread.stop, self._thread.join

    def start(self, on_frame: OnFrame, on_lost: OnLost, on_same: OnFrame | None = None) -> None:
        """Start. Callbacks must be quick, must not raise, and must not wait for the thread that calls `stop`."""
        self._on_frame, self._on_lost, self._on_same = on_frame, on_lost, on_same or _ignore
        self._thread.start()

    @property
    def running(self) -> bool:
        """Whether its thread is running; it may be for some milliseconds after `stop`."""
        return self._thread.running

    def _capture_until_stopped(self, thread: StoppableThread) -> None:
        try:
            capture = self._open_capture()
        except ConsoleError as error:
            self._thread.notify(self._on_lost, error)
            return
        try:
            self._deliver(capture)
        except ConsoleError as error:
            self._thread.notify(self._on_lost, error)
        except Exception:  # noqa: BLE001
            # The preview may fail; the session must not.
            _log.exception("the live preview stopped")
            lost = ConsoleError(notice(NoticeCode.PREVIEW_STOPPED), remedy=notice(NoticeCode.CHOOSE_TARGET_AGAIN))
            self._thread.notify(self._on_lost, lost)
        finally:
            capture.close()

    def _deliver(self, capture: TargetCapture) -> None:
        reported = False
        while not self._thread.stopping:
            try:
                with capture.display.losing():
                    for frame in self._frames(capture):
                        reported = False
                        self._thread.notify(self._on_frame, frame)
            except ComputerUnavailable as error:
                if error.reason in FINAL:
                    raise
                if not reported:
                    self._thread.notify(self._on_lost, error)
                reported = True
                self._idle(_RETRY_S)

    def _frames(self, capture: TargetCapture) -> Iterator[Frame]:
        """Frames while the target can be seen, one for each change of the picture."""
        watch, needs, last_id = capture.watch(), ImageNeeds(), ""
        frames = LiveFrames(capture, watch)
        try:
            while not self._thread.stopping:
                version, began = capture.screen_capture.window_layers.version, time.monotonic()
                frame = frames.next(needs)
                if frame.frame_id != last_id:
                    last_id = frame.frame_id
                    yield frame
                else:
                    self._thread.notify(self._on_same, frame)
                self._idle(LEAST_GAP_S - (time.monotonic() - began))
                self._await_change(capture, watch, version)
        finally:
            watch.close()

    def _await_change(self, capture: TargetCapture, watch: PaintWatch, version: int) -> None:
        if not capture.reports_painting:
            self._idle(_POLL_S)
            return
        deadline = time.monotonic() + _LOOK_AGAIN_S
        capture.display.pump()
        while not (self._thread.stopping or watch.pending or capture.screen_capture.window_layers.version != version):
            left = deadline - time.monotonic()
            if left <= 0:
                return
            capture.display.wait(left, also=self._thread.wake_fd)

    def _idle(self, seconds: float) -> None:
        if seconds > 0:
            select.select([self._thread.wake_fd], [], [], seconds)


class LiveFrames:
    """Consecutive frames of one capture, with the area in which each differs from the last.

    Comparing two whole screens takes longer than showing what changed. So the painted area (XDamage) is taken as the
    changed one, and checked every THOROUGH_S by comparing pictures. Where painting is not reported in full, pictures
    are always compared.
    """

    def __init__(
        self, capture: TargetCapture, watch: PaintWatch, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._capture, self._watch, self._monotonic = capture, watch, monotonic
        self._reports_all = capture.watch_reports_all and capture.reports_painting
        self._painted = _NOTHING
        self._last: Grab | None = None
        self._compared_with: Grab | None = None
        self._reported = _NOTHING
        self._own_area = _NOTHING
        self._name = ""
        self._change: Change | None = None
        self._compared_s = 0.0

    def next(self, needs: ImageNeeds) -> Frame:
        """The current picture. Raises ComputerUnavailable."""
        self._painted = self._painted.union(self._watch.take() or _NOTHING)
        return replace(self._capture.preview(needs, self._named), change=self._change)

    def _named(self, grab: Grab) -> str:
        last, self._last = self._last, grab
        box = self._differing(last, grab) if last is not None and last.rect == grab.rect else None
        self._change = Change(since=self._name, box=box) if box is not None else None
        if box is None:
            self._compared_with, self._reported, self._compared_s = grab, _NOTHING, self._monotonic()
        if box is None or not box.empty:
            self._name = f"live-{next(_numbers)}"
        self._painted = _NOTHING
        return self._name

    def _differing(self, last: Grab, grab: Grab) -> Rect:
        """An area that contains every difference from the last picture."""
        now_s, claimed = self._monotonic(), self._claimed(grab.rect)
        self._reported = self._reported.union(claimed)
        if not self._reports_all or claimed.empty or now_s - self._compared_s >= THOROUGH_S:
            self._compared_s = now_s
            return self._compared(last, grab, claimed)
        return _what_changed(last, grab, claimed)

    def _compared(self, last: Grab, grab: Grab, claimed: Rect) -> Rect:
        """As `_differing`, plus what changed unreported since the last comparison."""
        before, told = self._compared_with, self._reported
        self._compared_with, self._reported = grab, _NOTHING
        if before is last or before is None:
            return _difference(last, grab)
        missed = _difference(before, grab)
        box = _difference(last, grab) if claimed.empty else _what_changed(last, grab, claimed.union(missed))
        return box if missed.empty or missed.intersect(told) == missed else box.union(missed)

    def _claimed(self, rect: Rect) -> Rect:
        """The area that may have changed, in pixels of the picture: what was painted until it was taken, and what lies
        beneath the console's windows, where painting is not reported."""
        before, self._own_area = self._own_area, _NOTHING
        for layer in self._capture.screen_capture.window_layers.known_own_layers():
            if min(layer.rect.width, layer.rect.height) <= THIN_PX:
                continue
            self._own_area = self._own_area.union(layer.rect.intersect(rect))
        painted = self._painted.union(self._watch.painted or _NOTHING)
        return painted.union(before).union(self._own_area).intersect(rect).moved(-rect.x, -rect.y)


def _what_changed(before: Grab, after: Grab, claimed: Rect) -> Rect:
    """`claimed`, or nothing if the repainted pixels are the same. Ends at the first difference."""
    from operator_console.desktop.picture_changes import same

    return _NOTHING if same(before.pixels, after.pixels) else claimed


def _difference(before: Grab, after: Grab) -> Rect:
    from operator_console.desktop.picture_changes import differing_box

    return differing_box(before.pixels, after.pixels, after.rect.size) or _NOTHING


def _ignore(_: object) -> None:
    return
