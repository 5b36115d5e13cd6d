"""Finds the element with the keyboard focus."""

from __future__ import annotations

from operator_console.domain.elements import Role
from operator_console.perception.accessibility.atspi.batched_reads import Field, Ref, Tree
from operator_console.perception.accessibility.atspi.bus_applications import Window
from operator_console.perception.accessibility.atspi.tree_walk import Path, ancestors, next_level, paths_below, showing
from operator_console.perception.accessibility.atspi.vocabulary import FOCUSED, has_state

_MOST_FOCUSED = 8
_MOST_SEARCHED = 1_500


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
    longest = max(paths, key=len, default=())
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
