"""What a page has made a button of without saying so, vague answers, files that run later, cells and drops."""

from __future__ import annotations

from typing import Any

import pytest

from operator_console.domain.actions import Chord, Drag
from operator_console.domain.elements import UNKNOWN_CONTROL, ElementState, Role
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.keys import Key
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import PolicyContext, assess
from tests.policy.control_examples import CLICK, PAGE, asking, button, control, drawn, on

SAVE = Chord(keys=(Key("ctrl"), Key("s")))
FIELD = {"states": (ElementState.EDITABLE, ElementState.MULTI_LINE)}


def asks(context: PolicyContext) -> bool:
    return assess(CLICK, context).risk >= RiskClass.C3


def painted(text: str, role: Role = Role.LABEL, *, pressable: bool = True, **changed: Any) -> PolicyContext:
    """The context of a text of a page that is no control by its role."""
    return on(control(role, text, pressable=pressable), **{**PAGE, **changed})


@pytest.mark.parametrize("role", [Role.LABEL, Role.GROUP, Role.PARAGRAPH])
@pytest.mark.parametrize("text", ["Let it fly", "Chirp", "Zet ze online →", "全データを消去する"])
def test_a_short_text_that_can_be_pressed_is_a_button(text: str, role: Role) -> None:
    assert asks(painted(text, role))


@pytest.mark.parametrize("text", ["Let it fly", "Chirp", "Sunny tomorrow"])
def test_text_that_only_stands_there_is_no_button(text: str) -> None:
    assert not asks(painted(text, pressable=False))


@pytest.mark.parametrize(
    "text", ["Show more", "Next page", "Read the whole story of the harbour and its last ferry", "It rains today."]
)
def test_harmless_words_and_running_text_stay_harmless_when_they_can_be_pressed(text: str) -> None:
    assert not asks(painted(text))


def test_a_cell_with_a_box_of_its_own_is_judged_by_its_verb() -> None:
    assert asks(painted("Mandant unwiderruflich löschen", Role.CELL))
    assert not asks(painted("Zurück zur Akte", Role.CELL))
    assert not asks(painted("Marguerite Oyelaran", Role.CELL))


def test_a_box_of_the_size_of_a_button_with_an_unknown_word_asks() -> None:
    assert asks(on(drawn("Frobnicate"), **PAGE))
    assert not asks(on(drawn("Frobnicate", extent=Rect(0, 0, 900, 200)), **PAGE))


@pytest.mark.parametrize(
    ("answer", "title", "near"),
    [
        ("Done", "Event: Leaving do", "23 guests"), ("Concluir", "Avaliar hospedagem", "5 estrelas"),
        ("Uygula", "Disk Bölümleme", "/dev/sda1"), ("Continue", "Link your calendar", "See all events"),
        ("Aggiorna adesso", "Aggiornamento firmware stampante", "Versione 3.08"), ("应用", "协作设置", "成员"),
        ("Fertig", "Sommerfest", "Alle Gäste werden benachrichtigt"),
    ],
)  # fmt: skip
def test_a_vague_answer_asks_where_something_reaches_out(answer: str, title: str, near: str) -> None:
    assert asks(button(answer, title=f"{title} - Chromium", nearby=(near,)))


@pytest.mark.parametrize(
    ("answer", "title", "near"),
    [
        ("Done", "Photo", "Zoom 100 %"), ("Apply", "Picture", "Brightness"), ("Fertig", "Notizen", "Einkauf"),
        ("Concluir", "Tutorial", "Passo 3 de 3"),
    ],
)  # fmt: skip
def test_a_vague_answer_runs_where_nothing_does(answer: str, title: str, near: str) -> None:
    assert not asks(button(answer, title=f"{title} - Chromium", nearby=(near,)))


def test_a_vague_answer_asks_where_nothing_around_it_is_known() -> None:
    assert asks(button("Done", title="Wizard - Chromium"))


def test_keys_on_a_vague_answer_equal_a_click() -> None:
    dialog = asking("Aggiornamento firmware stampante", "La stampante si riavvierà.")
    context = on(control(Role.BUTTON, "Aggiorna adesso", dialog=dialog))
    for key in ("space", "enter"):
        assert assess(Chord(keys=(Key(key),)), context).risk >= RiskClass.C3


@pytest.mark.parametrize("text", ["Keep and open", "Manter e abrir", "Behouden en openen", "Zachowaj i otwórz"])
def test_keeping_and_opening_starts_a_download(text: str) -> None:
    assert Category.DOWNLOAD_RUN in assess(CLICK, button(text)).categories


@pytest.mark.parametrize("text", ["Keep", "Keep reading", "Behouden", "Back to shop", "Zpět do obchodu"])
def test_keeping_alone_declines(text: str) -> None:
    assert not asks(on(control(Role.BUTTON, text, dialog=asking("Pay 20 €?", "Pay now?"))))


def test_a_nameless_icon_asks_where_power_or_a_lock_is_near() -> None:
    nameless = control(Role.BUTTON, "")
    assert asks(on(nameless, title="Ekran kilidi ve güç"))
    assert not asks(on(nameless, title="Weather"))


def test_an_unknown_place_asks_where_its_title_names_protection() -> None:
    assert asks(on(UNKNOWN_CONTROL, title="Güvenlik duvarı"))
    assert not asks(on(UNKNOWN_CONTROL, title="Weather"))


