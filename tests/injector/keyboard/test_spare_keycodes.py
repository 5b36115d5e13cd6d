"""What is lent to spare keycodes, kept and given back: the bookkeeping, with a keyboard in memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from operator_console.desktop.ledger import Ledger
from operator_console.desktop.x11.input_keysyms import keysym_of
from operator_console.desktop.x11.input_xkb import Keyboard, KeyboardMap, KeyEntry, KeyType
from operator_console.injector.keyboard.spare_keycodes import Borrowed, pairs_for

KINDS = (
    KeyType(mask=0, levels={}, width=1, kept={}),
    KeyType(mask=1, levels={1: 1}, width=2, kept={}),
    KeyType(mask=3, levels={1: 1, 2: 1}, width=2, kept={}),
)
BLANK = KeyEntry(types=(), width=0, symbols=(), wraps=0, redirect=0)


class Board:
    """Stands for the display and its keyboard: three spare keycodes."""

    def __init__(self) -> None:
        self.symbols: dict[int, tuple[int, ...]] = {}

    def set_keys(self, kind: int, changes: Mapping[int, tuple[int, ...]]) -> None:
        self.symbols.update(changes)

    def change_keyboard_mapping(self, keycode: int, symbols: list[list[int]]) -> None:
        self.symbols.pop(keycode, None)

    def sync(self) -> None: ...

    def map(self) -> KeyboardMap:
        keys = dict.fromkeys((97, 98, 99), BLANK)
        for code, symbols in self.symbols.items():
            keys[code] = KeyEntry(types=(2,), width=2, symbols=symbols, wraps=0, redirect=0)
        return KeyboardMap(types=KINDS, keys=keys, modifiers={})


def borrowed(board: Board, ledger: Ledger) -> Borrowed:
    return Borrowed(cast(Any, board), cast(Keyboard, board), ledger)


def test_what_another_layout_took_is_neither_counted_on_nor_given_back(ledger: Ledger) -> None:
    board = Board()
    lent = borrowed(board, ledger)
    lent.lend(board.map(), pairs_for("łńó"), reuse=False)
    assert sorted(lent.keycodes) == ledger.borrowed == [97, 98, 99]

    board.symbols = {97: (keysym_of("a"), keysym_of("b")), 98: board.symbols[98]}  # 99 is blank again
    lent.keep_what_is_there(board.map())
    assert lent.keycodes == ledger.borrowed == [98]
    assert lent.lend(board.map(), pairs_for("łńó"), reuse=False), "only one of the two is free"

    lent.give_back()
    assert board.symbols == {97: (keysym_of("a"), keysym_of("b"))}
    assert ledger.borrowed == []
