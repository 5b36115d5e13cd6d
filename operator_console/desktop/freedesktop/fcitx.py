"""Values of fcitx5's D-Bus interface: which input context has the focus, and whether a method composes text.

Makes no calls. Source: fcitx5 5.0 and 5.1 (src/modules/dbus/dbusmodule.cpp). fcitx5 keeps a state for each input
context.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

SERVICE, PATH, CONTROLLER = "org.fcitx.Fcitx5", "/controller", "org.fcitx.Fcitx.Controller1"

BUS, BUS_PATH = "org.freedesktop.DBus", "/org/freedesktop/DBus"
WATCHED = f"type='signal',sender='{BUS}',interface='{BUS}',member='NameOwnerChanged',arg0='{SERVICE}'"
"""Match rule for its start and end."""

_GROUP = re.compile(r"^Group \[(?:x11:)?(.*?)\] has ")
_CONTEXT = re.compile(r"^\s+IC \[(\w+)\].* focus:1$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """An input context: `display` as in DISPLAY for X11, `name` unique while it exists."""

    display: str
    name: str


def focused(debug_info: str) -> list[Field]:
    """The input contexts with the focus, at most one for each display, parsed from DebugInfo()."""
    found, display = [], ""
    for line in debug_info.splitlines():
        if group := _GROUP.match(line):
            display = group[1]
        elif not line.startswith(" "):
            display = ""
        elif context := _CONTEXT.match(line):
            found.append(Field(display=display, name=context[1]))
    return found


def same_display(one: str, other: str) -> bool:
    """Whether both name the same display, ignoring the screen number."""
    return _without_screen(one) == _without_screen(other)


def composes(method: str) -> bool:
    """Whether an input method may turn keys into other text."""
    return bool(method) and not method.startswith("keyboard-")


def _without_screen(display: str) -> str:
    host, colon, number = display.rpartition(":")
    return f"{host}{colon}{number.partition('.')[0]}"
