"""Ordinary work on pages runs unasked, with controls known and by the picture alone; what stands around it may ask."""

from __future__ import annotations

from typing import Any

import pytest

from operator_console.domain.actions import Button, Click, Drag, TypeText
from operator_console.domain.elements import MASK, ElementState, Role, TextKnowledge
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import PolicyContext, assess
from tests.policy.control_examples import CLICK, asks, control, drawn, on

AT, END = NativePoint(70, 70), NativePoint(70, 140)
TASK: dict[str, Any] = {
    "app": "Chromium",
    "title": "Exercise - Chromium",
    "nearby": ("Enter it and press Submit.", "9 s"),
}
FIELD = Rect(8, 60, 125, 21)


def both(text: str, **changed: Any) -> list[PolicyContext]:
    """A button that says so, as its application describes it and as the picture shows it."""
    place = {**TASK, **changed}
    return [on(control(Role.BUTTON, text), **place), on(drawn(text), **place)]


@pytest.mark.parametrize("text", ["Submit", "Einreichen", "提交", "ONE", "Even", "Generate", "Section #30"])
def test_an_ordinary_button_of_a_page_runs(text: str) -> None:
    assert [assess(CLICK, context).risk for context in both(text)] == [RiskClass.C1] * 2


@pytest.mark.parametrize(
    "around",
    [{"title": "Contact us - Chromium"}, {"title": "Reply to Anna - Chromium"}, {"intent": "write a comment"},
     {"nearby": ("Type a message", "Anna")}],
    ids=["a form to somebody", "a recipient", "the intent", "a message"],
)  # fmt: skip
def test_submit_asks_where_a_recipient_or_a_publication_is_named(around: dict[str, Any]) -> None:
    assert all(map(asks, both("Submit", **around)))


def test_a_button_that_no_table_knows_asks_beside_a_password_field() -> None:
    for context in both("Rozbrój", nearby=("Kod", MASK)):
        assert asks(context)
    assert not any(map(asks, both("Rozbrój", nearby=("Kod", "12"))))


def test_a_word_in_front_of_all_fields_and_buttons_of_a_page_carries_out_no_more_than_it_says() -> None:
    place = {**TASK, "title": "Login - Chromium", "nearby": ("Password", MASK)}
    covering = {"pressable": True, "states": (ElementState.COVERING,)}
    assert asks(on(control(Role.LABEL, "START", pressable=True), **place))
    assert not asks(on(control(Role.LABEL, "START", **covering), **place))
    assert asks(on(control(Role.LABEL, "Buy now", **covering), **place))


def test_an_upright_box_that_only_the_picture_shows_is_no_check_box() -> None:
    place = {**TASK, "nearby": ("Suspendisse euismod.",)}
    assert asks(on(drawn("", extent=Rect(8, 60, 20, 20)), **place))
    assert asks(on(drawn("", extent=Rect(8, 60, 40, 22)), **place))
    assert not asks(on(drawn("", extent=Rect(8, 60, 16, 24)), **place))


@pytest.mark.parametrize(
    "action",
    [CLICK, Click(at=AT, count=2), Click(at=AT, count=3), Click(at=AT, button=Button.MIDDLE), Drag(path=(AT, END))],
    ids=["click", "double", "triple", "middle", "drag"],
)
@pytest.mark.parametrize("content", ["Keys", "mm/dd/yyyy", ""])
def test_a_field_that_only_the_picture_shows_takes_the_pointer(content: str, action: Click | Drag) -> None:
    named = on(drawn(content, extent=FIELD, label="" if content else "Name"), **TASK)
    assert assess(action, named).risk <= RiskClass.C2


@pytest.mark.parametrize("box", [Rect(45, 90, 38, 21), Rect(84, 92, 58, 36), FIELD])
def test_an_empty_box_that_only_the_picture_shows_is_a_field_that_may_be_cleared(box: Rect) -> None:
    replaces = TypeText(text="7", at=AT, clear=True)
    assert assess(replaces, on(drawn("", extent=box), **TASK)).risk <= RiskClass.C2
    tile = Rect(40, 40, 120, 110)
    assert Category.DELETE in assess(replaces, on(drawn("", extent=tile), **TASK)).categories
    mail = {**TASK, "title": "Inbox - Mail - Chromium"}
    assert Category.DELETE in assess(replaces, on(drawn("", extent=box), **mail)).categories


def test_a_drop_on_a_box_that_only_the_picture_shows_presses_nothing() -> None:
    unread = on(drawn("", knowledge=TextKnowledge.UNREADABLE), **TASK)
    assert assess(Drag(path=(AT, END)), unread).risk <= RiskClass.C2
    assert Category.DELETE in assess(Drag(path=(AT, END)), on(drawn("Trash"), **TASK)).categories


def test_what_is_drawn_like_a_button_and_cannot_be_read_asks() -> None:
    for width, asked in ((73, (Category.UNKNOWN,)), (48, ())):  # a short word with its margins; a sign
        box = Rect(40, 40, width, 38)
        unread = on(drawn("", extent=box, knowledge=TextKnowledge.UNREADABLE), **TASK)
        assert assess(CLICK, unread).categories == asked
