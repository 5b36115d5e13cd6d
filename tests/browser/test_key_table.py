"""Keys are named as UI Events names them. The codes are those of https://www.w3.org/TR/uievents-code/."""

from __future__ import annotations

import string
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.browser.key_table import ALT, CTRL, META, SHIFT, character_stroke, key_stroke
from operator_console.domain.keys import MODIFIERS, Key

CODES = {
    *(f"Key{each}" for each in string.ascii_uppercase), *(f"Digit{each}" for each in range(10)),
    *(f"Numpad{each}" for each in range(10)), *(f"F{each}" for each in range(1, 25)),
    *(f"Numpad{each}" for each in ("Add", "Subtract", "Multiply", "Divide", "Decimal", "Enter")),
    *(f"Arrow{each}" for each in ("Up", "Down", "Left", "Right")),
    *(f"{each}{side}" for each in ("Control", "Shift", "Alt", "Meta") for side in ("Left", "Right")),
    "Backquote", "Minus", "Equal", "BracketLeft", "BracketRight", "Backslash", "Semicolon", "Quote", "Comma", "Period",
    "Slash", "Space", "Enter", "Tab", "Backspace", "Delete", "Insert", "Home", "End", "PageUp", "PageDown", "Escape",
    "CapsLock", "NumLock", "ScrollLock", "PrintScreen", "Pause", "ContextMenu", "Help",
}  # fmt: skip
NAMED = (
    *sorted(MODIFIERS), "enter", "kp_enter", "esc", "tab", "space", "backspace", "delete", "insert", "home", "end",
    "page_up", "page_down", "up", "down", "left", "right", "caps_lock", "num_lock", "scroll_lock", "print_screen",
    "pause", "menu", "help", *(f"f{each}" for each in range(1, 13)), *(f"kp_{each}" for each in range(10)), "kp_add",
    "kp_subtract", "kp_multiply", "kp_divide", "kp_decimal",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMED)
def test_a_named_key_has_a_code_of_the_standard(name: str) -> None:
    stroke = key_stroke(Key(name))
    assert stroke is not None
    assert stroke.code in CODES
    assert 0 < stroke.virtual_key < 256
    assert (stroke.location == 3) == stroke.code.startswith("Numpad")
    assert (stroke.location == 2) == (stroke.code.endswith("Right") and name in MODIFIERS)


def test_the_codes_of_characters_are_the_standard_s_and_none_is_written_by_two_keys() -> None:
    strokes = {each: character_stroke(each) for each in map(chr, range(32, 127))}
    assert all(stroke is not None and stroke.code in CODES for stroke in strokes.values())
    written = {(stroke.code, stroke.shifted) for stroke in strokes.values() if stroke is not None}
    assert len(written) == len(strokes)


@pytest.mark.parametrize(("name", "bit"), [("alt", ALT), ("ctrl_r", CTRL), ("super", META), ("shift", SHIFT), ("a", 0)])
def test_modifiers_set_their_bit(name: str, bit: int) -> None:
    stroke = key_stroke(Key(name))
    assert stroke is not None
    assert stroke.modifier == bit


@pytest.mark.parametrize("name", ["volume_up", "f", "f0x", "kp_", "nonsense"])
def test_what_is_no_key_of_a_page_has_none(name: str) -> None:
    stroke = key_stroke(Key(name))
    assert stroke is None or name == "f"


@given(st.characters(categories=("L", "M", "N", "P", "S", "Zs", "Cf")))
def test_a_key_writes_the_very_character(character: str) -> None:
    stroke = character_stroke(character)
    if stroke is not None:
        assert (stroke.above if stroke.shifted and stroke.above else stroke.text) == character
        assert stroke.code == "" or stroke.code in CODES


@pytest.mark.parametrize("character", "漢かカ한，👩🇵\u200d\ufe0f\u20e3☝")
def test_what_input_methods_write_has_no_key(character: str) -> None:
    assert character_stroke(character) is None


@pytest.mark.parametrize(("character", "code"), [("ż", "KeyZ"), ("É", "KeyE"), ("ф", ""), ("ب", ""), ("ไ", "")])
def test_letters_of_other_alphabets_have_keys(character: str, code: str) -> None:
    stroke = character_stroke(character)
    assert stroke is not None
    assert stroke.code == code
    assert stroke.shifted == unicodedata.category(character).startswith("Lu")
