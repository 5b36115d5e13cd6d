"""Assigns symbols to keycodes that have none, so that characters outside the layout can be typed as keys.

The symbols stay until the end of the session, because window managers grab their shortcuts again after each change of
the map. They are removed then, or by the guard from the ledger. A keycode holds two letters with their capitals, or
four other characters. When none is free, those that the current text does not need are reassigned.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import Any

from operator_console.desktop.ledger import Ledger, Word
from operator_console.desktop.x11.input_keysyms import case_pair, keysym_of
from operator_console.desktop.x11.keyboard_map import Keyboard, KeyboardMap, spare_keycodes, widest_type

Pair = tuple[int, int]
"""Two keysyms in two levels of a keycode, without and with Shift."""

# Completes a pair. Its two keysyms must differ: if both levels of a key are the same, GTK and Chromium capitalise the
# letter themselves under Caps Lock.
_FILLER = keysym_of("\N{REPLACEMENT CHARACTER}")


class SpareKeycodes:
    """The spare keycodes in use, and the pairs each of them holds."""

    def __init__(self, display: Any, keyboard: Keyboard, ledger: Ledger) -> None:
        self._display = display
        self._keyboard = keyboard
        self._ledger = ledger
        self._assigned: dict[int, list[Pair]] = {}

    @property
    def keycodes(self) -> list[int]:
        """The keycodes that hold assigned symbols."""
        return list(self._assigned)

    def forget_remapped(self, keyboard: KeyboardMap) -> None:
        """Forget keycodes that another program has remapped (a new layout was chosen), so that they are not cleared."""
        for keycode, held in list(self._assigned.items()):
            if not set(_symbols(held)).issubset(keyboard.keys[keycode].symbols):
                del self._assigned[keycode]
                self._ledger.forget(borrowed=[keycode])

    def capacity(self, keyboard: KeyboardMap) -> int:
        """How many pairs can be assigned at once."""
        _, levels = widest_type(keyboard)
        return len({*self._free(keyboard), *self._assigned}) * (levels // 2)

    def free_pairs(self, keyboard: KeyboardMap) -> int:
        """How many more pairs can be assigned without replacing any."""
        halves = widest_type(keyboard)[1] // 2
        return len(self._free(keyboard)) * halves + sum(halves - len(held) for held in self._assigned.values())

    def unmapped(self, keyboard: KeyboardMap) -> int | None:
        """A keycode without a symbol; None if there is none."""
        return next(iter(self._free(keyboard)), None)

    def assign(self, keyboard: KeyboardMap, pairs: list[Pair], *, reuse: bool) -> list[Pair]:
        """Map as many of the pairs as fit; returns the others.

        Args:
            keyboard: the current map.
            pairs: what to map.
            reuse: whether pairs that were assigned before and are not in `pairs` may be replaced.
        """
        kind, levels = widest_type(keyboard)
        halves = levels // 2
        if reuse:
            wanted = set(pairs)
            free = [*(c for c, held in self._assigned.items() if not wanted.issuperset(held)), *self._free(keyboard)]
            kept = {code: held for code, held in self._assigned.items() if code not in free}
        else:
            free, kept = self._free(keyboard), dict(self._assigned)
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

    def assign_key(self, keyboard: KeyboardMap, pair: Pair) -> bool:
        """Map all levels of a keycode to this pair, so that modifiers select no other; False if there is no keycode."""
        kind, levels = widest_type(keyboard)
        keycode = next(iter((*self._free(keyboard), *self._assigned)), None)
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
        self._assigned.update(changed)

    def clear(self) -> None:
        """Remove all assigned symbols from the map."""
        self._keyboard.clear_keys(self._ledger.borrowed)
        self._display.sync()
        self._ledger.forget(borrowed=self._ledger.borrowed)
        self._assigned.clear()

    def _free(self, keyboard: KeyboardMap) -> list[int]:
        probe = self._ledger.get(Word.PROBE_KEYCODE)
        return [code for code in spare_keycodes(keyboard) if code != probe and code not in self._assigned]


def _symbols(pairs: Iterable[Pair]) -> tuple[int, ...]:
    return tuple(symbol for pair in pairs for symbol in pair)


def pairs_for(characters: Iterable[str]) -> list[Pair]:
    """The pairs that type these characters. A letter is paired with its other case, others with each other."""
    cased: dict[Pair, None] = {}
    single: list[int] = []
    for character in dict.fromkeys(characters):
        pair = case_pair(character)
        if pair[0] != pair[1]:
            cased[pair] = None
        else:
            single.append(keysym_of(character))
    return [*cased, *zip_longest(single[::2], single[1::2], fillvalue=_FILLER)]
