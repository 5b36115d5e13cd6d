"""Layouts by their names write what an X server makes of the same keys."""

from __future__ import annotations

import string

import pytest
from Xlib.display import Display

from operator_console.desktop.keyboard_layouts import keyboard_layout
from operator_console.desktop.x11.keyboard_map import Keyboard, yields
from tests.display.rig import Desktop

NATIONAL = {
    "us": "",
    "gb": "£€¬",
    "de": "äöüÄÖÜßẞ€§°µ²³",
    "de(nodeadkeys)": "äöüÄÖÜß€§°µ²³^`´~",
    "fr": "éèçàùæ«»€£§µ²°",
    "pl": "ąćęłńóśźżĄĆĘŁŃÓŚŹŻ€",
}
X_OFFSET = 8
MODIFIERS = {42: 1 << 0, 100: 1 << 7}
"""Shift, and AltGr's Mod5."""


@pytest.mark.parametrize("name", NATIONAL)
def test_every_character_is_what_an_x_server_with_the_layout_writes(desktop: Desktop, name: str) -> None:
    desktop.set_layout(*name.removesuffix(")").split("("))
    display = Display(desktop.server.name)
    try:
        keyboard = Keyboard(display).map()
    finally:
        display.close()
    layout = keyboard_layout(name)
    assert layout is not None
    own = {each: stroke for each in string.printable[:95] + NATIONAL[name] if (stroke := layout.stroke(each))}
    assert [each for each in string.printable[:95] + NATIONAL[name] if each not in own] == (
        ["^", "`"] if name == "de" else []
    )
    for character, stroke in own.items():
        modifiers = sum(MODIFIERS[key] for key in stroke.holding)
        assert yields(keyboard, stroke.key + X_OFFSET, group=0, modifiers=modifiers) == character
