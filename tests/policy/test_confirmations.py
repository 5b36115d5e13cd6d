"""Answers are judged by what the dialog or the form asks, warns of and contains."""

from __future__ import annotations

import pytest

from operator_console.domain.risk import Category
from tests.policy.control_examples import asks, button, categories, drawn, in_dialog, on


@pytest.mark.parametrize(
    ("name", "title", "text"),
    [
        ("Pair", "Pair device", "Headset-22 wants to pair."), ("Start", "Mail merge", "240 letters."),
        ("Leave", "Leave group", "You will get no more messages."), ("Update", "Update available", "Version 4.2"),
        ("OK", "Warning", "Later changes are lost."), ("Yes", "Driver", "Qwxyz."),
        ("Ja", "Nachfrage", "Soll der Ordner wirklich entfernt werden?"),
        ("OK", "Question", "Vider définitivement la corbeille ?"), ("Yes", "Question", "Move 5 messages to the bin?"),
    ],
)  # fmt: skip
def test_a_dialog_asks_by_its_verbs_its_warning_and_what_is_not_known(name: str, title: str, text: str) -> None:
    assert asks(in_dialog(name, title, text))


@pytest.mark.parametrize(
    ("name", "title", "text"),
    [
        ("Create", "New folder", "Name"), ("OK", "Page setup", "Orientation"),
        ("Find next", "Find and replace", "Find"),
        ("Next", "Print preview", "Pages 1-12"), ("Save", "Save changes?", "Save changes to “letter.odt”?"),
        ("Exporter", "Exporter", "PNG"), ("Later", "Update available", "Version 4.2"),
    ],
)  # fmt: skip
def test_dialogs_that_show_arrange_or_save_run(name: str, title: str, text: str) -> None:
    assert not asks(in_dialog(name, title, text))


def test_a_form_with_a_secret_is_sent_by_any_confirmation() -> None:
    assert Category.LOGIN in categories(button("Continue", nearby=("Password",)))
    assert Category.LOGIN in categories(button("Save", nearby=("New password",)))
    assert not asks(button("Continue", nearby=("Colour",)))


def test_the_box_of_a_search_beside_a_password_signs_in_to_nothing() -> None:
    assert categories(on(drawn("Search for a page in the settings"), nearby=("Saved passwords", "Password"))) == set()


def test_a_permission_is_granted_by_any_yes() -> None:
    for answer in ("OK", "Yes", "Connect", "Allow", "Qwxyz"):
        assert asks(in_dialog(answer, "Location", "maps.example wants to know where you are."))
    assert not asks(in_dialog("Block", "Location", "maps.example wants to know where you are."))
