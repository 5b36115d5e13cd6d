"""Keys and buttons as the DevTools protocol names them: `key` and `code` of UI Events, and Windows' virtual-key codes.

Sources: W3C UI Events KeyboardEvent key and code values; Microsoft's list of virtual-key codes. The layout is the
American one; a letter of another alphabet has the key of its base letter where there is one ("ż" that of "z"), and
else a key without a code. What is written with an input method (Chinese, Japanese, Korean, emoji) has no key.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from typing import Any

from operator_console.domain.actions import Button
from operator_console.domain.keys import Key

ALT, CTRL, META, SHIFT = 1, 2, 4, 8
"""Bits of `modifiers`."""
BUTTON_BITS = {Button.LEFT: 1, Button.RIGHT: 2, Button.MIDDLE: 4, Button.BACK: 8, Button.FORWARD: 16}
"""Bits of `buttons`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyStroke:
    """A key.

    Attributes:
        key, code: of UI Events, without Shift.
        virtual_key: Windows' code, 0 to 255.
        text: what it writes, "" for nothing.
        above: what it writes while Shift is held, and its `key` then; "" for the same.
        location: 1 left, 2 right, 3 keypad.
        modifier: the bit that it sets while it is held; 0 for no modifier.
        shifted: whether the character that was asked for needs Shift.
    """

    key: str
    code: str
    virtual_key: int
    text: str = ""
    above: str = ""
    location: int = 0
    modifier: int = 0
    shifted: bool = False


_NAMED: dict[str, KeyStroke] = {
    "ctrl": KeyStroke(key="Control", code="ControlLeft", virtual_key=17, location=1, modifier=CTRL),
    "ctrl_r": KeyStroke(key="Control", code="ControlRight", virtual_key=17, location=2, modifier=CTRL),
    "shift": KeyStroke(key="Shift", code="ShiftLeft", virtual_key=16, location=1, modifier=SHIFT),
    "shift_r": KeyStroke(key="Shift", code="ShiftRight", virtual_key=16, location=2, modifier=SHIFT),
    "alt": KeyStroke(key="Alt", code="AltLeft", virtual_key=18, location=1, modifier=ALT),
    "alt_gr": KeyStroke(key="AltGraph", code="AltRight", virtual_key=225, location=2),
    "super": KeyStroke(key="Meta", code="MetaLeft", virtual_key=91, location=1, modifier=META),
    "super_r": KeyStroke(key="Meta", code="MetaRight", virtual_key=92, location=2, modifier=META),
    "enter": KeyStroke(key="Enter", code="Enter", virtual_key=13, text="\r"),
    "kp_enter": KeyStroke(key="Enter", code="NumpadEnter", virtual_key=13, text="\r", location=3),
    "esc": KeyStroke(key="Escape", code="Escape", virtual_key=27),
    "tab": KeyStroke(key="Tab", code="Tab", virtual_key=9),
    "space": KeyStroke(key=" ", code="Space", virtual_key=32, text=" "),
    "backspace": KeyStroke(key="Backspace", code="Backspace", virtual_key=8),
    "delete": KeyStroke(key="Delete", code="Delete", virtual_key=46),
    "insert": KeyStroke(key="Insert", code="Insert", virtual_key=45),
    "home": KeyStroke(key="Home", code="Home", virtual_key=36),
    "end": KeyStroke(key="End", code="End", virtual_key=35),
    "page_up": KeyStroke(key="PageUp", code="PageUp", virtual_key=33),
    "page_down": KeyStroke(key="PageDown", code="PageDown", virtual_key=34),
    "up": KeyStroke(key="ArrowUp", code="ArrowUp", virtual_key=38),
    "down": KeyStroke(key="ArrowDown", code="ArrowDown", virtual_key=40),
    "left": KeyStroke(key="ArrowLeft", code="ArrowLeft", virtual_key=37),
    "right": KeyStroke(key="ArrowRight", code="ArrowRight", virtual_key=39),
    "caps_lock": KeyStroke(key="CapsLock", code="CapsLock", virtual_key=20),
    "num_lock": KeyStroke(key="NumLock", code="NumLock", virtual_key=144),
    "scroll_lock": KeyStroke(key="ScrollLock", code="ScrollLock", virtual_key=145),
    "print_screen": KeyStroke(key="PrintScreen", code="PrintScreen", virtual_key=44),
    "pause": KeyStroke(key="Pause", code="Pause", virtual_key=19),
    "menu": KeyStroke(key="ContextMenu", code="ContextMenu", virtual_key=93),
    "help": KeyStroke(key="Help", code="Help", virtual_key=47),
    "kp_add": KeyStroke(key="+", code="NumpadAdd", virtual_key=107, text="+", location=3),
    "kp_subtract": KeyStroke(key="-", code="NumpadSubtract", virtual_key=109, text="-", location=3),
    "kp_multiply": KeyStroke(key="*", code="NumpadMultiply", virtual_key=106, text="*", location=3),
    "kp_divide": KeyStroke(key="/", code="NumpadDivide", virtual_key=111, text="/", location=3),
    "kp_decimal": KeyStroke(key=".", code="NumpadDecimal", virtual_key=110, text=".", location=3),
}

