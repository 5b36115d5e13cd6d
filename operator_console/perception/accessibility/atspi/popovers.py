"""Finds the popover of GTK 4 that a window of the screen is.

GTK 4 has no top-level for it: a popover is a child of the widget that opened it. Its extents, and those of all in it,
begin where that widget begins, not where the popover is shown, so they are moved to the window of the screen that is as
large. Submenus have padding below their content, which extents leave out before GTK 4.10. Where several popovers would
fit, none is taken.
"""

from __future__ import annotations

import math
from dataclasses import replace

from operator_console.domain.geometry import Rect
from operator_console.perception.accessibility.atspi.batched_reads import Field, Ref, Tree
from operator_console.perception.accessibility.atspi.border_probe import border_box
from operator_console.perception.accessibility.atspi.bus_applications import Window
from operator_console.perception.accessibility.atspi.point_search import PADDING_PX
from operator_console.perception.accessibility.atspi.tree_walk import MOST_BELOW, next_level
from operator_console.perception.accessibility.atspi.vocabulary import POPUP_LAYER
from operator_console.perception.accessibility.atspi.window_match import Offset

_NEAR_PX = 2  # between the sizes of a popover and of its window


async def with_popover(tree: Tree, window: Window) -> Window:
    """The window with its popover as its top-level; itself where none is known. Raises NoReply."""
    if window.ref is not None or not window.content_boxes:
        return window
    shown = window.info.rect
    found = [ref for top in window.tops for ref in await _popovers(tree, window, top)]
    await tree.read(found, Field.EXTENTS, Field.EXTENTS_IN_PARENT)
    alike = [ref for ref in found if _leaves_out(tree, ref, shown) <= PADDING_PX]
    centres = [(ref, *tree.get(ref, Field.EXTENTS).centre) for ref in alike]
    mapped = [ref for ref, is_mapped in zip(alike, await tree.containing(centres), strict=True) if is_mapped]
    offsets = {ref: offset for ref in mapped if (offset := await _offset(tree, ref, shown)) is not None}
    if len(offsets) != 1:
        return window
    ((ref, offset),) = offsets.items()
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


def _leaves_out(tree: Tree, ref: Ref, shown: Rect) -> float:
    """How much smaller than a window of the screen a popover says to be at most in a direction, in pixels; infinity
    where it does not fit, or says nothing."""
    extents, inside = tree.get(ref, Field.EXTENTS), tree.get(ref, Field.EXTENTS_IN_PARENT)
    if extents is None or inside is None or extents.empty:
        return math.inf
    left_out = (shown.width - inside.right, shown.height - inside.bottom)
    return max(map(abs, left_out)) if min(left_out) >= -_NEAR_PX else math.inf


async def _offset(tree: Tree, ref: Ref, shown: Rect) -> Offset | None:
    """The offset from a popover's coordinates to input units if it is as large as a window of the screen, with its
    padding at least, else None. Raises NoReply."""
    extents, inside = tree.get(ref, Field.EXTENTS), tree.get(ref, Field.EXTENTS_IN_PARENT)
    if _leaves_out(tree, ref, shown) <= _NEAR_PX:
        return Offset(shown.x - extents.x + inside.x, shown.y - extents.y + inside.y)
    outer = await border_box(tree, ref, extents)
    if abs(outer.width - shown.width) > _NEAR_PX or abs(outer.height - shown.height) > _NEAR_PX:
        return None
    return Offset(shown.x - outer.x, shown.y - outer.y)
