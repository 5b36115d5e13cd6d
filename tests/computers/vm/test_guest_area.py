"""The machine's screen among a viewer's borders: cut exactly where that is certain, and it does not move in doubt."""

from __future__ import annotations

import numpy as np

from operator_console.computers.vm.guest_area import GuestArea
from operator_console.domain.geometry import Rect, Size

AREA = Size(200, 120)
WHOLE = Rect(0, 0, 200, 120)
GREY = 0x282828


class Screen:
    """A picture of the area: borders, and what the machine shows."""

    def __init__(self, border: int = 0) -> None:
        self.colours = np.full((AREA.height, AREA.width), border, dtype=np.uint32)

    def filled(self, rect: Rect, colour: int = 0x3366CC) -> Screen:
        self.colours[rect.y : rect.bottom, rect.x : rect.right] = colour
        return self

    @property
    def pixels(self) -> bytes:
        return self.colours.tobytes()


def test_borders_on_two_sides_are_cut_off() -> None:
    for guest in (Rect(20, 0, 160, 120), Rect(0, 10, 200, 100), Rect(20, 0, 159, 120)):
        assert GuestArea(0).of(Screen().filled(guest).pixels, AREA) == guest


def test_a_screen_in_the_middle_of_a_larger_area_is_found_by_the_viewers_own_colour() -> None:
    guest = Rect(40, 30, 120, 60)
    assert GuestArea(GREY).of(Screen(GREY).filled(guest).pixels, AREA) == guest


def test_black_at_one_side_belongs_to_the_screen() -> None:
    for guest in (Rect(0, 0, 180, 120), Rect(30, 0, 160, 120)):
        assert GuestArea(0).of(Screen().filled(guest).pixels, AREA) == WHOLE


def test_a_logo_in_the_middle_of_a_black_screen_is_not_taken_for_it() -> None:
    logo = Screen()
    for row in range(40):
        logo.filled(Rect(100 - row, 40 + row, 2 * row, 1))
    assert GuestArea(0).of(logo.pixels, AREA) == WHOLE


def test_a_screen_that_turns_black_keeps_its_place() -> None:
    guest, area = Rect(20, 0, 160, 120), GuestArea(0)
    assert area.of(Screen().filled(guest).pixels, AREA) == guest
    assert area.of(Screen().pixels, AREA) == guest
    assert area.of(Screen().filled(Rect(50, 30, 100, 60)).pixels, AREA) == guest


def test_a_screen_that_becomes_wider_is_found_again() -> None:
    area = GuestArea(0)
    area.of(Screen().filled(Rect(20, 0, 160, 120)).pixels, AREA)
    wider = Rect(5, 0, 190, 120)
    assert area.of(Screen().filled(wider).pixels, AREA) == wider


def test_a_viewer_that_tells_the_proportions_needs_no_picture() -> None:
    assert GuestArea(0).of(Screen().pixels, AREA, Size(50, 50)) == Rect(40, 0, 120, 120)
    assert GuestArea(0).of(Screen().filled(Rect(90, 50, 20, 20)).pixels, AREA, Size(400, 300)) == Rect(20, 0, 160, 120)


def test_a_screen_that_the_viewer_does_not_scale_is_found_in_the_middle() -> None:
    plain = Rect(50, 10, 100, 100)
    area = GuestArea(0)
    assert area.of(Screen().filled(plain).pixels, AREA, plain.size) == plain
    assert area.of(Screen().pixels, AREA, plain.size) == plain
