"""Shutters, as the operator writes them."""

from __future__ import annotations

import pytest

from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.geometry import Rect
from operator_console.domain.shutters import (
    AppShutter,
    RegionShutter,
    WindowShutter,
    parse_shutter,
    parse_shutters,
    shutter_text,
    shutters_for,
)


@pytest.mark.parametrize(
    ("text", "shutter"),
    [
        ("region:0,10,300x40", RegionShutter(rect=Rect(0, 10, 300, 40))),
        ("window:Passwords: all", WindowShutter(title="Passwords: all")),
        ("app:KeePassXC", AppShutter(name="KeePassXC")),
    ],
)
def test_what_is_written_is_read(text: str, shutter: object) -> None:
    assert parse_shutter(text) == shutter
    assert shutter_text(parse_shutter(text)) == text


@pytest.mark.parametrize("text", ["", "region:", "region:1,2", "region:1,2,0x5", "window: ", "app:", "screen:1"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(OperatorError) as caught:
        parse_shutter(text)
    assert caught.value.exit_code is ExitCode.USAGE
    assert "region:X,Y,WxH" in str(caught.value.remedy)


def test_repeats_count_once() -> None:
    assert len(parse_shutters(["app:a", "app:a", "app:b"])) == 2


def test_the_settings_name_targets() -> None:
    kept = ("app:KeePassXC", "monitor:1 region:0,0,10x10", "window:Notes app:Chat", "window:My bank")
    assert shutters_for(kept, "monitor:1") == (
        AppShutter(name="KeePassXC"), RegionShutter(rect=Rect(0, 0, 10, 10)), WindowShutter(title="My bank"),
    )  # fmt: skip
    assert shutters_for(kept, "window:Notes") == (
        AppShutter(name="KeePassXC"), AppShutter(name="Chat"), WindowShutter(title="My bank"),
    )  # fmt: skip
