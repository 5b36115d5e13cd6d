"""The category `unknown`: what could act and is not known can be permitted for Auto, and nothing else with it."""

from __future__ import annotations

from typing import Any

import pytest

from operator_console.domain.actions import Action, Chord, TypeText
from operator_console.domain.elements import Control, Role, TextKnowledge
from operator_console.domain.keys import parse_chord
from operator_console.domain.risk import Autonomy, Category
from operator_console.policy import PolicyContext, assess
from operator_console.policy.run_ask_or_refuse import VerdictKind, verdict
from tests.policy.control_examples import CLICK, PAGE, asking, control, drawn, on

UNREAD = Control(knowledge=TextKnowledge.UNREADABLE)
BANK: dict[str, Any] = {"app": "Chromium", "title": "Accounts - Example Bank"}

NOT_KNOWN: list[tuple[Action, PolicyContext]] = [
    (CLICK, on(control(Role.BUTTON, "Qwxyz"), **PAGE)),
    (CLICK, on(drawn("", knowledge=TextKnowledge.UNREADABLE), app="plain")),
    (CLICK, on(UNREAD, app="Chromium", title="general - Slack")),
    (Chord(keys=parse_chord("d")), on(control(Role.MENU_ITEM, ""), app="thunar", title="me")),
    (Chord(keys=parse_chord("enter")), on(Control(), app="thunar", title="me")),
    (TypeText(text="one two three", submit=True), on(control(Role.TEXT_FIELD, ""), app="plain")),
]


def runs(action: Action, context: PolicyContext, *allow: Category, autonomy: Autonomy = Autonomy.AUTO) -> bool:
    return verdict(assess(action, context), autonomy, allow, None).kind is VerdictKind.RUN


@pytest.mark.parametrize(("action", "context"), NOT_KNOWN)
def test_what_is_not_known_is_permitted_by_its_category_alone(action: Action, context: PolicyContext) -> None:
    others = [category for category in Category if category is not Category.UNKNOWN]
    assert assess(action, context).categories == (Category.UNKNOWN,)
    assert runs(action, context, Category.UNKNOWN)
    assert not runs(action, context, *others)
    assert not runs(action, context, Category.UNKNOWN, autonomy=Autonomy.GUARDED)


def test_a_known_risk_beside_it_still_asks() -> None:
    unread = on(UNREAD, app="Chromium", title="general - Slack", intent="send the message")
    assert not runs(CLICK, unread, Category.UNKNOWN)
    assert runs(CLICK, unread, Category.UNKNOWN, Category.SEND)


def test_what_a_dialog_asks_is_known() -> None:
    asked = on(drawn("", knowledge=TextKnowledge.UNREADABLE), app="zenity", title="Delete file?")
    assert not runs(CLICK, asked, Category.UNKNOWN)
    assert runs(CLICK, asked, Category.UNKNOWN, Category.DELETE)


@pytest.mark.parametrize("of", [control(Role.BUTTON, "Qwxyz"), UNREAD], ids=["no table knows it", "unread"])
def test_in_a_bank_what_is_not_known_is_always_asked(of: Control) -> None:
    assert not runs(CLICK, on(of, **BANK), *Category)


def test_a_warning_is_no_matter_of_what_is_not_known() -> None:
    warned = asking("Reset", "All settings will be lost. This cannot be undone.")
    assert not runs(CLICK, on(control(Role.BUTTON, "OK", dialog=warned), app="plain"), *Category)
