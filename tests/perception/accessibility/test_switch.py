"""Where a screen reader would begin to speak, it is not announced."""

from __future__ import annotations

import pytest

from operator_console.perception.accessibility.atspi.switch import screen_reader_starts


@pytest.mark.parametrize(
    ("desktop", "orca", "starts"),
    [
        ("GNOME", True, True),
        ("ubuntu:GNOME", True, True),
        ("X-Cinnamon", True, True),
        ("GNOME", False, False),
        ("XFCE", True, False),
        ("KDE", True, False),
        ("", True, False),
    ],
)
def test_a_screen_reader_starts_on_some_desktops(desktop: str, orca: bool, starts: bool) -> None:
    assert screen_reader_starts({"XDG_CURRENT_DESKTOP": desktop}, orca) is starts
