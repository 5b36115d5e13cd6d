"""The same act by another way: each key, chord, paste or drag that does what an asked click does is asked about too."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.actions import (
    Action,
    Button,
    Chord,
    Click,
    Drag,
    HoldKeys,
    Launch,
    Navigate,
    Release,
    TypeText,
)
from operator_console.domain.elements import Control, ControlSource, ElementState, Role, TextKnowledge
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key, parse_chord
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import PolicyContext, assess
from tests.policy.control_examples import BROWSER, asking, categories, control, drawn, on

AT = NativePoint(180, 116)
SEVERAL_LINES = (ElementState.EDITABLE, ElementState.MULTI_LINE)


def by(keys: str, context: PolicyContext) -> set[Category]:
    """The categories of a key combination."""
    return set(assess(Chord(keys=parse_chord(keys)), context).categories)


def asked(keys: str, context: PolicyContext) -> bool:
    return assess(Chord(keys=parse_chord(keys)), context).risk >= RiskClass.C3


def page(role: Role, name: str = "", title: str = "Page", **changed: object) -> PolicyContext:
    """The focus is on a control of a page."""
    values = {name: changed.pop(name) for name in ("states", "value", "link", "dialog") if name in changed}
    return on(control(role, name, **values), app=BROWSER, title=f"{title} - Chromium", **changed)


FILE = on(control(Role.LIST_ITEM, "report.odt"), app="nautilus", title="Documents")


@pytest.mark.parametrize("keys", ["delete", "shift+delete", "ctrl+delete", "alt+delete", "kp_decimal", "super+delete"])
def test_the_delete_key_deletes_with_any_modifier_and_from_the_number_block(keys: str) -> None:
    assert by(keys, FILE) == {Category.DELETE}


def test_shift_with_delete_asks_where_the_focus_is_not_known() -> None:
    unknown = PolicyContext(app="explorer2", title="This PC > Data (D:) > Backups")
    assert by("shift+delete", unknown) == {Category.DELETE}
    assert not asked("shift+delete", replace(unknown, typed="abc"))
    assert not asked("delete", replace(unknown, app="mousepad", title="x - Mousepad"))


def test_what_is_typed_while_a_list_has_the_focus_finds_an_entry_and_does_not_make_it_a_field() -> None:
    for role in (Role.LIST, Role.LIST_ITEM, Role.TABLE, Role.TREE_ITEM):
        assert by("delete", on(control(role, "report"), app="nautilus", title="Documents", typed="rep"))
    assert not by("delete", PolicyContext(app="mousepad", title="x - Mousepad", typed="rep"))
    assert by("delete", PolicyContext(app="nautilus", title="Documents", typed="rep"))
    assert not by("delete", on(drawn("", label="Name"), app="nautilus", title="Documents", typed="rep"))


@pytest.mark.parametrize("role", [Role.DOCUMENT, Role.GROUP, Role.IMAGE, Role.CHECK_BOX, Role.BUTTON, Role.LINK])
def test_the_delete_key_deletes_what_a_page_has_selected_wherever_its_focus_is(role: Role) -> None:
    assert by("delete", page(role, "photo.jpg", "Photos")) == {Category.DELETE}


def test_the_delete_key_in_text_and_in_cells_of_a_sheet_runs() -> None:
    assert not asked("delete", page(Role.TEXT_FIELD, "Name"))
    assert not asked("delete", page(Role.CELL, "B2", "Budget - Sheets"))
    assert not asked("ctrl+shift+delete", page(Role.DOCUMENT))  # opens a dialog of the browser


@pytest.mark.parametrize("role", [Role.LIST_ITEM, Role.CELL, Role.TABLE, Role.TREE_ITEM])
def test_backspace_deletes_what_is_chosen_in_mail_and_on_pages_but_not_in_file_managers(role: Role) -> None:
    assert by("backspace", page(role, "photo.jpg", "My drive")) == {Category.DELETE}
    assert by("backspace", on(control(role, "Invoice"), app="thunderbird", title="Inbox - Thunderbird"))
    assert not asked("backspace", on(control(role, "a.txt"), app="thunar", title="Documents"))
    assert not asked("backspace", page(Role.DOCUMENT, "Recipes"))


def test_mail_deletes_by_keys_of_its_own_that_elsewhere_do_nothing() -> None:
    for keys in ("#", "shift+3"):
        assert by(keys, page(Role.LIST_ITEM, "Invoice", "Inbox - Gmail")) == {Category.DELETE}
    inbox = page(Role.DOCUMENT, "Inbox", "Inbox - Gmail")
    assert Category.DELETE in assess(TypeText(text="#"), inbox).categories
    assert not asked("j", inbox)
    assert by("ctrl+d", on(control(Role.CELL, "Invoice"), app="evolution", title="Inbox - Evolution"))
    assert not asked("ctrl+d", inbox)  # a bookmark
    assert by("f8", on(control(Role.LIST_ITEM, "a.txt"), app="krusader", title="Krusader")) == {Category.DELETE}


DELETES = asking("Delete 3 files?", "They cannot be restored.", "Delete")


@pytest.mark.parametrize("role", [Role.CHECK_BOX, Role.RADIO_BUTTON, Role.LIST, Role.SLIDER, Role.COMBO_BOX, Role.TAB])
def test_enter_presses_the_default_button_from_whatever_control_of_the_dialog(role: Role) -> None:
    assert Category.DELETE in by("enter", on(control(role, "Subfolders too", dialog=DELETES)))
    assert not asked("enter", on(control(role, "Match case", dialog=asking("Find", "", "Find"))))


@pytest.mark.parametrize("role", [Role.CHECK_BOX, Role.RADIO_BUTTON])
def test_enter_on_a_choice_of_a_page_submits_its_form(role: Role) -> None:
    assert asked("enter", page(role, "Visa ending in 1234", "Checkout", nearby=("Total: 40 €", "Pay now")))
    assert not asked("enter", page(role, "In stock only", "Lamps", nearby=("Colour", "Price")))


def test_enter_starts_the_program_whose_name_was_typed_to_choose_it() -> None:
    files = on(control(Role.LIST, "Files"), app="nautilus", title="Downloads", typed="setup.sh")
    assert by("enter", files) == {Category.DOWNLOAD_RUN}


@pytest.mark.parametrize("keys", ["right", "end", "page_up", "up"])
def test_a_slider_that_carries_something_out_is_moved_by_keys_too(keys: str) -> None:
    assert by(keys, page(Role.SLIDER, "Slide to pay", "Order")) == {Category.PAY}
    assert not asked(keys, page(Role.SLIDER, "Volume"))


@pytest.mark.parametrize("keys", ["down", "end", "a"])
def test_a_key_that_chooses_another_option_of_who_may_get_in_asks(keys: str) -> None:
    assert by(keys, page(Role.COMBO_BOX, "Link permissions", "Plan", value="Only me")) == {Category.SECURITY}
    assert not asked(keys, page(Role.COMBO_BOX, "Sort by", "Lamps"))
    assert not asked(keys, page(Role.COMBO_BOX, "Month", "Calendar"))


@pytest.mark.parametrize("option", ["Everyone", "Public", "Administrator", "Anyone on the internet can edit"])
def test_an_option_of_who_may_get_in_asks_where_something_is_shared(option: str) -> None:
    for role in (Role.LIST_ITEM, Role.MENU_ITEM):
        assert Category.SECURITY in categories(page(role, option, "Share “plan” - Drive"))
        assert Category.SECURITY in categories(page(role, option, dialog=asking("Who can see this?")))
    # A place in a list of settings.
    assert not categories(page(Role.LIST_ITEM, "Roles", "Settings"))


SECRETS = (page(Role.PASSWORD_FIELD), page(Role.TEXT_FIELD, "Recovery phrase"), page(Role.TEXT_FIELD, "API key"))


@pytest.mark.parametrize("place", SECRETS, ids=lambda place: place.label or "password")
def test_each_way_to_put_text_into_a_field_for_a_secret_asks(place: PolicyContext) -> None:
    text = control(Role.LABEL, "some text")
    ways: tuple[Action, ...] = (
        Click(at=AT, button=Button.MIDDLE), Drag(path=(NativePoint(1, 1), AT)), Release(at=AT),
        TypeText(text="x", at=AT), HoldKeys(keys=(Key("x"),), duration_s=1),
        Chord(keys=parse_chord("shift+x")), Chord(keys=parse_chord("ctrl+v")),
    )  # fmt: skip
    for action in ways:
        assert Category.CREDENTIALS in assess(action, replace(place, from_control=text)).categories, action


def test_other_fields_take_what_is_pasted_or_dropped() -> None:
    for action in (Click(at=AT, button=Button.MIDDLE), Drag(path=(NativePoint(1, 1), AT))):
        place = replace(page(Role.TEXT_FIELD, "Subject"), from_control=control(Role.LABEL, "some text"))
        assert assess(action, place).risk < RiskClass.C3


def test_a_paste_button_beside_a_secret_gives_it_away() -> None:
    assert Category.CREDENTIALS in categories(page(Role.BUTTON, "Paste", nearby=("Recovery phrase",)))
    assert Category.CREDENTIALS in categories(page(Role.MENU_ITEM, "Paste", nearby=("Cut", "Copy", "Password")))
    assert not categories(page(Role.MENU_ITEM, "Paste", nearby=("Cut", "Copy")))


@pytest.mark.parametrize("name", ["Word 1", "Wort 12:", "Mot n° 3", "單詞2", "4번째 단어", "5.", "#6", "Слово №7"])
def test_one_word_of_a_recovery_phrase_is_a_secret_where_a_wallet_is_restored(name: str) -> None:
    for title in ("Restore wallet", "Enter your recovery phrase"):
        found = assess(TypeText(text="ocean"), page(Role.TEXT_FIELD, name, title))
        assert found.categories == (Category.CREDENTIALS,)
    assert not assess(TypeText(text="ocean"), page(Role.TEXT_FIELD, name, "Vocabulary trainer")).categories


@pytest.mark.parametrize("name", ["Word 1 to 12", "Words 1–24", "Herstelwoorden 1 t/m 12", "Слова 1 до 24"])
def test_a_field_for_all_words_of_a_phrase_takes_a_secret(name: str) -> None:
    assert assess(TypeText(text="ocean tide"), page(Role.TEXT_FIELD, name)).categories == (Category.CREDENTIALS,)


def test_the_name_of_a_thing_that_is_dragged_is_no_order() -> None:
    for role in (Role.LIST_ITEM, Role.CELL, Role.LINK):
        song = control(role, "Send Me on My Way")
        place = on(control(Role.LIST_ITEM, "Road trip"), from_control=song, label=song.name)
        assert assess(Drag(path=(NativePoint(1, 1), AT)), place).risk < RiskClass.C3


def test_what_follows_a_tab_goes_into_the_next_field() -> None:
    fields = on(control(Role.TEXT_FIELD, "User name"), title="Connect to server", nearby=("Password",))
    for text in ("anna\tS3cret!pw", "anna\tS3cret!pw\n"):
        assert Category.CREDENTIALS in assess(TypeText(text=text), fields).categories
    sign_in = page(Role.TEXT_FIELD, "Email", "Sign in - Shop")
    assert Category.CREDENTIALS in assess(TypeText(text="a@b.example\tS3cret!pw"), sign_in).categories
    names = page(Role.TEXT_FIELD, "First name", nearby=("Last name",))
    assert not assess(TypeText(text="Anna\tSmith"), names).categories


@pytest.mark.parametrize("text", ["40\t ", "40\t\n", "40\t\t "])
def test_a_space_or_a_line_break_after_a_tab_presses_a_control_that_is_not_known(text: str) -> None:
    pay = on(control(Role.TEXT_FIELD, "Amount"), title="Transfer", nearby=("Pay now", "Cancel"))
    assert assess(TypeText(text=text), pay).risk >= RiskClass.C3
    two = on(control(Role.BUTTON, "Cancel", dialog=DELETES))
    assert assess(TypeText(text="\t "), two).risk >= RiskClass.C3
    assert assess(TypeText(text="a\tb"), on(control(Role.CELL, "A1"), app="soffice", title="b.ods")).risk < RiskClass.C3


@pytest.mark.parametrize("text", ["def f():\n\treturn 1\n", "a\tb\nc\td\n"])
def test_tabs_are_written_into_several_lines(text: str) -> None:
    code = page(Role.TEXT_FIELD, "Editor content", "cell.ipynb", states=SEVERAL_LINES)
    letter = control(Role.TEXT_FIELD, "Message", states=SEVERAL_LINES)
    for place in (code, on(letter, app="thunderbird", title="Write: Figures")):
        assert assess(TypeText(text=text), place).risk < RiskClass.C3
    sends = page(Role.TEXT_FIELD, "Message", "Inbox - Webmail", nearby=("Send",), states=SEVERAL_LINES)
    assert assess(TypeText(text=text), sends).risk >= RiskClass.C3


def test_a_line_break_after_a_tab_and_letters_answers_what_is_not_known() -> None:
    bank = page(Role.TEXT_FIELD, "Search", "My bank - Transfer", nearby=("Pay now",))
    assert assess(TypeText(text="rent\tx\n"), bank).risk >= RiskClass.C3
    names = page(Role.TEXT_FIELD, "First name", nearby=("Last name", "Next"))
    for text in ("Anna\tSmith\n", "Anna\tSmith\t12 High Street\n"):
        before = assess(TypeText(text=text.replace("\t", " ")), names)
        assert assess(TypeText(text=text), names).categories == before.categories


ACTING = {
    "https://files.example/delete?id=3": Category.DELETE,
    "https://files.example/x?action=delete&id=3": Category.DELETE,
    "https://news.example/unsubscribe?u=1": Category.DELETE,
    "https://shop.example/cart/pay.php?confirm=1": Category.PAY,
    "https://team.example/invite/accept?t=9": Category.LEGAL,
    "https://mail.example/logout": Category.SYSTEM,
}


@pytest.mark.parametrize(("address", "category"), ACTING.items())
def test_an_address_that_acts_is_asked_about_without_a_link_too(address: str, category: Category) -> None:
    bar = PolicyContext(app=BROWSER, label="Address and search bar", read=True)
    for action in (Navigate(url=address), Launch(url=address), TypeText(text=address, submit=True)):
        assert category in assess(action, bar).categories, action


@pytest.mark.parametrize(
    "address",
    ["https://docs.example/api/delete", "https://docs.example/?q=delete", "https://docs.example/delete-a-branch?v=2",
     "https://docs.example/search?s=unsubscribe", "https://bank.example/pay", "https://x.example/off/season?y=1"],
)  # fmt: skip
def test_an_address_of_a_page_about_such_an_act_runs(address: str) -> None:
    assert assess(Navigate(url=address), PolicyContext(app=BROWSER)).risk < RiskClass.C3


def test_the_name_of_an_option_of_a_command_is_no_order() -> None:
    for name in ("--delete", "-d, --delete", "--force"):
        assert not categories(page(Role.LINK, name, "git-push - Reference", link="/--delete"))


def test_the_key_that_saves_does_on_a_page_what_its_button_does() -> None:
    article = page(Role.TEXT_FIELD, "Article text", "Edit page: Rope - Wiki", states=SEVERAL_LINES)
    assert by("ctrl+s", article) == {Category.POST}
    assert by("ctrl+s", page(Role.TEXT_FIELD, "Allowed hosts", "Firewall rules - Router")) == {Category.SECURITY}
    assert not asked("ctrl+s", page(Role.TEXT_FIELD, "Text", "Plan - Docs", states=SEVERAL_LINES))
    assert not asked("ctrl+s", page(Role.DOCUMENT, "News"))  # keeps the page as a file


@pytest.mark.parametrize("keys", ["ctrl+enter", "ctrl+shift+enter", "super+enter", "ctrl+kp_enter"])
def test_each_way_to_submit_a_text_of_several_lines_sends_it(keys: str) -> None:
    assert by(keys, page(Role.TEXT_FIELD, "Add a comment", "Bug #12 - Tracker", states=SEVERAL_LINES))


def test_a_key_that_runs_what_is_written_in_the_console_of_a_database_is_a_command() -> None:
    query = page(Role.TEXT_FIELD, "SQL query", "Admin", states=SEVERAL_LINES)
    assert by("f5", query) == by("f9", query) == {Category.TERMINAL}
    assert not asked("f5", page(Role.DOCUMENT, "News"))


def test_an_access_key_outside_a_dialog_presses_the_button_whose_name_has_the_letter() -> None:
    jobs = on(control(Role.LIST_ITEM, "Job 4"), title="Jobs", nearby=("Edit", "Delete", "Add"))
    assert by("alt+d", jobs) == {Category.DELETE}
    assert not asked("alt+e", jobs)  # another control begins with it
    assert by("alt+s", on(control(Role.LIST_ITEM, "4"), title="Aufträge", nearby=("Löschen", "Neu"))) == {
        Category.DELETE
    }
    wiki = page(Role.TEXT_FIELD, "Text", "Editing Rope - Wiki", nearby=("Publish changes", "Show preview"))
    assert by("alt+shift+p", wiki) == {Category.POST}
    assert not asked("alt+d", wiki)  # the address bar


def test_a_right_click_pastes_in_some_terminals() -> None:
    click = Click(at=AT, button=Button.RIGHT)
    assert assess(click, on(control(Role.TERMINAL), app="putty")).categories == (Category.TERMINAL,)
    assert assess(click, on(control(Role.TERMINAL), app="gnome-terminal-server")).risk < RiskClass.C3


def test_copying_a_secret_by_key_is_what_its_button_does() -> None:
    assert by("ctrl+c", page(Role.TEXT_FIELD, "API key")) == {Category.CREDENTIALS}
    assert not asked("ctrl+c", page(Role.TEXT_FIELD, "Name"))
    assert not asked("ctrl+c", page(Role.PASSWORD_FIELD))


SAVED = {
    "No": "Do you want to save your changes?", "Nein": "Möchten Sie die Änderungen speichern?",
    "Non": "Voulez-vous enregistrer les modifications ?", "Nie": "Czy zapisać zmiany?",
    "Não": "Deseja salvar as alterações?", "Nee": "Wilt u de wijzigingen opslaan?", "Нет": "Сохранить изменения?",
    "Ні": "Зберегти зміни?", "Ne": "Uložit změny?", "Hayır": "Değişiklikler kaydedilsin mi?",
    "いいえ": "変更を保存しますか？", "아니요": "변경 내용을 저장하시겠습니까?", "否": "是否保存更改？",
    "لا": "هل تريد حفظ التغييرات؟", "لا!": "هل تريدون حفظ التغييرات؟",
    "NO": "¿Guardar los cambios?", "no": "Salvare le modifiche?",
}  # fmt: skip


@pytest.mark.parametrize(("no", "question"), SAVED.items())
def test_the_no_to_saving_loses_the_work_and_other_ways_out_do_not(no: str, question: str) -> None:
    for dialog in (asking("Editor", question), asking(question)):
        assert categories(on(control(Role.BUTTON, no, dialog=dialog))) == {Category.DELETE}
        assert Category.DELETE in by("space", on(control(Role.BUTTON, no, dialog=dialog)))
    assert not categories(on(control(Role.BUTTON, no, dialog=asking("Delete?", "Delete the file?"))))


@pytest.mark.parametrize(
    "question", ["Leave without saving the changes?", "Ohne die Änderungen zu speichern beenden?",
                 "Save the password?", "不保存更改就关闭吗？", "変更を保存せずに閉じますか？",
                 "Quitter sans enregistrer les modifications ?"],
)  # fmt: skip
def test_the_no_to_leaving_without_saving_loses_nothing(question: str) -> None:
    for no in ("No", "Nein", "いいえ", "否", "Non"):
        assert not categories(on(control(Role.BUTTON, no, dialog=asking("Editor", question))))


def test_a_letter_that_answers_no_to_saving_asks() -> None:
    save = on(control(Role.BUTTON, "Yes", dialog=asking("Save changes?")), nearby=("Yes", "No", "Cancel"))
    assert Category.DELETE in by("n", save)
    assert Category.DELETE in by("alt+n", save)


def test_enter_in_a_search_field_presses_the_default_button_of_its_dialog() -> None:
    people = asking("Invite people", "", "Send invitations")
    assert Category.SEND in by("enter", on(control(Role.SEARCH_FIELD, "Search names", dialog=people)))
    assert not asked("enter", on(control(Role.SEARCH_FIELD, "Find", dialog=asking("Find", "", "Find next"))))


def test_typing_chooses_an_option_of_a_combo_box_that_is_no_field() -> None:
    sharing = page(Role.COMBO_BOX, "Link permissions", "Plan", value="Only me")
    for action in (TypeText(text="Everyone"), TypeText(text=" ", clear=True), TypeText(text="", clear=True)):
        assert assess(action, sharing).categories == (Category.SECURITY,)
    assert not assess(TypeText(text="May", clear=True), page(Role.COMBO_BOX, "Month", "Calendar")).categories


def test_a_letter_chooses_in_the_list_of_a_page_about_rights() -> None:
    assert asked("a", on(control(Role.MENU, ""), app=BROWSER, title="Members – Admin - Chromium"))
    assert not asked("a", on(control(Role.MENU, ""), app=BROWSER, title="Calendar - Chromium"))


def test_what_was_typed_makes_no_field_of_a_menu() -> None:
    for place in (on(control(Role.MENU, "")), on(control(Role.LIST_ITEM, "Rota"), menu_open=True)):
        assert asked("d", replace(place, app="thunderbird", title="Inbox", typed="z"))


@pytest.mark.parametrize("key", ["d", "enter", "space"])
def test_an_entry_of_a_menu_that_only_the_picture_shows_acts_on_what_is_selected(key: str) -> None:
    menu = PolicyContext(app=BROWSER, title="Notes - Chromium", menu_open=True)
    assert asked(key, menu)
    assert not asked(key, replace(menu, menu_open=False))
    assert not asked(key, replace(menu, app="inkscape", title="flyer.svg - Inkscape"))


@pytest.mark.parametrize("text", ["Remove photo", "Delete for everyone", "Foto entfernen", "Удалить фото", "写真を削除",
                                  "Remove from album and library"])  # fmt: skip
def test_an_order_among_words_of_a_menu_acts_although_a_page_calls_it_a_list(text: str) -> None:
    for role in (Role.LIST_ITEM, Role.LINK):
        assert Category.DELETE in categories(page(role, text, "Photos", nearby=("Edit", "Copy link", "Download")))
        assert not categories(page(role, text, "To do", nearby=("Buy milk", "Call mum", "Water the plants")))


def test_a_key_in_a_list_of_permissions_may_change_one() -> None:
    for role in (Role.TREE_ITEM, Role.CELL, Role.LIST_ITEM):
        assert by("space", on(control(role, "Camera"), title="App permissions")) == {Category.SECURITY}
    assert categories(page(Role.TOGGLE_BUTTON, "Two-factor authentication")) == {Category.SECURITY}


def test_a_text_that_gives_a_secret_away_asks_where_nothing_tells_what_it_is() -> None:
    for text in ("Export private key", "Copy recovery phrase"):
        found = Control(source=ControlSource.NONE, knowledge=TextKnowledge.READ, text=text)
        assert Category.CREDENTIALS in categories(on(found))


@pytest.mark.parametrize("text", ["Like", "Super like", "Gefällt mir", "Нравится", "いいね", "❤️"])
def test_a_like_reaches_somebody_where_people_meet(text: str) -> None:
    assert Category.SEND in categories(page(Role.BUTTON, text, "Discover - Lumen Dating"))
    assert Category.SEND not in categories(page(Role.BUTTON, text, "Harbour at dawn - Videos"))


@pytest.mark.parametrize("text", ["Jugar", "Gioca", "Spielen", "Играть"])
def test_a_word_for_playing_pays_beside_what_a_lottery_costs(text: str) -> None:
    assert Category.PAY in categories(page(Role.BUTTON, text, "Bonoloto", nearby=("Total: 3,00 €",)))
    assert not categories(page(Role.BUTTON, text, "Sudoku", nearby=("Nivel 3",)))


def test_the_sign_of_a_folded_part_unfolds_it() -> None:
    assert not categories(page(Role.BUTTON, "▸ 9 finished chores", nearby=("Move house",)))
    assert Category.DELETE in categories(page(Role.BUTTON, "▸ Delete all"))


def test_a_number_between_two_limits_of_a_filter_runs() -> None:
    price = page(Role.TEXT_FIELD, "do", "Monitory - Sklep", nearby=("Cena", "od"))
    assert assess(TypeText(text="900", submit=True), price).risk < RiskClass.C3
    for other in ("Przelew", "from"):
        assert assess(TypeText(text="900", submit=True), replace(price, nearby=(other,))).risk >= RiskClass.C3


@pytest.mark.parametrize("text", ["Send to Back", "Nach hinten senden", "Enviar al fondo", "Переместить назад",
                                  "向下合并", "Merge down", "Sloučit dolů", "레이어 병합"])  # fmt: skip
def test_the_order_of_shapes_and_layers_is_edited(text: str) -> None:
    assert not categories(on(control(Role.MENU_ITEM, text), title="poster.svg - Drawing"))
    assert Category.SEND in categories(on(control(Role.MENU_ITEM, "Send to all"), title="poster.svg - Drawing"))


def test_undo_in_a_tool_bar_is_no_way_out_that_makes_a_menu_an_answer() -> None:
    sheet = page(Role.BUTTON, "Format", "Budget - Sheets", nearby=("View", "Edit", "Undo", "Insert", "Bold"))
    assert not categories(sheet)


def test_what_is_kept_where_a_title_asks_to_end_it_stays_as_it_is() -> None:
    sure = ("Als u opzegt, leest u niets meer.", "Weet u het zeker?", "Ja, opzeggen")
    assert not categories(page(Role.BUTTON, "Abonnement behouden", "Abonnement opzeggen", nearby=sure))
    assert categories(page(Role.BUTTON, "Ja, opzeggen", "Abonnement opzeggen", nearby=sure[:2]))
    leaving = asking("Sair do aplicativo", "Existem downloads em andamento. Deseja realmente sair?")
    assert not categories(on(control(Role.BUTTON, "Continuar baixando", dialog=leaving)))


@pytest.mark.parametrize(
    ("text", "category"),
    [("Clôturer la position", Category.PAY), ("ポジションを決済", Category.PAY),
     ("Szybkie formatowanie", Category.SYSTEM), ("Быстрое форматирование", Category.SYSTEM),
     ("选择并删除", Category.DELETE), ("تحديد وحذف", Category.DELETE), ("Persoon blokkeren", Category.DELETE),
     ("Kurtarma ifadesini göster", Category.CREDENTIALS), ("시드 구문 보기", Category.CREDENTIALS),
     ("USB-foutopsporing inschakelen", Category.SECURITY), ("Bul'u kapat", Category.SECURITY),
     ("Wezmę udział", Category.SEND), ("手を振る", Category.SEND)],
)  # fmt: skip
def test_what_the_menus_and_windows_of_programs_carry_out(text: str, category: Category) -> None:
    for role in (Role.MENU_ITEM, Role.BUTTON):
        assert category in categories(on(control(role, text), title="x - Program", nearby=("Help",)))


def test_a_price_without_a_currency_is_one() -> None:
    for text in ("Watch for 3.99", "Für 3,99 ansehen", "3.99で見る", "Смотреть за 3,99"):
        assert Category.PAY in categories(page(Role.BUTTON, text))
    assert not categories(page(Role.BUTTON, "Watch from 3:59"))
    assert not categories(page(Role.BUTTON, "View version 3.99"))


def test_to_format_text_edits_it() -> None:
    assert not categories(on(control(Role.MENU_ITEM, "Remove format"), title="x - Writer"))


def test_an_entry_that_is_put_beside_another_of_its_list_is_sorted() -> None:
    for role in (Role.LIST_ITEM, Role.CELL):
        place = page(role, "Delete Forever", "Road trip", from_control=control(role, "Send Me on My Way"))
        assert assess(Drag(path=(NativePoint(1, 1), AT)), place).risk < RiskClass.C3
        for name in ("Deleted items", "Delete", "Trash"):
            ends = page(role, name, "Road trip", from_control=control(role, "Send Me on My Way"))
            assert Category.DELETE in assess(Drag(path=(NativePoint(1, 1), AT)), ends).categories
    upload = page(Role.CELL, "Drop files here to upload", from_control=control(Role.CELL, "letter.pdf"))
    assert Category.UPLOAD in assess(Drag(path=(NativePoint(1, 1), AT)), upload).categories


def test_a_numbered_field_elsewhere_takes_an_answer() -> None:
    for title in ("Quiz app", "Party guests", "Vocabulary"):
        assert not assess(TypeText(text="paris"), page(Role.TEXT_FIELD, "1.", title, nearby=("Phone",))).categories


def test_an_access_key_opens_a_menu() -> None:
    text = on(control(Role.TEXT_FIELD, "Text", states=SEVERAL_LINES), nearby=("File", "Edit", "Format", "Tools"))
    for keys in ("alt+f", "alt+e", "alt+o", "alt+t"):
        assert not asked(keys, text)


def test_the_word_for_undo_is_a_way_out_where_it_is_the_one_for_cancel() -> None:
    asked_of = on(drawn("OK"), title="Question", nearby=("Vider définitivement la corbeille ?", "Annuler"))
    assert Category.DELETE in by("enter", asked_of)
