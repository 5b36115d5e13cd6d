"""Texts on controls are judged by the words and verbs that they contain, in any form."""

from __future__ import annotations

import pytest

from operator_console.domain.elements import Role
from operator_console.domain.risk import Category
from tests.policy.control_examples import PAGE, asks, button, categories, control, in_dialog, on


@pytest.mark.parametrize(
    ("label", "category"),
    [
        ("Removing 3 photos", Category.DELETE), ("Ordner wird entfernt", Category.DELETE),
        ("Vidage du cache", Category.DELETE),
        ("Einladungen verschicken", Category.SEND), ("Zamawiam z obowiązkiem zapłaty", Category.PAY),
        ("Оформить и оплатить", Category.PAY), ("Rolü değiştir", Category.SECURITY), ("페어링하기", Category.SECURITY),
        ("承認して支払う", Category.PAY), ("إيقاف الحماية", Category.SECURITY),
        ("Voor iedereen verwijderd", Category.DELETE),
    ],
)  # fmt: skip
def test_a_verb_counts_in_any_form_on_a_push_button(label: str, category: Category) -> None:
    assert category in categories(button(label))


def test_verbs_in_any_form_do_not_count_on_links_headings_and_entries() -> None:
    for role in (Role.LINK, Role.HEADING, Role.LIST_ITEM, Role.PARAGRAPH, Role.TAB):
        assert not asks(on(control(role, "Removing old branches", link="https://x.example/a"), **PAGE))


@pytest.mark.parametrize("label", ["Clear filters", "Reset zoom", "Filter entfernen", "検索条件をクリア"])
def test_what_changes_the_view_only_is_no_deletion(label: str) -> None:
    assert not asks(button(label))


def test_an_amount_on_the_button_itself_is_a_price() -> None:
    assert Category.PAY in categories(button("Full version, $4.99"))
    assert not asks(button("Show offers under $50"))


def test_the_basket_of_a_shop_is_not_the_trash() -> None:
    assert not asks(button("До кошика", url="https://shop.example/1"))


def test_a_question_on_a_page_of_help_unfolds_its_answer() -> None:
    assert not asks(button("What happens when I delete my account?"))
    assert asks(in_dialog("Delete all of them now?", "Files"))


@pytest.mark.parametrize(
    "text", ["anna – gespeichertes Passwort", "anna – 已保存的密码", "Visa •••• 4471", "Use saved password"]
)
def test_an_entry_that_fills_in_what_a_browser_has_saved_asks(text: str) -> None:
    for role in (Role.LIST_ITEM, Role.MENU_ITEM):
        assert Category.CREDENTIALS in categories(on(control(role, text), **PAGE))
    assert not asks(on(control(Role.LIST_ITEM, "Choosing a password"), **PAGE))
