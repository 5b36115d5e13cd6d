"""Buttons that no list of orders names are judged by the forms of their verbs and by what stands around them."""

from __future__ import annotations

from typing import Any

import pytest

from operator_console.domain.actions import Chord, Click, Drag, TypeText
from operator_console.domain.elements import Control, ElementState, Role, TextKnowledge
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import assess
from tests.policy.control_examples import (
    BROWSER,
    CLICK,
    PAGE,
    asking,
    asks,
    button,
    categories,
    control,
    drawn,
    in_dialog,
    on,
)


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
    assessment = assess(CLICK, button("Qwxyz", **changed))
    assert "unknown-button" in {finding.rule for finding in assessment.findings}


@pytest.mark.parametrize("found", [control(Role.BUTTON, "Qwxyz"), control(Role.MENU_ITEM, "Qwxyz")])
def test_a_button_or_a_menu_entry_of_a_page_that_no_table_knows_asks_anywhere(found: Control) -> None:
    assert asks(on(found, **PAGE))


def test_an_entry_in_the_menus_of_an_ordinary_program_that_no_table_knows_runs() -> None:
    assert asks(on(control(Role.BUTTON, "Qwxyz")))
    assert not asks(on(control(Role.MENU_ITEM, "Qwxyz")))
    assert asks(on(control(Role.MENU_ITEM, "Qwxyz"), app="thunar", title="Documents - Thunar"))
    assert not asks(on(control(Role.TOGGLE_BUTTON, "Qwxyz"), **PAGE))


@pytest.mark.parametrize(
    "label", ["View details", "Sort by price", "In den Warenkorb", "Voir les avis", "詳細を見る", "7", "+", "…"]
)
def test_a_button_that_carries_nothing_out_runs_in_a_shop(label: str) -> None:
    assert not asks(button(label, url="https://shop.example/1", nearby=("89,00 €",)))


DRAWN_AS_BUTTON = (
    ("Request ride", {"nearby": ("Economy", "€12.40")}), ("Kup bilety", {"url": "https://shop.example/1"}),
    ("Conferma ricarica", {"url": "https://bank.example/1"}), ("チケットを購入", {"nearby": ("5,400円",)}),
    ("Zgadzam się", {"nearby": ("We use cookies to measure visits and show ads.",)}),
)  # fmt: skip


@pytest.mark.parametrize(("text", "place"), DRAWN_AS_BUTTON)
def test_text_that_a_page_draws_as_a_button_asks_where_much_acts(text: str, place: dict[str, Any]) -> None:
    assert asks(on(control(Role.LABEL, text), **{**PAGE, **place}))


@pytest.mark.parametrize("text", ["Cards", "12 June, Market by the sea", "Your tenancy agreement, signed copy"])
def test_text_that_orders_nothing_runs_in_a_bank(text: str) -> None:
    assert not asks(on(control(Role.LABEL, text), app=BROWSER, url="https://bank.example/1", nearby=("€61.20",)))


@pytest.mark.parametrize("answer", ["OK, that’s fine", "In Ordnung", "Tamam", "了解しました", "好的"])
def test_any_yes_to_a_notice_about_cookies_is_consent(answer: str) -> None:
    notice = "We use cookies to measure visits and to show advertisements."
    assert Category.LEGAL in categories(button(answer, nearby=(notice,)))
    assert not asks(button("Cookie settings", nearby=(notice,)))
    assert not asks(button("Only essential", nearby=(notice,)))


def test_finishing_beside_a_sentence_that_agrees_is_consent() -> None:
    said = "I agree to use electronic records and signatures"
    assert Category.LEGAL in categories(button("Finish", title="Review document - Chromium", nearby=(said,)))
    assert not asks(button("Finish", title="Review document - Chromium", nearby=("14 pages",)))


@pytest.mark.parametrize(
    "way_out",
    [
        "Keep my account",
        "Doch nicht",
        "Remind me in an hour",
        "Go back and edit",
        "利用を続ける",
        "Kullanmaya devam et",
    ],
)
def test_a_way_out_in_other_words_than_cancel_runs(way_out: str) -> None:
    assert not asks(in_dialog(way_out, "Delete account?", "All photos are lost for good."))
    assert not asks(button(way_out, nearby=("Delete account", "All photos are lost for good.")))


@pytest.mark.parametrize("label", ["Keep and delete the others", "Go back and send", "Continue anyway", "Keep anyway"])
def test_a_way_out_that_names_an_act_asks(label: str) -> None:
    assert asks(in_dialog(label, "Files", "Qwxyz."))


@pytest.mark.parametrize("label", ["Turn off", "Ausschalten", "Kapat", "해제하기", "关闭"])
def test_switching_off_asks_where_the_place_is_about_protection(label: str) -> None:
    for role in (Role.BUTTON, Role.LINK):
        found = control(role, label, link="https://x.example/1" if role is Role.LINK else "")
        assert Category.SECURITY in categories(on(found, **{**PAGE, "title": "Firewall - Chromium"}))


