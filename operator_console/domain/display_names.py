"""The names of X displays, and how they are written in the names of files."""

from __future__ import annotations

import re
from collections.abc import Mapping

NO_DISPLAY = "none"
"""Stands for the display where the person has none. The name of a real one contains a colon."""


def in_wayland_session(environment: Mapping[str, str]) -> bool:
    """Whether programs with this environment run in a Wayland session, with or without an X server beside it."""
    return bool(environment.get("WAYLAND_DISPLAY"))


def display_of_person(environment: Mapping[str, str]) -> str:
    """The X display where the person's keys are heard; NO_DISPLAY where there is none.

    That of a Wayland session does not count: it hears the keys that are pressed over X windows only.
    """
    return NO_DISPLAY if in_wayland_session(environment) else environment.get("DISPLAY") or NO_DISPLAY


def normal_display(display: str) -> str:
    """The canonical spelling of a display: ":99.0" and "unix:99" become ":99"."""
    host, colon, rest = display.rpartition(":")
    return ("" if host == "unix" else host) + colon + rest.split(".")[0]


def display_key(display: str) -> str:
    """The display encoded for a file name; `display_of` decodes it."""
    return re.sub(r"[^A-Za-z0-9.-]", lambda m: f"_{ord(m[0]):02x}", normal_display(display))


def display_of(key: str) -> str:
    """The display of a `display_key`."""
    return re.sub(r"_([0-9a-f]{2})", lambda m: chr(int(m[1], 16)), key)
