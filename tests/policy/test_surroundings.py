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
    assert not asks(on(entry, **PAGE))


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
