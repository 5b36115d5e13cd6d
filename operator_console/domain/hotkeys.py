"""The global hotkeys that apply unless the settings say otherwise, and chords as people write them."""

from __future__ import annotations

from typing import NamedTuple


class HotkeyChords(NamedTuple):
    """The chords that stop, pause and approve, in the notation of pynput (`<ctrl>+<alt>+x`)."""

    stop: str
    pause: str
    approve: str


DEFAULT_HOTKEYS = HotkeyChords(stop="<ctrl>+<alt>+x", pause="<ctrl>+<alt>+p", approve="<ctrl>+<alt>+<enter>")


def chord_words(chord: str) -> str:
    """A chord in pynput's notation as people write it: "Ctrl+Alt+X"."""
    parts = chord.replace("<", "").replace(">", "").split("+")
    return "+".join(part.replace("_", " ").title() for part in parts if part) + ("+" if chord.endswith("++") else "")
