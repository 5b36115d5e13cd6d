"""What can be done to an accessible element without pointer and keys, and by what it is recognised when it is done.

The names of accessible actions are those of AT-SPI2's interface Action, as GTK, Qt, Chromium and Firefox give them.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum

from operator_console.domain.elements import Element, Role
from operator_console.domain.geometry import Rect


class ElementUse(StrEnum):
    """A way to use an element through its application's accessibility."""

    PRESS = "press"
    """Its own action that does what a click on it does."""
    FOCUS = "focus"
    """It gets the keyboard focus."""
    CHOOSE = "choose"
    """One of the options that it holds is chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementIdentity:
    """What an element was when it was seen. One that differs in any of this is another element.

    Attributes:
        element_id: names it while its application keeps it.
        pid: its process.
        role, role_name, name: as of `Element`.
        extents: in the coordinates of its application.
    """

    element_id: str
    pid: int
    role: Role
    role_name: str
    name: str
    extents: Rect


_CLICKS = ("click", "press")
_ACTS = (*_CLICKS, "activate")
_TICKS = (*_CLICKS, "toggle", "check", "uncheck", "select", "activate")

PRESSED_BY: dict[Role, tuple[str, ...]] = {
    Role.BUTTON: _ACTS,
    Role.CHECK_BOX: _TICKS,
    Role.COMBO_BOX: (*_CLICKS, "open"),
    Role.LINK: (*_CLICKS, "jump", "activate"),
    Role.LIST_ITEM: (*_CLICKS, "select"),
    Role.MENU: _CLICKS,
    Role.MENU_ITEM: _TICKS,
    Role.RADIO_BUTTON: _TICKS,
    Role.SWITCH: _TICKS,
    Role.TAB: (*_CLICKS, "select", "switch", "activate"),
    Role.TOGGLE_BUTTON: _TICKS,
}
"""Names of actions that do what a click does, by role, in lower case and the order in which they are preferred.

Others of the same element do something else: “activate” of a field is Enter, that of a row a double click, and
“clickAncestor” clicks another element."""

_NO_NAME = re.compile(r"Gtk[A-Z]\w*|\(None\)|\(null\)|Tab list|Tab")

HOLDING_OPTIONS = frozenset((Role.COMBO_BOX, Role.LIST))
"""Roles of which an option can be chosen."""


def accessible_name(told: str) -> str:
    """A name on one line; GTK 4 tells the name of the class, or the role of tabs, where there is none."""
    return "" if _NO_NAME.fullmatch(told) else " ".join(told.split())


def identity_of(element: Element) -> ElementIdentity | None:
    """By what an element is recognised later; None where it has no identity (text that was read off the picture)."""
    if element.pid is None or element.extents is None or "/" not in element.element_id:
        return None
    return ElementIdentity(
        element_id=element.element_id, pid=element.pid, role=element.role, role_name=element.role_name,
        name=element.name, extents=element.extents,
    )  # fmt: skip


def press_of(role: Role, actions: tuple[str, ...]) -> str:
    """The name of the action that presses an element, as it is written there; "" where it has none."""
    named = {name.lower(): name for name in reversed(actions)}
    return next((named[name] for name in PRESSED_BY.get(role, ()) if name in named), "")
