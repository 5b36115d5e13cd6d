"""Every spelling the dialects use names the right key; anything else is an error that lists the nearest."""

from __future__ import annotations

import pytest

from operator_console.domain.keys import _NAMES, Key, UnknownKey, parse_chord, parse_key, show_keys


@pytest.mark.parametrize(
    ("spelling", "keys"),
    [
        ("Control+C", ("ctrl", "c")),
        ("ctrl c", ("ctrl", "c")),
        ("ctrl-s", ("ctrl", "s")),
        ("CTRL+SHIFT+T", ("ctrl", "shift", "t")),
        ("Control++", ("ctrl", "+")),
        ("+", ("+",)),
        ("-", ("-",)),
        ("ctrl+-", ("ctrl", "-")),
        ("Page_Down", ("page_down",)),
        ("PageDown", ("page_down",)),
        ("page down", ("page_down",)),
        ("Return", ("enter",)),
        ("KP_Enter", ("kp_enter",)),
        ("Lcontrol", ("ctrl",)),
        ("Rmenu", ("alt_gr",)),
        ("ARROWLEFT", ("left",)),
        ("CMD", ("super",)),
        ("Shift-Tab", ("shift", "tab")),
        ("XF86AudioMute", ("volume_mute",)),
        ("space", ("space",)),
        ("ł", ("ł",)),
        ("super", ("super",)),
        ("ctrl + c", ("ctrl", "c")),
        ("Ctrl + Shift + T", ("ctrl", "shift", "t")),
        ("ctrl + +", ("ctrl", "+")),
        ("ctrl, c", ("ctrl", "c")),
        ("ctrl,shift,t", ("ctrl", "shift", "t")),
        ("<ctrl>+c", ("ctrl", "c")),
        ("<Control>c", ("ctrl", "c")),
        ("<Ctrl><Shift>t", ("ctrl", "shift", "t")),
        ("<alt>+<f4>", ("alt", "f4")),
        ("<esc>", ("esc",)),
        ("^c", ("ctrl", "c")),
        ("^", ("^",)),
        ("⌘C", ("super", "c")),
        ("⇧⌘S", ("shift", "super", "s")),
        ("⌃ + a", ("ctrl", "a")),
        ("C-a", ("ctrl", "a")),
        ("C-M-Del", ("ctrl", "alt", "delete")),
        ("Ctrl-A", ("ctrl", "a")),
        ("KP_Home", ("home",)),
        ("KP_Page_Down", ("page_down",)),
        ("KP_Next", ("page_down",)),
        ("ISO_Left_Tab", ("shift", "tab")),
        ("Shift+F10", ("shift", "f10")),
        ("ctrl--", ("ctrl", "-")),
        ("⌘+c", ("super", "c")),
        ("⇧⇥", ("shift", "tab")),
        ("ctrl+→", ("ctrl", "right")),
        ("↵", ("enter",)),
        ("Windows key", ("super",)),
        ("AltGraph", ("alt_gr",)),
    ],
)
def test_a_spelling_names_its_keys(spelling: str, keys: tuple[str, ...]) -> None:
    assert parse_chord(spelling) == keys


@pytest.mark.parametrize(
    "spelling", ["", "   ", "entr", "ctrl+banana", "hyperdrive", "c-a", "x-y", "<>", "<banana>+c", "--", ",,"]
)
def test_an_unknown_name_is_an_error(spelling: str) -> None:
    with pytest.raises(UnknownKey):
        parse_chord(spelling)


def test_the_error_lists_the_nearest_names() -> None:
    with pytest.raises(UnknownKey, match="enter"):
        parse_key("entr")


def test_every_canonical_name_names_itself() -> None:
    assert all(parse_key(name) == name for name in _NAMES.values() if len(name) > 1)


def test_keys_are_shown_as_people_write_them() -> None:
    assert show_keys((Key("ctrl"), Key("page_down"), Key("s"))) == "Ctrl+Page Down+S"
