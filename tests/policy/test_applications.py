"""What sort of application policy takes a window for."""

from __future__ import annotations

import pytest

from operator_console.policy.applications import is_terminal


@pytest.mark.parametrize(
    "app",
    [
        "XTerm", "URxvt", "kgx", "org.gnome.Ptyxis", "com.mitchellh.ghostty", "Gnome-terminal", "Gnome-terminal-server",
        "konsole", "kitty", "Alacritty", "foot", "org.wezfurlong.wezterm", "Tilix", "Guake", "Yakuake", "st", "Tilda",
        "dev.warp.Warp", "Hyper", "Rio", "com.raggesilver.BlackBox", "Terminator", "terminology", "cool-retro-term",
        "SomeNewTerm",
    ],
)  # fmt: skip
def test_terminals_are_known_by_name(app: str) -> None:
    assert is_terminal(app, "")


@pytest.mark.parametrize("app", ["Mousepad", "Chromium", "Determinator", "Thermometer", "", "Files"])
def test_others_are_none(app: str) -> None:
    assert not is_terminal(app, "")


def test_a_shells_prompt_as_the_title_tells_too() -> None:
    assert is_terminal("python3", "me@here: ~/work")
    assert not is_terminal("python3", "Notes")
