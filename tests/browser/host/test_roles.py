"""What each side of the browser host may do."""

from __future__ import annotations

import pytest

from operator_console.browser.host.roles import COMMANDS, Role, is_input


def test_who_looks_sends_no_input_and_goes_nowhere() -> None:
    changes = ("Input.", "Page.navigate", "Runtime.", "DOM.focus", "DOM.set", "DOM.scroll", "Target.", "Fetch.")
    assert [each for each in COMMANDS[Role.LOOK] if each.startswith(changes)] == []
    assert "Operator.release" not in COMMANDS[Role.LOOK]


@pytest.mark.parametrize("role", Role)
def test_no_side_runs_scripts_or_files_of_its_own(role: Role) -> None:
    free = (
        "Runtime.",
        "Page.addScript",
        "Page.setDocument",
        "DOM.setFile",
        "Browser.",
        "Target.",
        "Fetch.",
        "Network.",
    )
    assert [each for each in COMMANDS[role] if each.startswith(free)] == []


@pytest.mark.parametrize("role", [Role.ACT, Role.HAND])
def test_who_acts_can_release_all_that_it_can_press(role: Role) -> None:
    pressing = {"Input.dispatchKeyEvent", "Input.dispatchMouseEvent", "Input.setInterceptDrags"}
    assert pressing | {"Operator.release"} <= COMMANDS[role]


def test_every_command_of_input_waits_for_its_turn() -> None:
    assert all(is_input(each) for each in COMMANDS[Role.ACT] if each.startswith("Input."))
    assert not is_input("Operator.release")
