"""A sentence that explains a menu entry of a program is no order of its own; what it names as the act still counts."""

from __future__ import annotations

from typing import Any

import pytest

from operator_console.domain.elements import Role
from operator_console.domain.risk import Category
from operator_console.policy import PolicyContext
from tests.policy.control_examples import asking, asks, categories, control, on


def entry(name: str, explained: str, role: Role = Role.MENU_ITEM, **changed: Any) -> PolicyContext:
    """An entry of a menu of a text editor, with its description."""
    values: dict[str, Any] = {"app": "mousepad", "title": "note.txt - Mousepad", **changed}
    return on(control(role, name, description=explained, dialog=values.pop("dialog", None)), **values)


@pytest.mark.parametrize(
    ("name", "explained"),
    [
        ("Find Next", "Search forwards for the same text"),
        ("Find Previous", "Search backwards for the same text"),
        ("Select All", "Select the text in the entire document, purged parts as well"),
        ("Weitersuchen", "Sucht vorwärts nach demselben Text"),
        ("Menubar", "Change the visibility of the main menubar"),
        ("Toolbar", "Change the visibility of the toolbar"),
        ("Statusbar", "Change the visibility of the statusbar"),
    ],
)
def test_a_word_inside_an_explanation_is_no_order(name: str, explained: str) -> None:
    assert not asks(entry(name, explained))


@pytest.mark.parametrize(
    ("context", "category"),
    [
        # The act of the sentence, alone or beside another.
        (entry("Find Next", "Forward the text that was found"), Category.SEND),
        (entry("Print Preview", "Show the page and email it"), Category.SEND),
        (entry("Zoom In", "Shows the picture larger & resends it"), Category.SEND),
        # A name that does not say what it does, or names an act.
        (entry("Next", "Automatically forwards the document"), Category.SEND),
        (entry("Save", "Save the file, which forwards it to the team"), Category.SEND),
        (entry("Plugh", "Quickly forwards the document to the team"), Category.SEND),
        (entry("Email Page", "Shows the page first"), Category.SEND),
        # Words that are orders wherever they stand.
        (entry("Find Next", "Search and then delete the text"), Category.DELETE),
        # A nameless entry says what its description says.
        (entry("", "Search forwards for the same text"), Category.SEND),
        # Answers, by their own words and where the name is about who may do what.
        (entry("Anyone with the link", "Change it to anyone with the link can view"), Category.SECURITY),
        (entry("Public access", "Change the visibility of the document for everyone"), Category.SECURITY),
        (entry("Team", "Anyone with the link can view and comment"), Category.SECURITY),
    ],
)
def test_what_an_explanation_names_as_the_act_counts(context: PolicyContext, category: Category) -> None:
    assert category in categories(context)


@pytest.mark.parametrize(
    "changed",
    [
        {"app": "Chromium", "title": "Mail - Chromium"},
        {"app": "thunderbird", "title": "Inbox - Mozilla Thunderbird"},
        {"app": "thunar", "title": "Documents - Thunar"},
        {"dialog": asking("Question", "Which one?")},
        {"role": Role.BUTTON},
    ],
)
def test_every_word_counts_where_entries_act_on_what_is_selected(changed: dict[str, Any]) -> None:
    assert Category.SEND in categories(entry("Find Next", "Search forwards for the same text", **changed))