# The row's plain characters, its characters with Shift, their codes and virtual keys.
_PUNCTUATION = (
    ("`", "~", "Backquote", 192), ("-", "_", "Minus", 189), ("=", "+", "Equal", 187), ("[", "{", "BracketLeft", 219),
    ("]", "}", "BracketRight", 221), ("\\", "|", "Backslash", 220), (";", ":", "Semicolon", 186),
    ("'", '"', "Quote", 222), (",", "<", "Comma", 188), (".", ">", "Period", 190), ("/", "?", "Slash", 191),
)  # fmt: skip
_SHIFTED_DIGITS = ")!@#$%^&*("


def _characters() -> dict[str, KeyStroke]:
    table = {" ": _NAMED["space"], "\n": _NAMED["enter"], "\t": _NAMED["tab"]}
    letters = [(each, each.upper(), f"Key{each.upper()}", ord(each.upper())) for each in "abcdefghijklmnopqrstuvwxyz"]
    digits = [(str(n), above, f"Digit{n}", ord(str(n))) for n, above in enumerate(_SHIFTED_DIGITS)]
    for plain, above, code, number in (*letters, *digits, *_PUNCTUATION):
        stroke = KeyStroke(key=plain, code=code, virtual_key=number, text=plain, above=above)
        table[plain], table[above] = stroke, replace(stroke, shifted=True)
    return table


_CHARACTERS = _characters()
_NO_KEY = KeyStroke(key="", code="", virtual_key=0)


def character_stroke(character: str) -> KeyStroke | None:
    """The key that writes a character; None where an input method writes it, so that it is inserted as text."""
    known = _CHARACTERS.get(character)
    if known is not None or len(character) != 1 or not _is_on_keyboards(character):
        return known
    plain, above = character.lower(), character.upper()
    if len(plain) != 1 or len(above) != 1 or character not in (plain, above):
        plain = above = character
    like = _CHARACTERS.get(unicodedata.normalize("NFD", plain)[0], _NO_KEY)
    return replace(like, key=plain, text=plain, above=above, shifted=character != plain)


def _is_on_keyboards(character: str) -> bool:
    """Whether some language's keyboard has a key for it: letters and signs that are no ideographs and no emoji."""
    category = unicodedata.category(character)
    return (
        ord(character) < 0x10000
        and category[0] in "LMNPS"
        and category not in ("Me", "So")
        and unicodedata.east_asian_width(character) not in "WF"
        and not unicodedata.name(character, "").startswith("VARIATION SELECTOR")
    )


def key_stroke(key: Key) -> KeyStroke | None:
    """A key by its canonical name; None for keys that a page is not told of (volume, media) or that do not exist."""
    if key in _NAMED:
        return _NAMED[key]
    if key.startswith("f") and key[1:].isdigit():
        number = int(key[1:])
        return KeyStroke(key=f"F{number}", code=f"F{number}", virtual_key=111 + number)
    if key.startswith("kp_") and key[3:].isdigit():
        digit = key[3:]
        return KeyStroke(key=digit, code=f"Numpad{digit}", virtual_key=96 + int(digit), text=digit, location=3)
    return _CHARACTERS.get(key)


def key_params(stroke: KeyStroke, modifiers: int) -> dict[str, Any]:
    """What `Input.dispatchKeyEvent` tells of a key while these modifiers are held."""
    return {
        "key": stroke.above if modifiers & SHIFT and stroke.above else stroke.key, "code": stroke.code,
        "windowsVirtualKeyCode": stroke.virtual_key, "location": stroke.location, "modifiers": modifiers,
        "isKeypad": stroke.location == 3,
    }  # fmt: skip
