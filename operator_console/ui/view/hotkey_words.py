"""What else uses a chord. Pure."""

from __future__ import annotations

from collections.abc import Mapping

RESERVED: Mapping[str, str] = {
    "<alt>+<tab>": "Desktops switch windows with it.",
    "<alt>+<f4>": "Desktops close windows with it.",
    "<alt>+<space>": "Desktops open the window’s menu with it.",
    "<ctrl>+<alt>+<delete>": "Desktops log out or lock the screen with it.",
    "<ctrl>+<alt>+<backspace>": "It can end the desktop session.",
    "<ctrl>+<alt>+l": "Many desktops lock the screen with it.",
    "<ctrl>+<alt>+t": "Many desktops open a terminal with it.",
    **{f"<ctrl>+<alt>+<f{number}>": "It switches to a text console." for number in range(1, 13)},
}
"""Chords that desktops use, and for what."""

IN_APPLICATIONS = "Applications use such keys: it would also be pressed for other reasons, by the agent, too."


def used_elsewhere(chord: str) -> str:
    """What else uses the chord, in a sentence; "" for nothing known. It is a warning: such a chord can be chosen."""
    if chord in RESERVED:
        return RESERVED[chord]
    modifiers = chord.split("+")[:-1]
    return IN_APPLICATIONS if len(modifiers) == 1 and modifiers[0] in ("<ctrl>", "<alt>") else ""
