"""Walks the elements of an application: up to the top-level, and down level by level."""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.perception.accessibility.atspi.batched_reads import Field, Ref, Tree
from operator_console.perception.accessibility.atspi.bus_applications import Window
from operator_console.perception.accessibility.atspi.vocabulary import POPUP_LAYER, SHOWING, has_state

Path = tuple[Ref, ...]
"""Elements from a top-level down, each the parent of the next."""

MOST_CHILDREN = 250
"""A node with more children (a table, a list of thousands) is asked for the one at the point instead."""
MOST_BELOW = 1_500
"""Elements below a top-level at which a walk ends."""
DEEPEST = 60
"""Elements of the longest path."""


async def ancestors(tree: Tree, ref: Ref, top: Ref | None) -> Path:
    """The path from `top` (None: the application) down to an element. Raises NoReply."""
    path = [ref]
    while path[-1] != top and len(path) < DEEPEST:
        parent = await tree.one(path[-1], Field.PARENT)
        if parent is None or parent in path or parent.path.endswith("/accessible/root"):
            break
        path.append(parent)
    path.reverse()
    return tuple(path)


async def below(tree: Tree, window: Window, top: Ref) -> tuple[Ref, ...]:
    """Showing elements below a top-level, level by level, a limited number; their states and roles are read."""
    found: list[Ref] = []
    level: tuple[Ref, ...] = (top,)
    while level and len(found) < MOST_BELOW:
        children = await next_level(tree, window, level, Field.ROLE)
        level = tuple(child for child in children if showing(tree, window, child))
        found += level
    return tuple(found[:MOST_BELOW])


async def paths_below(tree: Tree, window: Window, top: Ref) -> dict[Ref, Path]:
    """The paths from a top-level down to everything that shows below it, a limited number.

    LibreOffice says of what it draws itself, and of widgets in that, that another element holds it than the one that
    has it as its child. Only the latter tells where it is shown.
    """
    paths: dict[Ref, Path] = {top: (top,)}
    level: tuple[Ref, ...] = (top,)
    while level and len(paths) < MOST_BELOW:
        children = await next_level(tree, window, level, Field.ROLE)
        for ref in level:
            for child in tree.get(ref, Field.CHILDREN) or ():
                paths.setdefault(child, (*paths[ref], child))
        level = tuple(child for child in children if showing(tree, window, child))
    return paths


async def next_level(tree: Tree, window: Window, level: Sequence[Ref], *fields: Field) -> tuple[Ref, ...]:
    """The children of those elements that have no more than MOST_CHILDREN; their visibility and the fields are read."""
    await tree.read(level, Field.CHILD_COUNT)
    opened = [ref for ref in level if 0 < (tree.get(ref, Field.CHILD_COUNT) or 0) <= MOST_CHILDREN]
    await tree.read(opened, Field.CHILDREN)
    children = tuple(child for ref in opened for child in tree.get(ref, Field.CHILDREN) or ())
    await tree.read(children, *visibility(window), *fields)
    return children


def visibility(window: Window) -> tuple[Field, ...]:
    """The fields that `showing` needs."""
    return (Field.STATES, Field.LAYER) if window.content_boxes else (Field.STATES,)


def showing(tree: Tree, window: Window, ref: Ref) -> bool:
    """Whether an element of which `visibility` was read is on the screen in this window, as far as its toolkit tells.

    What GTK 4 shows in a popover is in another window, in coordinates of its own.
    """
    if window.content_boxes:
        return bool(tree.get(ref, Field.LAYER) != POPUP_LAYER)
    return has_state(tree.get(ref, Field.STATES) or 0, SHOWING)
