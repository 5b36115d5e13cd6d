"""Finds the border of a GTK 4 element: before GTK 4.10, extents are those of the content, without padding or border."""

from __future__ import annotations

from collections.abc import Callable

from operator_console.domain.geometry import Rect
from operator_console.perception.accessibility.atspi.batched_reads import Ref, Tree
from operator_console.perception.accessibility.atspi.point_search import PADDING_PX

_NEAREST = 2
"""Pixels beside the content at which the probe begins: fractions of a pixel make the next one ambiguous."""

_Place = Callable[[int], tuple[int, int]]


async def border_box(tree: Tree, ref: Ref, content: Rect) -> Rect:
    """The extents with padding and border, by asking the element whether it contains places beside its content.

    Args:
        tree: for the calls.
        ref: the element.
        content: its extents, in its application's coordinates.

    Raises:
        NoReply: the application did not reply in time.
    """
    if content.empty:
        return content
    x, y = content.centre
    sides: tuple[_Place, ...] = (
        lambda distance: (content.x - distance, y),
        lambda distance: (x, content.y - distance),
        lambda distance: (content.right - 1 + distance, y),
        lambda distance: (x, content.bottom - 1 + distance),
    )
    beside = await tree.containing((ref, *side(_NEAREST)) for side in sides)
    wide = [side for side, belongs in zip(sides, beside, strict=True) if belongs]
    distances = range(_NEAREST + 1, PADDING_PX + 1)
    further = iter(await tree.containing((ref, *side(distance)) for side in wide for distance in distances))
    widths = []
    for belongs in beside:
        row = [next(further) for _ in distances] if belongs else []
        widths.append(_NEAREST * belongs + (row.index(False) if False in row else len(row)))
    left, above, right, below = widths
    # GTK counts the pixel after its last one as inside.
    right, below = max(0, right - 1), max(0, below - 1)
    return Rect(content.x - left, content.y - above, content.width + left + right, content.height + above + below)
