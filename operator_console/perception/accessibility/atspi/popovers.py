"""Finds the popover of GTK 4 that a window of the screen is.

GTK 4 has no top-level for it: a popover is a child of the widget that opened it. Its extents, and those of all in it,
begin where that widget begins, not where the popover is shown, so they are moved to the window of the screen that is as
large. Where several popovers would fit, none is taken.
"""

from __future__ import annotations

from dataclasses import replace

from operator_console.domain.geometry import Rect
from operator_console.perception.accessibility.atspi.batched_reads import Field, Ref, Tree
from operator_console.perception.accessibility.atspi.bus_applications import Window
from operator_console.perception.accessibility.atspi.tree_walk import MOST_BELOW, next_level
from operator_console.perception.accessibility.atspi.vocabulary import POPUP_LAYER
from operator_console.perception.accessibility.atspi.window_match import Offset

_NEAR_PX = 2  # between the sizes of a popover and of its window


async def with_popover(tree: Tree, window: Window) -> Window:
    """The window with its popover as its top-level; itself where none is known. Raises NoReply."""
    if window.ref is not None or not window.content_boxes:
        return window
    found = [ref for top in window.tops for ref in await _popovers(tree, window, top)]
    await tree.read(found, Field.EXTENTS, Field.EXTENTS_IN_PARENT)
    fitting = [(ref, offset) for ref in found if (offset := _offset(tree, ref, window.info.rect)) is not None]
    centres = [(ref, *tree.get(ref, Field.EXTENTS).centre) for ref, _ in fitting]
    shown = [each for each, is_shown in zip(fitting, await tree.containing(centres), strict=True) if is_shown]
    if len(shown) != 1:
        return window
    ((ref, offset),) = shown
    return replace(window, ref=ref, offset=offset)


async def _popovers(tree: Tree, window: Window, top: Ref) -> tuple[Ref, ...]:
    """The popovers of GTK 4 below a top-level, shown or not."""
    found: list[Ref] = []
    level: tuple[Ref, ...] = (top,)
    seen = 0
    while level and seen < MOST_BELOW:
        level = await next_level(tree, window, level, Field.ROLE)
        seen += len(level)
        found += [ref for ref in level if tree.get(ref, Field.LAYER) == POPUP_LAYER]
    return tuple(found)


def _offset(tree: Tree, ref: Ref, shown: Rect) -> Offset | None:
    """The offset from a popover's coordinates to input units if it is as large as a window of the screen, else None."""
    extents, inside = tree.get(ref, Field.EXTENTS), tree.get(ref, Field.EXTENTS_IN_PARENT)
    if extents is None or inside is None or extents.empty:
        return None
    alike = abs(inside.right - shown.width) <= _NEAR_PX and abs(inside.bottom - shown.height) <= _NEAR_PX
    return Offset(shown.x - extents.x + inside.x, shown.y - extents.y + inside.y) if alike else None
