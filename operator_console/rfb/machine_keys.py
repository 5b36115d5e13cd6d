"""Keys and buttons as VNC servers take them: keysyms, and for QEMU the positions of keys (XT scancodes, set 1).

Most servers find the key of a keysym in the machine's layout, and press Shift and AltGr for it. QEMU presses the key
that has the keysym on an American keyboard, and no Shift. Sources: RFC 6143 (KeyEvent); the RFB community's description
of QEMU's extended key event; X.Org's symbols of the layouts.
"""

from __future__ import annotations

from dataclasses import dataclass

from operator_console.desktop.x11.input_keysyms import keysym_of, keysyms_of_key
from operator_console.domain.actions import Button
from operator_console.domain.keys import MODIFIERS, Key

BUTTON_NUMBERS = {Button.LEFT: 1, Button.MIDDLE: 2, Button.RIGHT: 3, Button.BACK: 8}
"""Numbers of the buttons that the protocol's mask has room for, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineKey:
    """A key.

    Attributes:
        keysym: what it means without Shift; of a character that was asked for, the character's.
        above: the keysym while Shift is held; the same where Shift changes nothing that is known.
        scancode: its position on an American keyboard, 0xE0 as 0x80; 0 where it has none.
        shifted: whether the character that was asked for needs Shift there.
        shift: whether it is a Shift key.
    """

    keysym: int
    above: int
    scancode: int = 0
    shifted: bool = False
    shift: bool = False


_ROWS = (
    (0x02, "1234567890-=", "!@#$%^&*()_+"), (0x10, "qwertyuiop[]", "QWERTYUIOP{}"),
    (0x1E, "asdfghjkl;'`", 'ASDFGHJKL:"~'), (0x2B, "\\zxcvbnm,./", "|ZXCVBNM<>?"),
)  # fmt: skip
"""The first position of each row, its characters, and those with Shift."""

_NAMED_POSITIONS = {
    "esc": 0x01, "backspace": 0x0E, "tab": 0x0F, "enter": 0x1C, "ctrl": 0x1D, "shift": 0x2A, "shift_r": 0x36,
    "kp_multiply": 0x37, "alt": 0x38, "space": 0x39, "caps_lock": 0x3A, "num_lock": 0x45, "scroll_lock": 0x46,
    "kp_7": 0x47, "kp_8": 0x48, "kp_9": 0x49, "kp_subtract": 0x4A, "kp_4": 0x4B, "kp_5": 0x4C, "kp_6": 0x4D,
    "kp_add": 0x4E, "kp_1": 0x4F, "kp_2": 0x50, "kp_3": 0x51, "kp_0": 0x52, "kp_decimal": 0x53, "f11": 0x57,
    "f12": 0x58, "kp_enter": 0x9C, "ctrl_r": 0x9D, "kp_divide": 0xB5, "print_screen": 0xB7, "alt_gr": 0xB8,
    "pause": 0xC6, "home": 0xC7, "up": 0xC8, "page_up": 0xC9, "left": 0xCB, "right": 0xCD, "end": 0xCF, "down": 0xD0,
    "page_down": 0xD1, "insert": 0xD2, "delete": 0xD3, "super": 0xDB, "super_r": 0xDC, "menu": 0xDD,
    **{f"f{number}": 0x3A + number for number in range(1, 11)},
}  # fmt: skip

_LAYOUTS = {"us": "", "gb": "£¬€", "de": "äöüÄÖÜß§°€µ²³", "fr": "éèçàù£§µ²°€", "pl": "ąćęłńóśźżĄĆĘŁŃÓŚŹŻ€"}
"""What layouts have beyond the printable characters of ASCII, which all of them have. No dead keys."""

AMERICAN_POSITIONS = frozenset({"us", "pl"})
"""Layouts whose keys for ASCII are where an American keyboard has them."""

_CONTROLS = {"\n": "enter", "\t": "tab"}


def _characters() -> dict[str, MachineKey]:
    table = {" ": MachineKey(keysym=0x20, above=0x20, scancode=_NAMED_POSITIONS["space"])}
    for first, plain, above in _ROWS:
        for offset, (low, high) in enumerate(zip(plain, above, strict=True)):
            upper = keysym_of(high)
            table[low] = MachineKey(keysym=keysym_of(low), above=upper, scancode=first + offset)
            table[high] = MachineKey(keysym=upper, above=upper, scancode=first + offset, shifted=True)
    return table


_CHARACTERS = _characters()


def character_key(character: str, layout: str) -> MachineKey | None:
    """The key for a character, "\\n" and "\\t" included; None where the machine's layout is not known to have it."""
    if character in _CONTROLS:
        return named_key(Key(_CONTROLS[character]))
    if character in _CHARACTERS:
        return _CHARACTERS[character]
    if character not in _LAYOUTS.get(layout, ""):
        return None
    pair = character.swapcase()
    upper = keysym_of(pair if len(pair) == 1 and pair.isupper() and pair in _LAYOUTS[layout] else character)
    return MachineKey(keysym=keysym_of(character), above=upper)


def named_key(key: Key) -> MachineKey | None:
    """A key by its canonical name; None for one that has no keysym."""
    if key in _CHARACTERS:
        return _CHARACTERS[key]
    keysyms = keysyms_of_key(key)
    if not keysyms:
        return None
    keysym = 0xFFAE if key == "kp_decimal" else keysyms[0]
    return MachineKey(
        keysym=keysym, above=keysym, scancode=_NAMED_POSITIONS.get(key, 0),
        shift=key in MODIFIERS and key.startswith("shift"),
    )  # fmt: skip
