"""What else uses a chord. Pure."""

from __future__ import annotations

from operator_console.domain.translations import _


def used_elsewhere(chord: str) -> str:
    """What else uses the chord, in a sentence; "" for nothing known. It is a warning: such a chord can be chosen."""
    match chord:
        case "<alt>+<tab>":
            return _("Desktops switch windows with it.")
        case "<alt>+<f4>":
            return _("Desktops close windows with it.")
        case "<alt>+<space>":
            return _("Desktops open the window’s menu with it.")
        case "<ctrl>+<alt>+<delete>":
            return _("Desktops log out or lock the screen with it.")
        case "<ctrl>+<alt>+<backspace>":
            return _("It can end the desktop session.")
        case "<ctrl>+<alt>+l":
            return _("Many desktops lock the screen with it.")
        case "<ctrl>+<alt>+t":
            return _("Many desktops open a terminal with it.")
    *modifiers, key = chord.split("+")
    if modifiers == ["<ctrl>", "<alt>"] and key.startswith("<f") and key[2:-1].isdecimal():
        return _("It switches to a text console.")
    if modifiers in (["<ctrl>"], ["<alt>"]):
        return _("Applications use such keys: it would also be pressed for other reasons, by the agent, too.")
    return ""
