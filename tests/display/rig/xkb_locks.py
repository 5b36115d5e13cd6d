"""The locks and the group of a display's keyboard, set and read through libX11, as its own keys would leave them."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass

_CORE_KEYBOARD = 0x100
CAPS, NUM = 0x02, 0x10


class _State(ctypes.Structure):
    _fields_ = [
        ("group", ctypes.c_ubyte), ("locked_group", ctypes.c_ubyte), ("base_group", ctypes.c_ushort),
        ("latched_group", ctypes.c_ushort), ("mods", ctypes.c_ubyte), ("base_mods", ctypes.c_ubyte),
        ("latched_mods", ctypes.c_ubyte), ("locked_mods", ctypes.c_ubyte), ("compat_state", ctypes.c_ubyte),
        ("grab_mods", ctypes.c_ubyte), ("compat_grab_mods", ctypes.c_ubyte), ("lookup_mods", ctypes.c_ubyte),
        ("compat_lookup_mods", ctypes.c_ubyte), ("ptr_buttons", ctypes.c_ushort),
    ]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Locks:
    """What is locked: modifier bits, and the group (0 is the first layout)."""

    modifiers: int = 0
    group: int = 0


def read_locks(display: str) -> Locks:
    """As they are now."""
    x11, connection = _connect(display)
    state = _State()
    x11.XkbGetState(connection, _CORE_KEYBOARD, ctypes.byref(state))
    x11.XCloseDisplay(connection)
    return Locks(modifiers=state.locked_mods, group=state.locked_group)


def set_locks(display: str, locks: Locks) -> None:
    """Lock exactly these."""
    x11, connection = _connect(display)
    x11.XkbLockModifiers(connection, _CORE_KEYBOARD, 0xFF, locks.modifiers)
    x11.XkbLockGroup(connection, _CORE_KEYBOARD, locks.group)
    x11.XSync(connection, 0)
    x11.XCloseDisplay(connection)


def _connect(display: str) -> tuple[ctypes.CDLL, ctypes.c_void_p]:
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    connection = ctypes.c_void_p(x11.XOpenDisplay(display.encode()))
    assert connection.value, f"no display {display}"
    return x11, connection
