"""Knows the context menus of Qt, which are in no tree of elements.

Qt lists a popup neither among its windows nor below the widget that it belongs to, but tells listeners that it shows.
Menus of a menu bar and submenus are below the entry that opens them, and found there. Source: Qt 6,
qaccessiblewidgets.cpp and atspiadaptor.cpp.
"""

from __future__ import annotations

import contextlib
from collections import deque

from operator_console.domain.elements import Role
from operator_console.perception.accessibility.atspi.batched_reads import Field, Ref, Tree
from operator_console.perception.accessibility.atspi.connection import Bus, Call, Failure
from operator_console.perception.accessibility.atspi.replies import Signal
from operator_console.perception.accessibility.atspi.vocabulary import SHOWING, has_state

_BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus")
_REGISTRY = ("org.a11y.atspi.Registry", "/org/a11y/atspi/registry", "org.a11y.atspi.Registry")
_EVENT, _STATE = "object:state-changed:showing", "showing"
_INTERFACE, _MEMBER = "org.a11y.atspi.Event.Object", "StateChanged"
_MOST_SHOWN = 16
_OPENERS = frozenset((Role.MENU, Role.MENU_ITEM))


class ContextMenus:
    """Listens to the applications that it is told to follow."""

    def __init__(self, bus: Bus) -> None:
        self._shown: dict[str, deque[Ref]] = {}
        bus.listen(self._heard)

    async def of(self, tree: Tree, owner: str) -> tuple[Ref, ...]:
        """The context menus of a Qt application, by its bus name, that show now; it is followed from the first call on.

        Raises NoReply.
        """
        if owner not in self._shown:
            await self._follow(tree, owner)
        known = tuple(self._shown.get(owner, ()))
        await tree.read(known, Field.STATES, Field.ROLE, Field.PARENT)
        for gone in (ref for ref in known if tree.get(ref, Field.STATES) is None):
            self._forget(gone)
        menus = [ref for ref in known if has_state(tree.get(ref, Field.STATES) or 0, SHOWING) and _is_menu(tree, ref)]
        parents = {ref: parent for ref in menus if (parent := tree.get(ref, Field.PARENT)) is not None}
        await tree.read(parents.values(), Field.ROLE)
        return tuple(ref for ref in menus if ref not in parents or tree.basic_role(parents[ref]) not in _OPENERS)

    async def _follow(self, tree: Tree, owner: str) -> None:
        rule = f"type='signal',sender='{owner}',interface='{_INTERFACE}',member='{_MEMBER}',arg0='{_STATE}'"
        match = Call(*_BUS, "AddMatch", "s", (rule,))
        register = Call(*_REGISTRY, "RegisterEvent", "sass", (_EVENT, [], owner))
        if Failure.NO_REPLY not in await tree.ask([match, register]):
            self._shown[owner] = deque(maxlen=_MOST_SHOWN)

    def _heard(self, signal: Signal) -> None:
        shown = self._shown.get(signal.sender)
        if shown is None or signal.member != _MEMBER or len(signal.values) < 2:
            return
        state, has_it, *_ = signal.values
        if state == _STATE and has_it:
            ref = Ref(signal.sender, signal.path)
            self._forget(ref)
            shown.append(ref)

    def _forget(self, ref: Ref) -> None:
        with contextlib.suppress(ValueError):
            self._shown[ref.owner].remove(ref)


def _is_menu(tree: Tree, ref: Ref) -> bool:
    return tree.basic_role(ref) is Role.MENU
