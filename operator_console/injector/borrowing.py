"""Lending symbols to keycodes that have none, so that text outside the layout can be typed as keys.

What is borrowed stays for the whole session (window managers grab their keys anew after each change) and is given back
in order at its end, or by the guard from the ledger. A keycode holds two letters with their capitals, or four other
characters. When all are taken, those that the text in hand does not want are lent again. Called by typing.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from operator_console.desktop.x11.input_keymap import spare_keycodes, widest_type
from operator_console.desktop.x11.input_keysyms import case_pair, keysym_of
from operator_console.desktop.x11.input_ledger import Ledger, Word
from operator_console.desktop.x11.input_xkb import Keyboard, KeyboardMap

Pair = tuple[int, int]
"""Two keysyms that share half a keycode: without Shift and with it."""


class Borrowed:
    """Which keycode carries what of ours."""

    def __init__(self, display: Any, keyboard: Keyboard, ledger: Ledger) -> None:
        self._display = display
        self._keyboard = keyboard
        self._ledger = ledger
        self._held: dict[int, list[Pair]] = {}

    @property
    def keycodes(self) -> list[int]:
        """Those that carry symbols of ours."""
        return list(self._held)

    def capacity(self, keyboard: KeyboardMap) -> int:
        """How many pairs fit at once."""
        _, levels = widest_type(keyboard)
        return len({*self._free(keyboard), *self._held}) * (levels // 2)

    def room(self, keyboard: KeyboardMap) -> int:
        """How many more fit without taking any back."""
        halves = widest_type(keyboard)[1] // 2
        return len(self._free(keyboard)) * halves + sum(halves - len(held) for held in self._held.values())

    def lend(self, keyboard: KeyboardMap, pairs: list[Pair], *, reuse: bool) -> list[Pair]:
        """Map as many of the pairs as fit; returns those that did not.

        `reuse`: the pairs are all that is wanted now; what was lent before and is not among them may go.
        """
        kind, levels = widest_type(keyboard)
        halves = levels // 2
        if reuse:
            wanted = set(pairs)
            free = [*(c for c, held in self._held.items() if not wanted.issuperset(held)), *self._free(keyboard)]
            kept = {code: held for code, held in self._held.items() if code not in free}
        else:
            free, kept = self._free(keyboard), dict(self._held)
        there = {pair for held in kept.values() for pair in held}
        waiting = [pair for pair in pairs if pair not in there]
        changed: dict[int, list[Pair]] = {}
        for keycode in (*[code for code, held in kept.items() if len(held) < halves], *free):
            if not waiting:
                break
            held = kept.get(keycode, [])
            count = halves - len(held)
            changed[keycode] = [*held, *waiting[:count]]
            waiting = waiting[count:]
        self._write(kind, changed)
        return waiting

    def lend_key(self, keyboard: KeyboardMap, pair: Pair) -> bool:
        """Map a keycode to this pair alone, so that it yields it whatever else is held; False where there is none."""
        kind, levels = widest_type(keyboard)
        keycode = next(iter((*self._free(keyboard), *self._held)), None)
        if keycode is None:
            return False
        self._write(kind, {keycode: [pair] * (levels // 2)})
        return True

    def _write(self, kind: int, changed: Mapping[int, list[Pair]]) -> None:
        if not changed:
            return
        for keycode in changed:
            self._ledger.mark_borrowed(keycode, True)
        symbols = {code: tuple(symbol for pair in held for symbol in pair) for code, held in changed.items()}
        self._keyboard.set_keys(kind, symbols)
        self._display.sync()
        self._held.update(changed)

    def give_back(self) -> None:
        """Take all symbols off again."""
        for keycode in self._ledger.borrowed:
            self._display.change_keyboard_mapping(keycode, [[0]])
        self._display.sync()
        self._ledger.forget(borrowed=self._ledger.borrowed)
        self._held.clear()

    def _free(self, keyboard: KeyboardMap) -> list[int]:
        probe = self._ledger.get(Word.PROBE_KEYCODE)
        return [code for code in spare_keycodes(keyboard) if code != probe and code not in self._held]


def pairs_for(characters: Iterable[str]) -> list[Pair]:
    """Pairs that let all the characters be typed: a letter brings its other case, others are put together in twos."""
    cased: dict[Pair, None] = {}
    single: list[int] = []
    for character in dict.fromkeys(characters):
        pair = case_pair(character)
        if pair[0] != pair[1]:
            cased[pair] = None
        else:
            single.append(keysym_of(character))
    twos = [(single[i], single[min(i + 1, len(single) - 1)]) for i in range(0, len(single), 2)]
    return [*cased, *twos]