@pytest.mark.parametrize("label", ["Kapat", "关闭"])
def test_a_word_for_closing_and_switching_off_only_closes_elsewhere(label: str) -> None:
    assert not asks(button(label))
    assert not asks(in_dialog(label, "Firewall", "Qwxyz."))


@pytest.mark.parametrize("label", ["Empty Bin now", "Direct opheffen", "Jetzt löschen", "今すぐ削除"])
def test_a_link_that_orders_at_once_asks(label: str) -> None:
    assert Category.DELETE in categories(on(control(Role.LINK, label, link="https://x.example/b"), **PAGE))


def test_restoring_the_factory_settings_is_no_way_out() -> None:
    assert asks(button("Restore", nearby=("Factory default",)))
    assert not asks(button("Restore", nearby=("Report.odt",)))


def test_an_account_chosen_by_its_address_signs_in() -> None:
    account = control(Role.LIST_ITEM, "Anna Kern, anna@kern.example")
    assert Category.LOGIN in categories(on(account, **{**PAGE, "title": "Choose an account - Chromium"}))
    assert not asks(on(account, **{**PAGE, "title": "Inbox - Chromium"}))


def test_an_entry_that_fills_in_an_address_asks() -> None:
    entry = control(Role.MENU_ITEM, "A Kern, 12 Weaver Street, Bristol")
    assert Category.PERSONAL_DATA in categories(on(entry, **{**PAGE, "title": "Delivery address - Chromium"}))
    assert Category.PERSONAL_DATA not in categories(on(entry, **PAGE))


def test_a_double_click_in_a_dialog_answers_it() -> None:
    twice = Click(at=NativePoint(180, 116), count=2)
    dialog = asking("Auto-Type", "Select the entry to type into “Bank”:")
    assert assess(twice, on(control(Role.LIST_ITEM, "Bank (anna)", dialog=dialog))).risk >= RiskClass.C3
    assert not asks(on(control(Role.LIST_ITEM, "Bank (anna)", dialog=asking("Views", "Choose one:"))))


def test_replacing_a_file_deletes_it_and_replacing_text_does_not() -> None:
    assert Category.DELETE in categories(in_dialog("Replace", "File conflict", "Another file already exists there."))
    assert not asks(in_dialog("Replace", "Find and replace", "Find"))


@pytest.mark.parametrize(
    "place",
    [{"title": "Webkonsole - vps-31 - Chromium"}, {"nearby": ("root@pve-2:~#",)}, {"title": "控制台 - Chromium"}],
)
def test_a_field_of_a_console_in_a_page_runs_command_lines(place: dict[str, Any]) -> None:
    line = TypeText(text="zfs list", submit=True)
    assert Category.TERMINAL in assess(line, on(control(Role.TEXT_FIELD, "Eingabe"), **{**PAGE, **place})).categories
    search = on(control(Role.SEARCH_FIELD, "Search"), **{**PAGE, **place})
    assert Category.TERMINAL not in assess(line, search).categories


def test_a_shell_script_is_judged_by_its_commands() -> None:
    line = TypeText(text='rm -rf "$HOME/old"\n')
    writing = (ElementState.EDITABLE, ElementState.MULTI_LINE)
    script = on(control(Role.TEXT_FIELD, "", states=writing), app="Mousepad", title="*copy.sh - Mousepad")
    notes = on(control(Role.TEXT_FIELD, "", states=writing), app="Mousepad", title="*notes.txt - Mousepad")
    assert assess(line, script).risk >= RiskClass.C3
    assert assess(line, notes).risk < RiskClass.C3


def test_a_channel_in_the_title_is_a_chat() -> None:
    field = control(Role.TEXT_FIELD, "", label="anna")
    assert Category.SEND in assess(TypeText(text="hello", submit=True), on(field, title="#help - Chatter")).categories


def test_a_word_for_playing_runs_in_a_player() -> None:
    assert not asks(on(control(Role.BUTTON, "تشغيل"), title="مشغل الموسيقى"))
    assert asks(on(control(Role.BUTTON, "تشغيل"), title="setup.bin"))


def test_korean_that_was_read_with_spaces_between_its_letters_is_known() -> None:
    assert Category.DELETE in categories(on(drawn("휴 지 통 으로 이동")))


def entered(name: str, text: str, states: tuple[ElementState, ...] = (), **changed: Any) -> bool:
    """Whether typing a text into a field and submitting it is asked about."""
    field = control(Role.TEXT_FIELD, name, states=(ElementState.EDITABLE, *states))
    return assess(TypeText(text=text, submit=True), on(field, **{**PAGE, **changed})).risk >= RiskClass.C3


