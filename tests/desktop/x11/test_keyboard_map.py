"""Keysyms, key types, and the keys that type a character."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from operator_console.desktop.x11.input_keysyms import case_pair, character_of, keysym_of, keysyms_of_key
from operator_console.desktop.x11.keyboard_map import (
    KeyboardMap,
    KeyEntry,
    KeyType,
    State,
    spare_keycodes,
    strokes,
    widest_type,
    yields,
)
from operator_console.domain.keys import _NAMES, Key
from operator_console.injector.keyboard.spare_keycodes import pairs_for

SHIFT, LOCK = 1, 2
ONE = KeyType(mask=0, levels={}, width=1, kept={})
TWO = KeyType(mask=1, levels={1: 1}, width=2, kept={})
ALPHA = KeyType(mask=3, levels={1: 1, 2: 1}, width=2, kept={})


def entry(kind: int, *symbols: int, groups: int = 1) -> KeyEntry:
    width = len(symbols) // groups
    return KeyEntry(types=(kind,) * groups, width=width, symbols=symbols, wraps=0, redirect=0)


BLANK = KeyEntry(types=(), width=0, symbols=(), wraps=0, redirect=0)
BOARD = KeyboardMap(
    types=(ONE, TWO, ALPHA),
    keys={
        10: entry(1, 0x31, 0x21),
        38: entry(2, 0x61, 0x41, 0x6C6, 0x6E6, groups=2),
        39: entry(1, 0xDF, 0x3F),
        40: entry(1, 0x2B9, 0xB5),
        41: entry(1, 0x7F3, 0xE4),
        50: entry(0, 0xFFE1),
        93: BLANK,
        97: BLANK,
    },
    modifiers={50: 1},
)


def test_every_named_key_has_a_keysym() -> None:
    assert [key for key in _NAMES.values() if len(key) > 1 and not keysyms_of_key(key)] == []
    assert keysyms_of_key(Key("ł")) == (0x1000142,)


@given(st.characters(min_codepoint=0x20, exclude_categories=("Cs", "Cc")))
@example("ǅ")
@example("ς")
@example("ŉ")
def test_a_character_survives_the_way_to_a_keysym_and_back(character: str) -> None:
    assert character_of(keysym_of(character)) == character
    lower, upper = (character_of(symbol) for symbol in case_pair(character))
    assert character in {lower, upper}
    assert lower == upper or (lower.upper(), upper.lower()) == (upper, lower)


def test_older_keysyms_mean_what_their_tables_say() -> None:
    for keysym, character in {
        0x1B3: "ł", 0x6C6: "ф", 0x6E6: "Ф", 0x6D7: "в", 0x7E1: "α", 0x7D9: "Ω", 0x20AC: "€", 0x13BE: "Ÿ", 0xFF0D: "",
        0xFFB1: "", 0xFE51: "", 0x10020AC: "€", 0x100D800: "", 0: "",
    }.items():  # fmt: skip
        assert character_of(keysym) == character, hex(keysym)


def test_older_keysyms_agree_with_pynputs_table() -> None:
    """pynput's own table, read as source (its package needs a display to be imported)."""
    import importlib.util
    import runpy

    spec = importlib.util.find_spec("pynput")
    assert spec is not None
    assert spec.origin is not None
    table = runpy.run_path(str(Path(spec.origin).parent / "_util" / "xorg_keysyms.py"))["SYMBOLS"]
    wrong = {
        name: (hex(keysym), theirs, character_of(keysym))
        for name, (keysym, theirs) in table.items()
        if keysym >= 0x100 and character_of(keysym) not in {"", theirs}
    }
    # 0x10001d1 is U+01D1 and 0x1002248 is U+2248; pynput has them wrong.
    assert set(wrong) <= {"Ocaron", "approxeq"}


def test_locks_and_groups_change_the_keys_and_not_the_text() -> None:
    plain = strokes(BOARD, State(held=0, latched=0, locked=0, group=0))
    locked = strokes(BOARD, State(held=0, latched=0, locked=LOCK, group=0))
    russian = strokes(BOARD, State(held=0, latched=0, locked=0, group=1))
    assert (plain["a"].holding, plain["A"].holding) == ((), (50,))
    assert (locked["a"].holding, locked["A"].holding) == ((50,), ())
    assert (locked["1"].holding, locked["!"].holding) == ((), (50,))
    assert "a" not in russian
    assert (russian["ф"].keycode, russian["1"].keycode) == (38, 10)


@pytest.mark.parametrize(("keycode", "shift", "letter"), [(39, 0, "ß"), (40, 0, "ı"), (40, 1, "µ"), (41, 1, "ä")])
def test_a_letter_under_a_lock_that_its_key_ignores_is_not_relied_on(keycode: int, shift: int, letter: str) -> None:
    assert yields(BOARD, keycode, group=0, modifiers=shift) == letter
    assert yields(BOARD, keycode, group=0, modifiers=shift | LOCK) == ""
    assert yields(BOARD, 10, group=0, modifiers=SHIFT | LOCK) == "!"


def test_spare_keycodes_are_blank_ones() -> None:
    assert spare_keycodes(BOARD) == [97, 93]
    assert widest_type(BOARD) == (2, 2)


def test_the_narrowest_type_that_fits_is_lent() -> None:
    """Clients that read the core map look for the third level of a type of eight elsewhere."""
    third = 0x80
    levels = {SHIFT: 1, LOCK: 1, third: 2, third | SHIFT: 3, third | LOCK: 3, third | SHIFT | LOCK: 2}
    wide, fit = (KeyType(mask=SHIFT | LOCK | third, levels=levels, width=width, kept={}) for width in (8, 4))
    board = KeyboardMap(
        types=(*BOARD.types, wide, fit), keys={**BOARD.keys, 108: entry(0, 0xFE03)}, modifiers={50: SHIFT, 108: third}
    )
    assert widest_type(board) == (4, 4)


def test_pairs_bring_the_other_case_and_share_halves() -> None:
    assert len(pairs_for("łŁż")) == 2
    assert len(pairs_for("你好日")) == 2
    assert pairs_for("") == []


@pytest.mark.parametrize("letters", ["ς", "ßıſ", "ǅ", "你"])
def test_no_key_is_lent_one_symbol_twice(letters: str) -> None:
    """GTK makes a capital of it under Caps Lock."""
    pairs = pairs_for(letters)
    assert all(one != other for one, other in pairs)
    assert {keysym_of(letter) for letter in letters} <= {symbol for pair in pairs for symbol in pair}
