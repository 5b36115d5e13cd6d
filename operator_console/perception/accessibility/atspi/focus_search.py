"""Finds what gets keys: the highlighted entry of an open menu, else the element with the keyboard focus."""

from __future__ import annotations

from operator_console.domain.elements import Role
from operator_console.perception.accessibility.atspi.batched_reads import Field, Ref, Tree
from operator_console.perception.accessibility.atspi.bus_applications import Window
from operator_console.perception.accessibility.atspi.tree_walk import Path, ancestors, next_level, paths_below, showing
from operator_console.perception.accessibility.atspi.vocabulary import (
    FOCUSED,
    SELECTED,
    SHOWING,
    has_state,
    numbers_of,
)

_MOST_FOCUSED = 8
_MOST_SEARCHED = 1_500
_ENTRIES = (Role.MENU, Role.MENU_ITEM)


async def entry_path(tree: Tree, window: Window) -> Path:
    """The path to the highlighted entry of a menu that the application has open; () where there is none.

    An open menu gets all keys, although the element that had the focus before may say that it still has it. GTK 3 says
    of the entry that it is selected, Qt that it has the focus. Raises NoReply.
    """
    paths: list[Path] = []
    for top in window.tops:
        if window.toolkit == "gtk":
            found = await tree.matches(top, states=[SHOWING, SELECTED], roles=numbers_of(_ENTRIES), limit=_MOST_FOCUSED)
        elif window.toolkit == "Qt" and tree.basic_role(top) is Role.MENU:
            found = await _searched(tree, window, top)
        else:
            continue
        paths += [await ancestors(tree, ref, top) for ref in found or ()]
    await tree.read({ref for path in paths for ref in path}, Field.ROLE)
    return max((path for path in paths if _is_in_open_menu(tree, path)), key=len, default=())


def _is_in_open_menu(tree: Tree, path: Path) -> bool:
    """Whether it ends in an entry of a menu, which no entry of a menu bar is."""
    below = len(path) > 1 and tree.basic_role(path[-2]) is Role.MENU
    return below and tree.basic_role(path[-1]) in _ENTRIES


async def focused_path(tree: Tree, window: Window) -> Path:
    """The path from the top-level to the deepest element with the focus; () where none says so. Raises NoReply."""
    if window.ref is None:
        return ()
    found = None
    if not window.finds_hidden:
        found = await tree.matches(window.ref, states=[FOCUSED], limit=_MOST_FOCUSED)
    if found is None:
        found = await _searched(tree, window, window.ref)
    await tree.read(found, Field.ROLE)
    # Qt says of the chosen tab that it has the focus, whatever has it.
    sure = [ref for ref in found if tree.basic_role(ref) is not Role.TAB]
    paths = [await ancestors(tree, ref, window.ref) for ref in sure or found if ref != window.ref]
    await tree.read({ref for path in paths for ref in path[-2:]}, Field.ROLE)
    longest = max(paths, key=lambda path: (_is_in_open_menu(tree, path), len(path)), default=())
    if longest and window.displaced:
        return (await paths_below(tree, window, window.ref)).get(longest[-1], longest)
    return longest


async def _searched(tree: Tree, window: Window, top: Ref) -> tuple[Ref, ...]:
    """Level by level, because the application cannot be asked for a state."""
    found: list[Ref] = []
    seen = 0
    level: list[Ref] = [top]
    while level and seen < _MOST_SEARCHED:
        children = await next_level(tree, window, level)
        seen += len(children)
        level = [child for child in children if showing(tree, window, child)]
        found += [child for child in level if has_state(tree.get(child, Field.STATES) or 0, FOCUSED)]
    return tuple(found)
