"""Which character each keycode types, and which keys to press for a character, by a keyboard map of `input_xkb`.

The current group and locks are taken into account: with Caps Lock, Num Lock or a second layout, other keys are pressed,
but the same text is typed. Pure functions.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from operator_console.desktop.x11.input_keysyms import LEVEL3_SHIFT, SHIFT_L, character_of
from operator_console.desktop.x11.input_xkb import ALPHABETIC, LOCK, SHIFT, KeyboardMap, State


@dataclass(frozen=True, slots=True, kw_only=True)
class Stroke:
    """Press `holding` in order, then `keycode`; release in reverse."""

    keycode: int
    holding: tuple[int, ...] = ()


def keycodes_with(keyboard: KeyboardMap, keysyms: Iterable[int]) -> list[int]:
    """Keycodes with one of the keysyms at any level of any group, ascending."""
    wanted = set(keysyms)
    return sorted(code for code, entry in keyboard.keys.items() if wanted.intersection(entry.symbols))


def keycode_for(keyboard: KeyboardMap, keysyms: Iterable[int], group: int) -> int | None:
    """The keycode for the first available keysym: preferably in the current group, then at the lowest level."""
    for keysym in keysyms:
        found: list[tuple[bool, int, int]] = []
        for code, entry in keyboard.keys.items():
            if keysym not in entry.symbols:
                continue
            index = entry.symbols.index(keysym)
            at_group, level = divmod(index, entry.width)
            found.append((at_group != entry.group(group), level, code))
        if found:
            return min(found)[2]
    return None


def spare_keycodes(keyboard: KeyboardMap) -> list[int]:
    """Keycodes without keysyms that are not modifiers, highest first."""
    return sorted(
        (code for code, entry in keyboard.keys.items() if entry.blank and code not in keyboard.modifiers and code > 8),
        reverse=True,
    )


def modifier_keys(keyboard: KeyboardMap) -> dict[int, int]:
    """For Shift and the third level: a keycode for the modifier bit that it alone sets while held."""
    keys: dict[int, int] = {}
    for keysym in (SHIFT_L, LEVEL3_SHIFT):
        for code in keycodes_with(keyboard, (keysym,)):
            bits = keyboard.modifiers.get(code, 0)
            if bits and bits & (bits - 1) == 0 and bits != LOCK:
                keys.setdefault(bits, code)
    return keys


def yields(keyboard: KeyboardMap, keycode: int, *, group: int, modifiers: int) -> str:
    """The character that a key types, "" if none.

    Also "" if toolkits disagree: for a letter under Caps Lock whose key type ignores the lock.
    """
    entry = keyboard.keys.get(keycode)
    at = entry.group(group) if entry is not None else None
    if entry is None or at is None:
        return ""
    kind = keyboard.types[entry.types[at]]
    character = character_of(entry.symbol(at, kind.level(modifiers)))
    if modifiers & LOCK and not kind.consumes(modifiers) & LOCK and character.upper() != character.lower():
        return ""  # most toolkits capitalise it (and differ for ß, ς and ı); Chromium's `key` does not
    return character


def strokes(keyboard: KeyboardMap, state: State, *, without: Iterable[int] = ()) -> dict[str, Stroke]:
    """Every character that the map can type, with the stroke of fewest modifiers; `without` these keycodes."""
    left_out = {*without, *keyboard.modifiers}
    holders = modifier_keys(keyboard)
    table: dict[str, Stroke] = {}
    bits = sorted(holders)
    combinations = [tuple(bit for i, bit in enumerate(bits) if choice >> i & 1) for choice in range(1 << len(bits))]
    for combination in sorted(combinations, key=lambda c: (len(c), SHIFT not in c)):
        modifiers = state.locked | sum(combination)
        holding = tuple(holders[bit] for bit in combination)
        for keycode, entry in keyboard.keys.items():
            if entry.blank or keycode in left_out:
                continue
            character = yields(keyboard, keycode, group=state.group, modifiers=modifiers)
            if character and character not in table:
                table[character] = Stroke(keycode=keycode, holding=holding)
    return table


def holding_for(keyboard: KeyboardMap, keycode: int, keysyms: Iterable[int], state: State) -> tuple[int, ...]:
    """Modifier keys to hold so that a key yields one of the keysyms with the current locks and group; () if none."""
    wanted = set(keysyms)
    entry = keyboard.keys[keycode]
    at = entry.group(state.group) or 0
    kind = keyboard.types[entry.types[at]]
    holders = modifier_keys(keyboard)
    for bits in ((), (SHIFT,), *((bit,) for bit in holders if bit != SHIFT), tuple(sorted(holders))):
        if entry.symbol(at, kind.level(state.locked | sum(bits))) in wanted:
            return tuple(holders[bit] for bit in bits if bit in holders)
    return ()


def widest_type(keyboard: KeyboardMap) -> tuple[int, int]:
    """The key type for a borrowed keycode, and its number of levels: two letters with capitals if the map allows it."""
    third = next((bit for bit in modifier_keys(keyboard) if bit != SHIFT), 0)
    levels = {SHIFT: 1, LOCK: 1, third: 2, third | SHIFT: 3, third | LOCK: 3, third | SHIFT | LOCK: 2}
    fit = [i for i, kind in enumerate(keyboard.types) if kind.mask == SHIFT | LOCK | third and kind.levels == levels]
    # A type of eight levels would do, but clients that read the core map then look for the third level elsewhere.
    return (min(fit, key=lambda index: keyboard.types[index].width), 4) if third and fit else (ALPHABETIC, 2)
