"""Which accessible top-level a window of the screen is, and how its coordinates become those of the screen. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from operator_console.domain.geometry import Rect

_NEAR_PX = 2
_BORDER_PX, _TITLE_BAR_PX = 12, 60
_SHADOW_PX = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class TopLevel:
    """An accessible top-level of an application.

    Attributes:
        name: its accessible name, normally the window's title.
        extents: as the application says, None where it does not.
        window_relative: whether the toolkit's coordinates begin at the window instead of the screen (GTK 4).
        active: whether it says that it is the active window.
    """

    name: str
    extents: Rect | None
    window_relative: bool = False
    active: bool = False


@dataclass(frozen=True, slots=True)
class Offset:
    """What is added to an application's coordinates to get input units."""

    dx: int
    dy: int


def without_shadow(window: Rect, parts: Sequence[Rect]) -> Rect:
    """The area that takes pointer input where that is one rectangle inside the window, else the window.

    A GTK window with decorations of its own has a shadow that passes input on, except for an edge by which it can be
    resized; the edge is as wide on every side.
    """
    if len(parts) == 1 and parts[0] != window and parts[0].intersect(window) == parts[0]:
        return parts[0]
    return window


def offset_of(top: TopLevel, window: Rect) -> Offset:
    """The offset between the coordinates of a top-level and of the screen.

    Args:
        top: the top-level.
        window: the window's client area in input units, `without_shadow`.
    """
    extents = top.extents
    if extents is None or extents.empty:
        return Offset(window.x, window.y) if top.window_relative else Offset(0, 0)
    if top.window_relative:
        side, above = (window.width - extents.width) // 2, (window.height - extents.height) // 2
        return Offset(window.x + side - extents.x, window.y + above - extents.y)
    same_size = abs(extents.width - window.width) <= _NEAR_PX and abs(extents.height - window.height) <= _NEAR_PX
    if same_size and extents.x == 0 and extents.y == 0:
        return Offset(window.x, window.y)  # a toolkit that does not know its position
    return Offset(0, 0)


def fits(top: TopLevel, window: Rect) -> bool:
    """Whether the extents of a top-level are those of a window, with or without decorations."""
    extents = top.extents
    if extents is None or extents.empty:
        return False
    if top.window_relative or (extents.x == 0 and extents.y == 0):
        less = (window.width - extents.width, window.height - extents.height)
        if all(-_NEAR_PX <= each <= 2 * _SHADOW_PX for each in less):
            return True
    if top.window_relative:
        return False
    sides = (
        window.x - extents.x, window.y - extents.y, extents.right - window.right, extents.bottom - window.bottom,
    )  # fmt: skip
    most = (_BORDER_PX, _TITLE_BAR_PX, _BORDER_PX, _BORDER_PX)
    return all(-_NEAR_PX <= side <= widest for side, widest in zip(sides, most, strict=True))


def best_match(tops: Sequence[TopLevel], window: Rect, title: str, *, active: bool = True) -> int | None:
    """The index of the top-level that a window is, None where none of them is.

    The tops are those of the window's process. A title decides between windows of one size and place, then which of
    them says that it is active, as the window is or is not; a lone fitting title is enough where an application tells
    no extents.
    """
    fitting = [index for index, top in enumerate(tops) if fits(top, window)]
    named = [index for index, top in enumerate(tops) if title and top.name == title]
    for choice in ([index for index in fitting if index in named], fitting):
        if choice:
            return min(choice, key=lambda index: (_distance(tops[index], window), tops[index].active is not active))
    if len(named) == 1 and (tops[named[0]].extents is None or tops[named[0]].extents.empty):  # type: ignore[union-attr]
        return named[0]
    return None


def _distance(top: TopLevel, window: Rect) -> int:
    extents = top.extents
    assert extents is not None
    size = abs(extents.width - window.width) + abs(extents.height - window.height)
    return size if top.window_relative else size + abs(extents.x - window.x) + abs(extents.y - window.y)
