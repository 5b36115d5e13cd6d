"""Stop by moving the pointer into a corner. Works on positions only; no input or output.

A motion to a corner pixel of any monitor is a stop, unless the injector has announced that it will move there. The
announcement ends once the pointer has been there and left; a later return counts as a person's.
"""

from __future__ import annotations

from collections.abc import Iterable

from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

_NAMES = (
    NoticeCode.TOP_LEFT_CORNER,
    NoticeCode.TOP_RIGHT_CORNER,
    NoticeCode.BOTTOM_LEFT_CORNER,
    NoticeCode.BOTTOM_RIGHT_CORNER,
)


class Corners:
    """The corners of the current monitors, and whether the announced corner was reached and left."""

    def __init__(self, monitors: Iterable[tuple[int, int, int, int]]) -> None:
        self._reached = self._left = 0
        self.follow(monitors)

    def follow(self, monitors: Iterable[tuple[int, int, int, int]]) -> None:
        """Use these monitors (x, y, width, height) from now on. Announcements stay valid."""
        self._places: dict[tuple[int, int], str] = {}
        for number, (x, y, width, height) in enumerate(monitors, start=1):
            right, bottom = x + width - 1, y + height - 1
            for name, place in zip(_NAMES, ((x, y), (right, y), (x, bottom), (right, bottom)), strict=True):
                self._places.setdefault(place, notice(name, monitor=number))

    @property
    def places(self) -> frozenset[tuple[int, int]]:
        """All corner pixels (x, y)."""
        return frozenset(self._places)

    def struck(self, pointer: tuple[int, int] | None, announced: tuple[int, int], count: int) -> str:
        """Name of the corner that a person moved the pointer into; "" for none.

        Must be called for every arrival in a corner and for every departure, in order.

        Args:
            pointer: The corner pixel; None for a position outside all corners.
            announced: The corner that the injector announced last.
            count: Number of that announcement; 0 if there is none.
        """
        if count and pointer == announced and self._left != count:
            self._reached = count
            return ""
        if self._reached == count:
            self._left = count
        return self._places.get(pointer, "") if pointer is not None else ""
