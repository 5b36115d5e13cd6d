"""Waits until a target's picture stands still: by its paint events, not by sleeping.

The wait has a lower bound (effects begin late) and an upper one (films never stop). Small places that change by
themselves are ignored (noise.py). Three things tell an application that is still busy from one that is done:

* It is asked whether it has handled what was sent (_NET_WM_PING on X11). The picture does not count as still before its
  answer, so an application whose event loop is blocked is waited for, however little it has painted.
* A click after which nothing changed may have its effect later, by a timer or the network, which nothing announces.
  That is waited for with a time limit for each window, halved each time a click changed nothing and restored when a
  late effect came.
* Where there was no effect, or hardly any, the target is watched on while the model thinks (`late_change`). What comes
  then is looked at anew before the answer is acted on.

Everything here runs in the thread of the target's connection.
"""

from __future__ import annotations

import select
import time
from dataclasses import dataclass, field

from operator_console.computers.eyes import MonitorEye, WindowEye
from operator_console.computers.noise import SMALL_PX, Noise, within
from operator_console.computers.receiving import receiver
from operator_console.computers.worker import Worker
from operator_console.desktop.changes import changed_places
from operator_console.desktop.protocols import PaintWatch, Ping
from operator_console.desktop.values import Grab
from operator_console.domain.frames import Frame, SettleReason
from operator_console.domain.geometry import NativePoint, Rect

STILL_FOR_S = 0.08
"""The picture must stand still this long after its last change, in seconds, before the next request is sent.

Each step takes at least this long after its effect (the benchmark of step overhead shows it). Shorter, and a repaint in
two parts is sent to the model half done.
"""

FIRST_CHANGE_S = 2.5
"""How long a first change is waited for where nothing has changed yet, in seconds; never beyond the upper bound."""

LATE_S = 4.0
"""How long after an input a late effect is looked for while the model thinks, in seconds."""

_BARE_S = 0.3  # the bare desktop: nobody is there who could be late
_SHORTEST_PATIENCE_S = 0.05
_SLOW_TO_BEGIN_S = 0.3
_LEAST_GAP_S = 0.016  # looking oftener than the screen is drawn tells nothing
_POLL_S = 0.05  # without XDamage
_LITTLE_PX = 320 * 64  # a control that was pressed, a field that got the focus
_NEAR_PX = 64
_AGAIN = 3  # as often as that within one wait: it changes by itself
_RECENT = 4
_LOCAL_SHARE = 0.25
_KEPT_WINDOWS = 64


@dataclass(kw_only=True)
class _Wait:
    """One wait: its bounds (monotonic seconds) and what was seen."""

    at: NativePoint | None
    began: float
    earliest: float
    first: float
    latest: float
    window: int | None
    seen: Grab
    changes: list[Rect] = field(default_factory=list)
    counts: list[Rect] = field(default_factory=list)
    last: float = 0.0
    plain: bool = False


