"""Controls that only turn over, count, filter or show, and those that look like them and do more."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Chord
from operator_console.domain.elements import Role
from operator_console.domain.keys import parse_chord
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import assess
from operator_console.policy.labels_that_only_show import only_reads
from tests.policy.control_examples import CLICK, PAGE, asking, asks, button, categories, control, on

BOOKING = {"title": "Book a trip - Chromium", "nearby": ("Adults", "1", "Search trips")}


@pytest.mark.parametrize(
    "name",
    [
        "Increase number of adults", "Fewer children", "Anzahl der Erwachsenen erhöhen", "Weniger Zimmer",
        "Augmenter le nombre d'adultes", "Aumentar el número de niños", "Aumenta numero di adulti",
        "Diminuir quantidade de hóspedes", "Aantal volwassenen verhogen", "Zwiększ liczbę dorosłych",
        "Zvýšit počet dospělých", "Увеличить число взрослых", "Зменшити кількість дітей", "Yetişkin sayısını artır",
        "زيادة عدد البالغين", "大人の人数を増やす", "성인 인원 늘리기", "增加成人数",
    ],
)  # fmt: skip
def test_a_counter_of_travellers_needs_no_answer(name: str) -> None:
    assert not asks(button(name, **BOOKING))


@pytest.mark.parametrize(
    "name", ["Increase bid", "Raise offer", "Increase credit limit", "More adults and pay", "Pay more"]
)
def test_what_makes_something_else_larger_needs_one(name: str) -> None:
    assert asks(button(name, **BOOKING))


SHOP = {"title": "Download store - Chromium", "nearby": ("Download now for $20", "Buy", "Add to wish list")}


@pytest.mark.parametrize(
    "name",
    [
        "Next image", "Previous screenshot", "Nächstes Bild", "Image suivante", "Imagen anterior",
        "Immagine successiva",
        "Próxima foto", "Volgende afbeelding", "Następne zdjęcie", "Další obrázek", "Следующее изображение",
        "Наступне зображення", "Sonraki resim", "الصورة التالية", "次の画像", "다음 이미지", "下一张图片",
    ],
)  # fmt: skip
def test_turning_over_pictures_needs_no_answer(name: str) -> None:
    assert not asks(button(name, **SHOP))


@pytest.mark.parametrize("name", ["Delete next image", "Last page and sign", "Buy next episode", "First month and pay"])
def test_going_on_to_something_else_needs_one(name: str) -> None:
    assert asks(button(name, title="Payment - Chromium", nearby=("Total $20", "Card")))


SPANS = (
    "Last 6 hours", "Past 30 minutes", "Letzte 7 Tage", "6 dernières heures", "Últimas 24 horas", "Ultime 12 ore",
    "Últimos 30 dias", "Afgelopen 3 uur", "Ostatnie 7 dni", "Posledních 12 hodin", "Последние 6 часов",
    "Останні 7 днів",
    "Son 6 saat", "آخر 7 أيام", "過去6時間", "최근 6시간", "最近6小时", "6h", "30d",
)  # fmt: skip


@pytest.mark.parametrize("role", [Role.MENU_ITEM, Role.BUTTON])
@pytest.mark.parametrize("name", SPANS)
def test_a_span_of_time_is_a_view(role: Role, name: str) -> None:
    assert not asks(on(control(role, name), app="Chromium", title="Dashboards - Chromium", nearby=("CPU busy",)))


def test_a_span_of_time_with_a_price_or_in_a_dialog_is_not() -> None:
    name = "Last 6 hours"
    assert asks(button(name, title="Plans - Chromium", nearby=("$9.99",)))
    assert asks(on(control(Role.BUTTON, name, dialog=asking("Keep messages for", "Older ones are lost.")), **PAGE))


@pytest.mark.parametrize(
    ("word", "entry"),
    [("All", "LAN"), ("Alle", "WLAN"), ("Tous", "Wi-Fi"), ("Todos", "Fibra"),
     ("Все", "Телефония"), ("すべて", "無線"), ("전체", "무선"), ("全部", "无线")],
)  # fmt: skip
def test_an_entry_beside_the_one_for_all_filters_a_list(word: str, entry: str) -> None:
    menu = control(Role.MENU_ITEM, entry)
    assert not asks(on(menu, app="Chromium", title="Log - Chromium", nearby=(word, "USB")))
    assert asks(on(menu, app="Chromium", title="Log - Chromium", nearby=("USB",)))


PAIRS = [
    ("Apply", "Clear", "Filters"), ("Appliquer", "Effacer", "Filtres"), ("Применить", "Сброс", "Фильтры"),
    ("Aplicar", "Limpiar", "Filtros"), ("Applica", "Azzera", "Filtri"), ("Anwenden", "Zurücksetzen", "Filter"),
    ("Toepassen", "Wissen", "Filters"), ("Zastosuj", "Wyczyść", "Filtry"), ("Použít", "Vymazat", "Filtry"),
    ("Застосувати", "Скинути", "Фільтри"), ("Uygula", "Temizle", "Filtreler"), ("适用", "リセット", "フィルター"),
]  # fmt: skip


@pytest.mark.parametrize(("apply", "clear", "filters"), PAIRS[:-1])
def test_a_filter_is_applied_and_cleared_without_an_answer(apply: str, clear: str, filters: str) -> None:
    for own, other in ((apply, clear), (clear, apply)):
        assert not asks(button(own, title="Tickets - Chromium", nearby=(filters, other, "Status")))
        assert not asks(on(control(Role.LINK, own, link="#"), app="Chromium", title="Tickets", nearby=(filters, other)))


@pytest.mark.parametrize("title", ["Firewall", "Delete customers", "Security settings"])
@pytest.mark.parametrize(("apply", "clear", "filters"), PAIRS[:3])
def test_the_same_words_are_asked_about_where_they_carry_more_out(
    title: str, apply: str, clear: str, filters: str
) -> None:
    assert asks(button(apply, title=f"{title} - Chromium", nearby=(filters, clear, "Rule")))


def test_clearing_without_a_filter_needs_an_answer() -> None:
    assert Category.DELETE in categories(button("Effacer", title="Appels - Chromium", nearby=("Appeler", "Durand")))
    assert asks(button("Reset", title="Overview - Chromium", nearby=("Apply", "Show details", "Timeout")))
    assert asks(button("Delete", title="Tickets - Chromium", nearby=("Filters", "Apply", "Clear")))


@pytest.mark.parametrize(
    ("name", "title", "text"),
    [
        ("Cancel, keep branch", "Delete protected branch?", "It is lost for good."),
        ("Abbrechen, Branch behalten", "Branch löschen?", "Er geht verloren."),
        ("Annuler, conserver la branche", "Supprimer la branche ?", "Elle sera perdue."),
        ("Отмена, оставить ветку", "Удалить ветку?", "Она будет потеряна."),
        ("すべて拒否する", "Cookieの使用", "広告の配信に使います。"),
        ("拒否する", "Cookieの使用", "広告の配信に使います。"),
    ],
)
def test_a_no_that_says_what_stays_is_a_no(name: str, title: str, text: str) -> None:
    assert not asks(on(control(Role.BUTTON, name, dialog=asking(title, text)), **PAGE))


@pytest.mark.parametrize(
    ("name", "title", "text"),
    [
        ("Cancel, keep nothing and delete", "Delete branch?", "It is lost."),
        ("Cancel, keep my files", "Cancel subscription?", "It ends today."),
        ("キャンセルする", "サブスクリプション", "解約しますか？"),
        ("同意する", "Cookieの使用", "広告の配信に使います。"),
    ],
)
def test_a_yes_that_begins_like_a_no_is_asked_about(name: str, title: str, text: str) -> None:
    assert asks(on(control(Role.BUTTON, name, dialog=asking(title, text)), **PAGE))


@pytest.mark.parametrize(
    ("text", "reads"),
    [
        ("Показать проводки и другие движения документа", True), ("Show all dates and other places", True),
        ("View the terms and sign them", False), ("View and sign", False), ("Review plan and join now", False),
        ("Show details and delete everything", False), ("See the offer and confirm it", False),
        ("View bill + pay", False),
    ],
)  # fmt: skip
def test_what_shows_two_things_only_reads(text: str, reads: bool) -> None:
    assert only_reads(text) is reads


@pytest.mark.parametrize(
    "name", ["Voir tous mes paiements", "Ver todos mis pagos", "Show all my payments", "Vedi i miei pagamenti"]
)
def test_a_link_that_shows_what_is_mine_needs_no_answer(name: str) -> None:
    assert not asks(on(control(Role.LINK, name, link="/list"), app="Chromium", title="My account - Chromium"))


def test_the_name_of_a_document_is_no_order() -> None:
    assert not asks(button("contrato-aluguel.pdf", title="Documentos - Chromium"))
    assert not asks(on(control(Role.BUTTON, "send-money.odt"), app="nautilus", title="Documents"))
    assert asks(button("Delete report.pdf", title="Documents - Chromium"))
    assert asks(button("Pay.now", title="Documents - Chromium"))


def test_the_key_for_properties_asks_nothing_in_a_file_manager() -> None:
    chosen = on(control(Role.LIST_ITEM, "setup.sh"), app="nautilus", title="Downloads")
    assert assess(Chord(keys=parse_chord("alt+enter")), chosen).risk < RiskClass.C3
    assert assess(Chord(keys=parse_chord("enter")), chosen).risk >= RiskClass.C3


ANSWERS = [
    ("Forward", "Reply"), ("Weiterleiten", "Antworten"), ("Transférer", "Répondre"), ("Reenviar", "Responder"),
    ("Inoltra", "Rispondi"), ("Encaminhar", "Responder"), ("Doorsturen", "Beantwoorden"), ("Przekaż", "Odpowiedz"),
    ("Přeposlat", "Odpovědět"), ("Переслать", "Ответить"), ("Переслати", "Відповісти"), ("İlet", "Yanıtla"),
    ("إعادة توجيه", "رد"), ("転送", "返信"), ("전달", "답장"), ("转发", "回复"),
]  # fmt: skip


@pytest.mark.parametrize(("forward", "reply"), ANSWERS)
def test_a_way_to_answer_beside_another_opens_an_editor(forward: str, reply: str) -> None:
    """A menu “Message” beside it is no field for one."""
    near = ("Message", "Delete", "Junk", reply)
    for own, other in ((forward, near), (reply, (*near[:-1], forward))):
        assert not asks(on(control(Role.BUTTON, own), app="plain", title="Inbox - Evolution", nearby=other))


@pytest.mark.parametrize(("forward", "reply"), ANSWERS)
def test_the_same_word_sends_where_it_is_known_to_whom(forward: str, reply: str) -> None:
    choosing = on(control(Role.BUTTON, forward, dialog=asking(forward, "Anna")), app="plain", title="Inbox")
    assert asks(choosing)
    written = on(control(Role.BUTTON, reply), app="plain", title="Inbox", typed="See you", nearby=("Message", forward))
    assert asks(written)


SETTINGS = {
    "en": ("Settings", "Digital wellbeing and parental controls"),
    "de": ("Einstellungen", "Digitales Wohlbefinden und Freigabe für Gäste"),
    "fr": ("Paramètres", "Bien-être numérique et contrôle parental à distance"),
    "es": ("Ajustes", "Bienestar digital y control parental remoto"),
    "it": ("Impostazioni", "Benessere digitale e protezione della rete"),
    "pt": ("Definições", "Bem-estar digital e controlo parental remoto"),
    "tr": ("Ayarlar", "Dijital Denge ve ebeveyn denetimleri"),
    "pl": ("Ustawienia", "Cyfrowa równowaga i kontrola blokad"),
    "uk": ("Налаштування", "Цифрове благополуччя та захист мережі дому"),
    "ja": ("設定", "デジタルウェルビーイングとネットワーク保護"),
}  # fmt: skip


@pytest.mark.parametrize(("title", "entry"), SETTINGS.values(), ids=SETTINGS.keys())
@pytest.mark.parametrize("role", [Role.LIST_ITEM, Role.MENU_ITEM])
def test_an_entry_of_a_list_of_settings_is_a_place(role: Role, title: str, entry: str) -> None:
    found = assess(CLICK, on(control(role, entry), app="plain", title=title))
    assert Category.SECURITY not in found.categories


def test_an_answer_about_who_may_do_what_is_asked_about_there_too() -> None:
    anyone = control(Role.LIST_ITEM, "Anyone with the link can view")
    assert asks(on(anyone, app="plain", title="Settings"))
    assert asks(on(anyone, app="plain", title="Photos of June"))


@pytest.mark.parametrize(
    ("title", "cancel", "ok", "theme"),
    [("WhatsApp", "Cancelar", "OK", "Tema"), ("Telegram", "Cancel", "OK", "Theme"),
     ("Signal", "Abbrechen", "OK", "Design"), ("Slack", "Annuler", "OK", "Thème"),
     ("WhatsApp", "Отмена", "ОК", "Тема"), ("LINE", "キャンセル", "OK", "テーマ")],
)  # fmt: skip
def test_an_ok_about_how_a_messenger_looks_sends_nothing(title: str, cancel: str, ok: str, theme: str) -> None:
    near = (cancel, theme, "A", "B")
    assert not asks(on(control(Role.BUTTON, ok), app="plain", title=title, nearby=near))
    dialog = control(Role.BUTTON, ok, dialog=asking(theme))
    assert not asks(on(dialog, app="plain", title=title, nearby=near))
    assert asks(on(control(Role.BUTTON, ok), app="plain", title=title, nearby=(cancel, "Message", theme)))
    assert asks(on(control(Role.BUTTON, ok), app="plain", title=title, nearby=near, typed="See you"))


DOWNLOADS = [
    ("Download confirmation", "Download"), ("Bestätigung herunterladen", "Herunterladen"),
    ("Télécharger la confirmation", "Télécharger"), ("Descargar constancia", "Descargar"),
    ("Scarica la conferma", "Scarica"), ("Baixar confirmação", "Baixar"), ("Bevestiging downloaden", "Downloaden"),
    ("Pobierz potwierdzenie", "Pobierz"), ("Stáhnout potvrzení", "Stáhnout"), ("Скачать подтверждение", "Скачать"),
    ("Завантажити підтвердження", "Завантажити"), ("Onay belgesi indir", "İndir"), ("تنزيل إثبات", "تنزيل"),
    ("確認書をダウンロード", "ダウンロード"), ("증명서 다운로드", "다운로드"), ("下载凭证", "下载"),
]  # fmt: skip


@pytest.mark.parametrize(("confirmation", "download"), DOWNLOADS)
def test_a_document_is_downloaded_without_an_answer_by_its_name_or_that_of_the_file_beside_it(
    confirmation: str, download: str
) -> None:
    history = {"title": "History - Chromium"}
    assert not asks(button(confirmation, **history))
    for beside in ("statement-2026-03.pdf", "Slides (PDF)"):
        assert not asks(button(download, **history, nearby=(beside,)))
        assert not asks(on(control(Role.LINK, download, link="/f/7"), app="Chromium", **history, nearby=(beside,)))
    for others in (("setup-2.1.exe", "statement.pdf"), ("Release 2.1",)):
        assert asks(button(download, **history, nearby=others))


def test_running_what_stands_beside_a_document_is_asked_about() -> None:
    assert asks(button("Run", title="Files - Chromium", nearby=("report.pdf",)))


LOOK_UP = [
    ("查询", "重置"), ("查詢", "重置"), ("照会", "クリア"), ("조회", "초기화"), ("Sorgula", "Temizle"),
    ("Consultar", "Limpiar"),
    ("Consultar", "Limpar"), ("Consulta", "Azzera"), ("Consulter", "Effacer"), ("Abfragen", "Zurücksetzen"),
    ("Opvragen", "Wissen"), ("استعلام", "مسح"), ("Search", "Clear"),
]  # fmt: skip


@pytest.mark.parametrize(("look_up", "clear"), LOOK_UP)
def test_looking_something_up_in_a_bank_needs_no_answer_and_clearing_the_form_neither(look_up: str, clear: str) -> None:
    bank = {"title": "Transactions - My Bank - Chromium", "url": "https://bank.example/list"}
    assert not asks(button(look_up, **bank, nearby=("Account", clear, "Last month")))
    assert not asks(button(clear, **bank, nearby=("Account", look_up, "Last month")))
    assert asks(button(clear, **bank, nearby=("Account", "Last month")))


@pytest.mark.parametrize(("one", "other"), [("+", "−"), ("+", "-"), ("‹", "›"), ("<", ">"), ("«", "»"), ("▲", "▼")])
def test_one_of_two_signs_counts_or_turns_over_whatever_has_a_price_there(one: str, other: str) -> None:
    near = ("Quantity", "€59.90", "Total €59.90")
    for own, beside in ((one, other), (other, one)):
        assert not asks(button(own, title="My Bank - Chromium", nearby=(*near, beside)))
    assert asks(button("✓", title="My Bank - Chromium", nearby=(*near, one)))
