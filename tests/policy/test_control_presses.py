"""Check boxes, drawn boxes and files are judged by their kind."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Click
from operator_console.domain.elements import Control, ControlSource, Role, TextKnowledge
from operator_console.domain.geometry import NativePoint
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import assess
from tests.policy.control_examples import asking, asks, categories, control, drawn, on


@pytest.mark.parametrize("text", ["Remote login over SSH", "Public: anyone can see this album", "Echtzeitschutz"])
def test_a_box_that_names_protection_or_access_asks(text: str) -> None:
    for role in (Role.CHECK_BOX, Role.RADIO_BUTTON, Role.SWITCH):
        assert Category.SECURITY in categories(on(control(role, text)))


@pytest.mark.parametrize("text", ["Dark mode", "Show line numbers", "Nur sofort lieferbar", "Express delivery"])
def test_a_box_of_looks_and_choices_runs(text: str) -> None:
    assert not asks(on(control(Role.CHECK_BOX, text)))


@pytest.mark.parametrize("knowledge", [TextKnowledge.NOT_YET, TextKnowledge.UNREADABLE])
def test_a_drawn_box_of_which_the_text_is_not_known_asks(knowledge: TextKnowledge) -> None:
    assert asks(on(drawn("", knowledge=knowledge)))


@pytest.mark.parametrize("knowledge", [TextKnowledge.NOT_YET, TextKnowledge.UNREADABLE])
@pytest.mark.parametrize(
    ("title", "near"),
    [
        ("Staff portal", ("User", "Password")), ("Portal", ("Benutzer", "Passwort")), ("Портал", ("Логин", "Пароль")),
        ("ポータル", ("ユーザー", "パスワード")), ("Vault", ("Key", "Recovery phrase")),
        ("Choose an account", ("Anna", "Ben")),
        ("Konto auswählen", ("Anna", "Ben")), ("계정 선택", ("Anna", "Ben")),
    ],
)  # fmt: skip
def test_what_could_not_be_read_asks_where_somebody_signs_in(
    title: str, near: tuple[str, ...], knowledge: TextKnowledge
) -> None:
    place = Control(source=ControlSource.NONE, knowledge=knowledge)
    assert asks(on(place, app="Chromium", title=f"{title} - Chromium", nearby=near))
    assert not asks(on(place, app="Chromium", title="Weather - Chromium", nearby=("Rain", "Wind")))


@pytest.mark.parametrize("knowledge", [TextKnowledge.NOT_YET, TextKnowledge.UNREADABLE])
def test_what_could_not_be_read_asks_in_a_dialog_whose_sentence_has_a_verb_in_any_form(
    knowledge: TextKnowledge,
) -> None:
    place = Control(source=ControlSource.NONE, knowledge=knowledge, dialog=asking("Photos", "All were to be erased."))
    assert asks(on(place, app="plain", title="Photos"))


def test_an_entry_of_a_menu_is_no_answer_to_what_stands_beside_the_menu() -> None:
    near = ("Mover a la papelera", "Renombrar…", "Copiar", "Atrás")
    assert not asks(on(control(Role.MENU_ITEM, "Propiedades"), app="plain", title="Documentos", nearby=near))
    assert asks(on(control(Role.MENU_ITEM, "Mover a la papelera"), app="plain", title="Documentos", nearby=near))


def test_a_program_file_is_started_by_a_double_click_in_any_window() -> None:
    twice = Click(at=NativePoint(180, 116), count=2)
    entry = on(control(Role.LIST_ITEM, "game-installer.run"), title="Downloads")
    assert Category.DOWNLOAD_RUN in assess(twice, entry).categories
    assert assess(twice, on(control(Role.LIST_ITEM, "notes.txt"), title="Downloads")).risk < RiskClass.C3
