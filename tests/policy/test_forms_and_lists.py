"""Rules by what stands around a control in forms, lists, notices and dialogs, in any language."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Click, Drag, TypeText
from operator_console.domain.elements import Control, Role
from operator_console.domain.geometry import NativePoint
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import assess
from tests.policy.control_examples import CLICK, PAGE, asking, asks, button, categories, control, in_dialog, on


@pytest.mark.parametrize(
    ("title", "entry"),
    [
        ("Schedule send", "Tomorrow morning 08:00"), ("Programar envío", "Mañana 8:00"), ("定时发送", "明天上午8点"),
        ("Запланировать отправку", "Завтра утром, 08:00"), ("送信日時を設定", "明日の朝 8:00"),
    ],
)  # fmt: skip
def test_an_entry_with_a_time_sends_then(title: str, entry: str) -> None:
    chosen = control(Role.LIST_ITEM, entry, dialog=asking(title, entry))
    assert Category.SEND in categories(on(chosen, **PAGE))


def test_a_time_elsewhere_only_selects() -> None:
    slot = control(Role.LIST_ITEM, "Tomorrow 08:00", dialog=asking("Opening hours", "Tomorrow 08:00"))
    assert not asks(on(slot, **PAGE))


@pytest.mark.parametrize(
    ("label", "near"),
    [("Save", "Guests: lee@b.example"), ("Speichern", "Gäste: lee@b.example"), ("保存", "参与者：lee@b.example")],
)
def test_saving_a_form_with_the_addresses_of_guests_tells_them(label: str, near: str) -> None:
    assert Category.SEND in categories(button(label, nearby=(near,)))
    assert not asks(button(label, nearby=("My notes",)))


@pytest.mark.parametrize(
    ("label", "text"),
    [
        ("Restore", "The current state will be lost."), ("还原", "当前虚拟机状态将会丢失。"),
        ("Wiederherstellen", "Der aktuelle Zustand geht verloren."), ("복원", "현재 상태가 손실됩니다."),
    ],
)  # fmt: skip
def test_restoring_asks_where_the_dialog_says_what_is_lost(label: str, text: str) -> None:
    assert asks(in_dialog(label, "Snapshot", text))
    assert not asks(in_dialog(label, "Pages", "Twelve pages."))


@pytest.mark.parametrize("name", ["Bin (empty)", "Koš (prázdný)", "Papierkorb · 3 Objekte", "🗑 ゴミ箱"])
def test_the_trash_is_known_with_what_is_in_it(name: str) -> None:
    drag = Drag(path=(NativePoint(1, 1), NativePoint(180, 116)))
    context = on(control(Role.LABEL, name), from_control=control(Role.LABEL, "letter.pdf"))
    assert Category.DELETE in assess(drag, context).categories


@pytest.mark.parametrize(
    ("link", "notice"),
    [
        ("Go to site", "We and our trusted partners store cookies on your device."),
        ("Przejdź do serwisu", "Klikając przycisk poniżej zgadzasz się na przetwarzanie danych."),
        ("Accéder au site", "Nous et nos partenaires stockons des cookies sur votre appareil."),
    ],
)
def test_a_link_that_leads_on_beside_a_notice_gives_consent(link: str, notice: str) -> None:
    leads = control(Role.LINK, link, link="https://news.example/home")
    assert Category.LEGAL in categories(on(leads, **PAGE, nearby=(notice,)))
    assert not asks(on(leads, **PAGE, nearby=("Weather in Leeds today",)))


@pytest.mark.parametrize("label", ["Got it", "Compris", "Понятно", "了解しました", "فهمت"])
def test_what_only_tells_something_may_be_closed(label: str) -> None:
    told = control(Role.BUTTON, label, dialog=asking("A fresh look", "We moved Delete and Archive into one menu."))
    assert not asks(on(told, **PAGE))
    assert asks(on(told, **PAGE, nearby=("Cancel",)))
    assert asks(button(label, nearby=("We use cookies to measure visits and to show advertisements.",)))


@pytest.mark.parametrize(
    "label",
    ["Clear filters", "Supprimer le gras", "Fett entfernen", "清除筛选", "Сбросить фильтры", "Formátování smazat"],
)
def test_filters_and_forms_of_text_may_be_taken_back(label: str) -> None:
    assert not asks(button(label, nearby=("Red",)))


def test_all_filters_may_be_cleared_by_a_word_that_does_not_say_so() -> None:
    assert not asks(button("Clear all", title="Filters - Chromium", nearby=("Size M",)))
    assert asks(button("Clear all", title="Saved payments - Chromium", nearby=("Size M",)))


@pytest.mark.parametrize("label", ["Delete bold customers", "Delete selected", "删除选中", "선택 삭제"])
def test_what_is_selected_is_no_form_of_text(label: str) -> None:
    assert asks(button(label, nearby=("Red",)))


@pytest.mark.parametrize(
    "label",
    [
        "Show deleted lines",
        "12 Antworten anzeigen",
        "查看12条回复",
        "返信を12件表示",
        "Śledź przesyłkę",
        "See permissions",
    ],
)
def test_what_only_shows_something_runs_whatever_it_shows(label: str) -> None:
    assert not asks(button(label, nearby=("Ana",)))


@pytest.mark.parametrize("label", ["Show password", "View and pay", "Show & delete", "Pay £20.00"])
def test_showing_a_secret_or_doing_more_asks(label: str) -> None:
    assert asks(button(label, nearby=("Ana",)))


@pytest.mark.parametrize("name", ["Firewall", "Users", "Cortafuegos", "ファイアウォール"])
def test_a_noun_in_a_list_of_settings_is_a_place(name: str) -> None:
    assert not asks(on(control(Role.LIST_ITEM, name), title="System Settings"))


def test_an_order_in_a_list_still_asks() -> None:
    assert asks(on(control(Role.LIST_ITEM, "Turn off firewall"), **PAGE))
    assert asks(on(control(Role.LIST_ITEM, "Anyone with the link"), **PAGE))


def test_a_double_click_on_a_sentence_of_a_dialog_answers_nothing() -> None:
    sentence = "Never tell anybody the code from the message."
    twice = Click(at=NativePoint(180, 116), count=2)
    label = control(Role.LABEL, sentence, dialog=asking("Security advice", sentence))
    assert not assess(twice, on(label)).categories


@pytest.mark.parametrize("near", ["To: T Brown 20-11-33", "Vers : M. Brun", "收款人：张三"])
@pytest.mark.parametrize("label", ["Next", "Suivant", "下一步"])
def test_going_on_beside_an_amount_and_a_payee_pays(label: str, near: str) -> None:
    assert Category.PAY in categories(button(label, nearby=("200 €", near)))


@pytest.mark.parametrize(
    ("field", "text", "around"),
    [("Day", "14", "Date of birth"), ("Day Month Year", "14 09 1987", "Date of birth"), ("Jahr", "1987", "Geboren am")],
)
def test_a_part_of_a_date_of_birth_is_personal(field: str, text: str, around: str) -> None:
    typed = TypeText(text=text)
    place: Control = control(Role.TEXT_FIELD, field)
    assert Category.PERSONAL_DATA in assess(typed, on(place, **PAGE, nearby=("Month", around))).categories
    later = TypeText(text=text.replace("1987", "2031"))
    assert not assess(later, on(place, **PAGE, nearby=("Month", "Departure"))).categories


def test_a_whole_date_of_years_ago_is_one_of_birth() -> None:
    place = control(Role.TEXT_FIELD, "Day Month Year")
    assert Category.PERSONAL_DATA in assess(TypeText(text="14 09 1987"), on(place, **PAGE)).categories
    assert not assess(TypeText(text="14 09 1987"), on(control(Role.TEXT_FIELD, "Search notes"), **PAGE)).categories


def test_going_on_to_a_site_that_the_page_warns_of_asks() -> None:
    warned = {"app": "Chromium", "title": "Privacy error - Chromium"}
    assert asks(on(control(Role.LINK, "Go to site", link="https://10.0.0.1/"), **warned))
    assert not asks(on(control(Role.LINK, "Learn more", link="https://help.example/"), **warned))


def test_the_last_digits_of_a_card_fill_it_in() -> None:
    card = control(Role.LIST_ITEM, "Mastercard ending in 4411")
    assert Category.PERSONAL_DATA in categories(on(card, **PAGE, nearby=("Card number",)))
    assert not asks(on(card, **PAGE, nearby=("Statements",)))


def test_a_dangerous_download_is_not_kept_unasked() -> None:
    assert asks(button("Keep", title="This file may be harmful - Chromium", nearby=("setup.exe", "Discard")))
    assert not asks(button("Keep", title="Delete setup.exe? - Chromium", nearby=("setup.exe", "Delete")))


def test_opening_asks_where_the_dialog_warns() -> None:
    assert asks(in_dialog("Open", "“Tool” was downloaded from the internet", "Are you sure you want to open it?"))
    assert assess(CLICK, in_dialog("Cancel", "“Tool”", "Are you sure you want to open it?")).risk < 3


@pytest.mark.parametrize(
    ("title", "label", "near", "typed"),
    [
        ("Código de verificação", "Código de 6 dígitos", (), "739204"),
        ("Sign-in", "Code", ("We sent you a text.",), "551822"),
        ("Ověření přihlášení", "Zadejte kód", (), "440192"), ("登录", "输入代码", ("请查看手机。",), "771203"),
        ("Wallet", "Recovery phrase (12 words)", (), "ocean lamp silver garden"),
        ("Peněženka", "Tajnou frázi", (), "les voda"),
        ("Recovery", "Your answer", ("What was the name of your first pet?",), "Biscuit"),
    ],
)  # fmt: skip
def test_what_proves_who_somebody_is_asks_when_it_is_typed(
    title: str, label: str, near: tuple[str, ...], typed: str
) -> None:
    field = control(Role.TEXT_FIELD, label)
    context = on(field, app="Chromium", title=f"{title} - Chromium", nearby=near)
    assert Category.CREDENTIALS in assess(TypeText(text=typed), context).categories


@pytest.mark.parametrize(
    ("label", "near", "typed"),
    [
        ("Year", ("When was the battle?",), "1410"), ("Your answer", ("What is the capital?",), "Paris"),
        ("Discount code", (), "SPRING10"), ("Passengers", ("Sign in for better prices.",), "2"),
    ],
)  # fmt: skip
def test_other_numbers_and_answers_are_typed_without_a_question(label: str, near: tuple[str, ...], typed: str) -> None:
    context = on(control(Role.TEXT_FIELD, label), **PAGE, nearby=near)
    assert not assess(TypeText(text=typed), context).categories


@pytest.mark.parametrize("name", ["B2", "AA17"])
def test_a_cell_takes_a_line_without_a_question(name: str) -> None:
    cell = on(control(Role.TEXT_FIELD, name), **PAGE)
    assert assess(TypeText(text="42.50", submit=True), cell).risk < RiskClass.C3
    other = on(control(Role.TEXT_FIELD, "Nickname"), **PAGE)
    assert assess(TypeText(text="42.50", submit=True), other).risk is RiskClass.C3


def test_a_measure_is_submitted_without_a_question_where_nothing_is_paid() -> None:
    area = control(Role.TEXT_FIELD, "Surface en m²")
    assert assess(TypeText(text="18,5", submit=True), on(area, **PAGE)).risk < RiskClass.C3
    paid = on(area, **PAGE, nearby=("Total: 240 €",))
    assert assess(TypeText(text="18,5", submit=True), paid).risk is RiskClass.C3


def test_a_stop_watch_starts_without_a_question_unless_time_costs_money() -> None:
    assert not asks(button("Start", title="Stopwatch", nearby=("00:03:12", "Lap")))
    assert asks(button("Start", title="Stopwatch", nearby=("$2.00 an hour",)))
    assert asks(button("Avvia", title="Macchina virtuale", nearby=("debian-12",)))


@pytest.mark.parametrize(
    ("title", "label"), [("Enregistrer sous - Partition", "Enregistrer"), ("Save As - Editor", "Save")]
)
def test_the_document_of_a_dialog_that_saves_a_file_is_no_matter_of_the_machine(title: str, label: str) -> None:
    assert not asks(in_dialog(label, title, "Name Folder"))
    assert asks(in_dialog(label, "Partition", "Name Folder"))


def test_an_appointment_of_nobody_else_is_saved_without_a_question() -> None:
    assert not asks(in_dialog("Speichern", "Neuer Termin", "Titel Teilnehmer: keine"))
    assert asks(in_dialog("Speichern", "Neuer Termin", "Titel Teilnehmer: Vorstand"))


@pytest.mark.parametrize(
    ("label", "grant"), [("Odrzuć", "Zezwól"), ("Отклонить", "Разрешить"), ("Відхилити", "Дозволити")]
)
def test_turning_down_access_passes_and_discarding_by_the_same_word_does_not(label: str, grant: str) -> None:
    title = {"Odrzuć": "Dostęp do kamery", "Отклонить": "Доступ к камере", "Відхилити": "Доступ до камери"}[label]
    assert not asks(on(control(name=label, dialog=asking(title, title)), nearby=(grant,)))
    assert asks(on(control(name=label, dialog=asking("Odrzucić zmiany?", title)), nearby=("Zapisz",)))


def test_a_reply_among_ways_to_answer_opens_an_editor_whatever_was_typed_elsewhere() -> None:
    near = ("From: Joan Ellis", "Forward", "Delete")
    assert not asks(button("Reply", title="Mail - Chromium", app="Chromium", nearby=near, typed="notes"))
    written = (*near, "Your message")
    assert asks(button("Reply", title="Mail - Chromium", app="Chromium", nearby=written, typed="notes"))


@pytest.mark.parametrize(
    ("title", "said", "label"),
    [
        ("替换或跳过文件", "目标文件夹中已有名为“合同.docx”的文件", "替换目标中的文件"),
        ("Dateien ersetzen oder überspringen", "Im Ziel ist bereits eine Datei vorhanden", "Datei im Ziel ersetzen"),
        ("Замена или пропуск файлов", "В папке уже есть файл «смета.docx»", "Заменить файл в папке"),
        ("Copy", "The folder already contains report.odt", "Replace"),
    ],
)
def test_replacing_a_file_that_is_there_deletes_it(title: str, said: str, label: str) -> None:
    assert Category.DELETE in assess(CLICK, in_dialog(label, title, said)).categories
    assert not asks(in_dialog("Replace", "Find and replace", "Find Replace with"))


@pytest.mark.parametrize(
    ("title", "label"),
    [
        ("Schlüsselverwaltung", "Geheimen Schlüssel exportieren"), ("Keys", "Back up secret key"),
        ("Ключи", "Экспортировать закрытый ключ"), ("鍵の管理", "秘密鍵をエクスポート"), ("导出私钥", "导出"),
        ("Export secret key", "Export"), ("Certificates", "Save certificate with private key"),
    ],
)  # fmt: skip
def test_taking_a_secret_out_asks(title: str, label: str) -> None:
    assert Category.CREDENTIALS in assess(CLICK, in_dialog(label, title, "ada@hall.example")).categories
    assert not asks(in_dialog("Export", "Export image", "Quality: 90"))


def test_a_refusal_passes_by_its_own_text_where_the_title_says_what_would_be_sent() -> None:
    title = "Witryna chce wysyłać Ci powiadomienia"
    assert not asks(on(control(name="Blokuj", dialog=asking(title, title)), nearby=("Zezwól", title)))
    assert asks(on(control(name="Zezwól", dialog=asking(title, title)), nearby=("Blokuj", title)))


def test_marking_writing_and_listening_pass_in_mail_and_on_pages() -> None:
    mail = {"app": "Chromium", "title": "Postvak IN - Mail - Chromium", "url": "https://mail.example/"}
    assert not asks(button("Ster toevoegen", **mail, nearby=("Bevestiging afspraak",)))
    assert asks(button("5 sterren toevoegen", **mail, nearby=("Bevestiging afspraak",)))
    assert not asks(button("메일쓰기", **mail, nearby=("보낸 사람",)))
    assert not asks(button("Écouter le direct", **PAGE))
    assert asks(button("Écouter le direct", **PAGE, nearby=("4,99 €",)))
    assert asks(button("Start live stream", **PAGE))


def test_the_head_of_a_message_in_a_program_is_no_field_to_write_in() -> None:
    near = ("Weiterleiten", "Löschen", "Von: Spenglerei Auer", "An: mich")
    assert not asks(button("Antworten", title="Angebot – Mail", app="mail", nearby=near, typed="notes"))
    assert asks(button("Antworten", title="Angebot – Mail", app="mail", nearby=(*near, "An:"), typed="notes"))


@pytest.mark.parametrize(
    ("label", "title"),
    [
        ("Keep the newer one", "Conflicting copies"), ("Neuere Version behalten", "Versionen weichen ab"),
        ("Оставить более новую", "Две версии"), ("保留本地版本", "版本冲突"), ("最新バージョンを残す", "競合"),
    ],
)  # fmt: skip
def test_keeping_one_of_two_versions_loses_the_other(label: str, title: str) -> None:
    assert Category.DELETE in assess(CLICK, in_dialog(label, title, "Two versions of letter.odt differ.")).categories
    assert not asks(in_dialog("Keep original", "Delete this file?", "Delete photo.jpg?"))
    assert not asks(in_dialog("Keep both", title, "Two versions of letter.odt differ."))


@pytest.mark.parametrize("label", ["Merge", "Zusammenführen", "Combinar", "Birleştir", "合并", "병합"])
def test_merging_a_folder_that_is_there_replaces_what_has_the_same_name(label: str) -> None:
    said = "A folder “Photos” already exists here."
    assert Category.DELETE in assess(CLICK, in_dialog(label, "Copy", said)).categories
    cells = on(control(Role.BUTTON, label), title="Cells", nearby=("A1", "B1"))
    assert Category.DELETE not in assess(CLICK, cells).categories


@pytest.mark.parametrize(
    ("title", "said"),
    [
        ("Approve sign-in?", "Enter the number shown."),
        ("Это вы пытаетесь войти?", "Выберите число."),
        ("是您在登录吗?", "请选择另一台设备上显示的数字。"),
        ("Anmeldung", "Versuchen Sie, sich anzumelden?"),
    ],
)
def test_a_number_that_another_device_shows_lets_somebody_sign_in(title: str, said: str) -> None:
    page = {"app": "Chromium", "title": f"{title} - Chromium", "nearby": (said,)}
    assert Category.SECURITY in assess(CLICK, button("47", **page)).categories
    field = on(control(Role.TEXT_FIELD, "Number"), **page)
    assert Category.CREDENTIALS in assess(TypeText(text="47"), field).categories
    lines = {"app": "Chromium", "title": "Bus lines - Chromium"}
    assert not asks(button("47", **lines, nearby=("46", "48", "Sign in", "Sign in to see the lines that you saved.")))


def test_what_only_takes_out_gives_away_the_secret_of_the_title() -> None:
    for title, label in (("Recovery phrase", "Copy"), ("Секретная фраза", "Скопировать"), ("助记词", "复制")):
        assert Category.CREDENTIALS in assess(CLICK, button(label, title=f"{title} - Chromium")).categories
    assert not asks(button("Print", title="Password tips - Chromium"))


def test_an_order_for_what_is_shown_there_acts_in_a_link_and_a_headline_does_not() -> None:
    for text in ("Delete this repository", "Diese Datei löschen", "Удалить этот файл"):
        assert Category.DELETE in assess(CLICK, on(control(Role.LINK, text, link="http://h/x"), **PAGE)).categories
    assert not asks(on(control(Role.LINK, "Remove stains from carpets", link="http://h/x"), **PAGE))


def test_forwarding_to_somebody_who_is_named_sends() -> None:
    assert (
        Category.SEND
        in assess(CLICK, button("Forward", title="Minutes - Chromium", nearby=("To", "Subject"))).categories
    )
    assert not asks(button("Forward", title="Minutes - Chromium", nearby=("From", "Ada", "To", "me")))


@pytest.mark.parametrize("label", ["Accessible version", "Sonnenaufgang", "Влажность", "難易度", "泳池"])
def test_a_noun_that_names_a_view_passes_where_nothing_else_says_what_it_does(label: str) -> None:
    assert not asks(button(label, nearby=("12", "x")))
    assert asks(button(f"{label} xyz", nearby=("12", "x"), typed="x"))


def test_the_words_for_the_basket_are_those_for_the_trash_where_nothing_is_sold() -> None:
    page = {"app": "Chromium", "title": "Фото - Chromium"}
    assert Category.DELETE in assess(CLICK, button("В корзину", **page, nearby=("12 выбрано",))).categories
    assert not asks(button("В корзину", **page, nearby=("3 990 ₽",)))


def test_keeping_an_order_is_no_payment_and_going_on_with_one_is() -> None:
    assert not asks(in_dialog("Keep order", "Cancel order?", "Cancel order?"))
    assert asks(in_dialog("Continue with payment", "Cancel payment?", "Cancel payment?"))


def test_a_noun_is_asked_about_where_somebody_answers() -> None:
    assert asks(in_dialog("Business", "Which data may be used?", "Which data may be used?"))
    assert not asks(button("Business", nearby=("Culture", "Sports")))
