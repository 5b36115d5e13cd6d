"""What the window remembers is read back only whole."""

from __future__ import annotations

import pytest

from operator_console.ui.window_place import RememberedSetup

SETUP = RememberedSetup(
    target="virtual", target_title="Virtual desktop", model_title="Gemini", autonomy="guarded", max_steps=100,
    max_minutes=30,
)  # fmt: skip


def test_a_setup_comes_back_from_its_values_by_name() -> None:
    assert RememberedSetup.read(SETUP._asdict() | {"of a later version": 1}) == SETUP


@pytest.mark.parametrize(("name", "value"), [("target", ""), ("model_title", 3), ("max_steps", "100")])
def test_a_setup_with_a_value_that_cannot_be_shown_is_none(name: str, value: str | int) -> None:
    assert RememberedSetup.read(SETUP._asdict() | {name: value}) is None


@pytest.mark.parametrize("name", RememberedSetup._fields)
def test_a_setup_without_one_of_its_values_is_none(name: str) -> None:
    assert RememberedSetup.read({each: value for each, value in SETUP._asdict().items() if each != name}) is None
