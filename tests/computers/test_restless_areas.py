"""What changes by itself is told from what an input did."""

from __future__ import annotations

from operator_console.computers.restless_areas import RestlessAreas
from operator_console.domain.frames import ImageNeeds
from operator_console.domain.geometry import Rect, Size
from tests.fakes.computer import FakeComputer

CARET = Rect(100, 50, 2, 16)
FILM = Rect(10, 10, 200, 150)
NEEDS = ImageNeeds()


async def learned(*places: Rect) -> RestlessAreas:
    """Areas that have seen these places change in two steps, and itself what changed in the last one."""
    computer, noise = FakeComputer(Size(400, 300)), RestlessAreas()
    for step in (1, 2):
        before = await computer.observe(NEEDS)
        for place in places:
            computer.paint(place, (step, 2, 3))
        noise.learn(before, await computer.observe(NEEDS))
    return noise


async def test_a_caret_that_blinked_before_an_input_is_no_effect_of_it() -> None:
    noise = await learned(CARET)
    assert noise.restless(CARET)
    assert noise.effect((CARET,)) is False


async def test_what_changed_once_by_itself_is_not_held_against_it_for_good() -> None:
    computer, noise = FakeComputer(Size(400, 300)), RestlessAreas()
    before = await computer.observe(NEEDS)
    computer.paint(CARET, (1, 2, 3))
    after = await computer.observe(NEEDS)
    noise.learn(before, after)
    assert noise.effect((CARET,)) is None, "it moved just before, so nothing can be told"
    noise.learn(after, after)
    assert noise.effect((CARET,)) is True


async def test_a_letter_beside_the_caret_is_one() -> None:
    noise = await learned(CARET)
    assert noise.effect((Rect(94, 50, 8, 16),)) is True


async def test_a_caret_and_a_clock_far_apart_are_two_places() -> None:
    clock = Rect(350, 10, 20, 12)
    noise = await learned(CARET, clock)
    assert noise.effect((CARET, clock)) is False
    assert noise.effect((Rect(100, 10, 270, 56),)) is True


async def test_within_a_film_nothing_can_be_told() -> None:
    noise = await learned(FILM)
    assert noise.effect((Rect(20, 20, 60, 60),)) is None
    assert noise.effect((Rect(20, 20, 60, 60), Rect(300, 200, 10, 10))) is True
    assert not noise.restless(FILM), "large places are not remembered"


async def test_a_place_that_only_changed_once_after_an_input_is_not_noise() -> None:
    noise = await learned()
    assert noise.effect((CARET,)) is True
    assert not noise.restless(CARET)
    assert noise.effect(()) is False
