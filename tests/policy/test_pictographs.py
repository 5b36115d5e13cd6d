"""Pictographs in place of words: what they stand for, and where an arrow sends."""

from __future__ import annotations

import pytest

from operator_console.domain.elements import Role
from operator_console.domain.risk import Category
from operator_console.policy.control_kinds import is_arrow, is_icon_font, pictograph_word
from tests.policy.control_examples import PAGE, asks, button, categories, control, on


@pytest.mark.parametrize(
    ("sign", "category"), [("🗑", Category.DELETE), ("🗑️", Category.DELETE), ("➤", Category.SEND), ("⏻", Category.SYSTEM)]
)
@pytest.mark.parametrize("role", [Role.BUTTON, Role.LABEL])
def test_a_pictograph_is_judged_as_the_word_that_it_stands_for(sign: str, category: Category, role: Role) -> None:
    assert category in categories(on(control(role, sign), **PAGE))


@pytest.mark.parametrize("sign", ["☰", "⋮", "♡", "★", "✎", "⟳", "＋"])
def test_pictographs_that_open_or_arrange_run(sign: str) -> None:
    assert not asks(button(sign, nearby=("Album",)))


def test_an_arrow_sends_where_a_message_is_written_and_turns_pages_elsewhere() -> None:
    assert Category.SEND in categories(button("↑", nearby=("Ask anything",)))
    assert Category.SEND in categories(button("▶", title="Chat with support - Chromium"))
    assert not asks(button("→", nearby=("Page 2 of 9",)))


def test_only_a_lone_sign_counts() -> None:
    assert pictograph_word("🗑 Bin") == ""
    assert pictograph_word("42") == ""
    assert is_arrow(" ➔ ")
    assert not is_arrow("➔➔")
    assert is_icon_font("\ue1b2")
    assert not is_icon_font("x")


def test_a_character_of_a_font_of_icons_says_nothing() -> None:
    assert asks(button("\ue1b2", nearby=("£40.00 due today",)))