@pytest.mark.parametrize(
    "title",
    [
        ".bash_profile", "*crontab - Mousepad", "backup.service - Mousepad", "deploy.sh", "autostart.desktop",
        "config (~/.ssh) - gedit", "pre-commit (~/garden/.git/hooks) - gedit", "authorized_keys – Editor",
    ],
)  # fmt: skip
def test_saving_a_file_that_runs_later_asks(title: str) -> None:
    assert assess(SAVE, on(control(Role.TEXT_FIELD, "", **FIELD), app="Mousepad", title=title)).risk >= RiskClass.C3
    assert asks(on(control(Role.BUTTON, "Save"), app="Mousepad", title=title))


@pytest.mark.parametrize("title", ["README.md", "notes.txt - Mousepad", "deploy notes.txt", "letter (~/plans) - gedit"])
def test_saving_another_file_runs(title: str) -> None:
    assert assess(SAVE, on(control(Role.TEXT_FIELD, "", **FIELD), app="Mousepad", title=title)).risk < RiskClass.C3


@pytest.mark.parametrize("keys", [("shift", "enter"), ("ctrl", "enter"), ("alt", "enter")])
def test_enter_with_a_modifier_runs_a_cell_of_a_notebook(keys: tuple[str, ...]) -> None:
    chord = Chord(keys=tuple(map(Key, keys)))
    cell = on(control(Role.TEXT_FIELD, "In [12]:", **FIELD), **PAGE)
    assert Category.TERMINAL in assess(chord, cell).categories
    unnamed = on(control(Role.TEXT_FIELD, "", **FIELD), app="Chromium", title="sales.ipynb - JupyterLab - Chromium")
    assert Category.TERMINAL in assess(chord, unnamed).categories


def test_a_new_line_in_a_cell_or_another_field_runs() -> None:
    new_line = Chord(keys=(Key("shift"), Key("enter")))
    assert assess(new_line, on(control(Role.TEXT_FIELD, "Notes", **FIELD), **PAGE)).risk < RiskClass.C3
    cell = on(control(Role.TEXT_FIELD, "In [12]:", **FIELD), **PAGE)
    assert Category.TERMINAL not in assess(Chord(keys=(Key("down"),)), cell).categories


def dropped(source: str, target: str, **changed: Any) -> RiskClass:
    context = on(control(Role.LABEL, target), from_control=control(Role.LABEL, source), **changed)
    drag = Drag(path=(NativePoint(10, 10), NativePoint(180, 116)))
    return assess(drag, PolicyContext(**{**_values(context), "label": source})).risk


def _values(context: PolicyContext) -> dict[str, Any]:
    return {name: getattr(context, name) for name in context.__dataclass_fields__}


@pytest.mark.parametrize("target", ["Rubbish", "Müll", "Poubelle", "ゴミ箱", "휴지통", "Śmietnik", "Çöp"])
def test_a_drop_on_any_word_for_the_trash_asks(target: str) -> None:
    assert dropped("clip.mp4", target) >= RiskClass.C3


def test_a_drop_of_a_file_on_a_place_that_instructs_is_an_upload() -> None:
    assert dropped("essay.docx", "Přetáhněte soubor sem, odevzdá se automaticky", **PAGE) >= RiskClass.C3
    assert dropped("essay.docx", "Let the paper land right on this spot", **PAGE) >= RiskClass.C3
    assert dropped("essay.docx", "Reports 2023", **PAGE) < RiskClass.C3
    assert dropped("Sofa", "Bedroom", **PAGE) < RiskClass.C3


@pytest.mark.parametrize("text", ["Undo: Delete layer", "Cofnij: Usuń warstwę", "Remove bold", "Remove Italics"])
def test_taking_back_and_removing_a_form_are_harmless_in_menus(text: str) -> None:
    assert not asks(on(control(Role.MENU_ITEM, text)))


@pytest.mark.parametrize("text", ["Remove customer", "Delete bold customers", "Cancel: all orders"])
def test_other_removals_in_menus_ask(text: str) -> None:
    context = on(control(Role.MENU_ITEM, text), app="Chromium", title="Shop - Chromium")
    assert asks(context)


@pytest.mark.parametrize(
    "text",
    [
        "Download invoice", "Télécharger la facture", "領収書をダウンロード", "Ver anexo", "7 new posts",
        "Newest first",
        "Prezzo crescente", "Jen odchozí", "Grote miniaturen", "글자 크게", "Recalculer", "Segna come vista",
    ],
)  # fmt: skip
def test_looking_sorting_and_reading_are_harmless(text: str) -> None:
    assert not asks(button(text, nearby=("Overview",)))


@pytest.mark.parametrize("text", ["Download setup.exe", "Download", "Send invoice", "Delete receipt", "Attach"])
def test_programs_and_other_acts_on_documents_ask(text: str) -> None:
    assert asks(button(text, nearby=("Overview",)))


def test_the_keys_of_a_calculator_calculate() -> None:
    assert not asks(on(control(Role.BUTTON, "Eşittir"), title="Hesap makinesi"))
    assert asks(on(control(Role.BUTTON, "Frobnicate"), title="Widget works"))
