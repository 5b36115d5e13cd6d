"""Keys of layouts as the key tops of keyboards show them; tests/display/injector has every key against an X server."""

from __future__ import annotations

import string

import pytest

from operator_console.desktop.keyboard_layouts import (
    SHIFT,
    Stroke,
    keyboard_layout,
    known_layouts,
    why_no_layout,
)
from operator_console.domain.keys import Key

ALT_GR = 100
Y, Z, E, Q = 21, 44, 18, 16  # where American keyboards have them


def stroke(layout: str, character: str) -> Stroke | None:
    found = keyboard_layout(layout)
    assert found is not None
    return found.stroke(character)


@pytest.mark.parametrize(
    ("layout", "character", "key", "holding"),
    [
        ("us", "z", Z, ()), ("us", "@", 3, (SHIFT,)), ("us", "\n", 28, ()), ("us", "\t", 15, ()), ("us", " ", 57, ()),
        ("de", "z", Y, ()), ("de", "Z", Y, (SHIFT,)), ("de", "@", Q, (ALT_GR,)), ("de", "ß", 12, ()),
        ("de", "€", E, (ALT_GR,)), ("de", "|", 86, (ALT_GR,)), ("de(nodeadkeys)", "^", 41, ()),
        ("fr", "1", 2, (SHIFT,)), ("fr", "a", Q, ()), ("fr", "é", 3, ()), ("fr", "\\", 9, (ALT_GR,)),
        ("gb", "£", 4, (SHIFT,)), ("gb", "#", 43, ()), ("pl", "Ż", Z, (SHIFT, ALT_GR)),
        ("ru", "й", Q, ()), ("us(dvorak)", "o", 31, ()),
    ],
)  # fmt: skip
def test_a_character_is_written_by_the_key_that_shows_it(
    layout: str, character: str, key: int, holding: tuple[int, ...]
) -> None:
    assert stroke(layout, character) == Stroke(key=key, holding=holding)


@pytest.mark.parametrize("layout", ["us", "gb", "de", "fr", "pl"])
def test_all_of_ascii_can_be_written(layout: str) -> None:
    found = keyboard_layout(layout)
    assert found is not None
    assert [each for each in string.printable[:95] if not found.strokes(each)] == []


def test_digits_are_not_the_keypads_which_num_lock_changes() -> None:
    assert [stroke("us", each) for each in "1+."] == [Stroke(key=2), Stroke(key=13, holding=(SHIFT,)), Stroke(key=52)]


def test_a_dead_key_is_used_only_where_no_key_writes_the_character() -> None:
    german = keyboard_layout("de")
    assert german is not None
    assert german.stroke("^") is None
    assert german.strokes("^") == (Stroke(key=41), Stroke(key=57))
    assert german.strokes("`") == (Stroke(key=13, holding=(SHIFT,)), Stroke(key=57))
    assert german.strokes("É") == (Stroke(key=13), Stroke(key=E, holding=(SHIFT,)))
    assert german.strokes("ä") == (Stroke(key=40),)
    assert german.strokes("č") == (), "systems differ in what an accent on it makes"
    assert german.strokes("ż") == ()


@pytest.mark.parametrize(
    ("layout", "name", "key"),
    [
        ("de", "ctrl", 29), ("de", "alt_gr", ALT_GR), ("us", "alt_gr", ALT_GR), ("de", "super", 125), ("de", "up", 103),
        ("de", "kp_1", 79), ("de", "kp_decimal", 83), ("de", "f12", 88), ("de", "delete", 111), ("de", "z", Y),
        ("de", "Z", Y), ("ru", "c", 46), ("gr", "c", 46),
    ],
)  # fmt: skip
def test_a_named_key_is_where_the_layout_has_it(layout: str, name: str, key: int) -> None:
    found = keyboard_layout(layout)
    assert found is not None
    assert found.key(Key(name)) == Stroke(key=key)


def test_a_character_in_a_chord_brings_what_it_needs() -> None:
    german = keyboard_layout("de")
    assert german is not None
    assert german.key(Key("/")) == Stroke(key=8, holding=(SHIFT,))
    assert german.key(Key("plus")) == Stroke(key=27)
    assert german.key(Key("f20")) is None


def test_a_layout_that_does_not_exist_is_none_and_says_why() -> None:
    for name in ("none", "de(none)", "", "us,de", "de(nodeadkeys", "../us"):
        assert keyboard_layout(name) is None
    assert "no keyboard layout none" in why_no_layout("none")


def test_without_the_library_every_layout_is_none_and_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("operator_console.desktop.keyboard_layouts._library", lambda: None)
    assert keyboard_layout("us(altgr-intl)") is None
    assert "libxkbcommon0" in why_no_layout("us(altgr-intl)")
    keyboard_layout.cache_clear()


def test_known_layouts_can_all_be_read() -> None:
    known = known_layouts()
    assert known["de(nodeadkeys)"] == "German (no dead keys)"
    assert list(known)[::40] == sorted(list(known)[::40])
    assert [name for name in list(known)[::20] if keyboard_layout(name) is None] == []
