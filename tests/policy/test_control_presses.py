"""Check boxes, drawn boxes and files are judged by their kind."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Click
from operator_console.domain.elements import Role, TextKnowledge
from operator_console.domain.geometry import NativePoint
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import assess
from tests.policy.control_examples import asks, categories, control, drawn, on


@pytest.mark.parametrize("text", ["Remote login over SSH", "Public: anyone can see this album", "Echtzeitschutz"])
def test_a_box_that_names_protection_or_access_asks(text: str) -> None:
    for role in (Role.CHECK_BOX, Role.RADIO_BUTTON, Role.SWITCH):
        assert Category.SECURITY in categories(on(control(role, text)))


@pytest.mark.parametrize("text", ["Dark mode", "Show line numbers", "Nur sofort lieferbar", "Express delivery"])
def test_a_box_of_looks_and_choices_runs(text: str) -> None:
    assert not asks(on(control(Role.CHECK_BOX, text)))


@pytest.mark.parametrize("knowledge", [TextKnowledge.NOT_YET, TextKnowledge.UNREADABLE])
def test_a_drawn_box_of_which_the_text_is_not_known_asks(knowledge: TextKnowledge) -> None:
    assert asks(on(drawn("", knowledge=knowledge)))


def test_a_program_file_is_started_by_a_double_click_in_any_window() -> None:
    twice = Click(at=NativePoint(180, 116), count=2)
    entry = on(control(Role.LIST_ITEM, "game-installer.run"), title="Downloads")
    assert Category.DOWNLOAD_RUN in assess(twice, entry).categories
    assert assess(twice, on(control(Role.LIST_ITEM, "notes.txt"), title="Downloads")).risk < RiskClass.C3