def test_enter_in_a_field_of_a_page_asks_unless_its_name_says_that_it_carries_nothing_out() -> None:
    assert entered("Your nickname at the door", "anna")
    assert entered("", "see you there", states=(ElementState.MULTI_LINE,))
    assert not entered("Search products", "lamp")
    assert not entered("Rename to", "lamp")


def test_several_words_submitted_on_a_page_ask_where_it_is_not_known_what_has_the_focus() -> None:
    def submitted(text: str, **place: Any) -> bool:
        unknown = Control(knowledge=TextKnowledge.NOT_YET)
        return assess(TypeText(text=text, submit=True), on(unknown, **place)).risk >= RiskClass.C3

    assert submitted("I cannot come tonight", **PAGE)
    assert not submitted("lamp", **PAGE)
    assert not submitted("I cannot come tonight")


def test_enter_in_a_line_of_a_program_asks_after_several_words() -> None:
    program: dict[str, Any] = {"app": "plain", "title": "Window"}
    assert entered("anna", "my address is 4", **program)
    assert not entered("anna", "4", **program)
    assert not entered("", "a line of the letter", states=(ElementState.MULTI_LINE,), **program)


def test_the_delete_key_asks_on_what_can_be_selected_and_clears_the_cells_of_a_sheet() -> None:
    key = Chord(keys=(Key("delete"),))
    cell = control(Role.CELL, "Dinner?")
    assert assess(key, on(cell)).risk >= RiskClass.C3
    assert assess(key, on(cell, title="Budget.ods - LibreOffice Calc")).risk < RiskClass.C3
    assert assess(key, on(control(Role.TEXT_FIELD, "Text"))).risk < RiskClass.C3


def test_a_drop_asks_where_the_target_says_what_it_does() -> None:
    drag = Drag(path=(NativePoint(1, 1), NativePoint(9, 9)))
    assert assess(drag, on(control(Role.LABEL, "Drop here to publish"), **PAGE)).risk >= RiskClass.C3
    assert assess(drag, on(control(Role.LABEL, "To read"), **PAGE)).risk < RiskClass.C3


def test_the_act_that_a_dialog_asks_about_is_none_of_the_harmless_words() -> None:
    assert asks(in_dialog("Start over", "Start over?", "Your progress in this level will be lost."))
    assert not asks(in_dialog("Start over", "Quiz", "You have answered ten questions."))


def test_a_link_of_a_page_that_warns_asks_unless_it_leads_back_or_explains() -> None:
    warns: dict[str, Any] = {**PAGE, "title": "Deceptive site ahead - Chromium"}

    def link(text: str, **place: Any) -> bool:
        return asks(on(control(Role.LINK, text, link="http://page.example/1"), **place))

    assert link("Take me there", **warns)
    assert not link("Learn more", **warns)
    assert not link("Go back", **warns)
    assert not link("Take me there", **PAGE)


def test_a_box_on_a_page_about_consent_is_consent() -> None:
    box = control(Role.CHECK_BOX, "Blue group")
    assert Category.LEGAL in categories(on(box, **{**PAGE, "title": "Consent form - Chromium"}))
    assert not asks(on(box, **PAGE))


def test_saving_asks_by_the_words_of_the_button_too() -> None:
    assert Category.SECURITY in categories(button("Change to public"))
    assert not asks(button("Change to weekly"))
    assert not asks(button("View public profile"))


def test_any_yes_on_a_page_of_terms_is_consent() -> None:
    assert Category.LEGAL in categories(button("Finish", title="Terms of service - Chromium"))
    assert not asks(button("Finish", title="Quiz - Chromium", nearby=("Question 10 of 10",)))


def test_an_answer_on_a_page_whose_title_names_an_act_carries_it_out() -> None:
    assert asks(button("OK", title="Access requests - Chromium"))
    assert not asks(button("OK", title="Opening hours - Chromium"))
    assert not asks(button("Next", title="Buying a house - Chromium"))


def test_saving_what_others_read_publishes_it() -> None:
    assert Category.POST in categories(button("Save changes", title="Edit article - Chromium"))
    assert not asks(button("Save draft", title="Edit article - Chromium"))
    assert not asks(button("Save changes", title="Notes - Chromium"))


@pytest.mark.parametrize("role", [Role.LINK, Role.LIST_ITEM, Role.LABEL])
def test_an_entry_of_a_page_that_is_a_verb_with_its_object_acts(role: Role) -> None:
    def entry(text: str) -> bool:
        link = "http://page.example/1" if role is Role.LINK else ""
        return asks(on(control(role, text, link=link), **PAGE))

    assert entry("Cancel order")
    assert not entry("Cancel order after it was sent")
    assert not entry("Your orders")
