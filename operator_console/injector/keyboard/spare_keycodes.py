"""Lending symbols to keycodes that have none, so that text outside the layout can be typed as keys.

What is borrowed stays for the whole session (window managers grab their keys anew after each change) and is given back
in order at its end, or by the guard from the ledger. A keycode holds two letters with their capitals, or four other
characters. When all are taken, those that the text in hand does not want are lent again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import Any

from operator_console.desktop.ledger import Ledger, Word
from operator_console.desktop.x11.input_keymap import spare_keycodes, widest_type
from operator_console.desktop.x11.input_keysyms import case_pair, keysym_of
from operator_console.desktop.x11.input_xkb import Keyboard, KeyboardMap

Pair = tuple[int, int]
"""Two keysyms that share half a keycode: without Shift and with it."""

# Under Caps Lock, GTK and Chromium take a key whose two levels are the same for one without levels, and make the letter
# a capital themselves. Nobody types this one.
_FILLER = keysym_of("\N{REPLACEMENT CHARACTER}")


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

    def keep_what_is_there(self, keyboard: KeyboardMap) -> None:
        """Forget what somebody else has mapped anew (another layout was chosen): it is not ours to give back."""
        for keycode, held in list(self._held.items()):
            if not set(_symbols(held)).issubset(keyboard.keys[keycode].symbols):
                del self._held[keycode]
                self._ledger.forget(borrowed=[keycode])

    def capacity(self, keyboard: KeyboardMap) -> int:
        """How many pairs fit at once."""
        _, levels = widest_type(keyboard)
        return len({*self._free(keyboard), *self._held}) * (levels // 2)

    def room(self, keyboard: KeyboardMap) -> int:
        """How many more fit without taking any back."""
        halves = widest_type(keyboard)[1] // 2
        return len(self._free(keyboard)) * halves + sum(halves - len(held) for held in self._held.values())

    def silent(self, keyboard: KeyboardMap) -> int | None:
        """A keycode that yields nothing, None where there is none left."""
        return next(iter(self._free(keyboard)), None)

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
        self._keyboard.set_keys(kind, {code: _symbols(held) for code, held in changed.items()})
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


def _symbols(pairs: Iterable[Pair]) -> tuple[int, ...]:
    return tuple(symbol for pair in pairs for symbol in pair)


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
    return [*cased, *zip_longest(single[::2], single[1::2], fillvalue=_FILLER)]
