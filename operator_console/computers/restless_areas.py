"""Areas of a picture that change on their own (carets, clocks, spinners, videos), not as an effect of input.

An area is recognised if it changed in two steps while no input was sent (between the model's picture and the moment
before the input), or several times within one wait. A single earlier change is not enough: a check box is also switched
on and off in one place, and a button is repainted once when the pointer leaves it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from operator_console.desktop.picture_changes import changed_places
from operator_console.domain.frames import Frame
from operator_console.domain.geometry import Rect

SMALL_PX = 64 * 64
"""The largest area, in square pixels, that is remembered from step to step."""

_SLACK_PX = 4
_TIGHT_PX = 1
_KEPT = 16
_AGAIN = 3  # changes within one wait that make an area restless


class RestlessAreas:
    """The areas of one target, in pixels of its pictures."""

    def __init__(self) -> None:
        self._restless: deque[Rect] = deque(maxlen=_KEPT)
        self._suspected: deque[Rect] = deque(maxlen=_KEPT)
        self._moving: tuple[Rect, ...] = ()

    def learn(self, before: Frame, now: Frame) -> None:
        """Compare two pictures between which no input was sent."""
        self._moving = ()
        if before.geometry.native == now.geometry.native:
            self._moving = changed_places(before.pixels, now.pixels, now.geometry.native)
        for place in self._moving:
            if any(within(place, each, _SLACK_PX) or within(each, place, _SLACK_PX) for each in self._suspected):
                self.remember(place)
            self._suspected.append(place)

    def remember(self, place: Rect) -> None:
        """Add an area that changes on its own; large ones are not remembered."""
        if place.width * place.height <= SMALL_PX and not self.restless(place):
            self._restless.append(place)

    def comes_again(self, place: Rect, small: list[Rect]) -> bool:
        """Whether a small area has changed several times in one wait; if so, it is remembered. `small`: of this wait,
        the small areas that have changed so far."""
        if place.width * place.height > SMALL_PX:
            return False
        small.append(place)
        if sum(within(place, each, _SLACK_PX) or within(each, place, _SLACK_PX) for each in small) < _AGAIN:
            return False
        self.remember(place)
        return True

    def restless(self, place: Rect) -> bool:
        """Whether a change of this area need not be waited for."""
        small = place.width * place.height <= SMALL_PX
        return small and any(within(place, each, _SLACK_PX) for each in self._restless)

    def effect(self, places: Sequence[Rect]) -> bool | None:
        """Whether these changes are an effect of the input: False if all are restless; None if it cannot be decided.

        Stricter than `restless`, because a letter typed beside the caret is an effect. A change in an area that also
        changed just before the input decides nothing.
        """
        left = [place for place in places if not any(within(place, each, _TIGHT_PX) for each in self._restless)]
        if not left:
            return False
        told = any(not any(within(place, each, _TIGHT_PX) for each in self._moving) for place in left)
        return True if told else None


def within(inner: Rect, outer: Rect, slack: int) -> bool:
    """Whether `inner` lies in `outer`, or at most `slack` pixels beyond its edges."""
    wider = Rect(outer.x - slack, outer.y - slack, outer.width + 2 * slack, outer.height + 2 * slack)
    return not outer.empty and inner.intersect(wider) == inner
