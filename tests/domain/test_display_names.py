"""One spelling for each display, and file names that lead to it and nowhere else."""

from __future__ import annotations

import pytest

from operator_console.domain.display_names import NO_DISPLAY, display_key, display_of, display_of_person, normal_display


@pytest.mark.parametrize(
    ("given", "normal"), [(":9.0", ":9"), ("unix:9", ":9"), ("host:10.1", "host:10"), (":0", ":0")]
)
def test_a_display_has_one_spelling(given: str, normal: str) -> None:
    assert normal_display(given) == normal
    assert display_of(display_key(given)) == normal
    assert "/" not in display_key("../../etc:1")


@pytest.mark.parametrize(
    ("environment", "display"),
    [
        ({"DISPLAY": ":0"}, ":0"),
        ({}, NO_DISPLAY),
        ({"WAYLAND_DISPLAY": "wayland-0"}, NO_DISPLAY),
        ({"WAYLAND_DISPLAY": "wayland-0", "DISPLAY": ":0"}, NO_DISPLAY),
        ({"WAYLAND_DISPLAY": "", "DISPLAY": ":0"}, ":0"),
    ],
)
def test_keys_are_heard_on_an_x_display_and_never_in_a_wayland_session(
    environment: dict[str, str], display: str
) -> None:
    assert display_of_person(environment) == display
