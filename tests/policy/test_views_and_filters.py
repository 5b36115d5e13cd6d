"""Controls that only turn over, count, filter or show, and those that look like them and do more."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Chord, Drag, Release
from operator_console.domain.elements import Role
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import parse_chord
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import assess
from operator_console.policy.control_labels import only_reads
from tests.policy.control_examples import PAGE, asking, asks, button, categories, control, on

A, B = NativePoint(10, 10), NativePoint(200, 200)
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


def test_a_slider_that_is_dragged_does_not_press_what_stands_above_it() -> None:
    slider = control(Role.SLIDER, "Maximum price")
    near = ("Maximum price", "148 products", "Price", "£0", "Buy now with one click")
    end = on(control(Role.GROUP, ""), **{**PAGE, "label": "Maximum price"}, from_control=slider, nearby=near)
    assert assess(Drag(path=(A, B)), end).risk < RiskClass.C3


@pytest.mark.parametrize("near", [("Slide to pay £20",), ("Handle", "Slide to pay £20")])
def test_a_slider_that_pays_is_asked_about(near: tuple[str, ...]) -> None:
    end = on(control(Role.GROUP, ""), **PAGE, from_control=control(Role.SLIDER, "Handle"), nearby=near)
    assert Category.PAY in assess(Drag(path=(A, B)), end).categories


ROLES = {
    "en": "Administrators", "de": "Administratoren", "fr": "Administrateurs", "es": "Administradores",
    "it": "Amministratori", "pt": "Administradores", "nl": "Domeinbeheerders (volledige rechten)",
    "pl": "Administratorzy",
    "cs": "Správci", "ru": "Администраторы", "uk": "Адміністратори", "tr": "Yöneticiler", "ar": "المشرفون",
    "ja": "管理者", "ko": "관리자", "zh": "管理员",
}  # fmt: skip


@pytest.mark.parametrize("heading", ROLES.values(), ids=ROLES.keys())
def test_somebody_who_is_put_into_the_list_of_a_role_gets_it(heading: str) -> None:
    who, there = control(Role.LIST_ITEM, "Femke de Wit"), control(Role.LIST_ITEM, "Ruud Hendriks")
    end = on(there, app="Chromium", title="Groups - Chromium", from_control=who, nearby=(heading, "Joris Bakker"))
    assert Category.SECURITY in assess(Release(at=B), end).categories
    assert Category.SECURITY in assess(Drag(path=(A, B)), end).categories
    onto = on(control(Role.HEADING, heading), app="Chromium", title="Groups - Chromium", from_control=who)
    assert Category.SECURITY in assess(Drag(path=(A, B)), onto).categories


@pytest.mark.parametrize(
    "title",
    [
        "User management", "Benutzerverwaltung", "Gestion des utilisateurs", "Gestión de usuarios", "Gestione utenti",
        "Gestão de utilizadores", "Groepen – Gebruikersbeheer", "Zarządzanie użytkownikami", "Správa uživatelů",
        "Управление пользователями", "Керування користувачами", "Kullanıcı yönetimi", "إدارة المستخدمين",
        "ユーザー管理",
        "사용자 관리", "用户管理",
    ],
)  # fmt: skip
def test_somebody_who_is_moved_where_users_are_managed_gets_other_rights(title: str) -> None:
    """What stands around an entry of a list is often not told."""
    who, there = control(Role.LIST_ITEM, "Femke de Wit"), control(Role.LIST_ITEM, "Ruud Hendriks")
    end = on(there, app="Chromium", title=f"{title} - Chromium", from_control=who)
    assert Category.SECURITY in assess(Release(at=B), end).categories


def test_text_that_is_selected_in_a_guide_for_administrators_gives_nobody_a_role() -> None:
    start, there = control(Role.LABEL, "a line"), control(Role.LABEL, "of text")
    end = on(there, app="Chromium", title="Guide for administrators - Chromium", from_control=start)
    assert assess(Release(at=B), end).risk < RiskClass.C3


@pytest.mark.parametrize("heading", ["In progress", "Songs", "Team", "Done", "Members of the choir"])
def test_other_lists_give_nobody_a_role(heading: str) -> None:
    who, there = control(Role.LIST_ITEM, "Fix the admin page"), control(Role.LIST_ITEM, "Ruud Hendriks")
    end = on(there, app="Chromium", title="Board - Chromium", from_control=who, nearby=(heading, "Joris Bakker"))
    assert assess(Release(at=B), end).risk < RiskClass.C3
