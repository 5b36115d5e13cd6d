"""A delivered press is a person's if the raw events just before it all came from physical devices."""

from __future__ import annotations

import pytest

from operator_console.desktop.x11.input_devices import from_devices_alone

PERSON, PROGRAM = False, True


@pytest.mark.parametrize("later_ms", [0, 1, 5])
def test_the_press_of_a_device_counts_also_where_its_event_was_dated_a_little_later(later_ms: int) -> None:
    assert from_devices_alone([(900, PERSON), (1000, PERSON)], 1000 + later_ms)


@pytest.mark.parametrize("later_ms", [0, 1, 5])
def test_the_press_of_a_program_counts_in_no_case(later_ms: int) -> None:
    assert not from_devices_alone([(900, PERSON), (1000, PROGRAM)], 1000 + later_ms)


@pytest.mark.parametrize(("person", "program"), [(1000, 1000), (1000, 999), (999, 1000), (1003, 1000)])
def test_a_press_counts_for_nobody_where_a_person_and_a_program_press_together(person: int, program: int) -> None:
    assert not from_devices_alone([(program, PROGRAM), (person, PERSON)], 1003)


@pytest.mark.parametrize("at", [999, 1006, 2**32 - 1])
def test_an_event_that_no_raw_event_came_just_before_is_not_a_press(at: int) -> None:
    assert not from_devices_alone([(1000, PERSON)], at)


def test_the_servers_clock_begins_anew_after_32_bits() -> None:
    assert from_devices_alone([(2**32 - 1, PERSON)], 1)
    assert from_devices_alone([(0, PERSON)], 2**32 + 1)
