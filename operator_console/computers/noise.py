"""Places that change by themselves (carets, clocks, spinners, films), so that a change there answers no input.

A place counts as such when it changed in two steps while nothing was sent (between the picture the model saw and the
moment before an input), or again and again within one wait. That it merely changed before is not enough: a tick box is
switched on and off in one place too, and a button that the pointer left is repainted once.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from operator_console.desktop.changes import changed_places
from operator_console.domain.frames import Frame
from operator_console.domain.geometry import Rect

SMALL_PX = 64 * 64
"""The largest place, in pixels, that is remembered from step to step."""

_SLACK_PX = 4
_TIGHT_PX = 1
_KEPT = 16


class Noise:
    """One target's restless places. Coordinates of its pictures."""

    def __init__(self) -> None:
        self._restless: deque[Rect] = deque(maxlen=_KEPT)
        self._suspected: deque[Rect] = deque(maxlen=_KEPT)
        self._moving: tuple[Rect, ...] = ()

    def learn(self, before: Frame, now: Frame) -> None:
        """Two pictures between which nothing was sent."""
        self._moving = ()
        if before.geometry.native == now.geometry.native:
            self._moving = changed_places(before.pixels, now.pixels, now.geometry.native)
        for place in self._moving:
            if any(within(place, each, _SLACK_PX) or within(each, place, _SLACK_PX) for each in self._suspected):
                self.remember(place)
            self._suspected.append(place)

    def remember(self, place: Rect) -> None:
        """It changes by itself, for all that is known; large ones are not kept."""
        if place.width * place.height <= SMALL_PX and not self.restless(place):
            self._restless.append(place)

    def restless(self, place: Rect) -> bool:
        """Whether a change of this place is nothing to wait for."""
        small = place.width * place.height <= SMALL_PX
        return small and any(within(place, each, _SLACK_PX) for each in self._restless)

    def effect(self, places: Sequence[Rect]) -> bool | None:
        """Whether these changes can be an answer to an input: no where all are noise, None where it cannot be told.

        Tighter than `restless`: a letter typed beside the caret is no noise. What moved in a place just before the
        input tells neither way.
        """
        left = [place for place in places if not any(within(place, each, _TIGHT_PX) for each in self._restless)]
        if not left:
            return False
        told = any(not any(within(place, each, _TIGHT_PX) for each in self._moving) for place in left)
        return True if told else None


def within(inner: Rect, outer: Rect, slack: int) -> bool:
    """Whether a rectangle lies in another, or at most `slack` pixels beyond its edges."""
    wider = Rect(outer.x - slack, outer.y - slack, outer.width + 2 * slack, outer.height + 2 * slack)
    return not outer.empty and inner.intersect(wider) == inner
