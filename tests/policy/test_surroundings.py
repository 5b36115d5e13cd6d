"""Buttons that no list of orders names are judged by the forms of their verbs and by what stands around them."""

from __future__ import annotations

from typing import Any

import pytest

from operator_console.domain.actions import Chord, Click, TypeText
from operator_console.domain.elements import ElementState, Role, TextKnowledge
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import parse_chord
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import PolicyContext, assess
from tests.policy.control_examples import BROWSER, asking, control, drawn, on

CLICK = Click(at=NativePoint(180, 116))
PAGE: dict[str, Any] = {"app": BROWSER, "title": "Page - Chromium"}


def button(name: str, **changed: Any) -> PolicyContext:
    return on(control(Role.BUTTON, name), **{**PAGE, **changed})


def in_dialog(name: str, title: str = "", text: str = "") -> PolicyContext:
    return on(control(Role.BUTTON, name, dialog=asking(title, text)))


def categories(context: PolicyContext) -> set[Category]:
    return set(assess(CLICK, context).categories)


def asks(context: PolicyContext) -> bool:
    return assess(CLICK, context).risk >= RiskClass.C3


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


@pytest.mark.parametrize(
    "changed",
    [
        {"nearby": ("Comfort, 4 min away, £11.37",)}, {"title": "Approve payments - Chromium"},
        {"url": "https://bank.example/1"}, {"url": "https://shop.example/1"}, {"nearby": ("Password",)},
        {"title": "Firewall - Chromium"}, {"nearby": ("Cancel",)},
        {"nearby": ("Once you go on, this cannot be undone by anybody.",)},
    ],
    ids=str,
)  # fmt: skip
def test_a_button_that_no_table_knows_asks_by_what_stands_around_it(changed: dict[str, Any]) -> None:
    assert asks(button("Qwxyz", **changed))
    assert not asks(button("Qwxyz"))


@pytest.mark.parametrize(
    "label", ["View details", "Sort by price", "In den Warenkorb", "Voir les avis", "詳細を見る", "7", "+", "…"]
)
def test_a_button_that_carries_nothing_out_runs_in_a_shop(label: str) -> None:
    assert not asks(button(label, url="https://shop.example/1", nearby=("89,00 €",)))


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


def test_an_amount_on_the_button_itself_is_a_price() -> None:
    assert Category.PAY in categories(button("Full version, $4.99"))
    assert not asks(button("Show offers under $50"))


def test_a_form_with_a_secret_is_sent_by_any_confirmation() -> None:
    assert Category.LOGIN in categories(button("Continue", nearby=("Password",)))
    assert Category.LOGIN in categories(button("Save", nearby=("New password",)))
    assert not asks(button("Continue", nearby=("Colour",)))


@pytest.mark.parametrize("text", ["Remote login over SSH", "Public: anyone can see this album", "Echtzeitschutz"])
def test_a_box_that_names_protection_or_access_asks(text: str) -> None:
    for role in (Role.CHECK_BOX, Role.RADIO_BUTTON, Role.SWITCH):
        assert Category.SECURITY in categories(on(control(role, text)))


@pytest.mark.parametrize("text", ["Dark mode", "Show line numbers", "Nur sofort lieferbar", "Express delivery"])
def test_a_box_of_looks_and_choices_runs(text: str) -> None:
    assert not asks(on(control(Role.CHECK_BOX, text)))


def test_the_basket_of_a_shop_is_not_the_trash() -> None:
    assert not asks(button("До кошика", url="https://shop.example/1"))


def test_a_question_on_a_page_of_help_unfolds_its_answer() -> None:
    assert not asks(button("What happens when I delete my account?"))
    assert asks(in_dialog("Delete all of them now?", "Files"))


def test_a_program_file_is_started_by_a_double_click_in_any_window() -> None:
    twice = Click(at=NativePoint(180, 116), count=2)
    entry = on(control(Role.LIST_ITEM, "game-installer.run"), title="Downloads")
    assert Category.DOWNLOAD_RUN in assess(twice, entry).categories
    assert assess(twice, on(control(Role.LIST_ITEM, "notes.txt"), title="Downloads")).risk < RiskClass.C3


def test_enter_in_the_field_of_a_message_sends_it() -> None:
    field = on(control(Role.TEXT_FIELD, "Napište zprávu"), title="Jana")
    assert Category.SEND in assess(TypeText(text="už jdu", submit=True), field).categories
    several = control(Role.TEXT_FIELD, "Message", states=(ElementState.EDITABLE, ElementState.MULTI_LINE))
    newline = Chord(keys=parse_chord("shift+enter"))
    assert assess(newline, on(several, app=BROWSER, title="Chat - Chromium")).risk < RiskClass.C3


def test_the_cell_of_a_notebook_runs_what_is_submitted() -> None:
    cell = on(control(Role.TEXT_FIELD, "Code cell"), **PAGE, typed="!rm -rf data")
    assert Category.TERMINAL in assess(Chord(keys=parse_chord("shift+enter")), cell).categories


@pytest.mark.parametrize("knowledge", [TextKnowledge.NOT_YET, TextKnowledge.UNREADABLE])
def test_a_drawn_box_of_which_the_text_is_not_known_asks(knowledge: TextKnowledge) -> None:
    assert asks(on(drawn("", knowledge=knowledge)))


@pytest.mark.parametrize(
    "text", ["anna – gespeichertes Passwort", "anna – 已保存的密码", "Visa •••• 4471", "Use saved password"]
)
def test_an_entry_that_fills_in_what_a_browser_has_saved_asks(text: str) -> None:
    for role in (Role.LIST_ITEM, Role.MENU_ITEM):
        assert Category.CREDENTIALS in categories(on(control(role, text), **PAGE))
    assert not asks(on(control(Role.LIST_ITEM, "Choosing a password"), **PAGE))


def test_a_permission_is_granted_by_any_yes() -> None:
    for answer in ("OK", "Yes", "Connect", "Allow", "Qwxyz"):
        assert asks(in_dialog(answer, "Location", "maps.example wants to know where you are."))
    assert not asks(in_dialog("Block", "Location", "maps.example wants to know where you are."))
