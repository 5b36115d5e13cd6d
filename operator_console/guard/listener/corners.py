"""Pointer in a corner: a stop that needs no key. Pure bookkeeping over positions.

Motion into a corner pixel of any monitor counts, unless it is the very point that the injector announced; once the
pointer has been there and left, coming back is a person's.
"""

from __future__ import annotations

from collections.abc import Iterable

_NAMES = ("top-left", "top-right", "bottom-left", "bottom-right")


class Corners:
    """The corners of the monitors now, and whether the announced point was reached and left."""

    def __init__(self, monitors: Iterable[tuple[int, int, int, int]]) -> None:
        self._reached = self._left = 0
        self.follow(monitors)

    def follow(self, monitors: Iterable[tuple[int, int, int, int]]) -> None:
        """These are the monitors now: what was announced stays announced."""
        self._places: dict[tuple[int, int], str] = {}
        for number, (x, y, width, height) in enumerate(monitors, start=1):
            right, bottom = x + width - 1, y + height - 1
            for name, place in zip(_NAMES, ((x, y), (right, y), (x, bottom), (right, bottom)), strict=True):
                self._places.setdefault(place, f"the {name} corner of monitor {number}")

    @property
    def places(self) -> frozenset[tuple[int, int]]:
        """The corner pixels."""
        return frozenset(self._places)

    def struck(self, pointer: tuple[int, int] | None, announced: tuple[int, int], count: int) -> str:
        """The corner that the pointer was put into by a person, in words; "" for none.

        Every visit to a corner must be told, in order, and (with None) that it was left.

        Args:
            pointer: the corner; None: some other place.
            announced: the corner that the injector announced last.
            count: numbers its announcements; 0 is none.
        """
        if count and pointer == announced and self._left != count:
            self._reached = count
            return ""
        if self._reached == count:
            self._left = count
        return self._places.get(pointer, "") if pointer is not None else ""
