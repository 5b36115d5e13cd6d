"""A hand's motion is told from a table that shakes, for devices that tell steps and for those that tell places."""

from __future__ import annotations

import pytest

from operator_console.guard.x11.hand_motion import HandMotion

MOUSE, TABLET, NESTED = 8, 9, 10


@pytest.fixture
def motion() -> HandMotion:
    return HandMotion({TABLET: (32_767.0, 32_767.0), NESTED: (0.0, 0.0)})


def test_a_mouse_moves_by_more_than_a_few_pixels(motion: HandMotion) -> None:
    assert not motion.moved(MOUSE, {0: 2.0}, 1.0)
    assert not motion.moved(MOUSE, {1: -3.0}, 1.1)
    assert motion.moved(MOUSE, {0: 1.0, 1: 1.0}, 1.2)


def test_a_table_that_shakes_is_no_hand(motion: HandMotion) -> None:
    assert not any(motion.moved(MOUSE, {0: 2.0 * (-1) ** number}, float(number)) for number in range(20))


def test_a_tablet_tells_places_in_its_own_range(motion: HandMotion) -> None:
    assert not motion.moved(TABLET, {0: 16_000.0, 1: 16_000.0}, 1.0), "the first place is no motion"
    assert not motion.moved(TABLET, {0: 16_020.0, 1: 16_000.0}, 1.1)
    assert motion.moved(TABLET, {0: 16_400.0, 1: 16_000.0}, 1.2)


def test_places_without_a_range_are_pixels(motion: HandMotion) -> None:
    assert not motion.moved(NESTED, {0: 100.0, 1: 100.0}, 1.0)
    assert motion.moved(NESTED, {0: 140.0, 1: 100.0}, 1.1)


def test_the_wheel_is_no_motion(motion: HandMotion) -> None:
    assert not motion.moved(MOUSE, {3: 120.0}, 1.0)