class Stillness:
    """Remembers from step to step what changes by itself, and which windows react late or not at all."""

    def __init__(self, eye: MonitorEye | WindowEye, worker: Worker) -> None:
        self._eye = eye
        self._worker = worker
        self.noise = Noise()
        # Halved each time it was in vain: somebody who clicks where nothing happens must not wait each time.
        self._patience: dict[int, float] = {}
        self._late: set[int] = set()
        self._weak: _Wait | None = None

    def wait(self, before: Frame, at: NativePoint | None, lower_s: float, upper_s: float) -> SettleReason:
        """Wait; raises ComputerUnavailable where the target goes meanwhile. `before`: as it was before the input."""
        wait = self._begin(before, at, lower_s, upper_s)
        watch = self._eye.watch()
        ping = self._eye.display.ping(wait.window)
        try:
            reason = self._wait(wait, watch, None if ping.answered else ping)
        finally:
            watch.close()
            ping.close()
        self._weak = wait if upper_s > FIRST_CHANGE_S and not wait.plain else None
        return reason

    def late_change(self, since: Frame) -> bool:
        """Whether a plain effect of the last input comes after all; at once no where there was one, or none is awaited.

        Asked once for an input; ends `LATE_S` after it.
        """
        wait, self._weak = self._weak, None
        if wait is None:
            return False
        watch, native = self._eye.watch(), since.geometry.native
        try:
            while not self._worker.interrupted:
                watch.take()
                version, now = self._eye.capture.scene.version, self._eye.grab()
                if now.rect.size == native and any(map(self._large, changed_places(since.pixels, now.pixels, native))):
                    self._is_late(wait.window)
                    return True
                if not self._pause(watch, version, time.monotonic(), wait.began + LATE_S, None):
                    return False
            return False
        finally:
            watch.close()

    def _large(self, place: Rect) -> bool:
        return place.width * place.height > SMALL_PX and self.noise.effect((place,)) is True

    def _begin(self, before: Frame, at: NativePoint | None, lower_s: float, upper_s: float) -> _Wait:
        start = time.monotonic()
        asked = receiver(self._eye, at)
        window = asked.window_id if asked is not None and not asked.own else None
        patience_s = _BARE_S if window is None else self._patience.get(window, FIRST_CHANGE_S)
        origin, native = before.geometry.origin, before.geometry.native
        seen = Grab(pixels=before.pixels, rect=Rect(origin.x, origin.y, native.width, native.height))
        first_s = patience_s if upper_s > FIRST_CHANGE_S else 0.0
        return _Wait(
            at=at, window=window, seen=seen, began=start, earliest=start + min(lower_s, upper_s),
            first=start + first_s, latest=start + upper_s,
        )  # fmt: skip

    def _wait(self, wait: _Wait, watch: PaintWatch, ping: Ping | None) -> SettleReason:
        answered = 0.0
        while True:
            watch.take()
            version = self._eye.capture.scene.version
            now = self._eye.grab()
            looked = time.monotonic()
            self._look(wait, now, looked)
            if ping is not None and ping.look():
                answered, ping = looked, None
            due = max(self._due(wait), answered + STILL_FOR_S)
            if looked >= wait.latest and (looked < due or ping is not None):
                return _unsettled(wait)
            until = wait.latest if ping is not None else min(due, wait.latest)
            painted = self._pause(watch, version, looked, until, ping)
            if self._worker.interrupted:
                return SettleReason.INTERRUPTED
            if not painted and ping is None and time.monotonic() >= due:
                self._learn(wait)
                return SettleReason.QUIET

    def _due(self, wait: _Wait) -> float:
        """When it counts as settled if nothing more comes."""
        if not wait.changes:
            return max(wait.earliest, wait.first)
        due = max(wait.earliest, wait.last + STILL_FOR_S)
        # Known to paint a little at once and the rest later.
        return due if wait.plain or wait.window not in self._late else max(due, wait.first)

    def _look(self, wait: _Wait, now: Grab, looked: float) -> None:
        places = _changes(wait.seen, now)
        wait.seen = now
        for place in places:
            near = wait.at is not None and _near(place, wait.at)
            if (self.noise.restless(place) and not near) or self._comes_again(wait, place):
                continue
            # A click shows where it was, or it shows plainly: by itself a speck elsewhere is more likely a caret.
            if not (wait.changes or wait.at is None or near or place.width * place.height > SMALL_PX):
                continue
            little = _little(place, wait.at)
            if not wait.plain and looked - wait.began > _SLOW_TO_BEGIN_S and not (wait.changes and little):
                self._is_late(wait.window)
            wait.changes.append(place)
            wait.last = looked
            wait.plain = wait.plain or not little

    def _comes_again(self, wait: _Wait, place: Rect) -> bool:
        """Whether this small place changed often in this wait already; then it is remembered."""
        if place.width * place.height > SMALL_PX:
            return False
        wait.counts.append(place)
        if sum(within(place, each, 4) or within(each, place, 4) for each in wait.counts) < _AGAIN:
            return False
        self.noise.remember(place)
        return True

    def _learn(self, wait: _Wait) -> None:
        if wait.window is None or wait.first <= wait.earliest or wait.plain:
            return
        if not wait.changes or wait.window in self._late:
            patience_s = self._patience.pop(wait.window, FIRST_CHANGE_S)
            self._patience[wait.window] = max(patience_s / 2, _SHORTEST_PATIENCE_S)
        while len(self._patience) > _KEPT_WINDOWS:
            self._patience.pop(next(iter(self._patience)))

    def _is_late(self, window: int | None) -> None:
        if window is not None:
            self._patience.pop(window, None)
            self._late.add(window)

    def _pause(self, watch: PaintWatch, version: int, looked: float, until: float, ping: Ping | None) -> bool:
        """Whether anything was painted, moved or answered before `until`; not sooner than a frame after the look."""
        display, scene = self._eye.display, self._eye.capture.scene
        gap = _LEAST_GAP_S if watch.available else _POLL_S
        select.select([self._worker.wake_fd], [], [], max(0.0, min(gap, until - looked)))
        display.pump()
        while not (watch.pending or scene.version != version or self._worker.interrupted):
            if ping is not None and ping.answered:
                return True
            left = until - time.monotonic()
            if left <= 0:
                return False
            if not watch.available:
                return True
            display.wait(left, also=self._worker.wake_fd)
        return True


def _changes(before: Grab, after: Grab) -> tuple[Rect, ...]:
    """Where the picture changed, in its own pixels; all of it where the target has another size."""
    if before.rect.size != after.rect.size:
        return (Rect(0, 0, after.rect.width, after.rect.height),)
    return changed_places(before.pixels, after.pixels, after.rect.size)


def _little(place: Rect, at: NativePoint | None) -> bool:
    """Whether it is no more than the look of what was pressed, or (keys) a character."""
    if at is None:
        return place.width * place.height <= SMALL_PX
    return place.width * place.height <= _LITTLE_PX and _near(place, at)


def _near(place: Rect, at: NativePoint) -> bool:
    return within(Rect(at.x, at.y, 1, 1), place, _NEAR_PX)


def _unsettled(wait: _Wait) -> SettleReason:
    """The time is up: is it one place (or an application that does not answer), or is everything still moving?"""
    recent = wait.changes[-_RECENT:]
    if not recent:
        return SettleReason.BOUNDED
    x, y = min(each.x for each in recent), min(each.y for each in recent)
    area = (max(each.right for each in recent) - x) * (max(each.bottom for each in recent) - y)
    local = len(recent) == _RECENT and area <= wait.seen.rect.width * wait.seen.rect.height * _LOCAL_SHARE
    return SettleReason.BOUNDED if local else SettleReason.STILL_MOVING
