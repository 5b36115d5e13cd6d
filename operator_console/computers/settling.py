"""Waits until a target's picture has stopped changing: by its paint events, not by sleeping.

What keeps changing in one small place (a caret, a clock's digits, a spinner) is no reason to wait on. Bounded below
(effects begin late) and above (films never settle). Runs in the thread of its eye. Called by desktop.py of this room.
"""

from __future__ import annotations

import select
import time
from collections import deque
from collections.abc import Sequence

from operator_console.computers.eyes import Eye
from operator_console.computers.worker import Worker
from operator_console.desktop.changes import changed_box
from operator_console.desktop.x11.capture import Grab
from operator_console.desktop.x11.damage import DamageWatch
from operator_console.domain.frames import Frame, SettleReason
from operator_console.domain.geometry import Rect

QUIET_S = 0.08
"""Without a change for this long after the last one, the picture counts as settled."""

FIRST_CHANGE_S = 2.5
"""Where nothing has changed at all, the effect may be still to come: so long is waited for it, within upper bounds."""

_SHORTEST_PATIENCE_S = 0.05
_LATE_S = 0.3
_LEAST_GAP_S = 0.016  # looking oftener than the screen is drawn tells nothing
_POLL_S = 0.05  # without XDamage
_SMALL_PX = 64 * 64
_SLACK_PX = 4
_RECENT = 4
_LOCAL_SHARE = 0.25


class Settling:
    """Remembers from step to step where small things keep changing."""

    def __init__(self, eye: Eye, worker: Worker) -> None:
        self._eye = eye
        self._worker = worker
        self._restless: deque[Rect] = deque(maxlen=16)
        # Halved each time it was in vain: somebody who clicks where nothing happens must not wait each time.
        self._patience_s = FIRST_CHANGE_S

    def wait(self, before: Frame, lower_s: float, upper_s: float) -> SettleReason:
        """Wait; raises ComputerUnavailable where the target goes meanwhile."""
        start = time.monotonic()
        watch = self._eye.watch()
        first_s = self._patience_s if upper_s > FIRST_CHANGE_S else 0.0
        try:
            return self._wait(before, watch, start + min(lower_s, upper_s), start + first_s, start + upper_s)
        finally:
            watch.close()

    def _wait(self, before: Frame, watch: DamageWatch, earliest: float, first: float, latest: float) -> SettleReason:
        origin, native = before.geometry.origin, before.geometry.native
        seen = Grab(pixels=before.pixels, rect=Rect(origin.x, origin.y, native.width, native.height))
        changes: list[Rect] = []
        began = time.monotonic()
        due = max(earliest, first)
        while True:
            watch.take()
            version = self._eye.capture.scene.version
            now = self._eye.grab()
            looked = time.monotonic()
            change = _change(seen, now)
            seen = now
            if change is not None and not self._is_restless(change):
                if not changes and looked - began > _LATE_S:
                    self._patience_s = FIRST_CHANGE_S
                changes.append(change)
                due = max(earliest, looked + QUIET_S)
            if looked >= latest and looked < due:
                return _unsettled(changes, seen.rect)
            painted = self._pause(watch, version, looked, min(due, latest))
            if self._worker.interrupted:
                return SettleReason.INTERRUPTED
            if not painted and time.monotonic() >= due:
                if not changes and first > earliest:
                    self._patience_s = max(self._patience_s / 2, _SHORTEST_PATIENCE_S)
                return SettleReason.QUIET

    def _pause(self, watch: DamageWatch, version: int, looked: float, until: float) -> bool:
        """Whether something was painted or moved before `until`; not sooner than a frame after the last look."""
        display, scene = self._eye.display, self._eye.capture.scene
        gap = _LEAST_GAP_S if watch.available else _POLL_S
        select.select([self._worker.wake_fd], [], [], max(0.0, min(gap, until - looked)))
        display.pump()
        while not (watch.pending or scene.version != version or self._worker.interrupted):
            left = until - time.monotonic()
            if left <= 0:
                return False
            if not watch.available:
                return True
            display.wait(left, also=self._worker.wake_fd)
        return True

    def _is_restless(self, change: Rect) -> bool:
        """Whether this small place has changed before, in this wait or an earlier one; else it is remembered."""
        if change.width * change.height > _SMALL_PX:
            return False
        if any(_within(change, place) or _within(place, change) for place in self._restless):
            return True
        self._restless.append(change)
        return False


def _change(before: Grab, after: Grab) -> Rect | None:
    """Where the picture changed, in its own pixels; all of it where the target moved or has another size."""
    if before.rect.size != after.rect.size:
        return Rect(0, 0, after.rect.width, after.rect.height)
    return changed_box(before.pixels, after.pixels, after.rect.size)


def _within(inner: Rect, outer: Rect) -> bool:
    slack = Rect(outer.x - _SLACK_PX, outer.y - _SLACK_PX, outer.width + 2 * _SLACK_PX, outer.height + 2 * _SLACK_PX)
    return inner.intersect(slack) == inner


def _unsettled(changes: Sequence[Rect], whole: Rect) -> SettleReason:
    """The time is up: is it a film in one place, or is everything still moving?"""
    recent = changes[-_RECENT:]
    x, y = min(each.x for each in recent), min(each.y for each in recent)
    area = (max(each.right for each in recent) - x) * (max(each.bottom for each in recent) - y)
    local = len(recent) == _RECENT and area <= whole.width * whole.height * _LOCAL_SHARE
    return SettleReason.BOUNDED if local else SettleReason.STILL_MOVING
