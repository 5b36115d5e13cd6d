"""Finds the path from a top-level down to the deepest element at a point.

`GetAccessibleAtPoint` alone does not do: GTK 3 answers the first child whose extents contain the point, showing or not;
Chromium answers from its previous hit test and becomes right only when asked again; Qt ignores that parents clip. So
the tree is walked by extents, and an application is asked only where the extents cannot tell: where siblings overlap,
in web pages (elements lie outside their parents and over each other), and in GTK 4 (extents leave out padding). An
answer counts only where the extents of the element contain the point.
"""

from __future__ import annotations

import asyncio
from functools import partial
from itertools import pairwise

from operator_console.domain.elements import Role
from operator_console.domain.geometry import Rect
from operator_console.perception.accessibility.atspi.bus_applications import Window
from operator_console.perception.accessibility.atspi.tree import Field, Ref, Tree
from operator_console.perception.accessibility.atspi.vocabulary import (
    DOCUMENT_WEB,
    SHOWING,
    has_state,
    numbers_of,
    role_of,
)
from operator_console.perception.accessibility.control_rule import ACTIONABLE

Path = tuple[Ref, ...]

MOST_CHILDREN = 250
"""A node with more children (a table, a list of thousands) is asked for the one at the point instead."""
_DEEPEST = 60
_HIT_TRIES, _HIT_PAUSE_S = 6, 0.005
_MOST_BELOW = 1_500
_ENTRIES = frozenset((Role.CELL, Role.LIST_ITEM, Role.MENU_ITEM, Role.TREE_ITEM))
PADDING_PX = 24
"""How far the border of a GTK 4 element may lie outside its extents."""


async def path_at(tree: Tree, window: Window, x: int, y: int) -> Path:
    """The path to the deepest showing element at a point, top-level first; () where none is known.

    Args:
        tree: what was read of the application.
        window: the window that owns the point.
        x: in the application's coordinates.
        y: in the application's coordinates.

    Raises:
        NoReply: the application did not reply in time.
    """
    if window.ref is None:
        # Where GTK 4 shows a popover cannot be told from the extents in it.
        return () if window.content_boxes else await _path_in_popup(tree, window, x, y)
    path: Path = ()
    if window.web or window.content_boxes:
        path = await _path_by_hit(tree, window, window.ref, x, y)
    if not path:
        path = await _walk(tree, window, (window.ref,), x, y)
    if window.web and not _in_page(tree, path) and not _has_control(tree, path):
        # The list of a combo box is a window whose entries belong to the page.
        path = await _path_in_popup(tree, window, x, y) or path
    return path


def _in_page(tree: Tree, path: Path) -> bool:
    return any(tree.get(ref, Field.ROLE) == DOCUMENT_WEB for ref in path)


async def ancestors(tree: Tree, ref: Ref, top: Ref | None) -> Path:
    """The path from `top` (None: the application) down to an element. Raises NoReply."""
    path = [ref]
    while path[-1] != top and len(path) < _DEEPEST:
        parent = await tree.one(path[-1], Field.PARENT)
        if parent is None or parent in path or parent.path.endswith("/accessible/root"):
            break
        path.append(parent)
    return tuple(reversed(path))


def showing(tree: Tree, window: Window, ref: Ref) -> bool:
    """Whether an element of which the states were read is on the screen, as far as its toolkit tells."""
    return window.content_boxes or has_state(tree.get(ref, Field.STATES) or 0, SHOWING)


def displacement(tree: Tree, window: Window, path: Path) -> tuple[int, int]:
    """What is added to the extents of the last element of a path, in x and y, to get where it is shown.

    LibreOffice tells the extents of what it draws itself without the menu bar above it: such a child is as large as the
    widget that holds it, but lies elsewhere. The extents of the path must have been read.
    """
    dx = dy = 0
    for above, ref in pairwise(path):
        step_x, step_y = _step(tree, window, above, ref)
        dx, dy = dx + step_x, dy + step_y
    return dx, dy


def _step(tree: Tree, window: Window, above: Ref, ref: Ref) -> tuple[int, int]:
    outer, inner = tree.get(above, Field.EXTENTS), tree.get(ref, Field.EXTENTS)
    if not window.displaced or outer is None or inner is None or outer.size != inner.size:
        return 0, 0
    return outer.x - inner.x, outer.y - inner.y


def contains(box: Rect | None, x: int, y: int, margin: int = 0) -> bool:
    """Whether a point lies in extents, or at most `margin` outside."""
    return (
        box is not None
        and not box.empty
        and box.x - margin <= x < box.right + margin
        and box.y - margin <= y < box.bottom + margin
    )


async def _walk(tree: Tree, window: Window, path: Path, x: int, y: int) -> Path:
    """Extend a path downwards. Of several children at the point, the last is on top, unless the application knows."""
    if len(path) >= _DEEPEST:
        return path
    at_point, without_extents = await _children_at(tree, window, path[-1], x, y)
    if len(at_point) > 1:
        on_top = await tree.hit(path[-1], x, y)
        if on_top in at_point and window.toolkit != "gtk":
            at_point = [on_top]
        at_point.reverse()
    paths = []
    for child in at_point:
        dx, dy = _step(tree, window, path[-1], child)
        paths.append(await _walk(tree, window, (*path, child), x - dx, y - dy))
    for child in without_extents:
        longer = await _walk(tree, window, (*path, child), x, y)
        if len(longer) > len(path) + 1:
            paths.append(longer)
    if not paths:
        return path
    return next((each for each in paths if _has_control(tree, each[len(path) :])), paths[0])


