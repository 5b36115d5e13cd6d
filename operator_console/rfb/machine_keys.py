"""Keys and buttons as VNC servers take them: keysyms, and for QEMU the positions of keys (XT scancodes, set 1).

Most servers find the key of a keysym in the machine's layout, and press Shift and AltGr for it. QEMU presses the key
that has the keysym on an American keyboard, and no Shift; a position it presses as it is. Sources: RFC 6143 (KeyEvent);
the RFB community's description of QEMU's extended key event; Linux's input-event-codes.h.
"""

from __future__ import annotations

from dataclasses import dataclass

from operator_console.desktop.keyboard_layouts import SHIFT, KeyboardLayout, Stroke, keyboard_layout
from operator_console.desktop.x11.input_keysyms import case_pair, keysym_of, keysyms_of_key
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
        scancode: its position, 0xE0 as 0x80; 0 where it has none.
        holding: what must be held for the character that was asked for, where a position is sent.
        shift: whether it is a Shift key.
    """

    keysym: int
    above: int
    scancode: int = 0
    holding: tuple[Key, ...] = ()
    shift: bool = False

    @property
    def shifted(self) -> bool:
        """Whether the character that was asked for needs Shift."""
        return _SHIFT in self.holding


_SHIFT, _ALT_GR = Key("shift"), Key("alt_gr")

_AS_LINUX_COUNTS = 88
"""Up to this one, Linux's key codes are the scancodes."""
_SCANCODES = {
    89: 0x73, 96: 0x9C, 97: 0x9D, 98: 0xB5, 99: 0xB7, 100: 0xB8, 102: 0xC7, 103: 0xC8, 104: 0xC9, 105: 0xCB, 106: 0xCD,
    107: 0xCF, 108: 0xD0, 109: 0xD1, 110: 0xD2, 111: 0xD3, 119: 0xC6, 124: 0x7D, 125: 0xDB, 126: 0xDC, 127: 0xDD,
}  # fmt: skip


def character_keys(character: str, layout: str, *, positions: bool) -> tuple[MachineKey, ...]:
    """The keys to press one after the other for a character, "\\n" and "\\t" included.

    Args:
        character: what is to be written.
        layout: the machine's, by its name in XKB.
        positions: whether positions are sent. Then a dead key may come first.

    Returns:
        () where the layout is not known to have the character. Of ASCII, servers that take keysyms type what the layout
        has behind a dead key only; they are given all of it where the layouts of this computer cannot be read.
    """
    found = keyboard_layout(layout)
    strokes = () if found is None else found.strokes(character)
    if found is not None and (positions or len(strokes) == 1):
        return tuple(_key(found, stroke) for stroke in strokes)
    if positions or not character.isascii() or (found is not None and not strokes):
        return ()
    keysym = keysyms_of_key(_CONTROLS[character])[0] if character in _CONTROLS else keysym_of(character)
    return (MachineKey(keysym=keysym, above=keysym),)


def named_key(key: Key, layout: str) -> MachineKey | None:
    """A key by its canonical name; None for one that has no keysym."""
    keysyms = keysyms_of_key(key)
    if not keysyms:
        return None
    keysym = 0xFFAE if key == "kp_decimal" else keysyms[0]
    above = case_pair(key)[1] if len(key) == 1 else keysym
    found = keyboard_layout(layout)
    stroke = None if found is None else found.key(key)
    if found is None or stroke is None:
        return MachineKey(keysym=keysym, above=above, shift=_is_shift(key))
    if len(key) == 1 and above == keysym:
        above = found.keysym(stroke, shift=True) or keysym
    return MachineKey(
        keysym=keysym, above=above, scancode=_scancode(stroke.key), holding=_holding(stroke), shift=_is_shift(key)
    )


_CONTROLS = {"\n": Key("enter"), "\t": Key("tab")}


def _key(layout: KeyboardLayout, stroke: Stroke) -> MachineKey:
    keysym = layout.keysym(stroke)
    return MachineKey(
        keysym=keysym, above=layout.keysym(stroke, shift=True) or keysym, scancode=_scancode(stroke.key),
        holding=_holding(stroke),
    )  # fmt: skip


def _holding(stroke: Stroke) -> tuple[Key, ...]:
    return tuple(_SHIFT if key == SHIFT else _ALT_GR for key in stroke.holding)


def _scancode(key: int) -> int:
    return key if key <= _AS_LINUX_COUNTS else _SCANCODES.get(key, 0)


def _is_shift(key: Key) -> bool:
    return key in MODIFIERS and key.startswith("shift")
