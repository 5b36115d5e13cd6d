"""Walks the elements of an application: up to the top-level, down level by level, and searches below an element."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import reduce

from operator_console.domain.elements import Role
from operator_console.domain.geometry import Rect
from operator_console.perception.accessibility.atspi.batched_reads import Field, Ref, Tree
from operator_console.perception.accessibility.atspi.bus_applications import Window
from operator_console.perception.accessibility.atspi.large_containers import holds_many, may_be_searched, shown_children
from operator_console.perception.accessibility.atspi.vocabulary import POPUP_LAYER, SHOWING, has_state

Path = tuple[Ref, ...]
"""Elements from a top-level down, each the parent of the next."""

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


async def search(
    tree: Tree, window: Window, top: Ref, *, states: Iterable[int], roles: Collection[int] = (), limit: int,
    in_sheets: bool = True,
) -> tuple[Ref, ...]:  # fmt: skip
    """Elements below `top` with all these states and any of these roles, in reading order.

    Level by level, and only what shows, where the application does not search or has too much to search; then
    with `in_sheets` also among the cells of LibreOffice's sheets. Raises NoReply.
    """
    wanted = tuple(states)
    if not window.finds_hidden and not window.content_boxes and await may_be_searched(tree, window, top):
        found = await tree.matches(top, states=wanted, roles=roles, limit=limit)
        if found is not None:
            return found
    found = tuple(
        ref
        for ref in await _below(tree, window, top, *([Field.ROLE] if roles else []), in_sheets=in_sheets)
        if all(has_state(tree.get(ref, Field.STATES) or 0, state) for state in wanted if state != SHOWING)
        and (not roles or tree.get(ref, Field.ROLE) in roles)
    )
    return found[:limit]


async def _below(tree: Tree, window: Window, top: Ref, *fields: Field, in_sheets: bool) -> tuple[Ref, ...]:
    """Showing elements below a top-level, level by level, a limited number; their states and the fields are read."""
    found: list[Ref] = []
    level: tuple[Ref, ...] = (top,)
    while level and len(found) < MOST_BELOW:
        children = await next_level(tree, window, level, *fields, in_sheets=in_sheets)
        level = tuple(child for child in children if showing(tree, window, child))
        found += level
    return tuple(found[:MOST_BELOW])


async def paths_below(tree: Tree, window: Window, top: Ref, *, in_sheets: bool = True) -> dict[Ref, Path]:
    """The paths from a top-level down to everything that shows below it, a limited number.

    LibreOffice says of what it draws itself, and of widgets in that, that another element holds it than the one that
    has it as its child. Only the latter tells where it is shown.
    """
    paths: dict[Ref, Path] = {top: (top,)}
    level: tuple[Ref, ...] = (top,)
    while level and len(paths) < MOST_BELOW:
        children = await next_level(tree, window, level, Field.ROLE, in_sheets=in_sheets)
        for ref in level:
            for child in tree.get(ref, Field.CHILDREN) or ():
                paths.setdefault(child, (*paths[ref], child))
        level = tuple(child for child in children if showing(tree, window, child))
    return paths


async def next_level(
    tree: Tree, window: Window, level: Sequence[Ref], *fields: Field, in_sheets: bool = True
) -> tuple[Ref, ...]:
    """The children of elements, of those with very many the ones that can be seen; their visibility and the fields are
    read. Without `in_sheets`, those of LibreOffice's sheets are left out."""
    await tree.read(level, Field.CHILD_COUNT)
    counts = {ref: tree.get(ref, Field.CHILD_COUNT) or 0 for ref in level}
    if not in_sheets and window.libreoffice:
        counts = {
            ref: count for ref, count in counts.items()
            if not (holds_many(count) and tree.basic_role(ref) is Role.TABLE)
        }  # fmt: skip
    for ref in (ref for ref, count in counts.items() if holds_many(count)):
        shown = await shown_children(tree, ref, await _visible_part(tree, ref), few_points=window.web)
        tree.note(ref, Field.CHILDREN, shown)
    await tree.read((ref for ref, count in counts.items() if count), Field.CHILDREN)
    children = tuple(child for ref, count in counts.items() if count for child in tree.get(ref, Field.CHILDREN) or ())
    await tree.read(children, *visibility(window), *fields)
    return children


async def _visible_part(tree: Tree, ref: Ref) -> Rect:
    """The part of an element's extents that lies in those of all that it is in. What tells no extents is left out."""
    path = await ancestors(tree, ref, None)
    await tree.read(path, Field.EXTENTS)
    told = [extents for each in path if (extents := tree.get(each, Field.EXTENTS)) is not None and not extents.empty]
    return reduce(Rect.intersect, told) if told else Rect(0, 0, 0, 0)


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
