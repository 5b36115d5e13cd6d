"""Finds the entries of a menu or list that an application shows in a window without a top-level of its own.

The entries are children of the menu, combo box or field that opened it, whose extents do not contain them. That tells
them from what the window covers, which has extents in the same place.
"""

from __future__ import annotations

from collections.abc import Collection

from operator_console.domain.elements import Role
from operator_console.domain.geometry import Rect
from operator_console.perception.accessibility.atspi.batched_reads import Field, Ref, Tree
from operator_console.perception.accessibility.atspi.bus_applications import Window
from operator_console.perception.accessibility.atspi.tree_walk import DEEPEST, MOST_BELOW, below
from operator_console.perception.accessibility.atspi.vocabulary import SHOWING, numbers_of

ENTRIES = frozenset((Role.CELL, Role.LIST_ITEM, Role.MENU, Role.MENU_ITEM, Role.TREE_ITEM))
_OPENERS = frozenset((
    Role.BUTTON, Role.COMBO_BOX, Role.MENU, Role.MENU_ITEM, Role.SEARCH_FIELD, Role.TEXT_FIELD, Role.TOGGLE_BUTTON,
))  # fmt: skip
_NEAR_PX = 2


async def shown_below(tree: Tree, window: Window, top: Ref, roles: Collection[Role]) -> tuple[Ref, ...]:
    """What shows below a top-level and has one of the roles, a limited number. Raises NoReply."""
    found = None
    if not window.finds_hidden:
        found = await tree.matches(top, states=[SHOWING], roles=numbers_of(roles), limit=MOST_BELOW)
    if found is None:
        numbers = frozenset(numbers_of(roles))
        found = tuple(ref for ref in await below(tree, window, top) if tree.get(ref, Field.ROLE) in numbers)
    return found


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
