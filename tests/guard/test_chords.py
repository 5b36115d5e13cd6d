"""Hotkey notation and matching."""

from __future__ import annotations

import pytest

from operator_console.domain.errors import OperatorError
from operator_console.guard.chords import HeldKeys, Hotkeys, KeyTable, parse_hotkey, parse_hotkeys

HOTKEYS = parse_hotkeys("<ctrl>+<alt>+x", "<ctrl>+<alt>+p", "<ctrl>+<alt>+<enter>")
CTRL, ALT, SHIFT, X, P, ENTER, ALT_GR = 37, 64, 50, 53, 33, 36, 108
US = {CTRL: [0xFFE3], ALT: [0xFFE9, 0xFFE7], SHIFT: [0xFFE1], X: [0x78, 0x58], P: [0x70], ENTER: [0xFF0D]}
RU = {**US, X: [0x6DE, 0x6FE], P: [0x6DA]}
DVORAK = {**US, X: [0x71], 56: [0x78, 0x58]}
SYMBOLS = {HOTKEYS.stop.key: 0x78, HOTKEYS.pause.key: 0x70, HOTKEYS.approve.key: 0xFF0D}


def held(symbols: dict[int, list[int]], *down: int, hotkeys: Hotkeys = HOTKEYS) -> HeldKeys:
    keys = HeldKeys(KeyTable(symbols, hotkeys, SYMBOLS))
    for code in down:
        keys.press(code, synthetic=False)
    return keys


@pytest.mark.parametrize(
    "text", ["<ctrl>+<alt>+x", "<super>+<f12>", "<alt>+<pause>", "<ctrl>+<shift>+<esc>", "<cmd>+q"]
)
def test_good_hotkeys(text: str) -> None:
    assert parse_hotkey(text).text == text


@pytest.mark.parametrize("text", ["x", "<ctrl>", "<ctrl>+<alt>", "<ctrl>+a+b", "<shift>+x", "", "<ctrl>+<nokey>", "+"])
def test_bad_hotkeys_say_how_to_write_one(text: str) -> None:
    with pytest.raises(OperatorError) as error:
        parse_hotkey(text)
    assert "<ctrl>+<alt>+x" in error.value.remedy


def test_two_equal_hotkeys_are_refused() -> None:
    with pytest.raises(OperatorError):
        parse_hotkeys("<ctrl>+<alt>+x", "<alt>+<ctrl>+x", "<ctrl>+<alt>+<enter>")


@pytest.mark.parametrize("symbols", [US, RU], ids=["us", "ru"])
@pytest.mark.parametrize("also", [(), (SHIFT,), (ALT_GR,), (SHIFT, 133)])
def test_the_stop_is_seen_in_any_layout_with_any_other_modifier(
    symbols: dict[int, list[int]], also: tuple[int, ...]
) -> None:
    assert held(symbols, CTRL, ALT, *also).completes(HOTKEYS.stop, X)


def test_both_the_place_and_the_symbol_count() -> None:
    assert held(DVORAK, CTRL, ALT).completes(HOTKEYS.stop, 56)
    assert held(DVORAK, CTRL, ALT).completes(HOTKEYS.stop, X)


def test_alt_gr_counts_as_alt() -> None:
    assert held({**US, ALT_GR: [0xFE03]}, CTRL, ALT_GR).completes(HOTKEYS.stop, X)


@pytest.mark.parametrize("down", [(), (CTRL,), (ALT,), (CTRL, SHIFT)])
def test_half_a_chord_is_none(down: tuple[int, ...]) -> None:
    assert not held(US, *down).completes(HOTKEYS.stop, X)


def test_modifier_bits_count_where_the_ear_has_them() -> None:
    assert held(US).completes(HOTKEYS.stop, X, state=4 | 8)
    assert not held(US).completes(HOTKEYS.stop, X, state=4)


def test_released_keys_do_not_count() -> None:
    keys = held(US, CTRL, ALT)
    keys.release(ALT, synthetic=False)
    assert not keys.completes(HOTKEYS.stop, X)


def test_a_program_neither_begins_nor_completes_an_approval() -> None:
    keys = held(US, CTRL, ALT)
    keys.press(ENTER, synthetic=True)
    assert keys.completes(HOTKEYS.approve, ENTER)
    assert not keys.by_hand(HOTKEYS.approve, ENTER)
    keys.press(ENTER, synthetic=False)
    assert keys.by_hand(HOTKEYS.approve, ENTER)
    keys.release(CTRL, synthetic=False)
    keys.press(CTRL, synthetic=True)
    assert not keys.by_hand(HOTKEYS.approve, ENTER)


def test_what_was_down_at_the_start_never_approves_but_stops() -> None:
    keys = HeldKeys(KeyTable(US, HOTKEYS, SYMBOLS), [CTRL, ALT])
    keys.press(ENTER, synthetic=False)
    assert not keys.by_hand(HOTKEYS.approve, ENTER)
    assert keys.completes(HOTKEYS.stop, X)
    keys.release(CTRL, synthetic=False)
    assert not keys.completes(HOTKEYS.stop, X)
