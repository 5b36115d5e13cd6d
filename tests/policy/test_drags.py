"""A drag is judged by what it ends on: the list of a role, a column named after an act, the track of a slider."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.actions import Drag, Release
from operator_console.domain.elements import Role
from operator_console.domain.geometry import NativePoint
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import assess
from tests.policy.control_examples import PAGE, control, on

A, B = NativePoint(10, 10), NativePoint(200, 200)


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


@pytest.mark.parametrize("role", [Role.LABEL, Role.PARAGRAPH, Role.IMAGE, Role.GROUP, Role.UNKNOWN])
@pytest.mark.parametrize("heading", ROLES.values(), ids=ROLES.keys())
def test_a_name_that_is_dragged_onto_a_role_gets_it_whatever_the_page_has_made_it_of(role: Role, heading: str) -> None:
    who = control(role, "Priya Nair")
    onto = on(control(Role.HEADING, heading), app="Chromium", title="Members - Chromium", from_control=who)
    assert Category.SECURITY in assess(Drag(path=(A, B)), onto).categories
    there = control(Role.LIST_ITEM, "Ruud Hendriks", group=(heading,))
    into = on(there, app="Chromium", title="Members - Chromium", from_control=who)
    assert Category.SECURITY in assess(Release(at=B), into).categories


def test_a_sentence_that_is_selected_up_to_a_heading_gives_nobody_a_role() -> None:
    start = control(Role.PARAGRAPH, "This guide is for all those who look after the machines.")
    onto = on(control(Role.HEADING, "Administrators"), app="Chromium", title="Guide - Chromium", from_control=start)
    assert assess(Drag(path=(A, B)), onto).risk < RiskClass.C3


@pytest.mark.parametrize(
    ("column", "category"),
    [("Published", Category.POST), ("Veröffentlicht", Category.POST), ("Deleted", Category.DELETE),
     ("Gelöscht", Category.DELETE), ("Approved", Category.SECURITY), ("Send now", Category.SEND)],
)  # fmt: skip
def test_a_card_that_is_put_into_another_column_does_what_the_column_is_named_after(
    column: str, category: Category
) -> None:
    card, below = control(Role.LIST_ITEM, "Spring menu", group=("Draft",)), control(Role.LIST_ITEM, "Old news item")
    into = replace(below, group=(column,))
    end = on(into, app="Chromium", title="Board - Chromium", from_control=card)
    assert category in assess(Drag(path=(A, B)), end).categories
    same = on(into, app="Chromium", title="Board - Chromium", from_control=replace(card, group=(column,)))
    assert assess(Drag(path=(A, B)), same).risk < RiskClass.C3
