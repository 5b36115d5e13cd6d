"""The areas of a frame that are black: what shutters hide, fields for passwords, and windows that may show some."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from operator_console.domain.geometry import NativePoint, Rect

SHUTTERED, UNTOLD = "hidden from the model", "its application does not answer"
"""Written in areas, as a part of the picture that the model gets."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HiddenArea:
    """An area of a frame that is black.

    Attributes:
        box: native pixels of the frame.
        label: what is written in it: `SHUTTERED`, `UNTOLD`, or "" for a field for a password.
        window_id: the window that it hides; None: it hides a place.
    """

    box: Rect
    label: str = ""
    window_id: int | None = None

    @property
    def password(self) -> bool:
        """Whether it is a field for a password, which may be used; anything else may not."""
        return not self.label

    @property
    def untold(self) -> bool:
        """Whether it is black because its application did not tell in time where it shows fields for passwords."""
        return self.label == UNTOLD


def shutter_at(areas: Sequence[HiddenArea], points: Iterable[NativePoint]) -> HiddenArea | None:
    """The first area that may not be used and has one of the points; None for none."""
    shut = [area for area in areas if not area.password]
    return next((area for point in points for area in shut if area.box.contains(point.x, point.y)), None)


def is_under(areas: Sequence[HiddenArea], box: Rect) -> bool:
    """Whether a box lies in an area that may not be used: the middle of it, or all of it."""
    x, y = box.centre
    return any(not area.password and (area.box.contains(x, y) or area.box.intersect(box) == box) for area in areas)


def touches(areas: Sequence[HiddenArea], box: Rect) -> bool:
    """Whether a part of a box lies in an area that may not be used."""
    return any(not area.password and not area.box.intersect(box).empty for area in areas)
