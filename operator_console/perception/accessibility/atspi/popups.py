"""Finds what an application shows in a window without a top-level of its own: menus and lists, popovers of GTK 4.

The entries of a menu or list are children of the menu, combo box or field that opened it, whose extents do not contain
them. That tells them from what the window covers, which has extents in the same place.

A popover of GTK 4 is a child of the widget that opened it. Its extents, and those of all in it, begin where that widget
begins, not where the popover is shown, so they are moved to the window of the screen that is as large. Submenus have
padding below their content, which extents leave out before GTK 4.10. Where several popovers would fit, none is taken.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import replace

from operator_console.domain.elements import Role
from operator_console.domain.geometry import Rect
from operator_console.perception.accessibility.atspi.batched_reads import Field, Ref, Tree
from operator_console.perception.accessibility.atspi.bus_applications import Offset, Window
from operator_console.perception.accessibility.atspi.tree_walk import DEEPEST, MOST_BELOW, next_level, search
from operator_console.perception.accessibility.atspi.vocabulary import POPUP_LAYER, SHOWING, numbers_of

ENTRIES = frozenset((Role.CELL, Role.LIST_ITEM, Role.MENU, Role.MENU_ITEM, Role.TREE_ITEM))
_OPENERS = frozenset((
    Role.BUTTON, Role.COMBO_BOX, Role.MENU, Role.MENU_ITEM, Role.SEARCH_FIELD, Role.TEXT_FIELD, Role.TOGGLE_BUTTON,
))  # fmt: skip
_NEAR_PX = 2
PADDING_PX = 24
"""How far the border of a GTK 4 element may lie outside its extents."""


async def shown_below(tree: Tree, window: Window, top: Ref, roles: Collection[Role]) -> tuple[Ref, ...]:
    """What shows below a top-level and has one of the roles, a limited number. Raises NoReply."""
    return await search(tree, window, top, states=[SHOWING], roles=numbers_of(roles), limit=MOST_BELOW)


async def entries_of(tree: Tree, window: Window, roles: Collection[Role]) -> list[Ref]:
    """The elements of the roles that the window shows, in reading order. Raises NoReply."""
    popup = window.info.rect
    inside: list[Ref] = []
    for top in window.tops:
        refs = await shown_below(tree, window, top, roles)
        await tree.read(refs, Field.EXTENTS, Field.ROLE)
        inside += [ref for ref in refs if _lies_in(tree.get(ref, Field.EXTENTS), popup)]
    found = await _opened(tree, window, inside)
    return sorted((ref for ref in found if not _is_menu_around(tree, ref, found)), key=lambda ref: _place(tree, ref))


def fits_in_height(box: Rect | None, popup: Rect) -> bool:
    """Entries may be wider than the list that shows them."""
    return box is not None and not box.empty and box.y >= popup.y - _NEAR_PX and box.bottom <= popup.bottom + _NEAR_PX


def _lies_in(box: Rect | None, popup: Rect) -> bool:
    """Whether it fits in height, and more than half in width: a submenu may lie over the edge of its menu."""
    if box is None or not fits_in_height(box, popup):
        return False
    return 2 * box.intersect(popup).width > min(box.width, popup.width)


async def _opened(tree: Tree, window: Window, refs: Collection[Ref]) -> list[Ref]:
    """Those that lie outside the extents of what opened them. All are asked for their parents together."""
    found: set[Ref] = set()
    above = {ref: ref for ref in refs}
    for _ in range(DEEPEST):
        await tree.read(above.values(), Field.PARENT)
        parents = {ref: parent for ref, below in above.items() if (parent := tree.get(below, Field.PARENT)) is not None}
        if not parents:
            break
        await tree.read(parents.values(), Field.ROLE, Field.EXTENTS)
        found |= {ref for ref, parent in parents.items() if _opens(tree, window, parent, ref)}
        above = {ref: parent for ref, parent in parents.items() if ref not in found}
    return [ref for ref in refs if ref in found]


def _opens(tree: Tree, window: Window, opener: Ref, ref: Ref) -> bool:
    around, box, role = tree.get(opener, Field.EXTENTS), tree.get(ref, Field.EXTENTS), tree.basic_role(opener)
    if role not in _OPENERS or around is None or around.empty:
        return False
    # The list of a combo box may cover it. Only browsers tell entries of one that is closed.
    covers = role is Role.COMBO_BOX and tree.basic_role(ref) in ENTRIES and not window.web
    return covers or not around.contains(*box.centre)


def _is_menu_around(tree: Tree, ref: Ref, found: Collection[Ref]) -> bool:
    """Whether it is the menu itself, which Qt tells around its entries and names after the application."""
    if tree.basic_role(ref) is not Role.MENU:
        return False
    around, others = tree.get(ref, Field.EXTENTS), (tree.get(other, Field.EXTENTS) for other in found if other != ref)
    return any(around.intersect(box) == box for box in others)


def _place(tree: Tree, ref: Ref) -> tuple[int, int]:
    box = tree.get(ref, Field.EXTENTS)
    return box.y, box.x


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


_NEAREST = 2
"""Pixels beside the content at which the probe begins: fractions of a pixel make the next one ambiguous."""

_Place = Callable[[int], tuple[int, int]]


async def border_box(tree: Tree, ref: Ref, content: Rect) -> Rect:
    """The extents with padding and border, by asking the element whether it contains places beside its content.

    Before GTK 4.10, extents are those of the content.

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
