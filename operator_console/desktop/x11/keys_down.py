"""The keys that are down on an X display, over a python-xlib connection."""

from __future__ import annotations

from typing import Any


def keys_down(display: Any) -> frozenset[int]:
    """Keycodes that are down on any device.

    Source: X Window System Protocol, QueryKeymap: 32 bytes; bit b of byte i, from the least, is keycode 8 i + b.
    """
    return frozenset(
        8 * index + bit
        for index, byte in enumerate(display.query_keymap())
        if byte
        for bit in range(8)
        if byte >> bit & 1
    )
