"""Consecutive live pictures: the id of each (unchanged while the picture is) and where it differs from the last.

Comparing two whole screens takes longer than showing what changed. So what was painted since (XDamage) is taken for
what changed, and checked by comparing pictures every two seconds. Where painting is not reported in full, pictures are
always compared. One LiveFrames per run of frames, in that run's thread.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from dataclasses import replace

from operator_console.computers.eyes import MonitorEye, WindowEye
from operator_console.desktop.changes import differing_box, same
from operator_console.desktop.protocols import PaintWatch
from operator_console.desktop.values import Grab
from operator_console.domain.frames import Change, Frame, ImageNeeds
from operator_console.domain.geometry import Rect

THOROUGH_S = 2.0
_NOTHING = Rect(0, 0, 0, 0)

_numbers = itertools.count(1)  # of all sources: no two pictures of one window's life share an id


class LiveFrames:
    """The frames of one connection."""

    def __init__(
        self, eye: MonitorEye | WindowEye, watch: PaintWatch, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._eye, self._watch, self._monotonic = eye, watch, monotonic
        # A window's picture holds more than its frame's damage tells of, and is laid together anew each time.
        self._tells_all = isinstance(eye, MonitorEye) and watch.available
        self._painted = _NOTHING
        self._last: Grab | None = None
        self._seen: Grab | None = None
        self._told = _NOTHING
        self._ours = _NOTHING
        self._name = ""
        self._change: Change | None = None
        self._compared_s = 0.0

    def next(self, needs: ImageNeeds) -> Frame:
        """A picture of now. Raises ComputerUnavailable."""
        self._painted = self._painted.union(self._watch.take() or _NOTHING)
        return replace(self._eye.preview(needs, self._named), change=self._change)

    def _named(self, grab: Grab) -> str:
        last, self._last = self._last, grab
        box = self._differing(last, grab) if last is not None and last.rect == grab.rect else None
        self._change = Change(since=self._name, box=box) if box is not None else None
        if box is None:
            self._seen, self._told, self._compared_s = grab, _NOTHING, self._monotonic()
        if box is None or not box.empty:
            self._name = f"live-{next(_numbers)}"
        self._painted = _NOTHING
        return self._name

    def _differing(self, last: Grab, grab: Grab) -> Rect:
        """Where it differs from the last: no less than that, perhaps more."""
        now_s, claimed = self._monotonic(), self._claimed(grab.rect)
        self._told = self._told.union(claimed)
        if not self._tells_all or claimed.empty or now_s - self._compared_s >= THOROUGH_S:
            self._compared_s = now_s
            return self._compared(last, grab, claimed)
        return _what_changed(last, grab, claimed)

    def _compared(self, last: Grab, grab: Grab, claimed: Rect) -> Rect:
        """As `_differing`, with what nobody told of since pictures were compared before."""
        before, told = self._seen, self._told
        self._seen, self._told = grab, _NOTHING
        if before is last or before is None:
            return _difference(last, grab)
        missed = _difference(before, grab)
        box = _difference(last, grab) if claimed.empty else _what_changed(last, grab, claimed.union(missed))
        return box if missed.empty or missed.intersect(told) == missed else box.union(missed)

    def _claimed(self, rect: Rect) -> Rect:
        """What may have changed, in pixels of the picture: what was painted until it was taken, and what lies beneath
        our own windows, which is painted where nobody is told of it."""
        before, self._ours = self._ours, _NOTHING
        for layer in self._eye.capture.scene.known_own_layers():
            self._ours = self._ours.union(layer.rect.intersect(rect))
        painted = self._painted.union(self._watch.painted or _NOTHING)
        return painted.union(before).union(self._ours).intersect(rect).moved(-rect.x, -rect.y)


def _what_changed(before: Grab, after: Grab, claimed: Rect) -> Rect:
    """What was painted may have been painted as it was. The first difference ends the comparison."""
    return _NOTHING if same(before.pixels, after.pixels) else claimed


def _difference(before: Grab, after: Grab) -> Rect:
    return differing_box(before.pixels, after.pixels, after.rect.size) or _NOTHING
