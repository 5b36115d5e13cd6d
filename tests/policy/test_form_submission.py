"""Enter in a field is judged by the button that it presses, whatever the field is for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.actions import Action, Chord, TypeText
from operator_console.domain.elements import Control, ElementState, Role
from operator_console.domain.keys import parse_chord
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import PolicyContext, assess
from tests.policy.control_examples import BROWSER, PAGE, control, on

ENTER = Chord(keys=parse_chord("enter"))
FIELDS = (
    ("Amount", "5000"), ("Note", "rent"), ("Description", "for May"), ("Date", "1/5/2026"), ("Amount", ""), ("", ""),
)  # fmt: skip


def field(name: str, *submits: str, role: Role = Role.TEXT_FIELD) -> Control:
    return control(role, name, submits=submits)


def categories(action: Action, context: PolicyContext) -> set[Category]:
    return set(assess(action, context).categories)


@pytest.mark.parametrize(("name", "text"), FIELDS)
@pytest.mark.parametrize(
    ("submits", "category"),
    [
        (("Transfer now",), Category.PAY),
        (("Cancel", "Transfer now"), Category.PAY),
        (("Publish",), Category.POST),
        (("Send invitation", "Back"), Category.SEND),
        (("Accept terms",), Category.LEGAL),
        (("Grant access",), Category.SECURITY),
        (("Delete account",), Category.DELETE),
    ],
)  # fmt: skip
def test_enter_does_what_the_button_of_the_form_does(
    name: str, text: str, submits: tuple[str, ...], category: Category
) -> None:
    place = on(field(name, *submits), **PAGE, typed=text)
    assert category in categories(ENTER, place)
    assert category in categories(TypeText(text=text, submit=True), on(field(name, *submits), **PAGE))
    assert category in categories(TypeText(text=text + "\n"), on(field(name, *submits), **PAGE))
    assert category not in categories(TypeText(text=text), on(field(name, *submits), **PAGE))


@pytest.mark.parametrize(("name", "text"), FIELDS)
def test_by_the_picture_alone_an_order_beside_the_field_counts(name: str, text: str) -> None:
    unread = PolicyContext(
        app=BROWSER, title="Transfer – Example Bank", nearby=("EUR", "Transfer now", "Back"), typed=text
    )
    known = replace(unread, control=field(name), label=name, typed="")
    assert Category.PAY in categories(TypeText(text=text, submit=True), known)
    if text:
        assert Category.PAY in categories(ENTER, unread)


@pytest.mark.parametrize("role", [Role.TEXT_FIELD, Role.SPIN_BUTTON, Role.COMBO_BOX])
@pytest.mark.parametrize("app", [BROWSER, "gnucash"])
def test_the_kind_of_field_and_of_program_makes_no_difference(role: Role, app: str) -> None:
    place = on(field("Amount", "Transfer now", role=role), app=app, title="Window", typed="50")
    assert categories(ENTER, place) == {Category.PAY}


@pytest.mark.parametrize("button", ["Save", "Next", "OK", "Continue", "Cancel"])
@pytest.mark.parametrize("name", ["Name", "Amount", "City", "Note"])
def test_enter_in_an_ordinary_form_is_ordinary(button: str, name: str) -> None:
    assert assess(ENTER, on(field(name, button), app="plain", title="Window", typed="Ann")).risk is RiskClass.C1


def test_a_form_of_which_the_button_is_known_is_no_unknown_one() -> None:
    before = assess(ENTER, on(field("Keys"), **PAGE, typed="Oslo"))
    assert before.rule == "submits-unknown"
    assert assess(ENTER, on(field("Keys", "Next"), **PAGE, typed="Oslo")).risk is RiskClass.C1


@pytest.mark.parametrize("button", ["Delete", "Send", "Pay now"])
def test_searching_and_new_lines_press_no_button(button: str) -> None:
    search = on(field("Search", button, role=Role.SEARCH_FIELD), **PAGE, typed="shoes")
    assert assess(ENTER, search).risk is RiskClass.C1
    lines = control(Role.TEXT_FIELD, "Note", submits=(button,), states=(ElementState.EDITABLE, ElementState.MULTI_LINE))
    assert assess(ENTER, on(lines, **PAGE, typed="a")).risk is RiskClass.C1


@pytest.mark.parametrize(
    "near", [("Total: 5 EUR", "Shipping"), ("Pay scale of the county since 1990",), ("Post date:",)]
)
def test_other_words_beside_a_field_are_no_buttons(near: tuple[str, ...]) -> None:
    assert assess(ENTER, on(field("Amount"), **PAGE, typed="5", nearby=near)).risk is RiskClass.C1
