"""A cross is found at its middle pixel, and nothing else is taken for one."""

from __future__ import annotations

import asyncio

import pytest

from operator_console.app.target_trial import find_cross
from operator_console.domain.frames import Frame
from operator_console.domain.geometry import NativePoint, Rect, Size
from tests.fakes.computer import FakeComputer

COLOUR, RGB = 0xD6006E, (0xD6, 0x00, 0x6E)


def pictured(*parts: Rect) -> Frame:
    computer = FakeComputer(Size(200, 150))
    for part in parts:
        computer.paint(part, RGB)
    return asyncio.run(computer.glimpse())


def cross(x: int, y: int) -> tuple[Rect, Rect]:
    return Rect(x - 20, y - 1, 41, 3), Rect(x - 1, y - 20, 3, 41)


@pytest.mark.parametrize("at", [(20, 20), (101, 77), (179, 129)])
def test_a_cross_is_found_at_its_middle_pixel(at: tuple[int, int]) -> None:
    assert find_cross(pictured(*cross(*at)), COLOUR) == NativePoint(*at)


@pytest.mark.parametrize(
    "parts",
    [(), cross(100, 75)[:1], cross(100, 0), (*cross(60, 60), Rect(150, 10, 5, 5)), (Rect(10, 10, 3, 3),)],
    ids=["none", "an arm", "cut off", "something else of its colour", "a dot"],
)
def test_what_is_no_whole_cross_is_not_found(parts: tuple[Rect, ...]) -> None:
    assert find_cross(pictured(*parts), COLOUR) is None
