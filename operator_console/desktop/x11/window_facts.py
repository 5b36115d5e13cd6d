"""Reads a window's properties: title, application, group, process. Called by windows.py."""

from __future__ import annotations

import struct
from typing import Any

from operator_console.desktop.x11.display import Display

_LOCAL_CLIENT_PID = 2

TEXTS = ("_NET_WM_NAME", "WM_NAME", "WM_CLASS")
PROPERTIES = (
    *TEXTS, "_NET_WM_PID", "WM_STATE", "_NET_WM_STATE", "_NET_WM_DESKTOP", "WM_TRANSIENT_FOR", "WM_CLIENT_LEADER",
    "WM_HINTS", "_NET_WM_WINDOW_TYPE",
)  # fmt: skip
KINDS = ("desktop", "dock", "dialog", "menu", "popup_menu", "dropdown_menu", "combo", "tooltip", "notification", "dnd")


def title_of(texts: dict[str, bytes]) -> str:
    """The title, in UTF-8 where the application gave it so."""
    if texts["_NET_WM_NAME"]:
        return texts["_NET_WM_NAME"].decode("utf-8", "replace")
    return texts["WM_NAME"].decode("latin-1")


def app_of(wm_class: bytes) -> str:
    """The application's class."""
    parts = [part for part in wm_class.split(b"\0") if part]
    return parts[-1].decode("utf-8", "replace") if parts else ""


def group_of(words: dict[str, tuple[int, ...]]) -> int:
    """The client leader or group window, 0 where none."""
    if words["WM_CLIENT_LEADER"]:
        return words["WM_CLIENT_LEADER"][0]
    hints = words["WM_HINTS"]
    return hints[8] if len(hints) > 8 and hints[0] & 64 else 0


def pid_request(display: Display, window: int) -> Any | None:
    """Ask the server for the process that made a window; `read_pid` reads the answer."""
    resource = display.extension("resource")
    if resource is None:
        return None
    return resource.QueryClientIds(1, [struct.pack("=II", window, _LOCAL_CLIENT_PID)])


def read_pid(display: Display, asked: Any | None, claimed: tuple[int, ...]) -> int | None:
    """The process behind a window: what the server knows of it, else what the application says."""
    reply = display.answer(asked) if asked is not None else None
    if reply is not None:
        for found in reply.ids:
            if found.spec.mask & _LOCAL_CLIENT_PID and found.length >= 4:
                return int(found.value[0])
    return claimed[0] if claimed else None
