"""The global hotkeys that apply unless the settings say otherwise."""

from __future__ import annotations

from typing import NamedTuple


class HotkeyChords(NamedTuple):
    """The chords that stop, pause and approve, in the notation of pynput (`<ctrl>+<alt>+x`)."""

    stop: str
    pause: str
    approve: str


DEFAULT_HOTKEYS = HotkeyChords(stop="<ctrl>+<alt>+x", pause="<ctrl>+<alt>+p", approve="<ctrl>+<alt>+<enter>")
