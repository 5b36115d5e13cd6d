"""Finds what stands around a control: the texts, the names of fields and of other controls, nearest first.

What a button such as “Continue” or “Approve” carries out is seldom on the button itself.
"""

from __future__ import annotations

import time

from operator_console.domain.elements import Role
from operator_console.domain.geometry import Rect
from operator_console.perception.accessibility.atspi.batched_reads import Field, NoReply, Ref, Tree
from operator_console.perception.accessibility.atspi.bus_applications import Window
from operator_console.perception.accessibility.atspi.tree_walk import Path, below
from operator_console.perception.accessibility.atspi.vocabulary import SHOWING, numbers_of, role_of

SURROUNDED = frozenset((
    Role.BUTTON, Role.TOGGLE_BUTTON, Role.SWITCH, Role.CHECK_BOX, Role.RADIO_BUTTON,
    Role.LABEL, Role.GROUP,  # text and boxes that pages draw as buttons
    Role.LIST_ITEM, Role.MENU_ITEM, Role.TREE_ITEM, Role.LINK,
    Role.HEADING,  # of the list that a drag ends in
))  # fmt: skip
"""Controls whose effect may depend on what stands around them."""

_TELLING = frozenset((
    Role.LABEL, Role.PARAGRAPH, Role.HEADING, Role.TEXT_FIELD, Role.PASSWORD_FIELD, Role.SEARCH_FIELD, Role.COMBO_BOX,
    Role.BUTTON, Role.CELL, Role.LIST_ITEM, Role.CHECK_BOX, Role.RADIO_BUTTON, Role.LINK,
))  # fmt: skip
_ENOUGH = 8  # elements with a text
_MOST_READ = 80  # elements
_MOST_TOLD = 24  # texts
_LONGEST = 300  # characters of one text
_WITHIN_S = 0.12
_RESERVED_S = 0.05  # kept for the rest of the query


async def texts_around(tree: Tree, window: Window, path: Path) -> tuple[str, ...]:
    """The texts around the last element of a path, nearest first; none where they are not told in time."""
    hurried = tree.for_another_query()
    hurried.deadline_s = min(time.monotonic() + _WITHIN_S, tree.deadline_s - _RESERVED_S)
    if hurried.late:
        return ()
    try:
        return await _texts_around(hurried, window, path)
    except NoReply:
        return ()


async def _texts_around(tree: Tree, window: Window, path: Path) -> tuple[str, ...]:
    # What an entry of a menu does is told by the others; a menu bar tells nothing of a button.
    telling = _TELLING | {Role.MENU_ITEM} if _role(tree, path[-1]) is Role.MENU_ITEM else _TELLING
    found = [ref for ref in await _telling_around(tree, window, path, telling) if ref not in path]
    await tree.read([path[-1], *found], Field.EXTENTS, Field.NAME, Field.ROLE)
    own = tree.get(path[-1], Field.EXTENTS) or Rect(0, 0, 0, 0)
    links = [
        box for ref in found if _role(tree, ref) is Role.LINK and (box := tree.get(ref, Field.EXTENTS)) is not None
    ]
    told: list[tuple[float, str]] = []
    for ref in found:
        name = " ".join((tree.get(ref, Field.NAME) or "").split())
        box = tree.get(ref, Field.EXTENTS)
        # What a link says is about the page that it leads to.
        if name and box is not None and not any(each.contains(*box.centre) for each in (own, *links)):
            told.append((box.distance(own), name[:_LONGEST]))
    return tuple(dict.fromkeys(name for _, name in sorted(told, key=lambda each: each[0])))[:_MOST_TOLD]


async def _telling_around(tree: Tree, window: Window, path: Path, telling: frozenset[Role]) -> tuple[Ref, ...]:
    """The elements with a text in the smallest part of the page or window that has enough of them."""
    found: tuple[Ref, ...] = ()
    for ref in reversed(path[:-1]):
        found = await _telling_in(tree, window, ref, telling)
        if len(found) > _ENOUGH or _role(tree, ref) in (Role.DOCUMENT, Role.DIALOG):
            break
    return found


async def _telling_in(tree: Tree, window: Window, root: Ref, telling: frozenset[Role]) -> tuple[Ref, ...]:
    roles = numbers_of(telling)
    found = None if window.finds_hidden else await tree.matches(root, states=[SHOWING], roles=roles, limit=_MOST_READ)
    if found is not None:
        return found
    inside = await below(tree, window, root)
    return tuple(ref for ref in inside if tree.get(ref, Field.ROLE) in roles)[:_MOST_READ]


def _role(tree: Tree, ref: Ref) -> Role:
    return role_of(tree.get(ref, Field.ROLE) or 0, tree.get(ref, Field.ATTRIBUTES))
