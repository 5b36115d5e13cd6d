"""Assigning symbols to spare keycodes and removing them, with a keyboard map in memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

from operator_console.desktop.ledger import Ledger
from operator_console.desktop.x11.input_keysyms import keysym_of
from operator_console.desktop.x11.keyboard_map import Keyboard, KeyboardMap, KeyEntry, KeyType
from operator_console.injector.keyboard.spare_keycodes import SpareKeycodes, pairs_for

KINDS = (
    KeyType(mask=0, levels={}, width=1, kept={}),
    KeyType(mask=1, levels={1: 1}, width=2, kept={}),
    KeyType(mask=3, levels={1: 1, 2: 1}, width=2, kept={}),
)
BLANK = KeyEntry(types=(), width=0, symbols=(), wraps=0, redirect=0)


class FakeKeyboard:
    """Replaces the display and its keyboard; three keycodes are spare."""

    def __init__(self) -> None:
        self.symbols: dict[int, tuple[int, ...]] = {}

    def set_keys(self, kind: int, changes: Mapping[int, tuple[int, ...]]) -> None:
        self.symbols.update(changes)

    def clear_keys(self, keycodes: Iterable[int]) -> None:
        for keycode in keycodes:
            self.symbols.pop(keycode, None)

    def sync(self) -> None: ...

    def map(self) -> KeyboardMap:
        keys = dict.fromkeys((97, 98, 99), BLANK)
        for code, symbols in self.symbols.items():
            keys[code] = KeyEntry(types=(2,), width=2, symbols=symbols, wraps=0, redirect=0)
        return KeyboardMap(types=KINDS, keys=keys, modifiers={})


def spare_keycodes(keyboard: FakeKeyboard, ledger: Ledger) -> SpareKeycodes:
    return SpareKeycodes(cast(Any, keyboard), cast(Keyboard, keyboard), ledger)


def test_keycodes_remapped_by_another_layout_are_neither_used_nor_cleared(ledger: Ledger) -> None:
    keyboard = FakeKeyboard()
    spare = spare_keycodes(keyboard, ledger)
    spare.assign(keyboard.map(), pairs_for("łńó"), reuse=False)
    assert sorted(spare.keycodes) == ledger.borrowed == [97, 98, 99]

    keyboard.symbols = {97: (keysym_of("a"), keysym_of("b")), 98: keyboard.symbols[98]}  # 99 is free again
    spare.forget_remapped(keyboard.map())
    assert spare.keycodes == ledger.borrowed == [98]
    assert spare.assign(keyboard.map(), pairs_for("łńó"), reuse=False), "only one of the two is free"

    spare.clear()
    assert keyboard.symbols == {97: (keysym_of("a"), keysym_of("b"))}
    assert ledger.borrowed == []
