"""Where files are put and which are opened: judged by short lists of what is harmless."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.actions import Action, Chord, Click, Drag, TypeText
from operator_console.domain.elements import Control, ControlSource, Role, TextKnowledge
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from operator_console.domain.risk import Category, RiskClass
from operator_console.domain.scope import Met
from operator_console.policy import PolicyContext, assess

AT = NativePoint(5, 5)
OPEN = Click(at=AT, count=2)
PASTE = Chord(keys=(Key("ctrl"), Key("v")))
ENTER = Chord(keys=(Key("enter"),))


def control(role: Role, name: str = "") -> Control:
    return Control(source=ControlSource.ACCESSIBLE, knowledge=TextKnowledge.READ, role=role, name=name)


def chooser(role: Role = Role.TEXT_FIELD, name: str = "Name", *, app: str = "mousepad") -> PolicyContext:
    return PolicyContext(app=app, title="Save As", control=control(role, name), label=name, read=True)


def folder(title: str, role: Role = Role.LIST_ITEM, name: str = "weather", *, hidden: bool = False) -> PolicyContext:
    met = Met(apps=frozenset({"thunar"}), files=frozenset({"weather", "Weather report.pdf", "tool.bin"}))
    return PolicyContext(
        app="thunar", title=title, control=control(role, name), label=name, read=True, met=met, hidden_folder=hidden
    )


def rules(action: Action, context: PolicyContext) -> set[str]:
    return {finding.rule for finding in assess(action, context).findings}


@pytest.mark.parametrize(
    "path",
    [
        "/home/ann/.config/alacritty/alacritty.toml", "~/.config/kitty/kitty.conf", "~/.local/share/nautilus/scripts/a",
        "/home/ann/.mozilla/firefox/x/prefs.js", "$HOME/.themes/a/gtk.css", "/opt/tool/run.conf", "/srv/www/index.html",
        "/var/spool/x", "~/Documents/../.config/foot/foot.ini", ".hidden", "file:///home/ann/.config/a",
    ],
)  # fmt: skip
def test_a_file_outside_the_folders_of_documents_is_asked_about_whatever_its_name(path: str) -> None:
    assert assess(TypeText(text=path), chooser()).risk >= RiskClass.C3
    assert "outside-documents" in rules(TypeText(text=path), chooser())


@pytest.mark.parametrize(
    "path",
    [
        "notes.txt",
        "~/notes.txt",
        "/home/ann/Documents/plan.odt",
        "/tmp/a b.txt",
        "/media/stick/x",
        "Report 1.2.pdf",
        "a/b",
    ],
)
def test_a_document_in_a_folder_of_documents_is_saved_unasked(path: str) -> None:
    assert assess(TypeText(text=path), chooser()).risk <= RiskClass.C2


def test_saving_where_the_title_names_such_a_folder_is_asked_about() -> None:
    save = Chord(keys=(Key("ctrl"), Key("s")))
    editor = PolicyContext(app="mousepad", title="colours (~/.config/alacritty) - Mousepad")
    assert "outside-documents" in rules(save, editor)
    assert assess(save, replace(editor, title="plan.txt (~/Documents) - Mousepad")).risk <= RiskClass.C2


@pytest.mark.parametrize(
    ("action", "context"),
    [
        (PASTE, folder("autostart - Thunar", hidden=True)),
        (Drag(path=(AT, NativePoint(50, 50))), folder("autostart - Thunar", hidden=True)),
        (Click(at=AT), folder("autostart - Thunar", Role.MENU_ITEM, "Create from template", hidden=True)),
        (TypeText(text="weather"), folder("autostart - Thunar", Role.TEXT_FIELD, "Rename", hidden=True)),
    ],
)
def test_in_a_hidden_folder_nothing_is_put_unasked(action: Action, context: PolicyContext) -> None:
    assert "hidden-folder" in rules(action, context)
    assert Category.SYSTEM in assess(action, context).categories
    assert "hidden-folder" not in rules(action, replace(context, hidden_folder=False))


def test_looking_around_in_a_hidden_folder_is_not_asked_about() -> None:
    assert assess(OPEN, folder(".config - Thunar", name="themes", hidden=True)).risk <= RiskClass.C2


@pytest.mark.parametrize("action", [OPEN, ENTER])
def test_a_file_that_came_in_the_session_is_not_started_unasked(action: Action) -> None:
    here = folder("Downloads - Thunar")
    assert Category.DOWNLOAD_RUN in assess(action, here).categories
    assert "opens-new-file" not in rules(action, folder("Downloads - Thunar", name="Weather report.pdf"))
    assert "opens-new-file" not in rules(action, folder("Downloads - Thunar", name="another"))
    assert "opens-new-file" not in rules(Click(at=AT), here)


def test_a_file_that_a_page_gets_is_an_upload_by_double_click_too() -> None:
    taxes = chooser(Role.LIST_ITEM, "taxes.pdf", app="chromium")
    assert Category.UPLOAD in assess(OPEN, taxes).categories
    assert Category.UPLOAD in assess(OPEN, chooser(Role.LIST_ITEM, "id_rsa", app="chromium")).categories
    assert Category.UPLOAD in assess(OPEN, chooser(Role.CELL, "", app="chromium")).categories
    assert Category.UPLOAD not in assess(OPEN, chooser(Role.LIST_ITEM, "Documents", app="chromium")).categories
    assert Category.UPLOAD not in assess(OPEN, replace(taxes, app="mousepad")).categories
