"""Hotkey notation and matching."""

from __future__ import annotations

import pytest

from operator_console.domain.errors import OperatorError
from operator_console.guard.hotkey_matching import (
    ChordMatcher,
    Hotkeys,
    KeyTable,
    Match,
    parse_hotkey,
    parse_hotkeys,
)

HOTKEYS = parse_hotkeys("<ctrl>+<alt>+x", "<ctrl>+<alt>+p", "<ctrl>+<alt>+<enter>")
CTRL, ALT, SHIFT, X, P, ENTER, ALT_GR, PROBE = 37, 64, 50, 53, 33, 36, 108, 248
US = {CTRL: [0xFFE3], ALT: [0xFFE9, 0xFFE7], SHIFT: [0xFFE1], X: [0x78, 0x58], P: [0x70], ENTER: [0xFF0D]}
RU = {**US, X: [0x6DE, 0x6FE], P: [0x6DA]}
DVORAK = {**US, X: [0x71], 56: [0x78, 0x58]}
SYMBOLS = {HOTKEYS.stop.key: 0x78, HOTKEYS.pause.key: 0x70, HOTKEYS.approve.key: 0xFF0D}


def held(symbols: dict[int, list[int]], *down: int, hotkeys: Hotkeys = HOTKEYS) -> ChordMatcher:
    keys = ChordMatcher(KeyTable(symbols, hotkeys, SYMBOLS), hotkeys, probe_keycode=PROBE)
    for code in down:
        keys.press(code, synthetic=False)
    return keys


def press(keys: ChordMatcher, keycode: int, *, synthetic: bool = False, state: int = 0) -> Match | None:
    return keys.press(keycode, synthetic=synthetic, state=state)


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
    assert press(held(symbols, CTRL, ALT, *also), X) is Match.STOP


def test_both_the_place_and_the_symbol_count() -> None:
    assert press(held(DVORAK, CTRL, ALT), 56) is Match.STOP
    assert press(held(DVORAK, CTRL, ALT), X) is Match.STOP


def test_alt_gr_counts_as_alt() -> None:
    assert press(held({**US, ALT_GR: [0xFE03]}, CTRL, ALT_GR), X) is Match.STOP


@pytest.mark.parametrize("down", [(), (CTRL,), (ALT,), (CTRL, SHIFT)])
def test_half_a_chord_matches_nothing(down: tuple[int, ...]) -> None:
    assert press(held(US, *down), X) is None


def test_modifier_bits_count_where_the_listener_has_them() -> None:
    assert press(held(US), X, state=4 | 8) is Match.STOP
    assert press(held(US), X, state=4) is None


def test_released_keys_do_not_count() -> None:
    keys = held(US, CTRL, ALT)
    keys.release(ALT, synthetic=False)
    assert press(keys, X) is None


def test_the_pause_chord_is_not_a_stop() -> None:
    assert press(held(US, CTRL, ALT), P) is Match.PAUSE


def test_a_program_neither_begins_nor_completes_an_approval() -> None:
    keys = held(US, CTRL, ALT)
    assert press(keys, ENTER, synthetic=True) is None
    assert press(keys, ENTER) is Match.APPROVE
    keys = held(US, ALT)
    keys.press(CTRL, synthetic=True)
    assert press(keys, ENTER) is None


def test_a_key_that_repeats_approves_once_until_the_chord_is_let_go() -> None:
    keys = held(US, CTRL, ALT)
    assert [press(keys, ENTER) for _ in range(2)] == [Match.APPROVE, None]
    keys.release(ENTER, synthetic=False)
    assert press(keys, ENTER) is None
    keys.release(CTRL, synthetic=False)
    keys.press(CTRL, synthetic=False)
    assert press(keys, ENTER) is Match.APPROVE


def test_what_was_down_at_the_start_never_approves_but_stops() -> None:
    keys = ChordMatcher(KeyTable(US, HOTKEYS, SYMBOLS), HOTKEYS, [CTRL, ALT])
    assert press(keys, ENTER) is None
    assert press(keys, X) is Match.STOP
    keys.release(CTRL, synthetic=False)
    assert press(keys, X) is None


def test_the_probe_matches_on_press_and_release_and_is_no_part_of_a_chord() -> None:
    keys = held(US, CTRL, ALT)
    assert press(keys, PROBE, synthetic=True) is Match.PROBE
    assert keys.release(PROBE, synthetic=True) is Match.PROBE
    assert press(keys, X) is Match.STOP