def _has_control(tree: Tree, path: Path) -> bool:
    return any(role_of(tree.get(ref, Field.ROLE) or 0) in ACTIONABLE for ref in path)


async def _children_at(tree: Tree, window: Window, ref: Ref, x: int, y: int) -> tuple[list[Ref], list[Ref]]:
    """The showing children at a point, and those that hold others but tell no extents."""
    count = await tree.one(ref, Field.CHILD_COUNT)
    if not count:
        return [], []
    if count > MOST_CHILDREN:
        children = [found] if (found := await tree.hit(ref, x, y)) is not None and found != ref else []
    else:
        children = list(await tree.one(ref, Field.CHILDREN) or ())
    await tree.read([ref, *children], Field.EXTENTS)
    await tree.read(children, Field.STATES, Field.ROLE)
    shown = [child for child in children if showing(tree, window, child)]
    at_point = []
    for child in shown:
        dx, dy = _step(tree, window, ref, child)
        if contains(tree.get(child, Field.EXTENTS), x - dx, y - dy):
            at_point.append(child)
    return at_point, [child for child in shown if _without_extents(tree.get(child, Field.EXTENTS))]


def _without_extents(box: Rect | None) -> bool:
    return box is None or (box.width <= 0 and box.height <= 0)


async def _path_by_hit(tree: Tree, window: Window, top: Ref, x: int, y: int) -> Path:
    """The path to what the application says lies at the point, once it says the same twice after the first answer."""
    margin = PADDING_PX if window.content_boxes else 0
    answers: list[Ref | None] = []
    for _ in range(_HIT_TRIES):
        answers.append(await tree.hit(top, x, y))
        if window.content_boxes or (len(answers) > 2 and answers[-1] == answers[-2]):
            break
        await asyncio.sleep(_HIT_PAUSE_S)
    found = answers[-1]
    if found is None:
        return ()
    await tree.read([top, found], Field.EXTENTS, Field.STATES, Field.ROLE)
    if not contains(tree.get(found, Field.EXTENTS), x, y, margin) or not showing(tree, window, found):
        return ()
    path = await ancestors(tree, found, top)
    await tree.read(path, Field.ROLE)
    return await _walk(tree, window, path, x, y) if path[0] == top else ()


async def _path_in_popup(tree: Tree, window: Window, x: int, y: int) -> Path:
    """The path to an entry of a menu or list that is shown in a window of its own.

    The entries are children of the menu, combo box or field that opened it, whose extents do not contain them.
    """
    best: Path = ()
    for top in window.tops:
        candidates = None
        if not window.finds_hidden and not window.content_boxes:
            candidates = await tree.matches(top, states=[SHOWING], roles=numbers_of(ACTIONABLE), limit=_MOST_BELOW)
        if candidates is None:
            candidates = await below(tree, window, top)
        await tree.read(candidates, Field.EXTENTS, Field.ROLE, Field.STATES)
        roles = _ENTRIES if window.web else ACTIONABLE
        inside = [
            ref
            for ref in candidates
            if contains(box := tree.get(ref, Field.EXTENTS), x, y)
            and _fits_in_height(box, window.info.rect)
            and role_of(tree.get(ref, Field.ROLE) or 0) in roles
        ]
        if inside:
            best = await ancestors(tree, min(inside, key=partial(_entries_first, tree)), top)
    return best


def _entries_first(tree: Tree, ref: Ref) -> tuple[bool, int]:
    """Sort key: an entry before the combo box that the list covers, then the smaller one."""
    role, box = role_of(tree.get(ref, Field.ROLE) or 0), tree.get(ref, Field.EXTENTS)
    return role not in _ENTRIES, box.width * box.height


async def below(tree: Tree, window: Window, top: Ref) -> tuple[Ref, ...]:
    """Showing elements below a top-level, level by level, a limited number; their states and roles are read."""
    found: list[Ref] = []
    level: tuple[Ref, ...] = (top,)
    while level and len(found) < _MOST_BELOW:
        await tree.read(level, Field.CHILD_COUNT)
        opened = [ref for ref in level if 0 < (tree.get(ref, Field.CHILD_COUNT) or 0) <= MOST_CHILDREN]
        await tree.read(opened, Field.CHILDREN)
        children = [child for ref in opened for child in tree.get(ref, Field.CHILDREN) or ()]
        await tree.read(children, Field.STATES, Field.ROLE)
        level = tuple(child for child in children if showing(tree, window, child))
        found += level
    return tuple(found[:_MOST_BELOW])


def _fits_in_height(box: Rect, popup: Rect) -> bool:
    """Entries may be wider than the list that shows them."""
    return box.y >= popup.y - 2 and box.bottom <= popup.bottom + 2
