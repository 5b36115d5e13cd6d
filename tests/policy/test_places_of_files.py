"""Where files are put and which are opened: judged by short lists of what is harmless."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.actions import Action, Chord, Click, Drag, KeyDown, Press, Release, TypeText
from operator_console.domain.elements import Control, ControlSource, Dialog, Role, TextKnowledge
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from operator_console.domain.risk import Category, RiskClass
from operator_console.domain.scope import Met
from operator_console.policy import PolicyContext, assess
from operator_console.policy.places_of_files import may_open

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


def test_a_key_that_is_pressed_down_pastes_there_too() -> None:
    hidden = replace(folder("autostart - Thunar", hidden=True), held=(Key("ctrl"),))
    assert "hidden-folder" in rules(KeyDown(key=Key("v")), hidden)


HIDDEN_ROW = control(Role.LIST_ITEM, ".config")


@pytest.mark.parametrize(
    ("action", "context"),
    [
        (Drag(path=(AT, NativePoint(50, 50))), folder("ann - Thunar", name=".config")),
        (Release(at=AT), folder("ann - Thunar", name=".config")),
        (Click(at=AT), replace(folder("ann - Thunar", Role.MENU_ITEM, "Paste Into Folder"), chosen=HIDDEN_ROW)),
        (TypeText(text=".foo", submit=True), folder("ann - Thunar", Role.TEXT_FIELD, "Rename")),
        (TypeText(text="oo"), replace(folder("ann - Thunar", Role.TEXT_FIELD, "Rename"), typed=".f")),
    ],
)
def test_nothing_is_put_into_a_hidden_folder_beside_others_and_no_file_hidden(
    action: Action, context: PolicyContext
) -> None:
    context = replace(context, from_control=control(Role.LIST_ITEM, "x.conf"))
    assert "outside-documents" in rules(action, context)
    shown = replace(context, control=replace(context.control, name=context.control.name.strip(".")), typed="")
    shown = replace(shown, chosen=control(Role.LIST_ITEM, "Documents"))
    assert "outside-documents" not in rules(
        replace(action, text="x") if isinstance(action, TypeText) else action, shown
    )


def test_a_hidden_folder_is_gone_to_unasked() -> None:
    place = folder("ann - Thunar", Role.TEXT_FIELD, "Location")
    assert assess(TypeText(text="~/.config", submit=True), place).risk <= RiskClass.C2
    assert assess(TypeText(text=".config"), folder("ann - Thunar")).risk <= RiskClass.C2


def test_looking_around_in_a_hidden_folder_is_not_asked_about() -> None:
    assert assess(OPEN, folder(".config - Thunar", name="themes", hidden=True)).risk <= RiskClass.C2


@pytest.mark.parametrize(
    "action",
    [
        OPEN, ENTER, KeyDown(key=Key("enter")), Chord(keys=(Key("ctrl"), Key("o"))), TypeText(text="", submit=True),
        TypeText(text="\n"), Chord(keys=(Key("alt"), Key("down"))),
    ],
)  # fmt: skip
def test_a_file_that_came_in_the_session_is_not_started_unasked(action: Action) -> None:
    here = folder("Downloads - Thunar")
    assert may_open(action, here)
    assert Category.DOWNLOAD_RUN in assess(action, here).categories
    assert "opens-new-file" not in rules(action, folder("Downloads - Thunar", name="Weather report.pdf"))
    assert "opens-new-file" not in rules(action, folder("Downloads - Thunar", name="another"))
    assert "opens-new-file" not in rules(Click(at=AT), here)


@pytest.mark.parametrize(
    "action",
    [Chord(keys=(Key("down"),)), Chord(keys=(Key("o"),)), TypeText(text="weather"), Click(at=AT), Press(at=AT)],
)
def test_moving_to_it_and_finding_it_do_not_ask(action: Action) -> None:
    assert "opens-new-file" not in rules(action, folder("Downloads - Thunar"))


@pytest.mark.parametrize("action", [Click(at=AT), Press(at=AT), TypeText(text="x", at=AT)])
def test_a_press_right_after_a_click_on_it_is_the_second_of_a_double_click(action: Action) -> None:
    here = replace(folder("Downloads - Thunar"), clicks=1)
    assert may_open(action, here)
    assert Category.DOWNLOAD_RUN in assess(action, here).categories


@pytest.mark.parametrize("action", [Click(at=AT), Release(at=AT), ENTER, Chord(keys=(Key("space"),))])
@pytest.mark.parametrize("drawn", [False, True])
@pytest.mark.parametrize("name", ["Open", "Open With “Wine”", "Öffnen", "打开"])
def test_the_entry_of_a_menu_that_opens_it_is_asked_about(action: Action, *, drawn: bool, name: str) -> None:
    about = folder("Downloads - Thunar")
    entry = folder("Downloads - Thunar", Role.MENU_ITEM, name)
    if drawn:
        by_picture = Control(source=ControlSource.PICTURE, knowledge=TextKnowledge.READ, text=name)
        entry = replace(entry, control=by_picture, menu_open=True)
    assert "opens-new-file" in rules(action, replace(entry, chosen=about.control))
    assert "opens-new-file" not in rules(action, replace(entry, chosen=control(Role.LIST_ITEM, "another")))
    copies = replace(entry, chosen=about.control, control=replace(entry.control, name="", text="Copy"))
    assert "opens-new-file" not in rules(action, copies)


def test_a_program_is_not_started_by_other_keys_or_by_a_menu_either() -> None:
    program = folder("Tools - Thunar", name="setup.sh")
    entry = replace(folder("Tools - Thunar", Role.MENU_ITEM, "Open"), chosen=program.control)
    for action, context in ((Chord(keys=(Key("ctrl"), Key("o"))), program), (Click(at=AT), entry)):
        assert "starts-file" in rules(action, context)


@pytest.mark.parametrize("name", ["setup.sh", "weather"])
def test_a_path_that_is_entered_opens_its_file(name: str) -> None:
    place = folder("Downloads - Thunar", Role.TEXT_FIELD, "Location")
    typed = replace(place, typed=f"~/Downloads/{name}")
    whole = TypeText(text=f"~/Downloads/{name}", submit=True)
    for action, context in ((whole, place), (ENTER, typed), (TypeText(text="\n"), typed)):
        assert Category.DOWNLOAD_RUN in assess(action, context).categories
    for path in ("~/Downloads/", "~/Downloads/Weather report.pdf", "~/Music", name):
        assert not assess(TypeText(text=path, submit=True), place).categories
    assert not assess(TypeText(text=f"~/Downloads/{name}"), place).categories


@pytest.mark.parametrize("action", [Drag(path=(AT, NativePoint(50, 50))), Release(at=AT)])
def test_a_program_is_started_by_what_is_dropped_on_it(action: Action) -> None:
    note = control(Role.LIST_ITEM, "notes.txt")
    for name in ("setup.sh", "weather"):
        dropped = replace(folder("Downloads - Thunar", name=name), from_control=note)
        assert Category.DOWNLOAD_RUN in assess(action, dropped).categories
    assert not assess(action, replace(folder("Downloads - Thunar", name="Documents"), from_control=note)).categories


@pytest.mark.parametrize("action", [ENTER, Chord(keys=(Key("alt"), Key("o"))), TypeText(text="", submit=True)])
@pytest.mark.parametrize("dialog", [None, Dialog(title="Open File", text="")])
def test_keys_choose_a_file_for_a_page_where_nothing_tells_the_button_that_they_press(
    action: Action, dialog: Dialog | None
) -> None:
    entry = replace(control(Role.LIST_ITEM, "taxes.pdf"), dialog=dialog)
    context = replace(chooser(app="chromium"), title="Open File", control=entry, label="taxes.pdf")
    assert Category.UPLOAD in assess(action, context).categories
    cancels = replace(entry, dialog=Dialog(title="Open File", text="", default="Cancel"))
    assert Category.UPLOAD not in assess(ENTER, replace(context, control=cancels)).categories


@pytest.mark.parametrize("app", ["Xdg-desktop-portal-gtk", "org.freedesktop.impl.portal.desktop.kde"])
def test_the_chooser_of_the_desktop_may_be_that_of_a_page_that_was_used(app: str) -> None:
    opens = replace(chooser(Role.BUTTON, "Open", app=app), title="Open File")
    browsed = replace(opens, met=Met(apps=frozenset({"mousepad", "firefox-esr"})))
    for context in (opens, browsed):
        assert Category.UPLOAD in assess(Click(at=AT), context).categories
    taxes = replace(browsed, control=control(Role.LIST_ITEM, "taxes.pdf"), label="taxes.pdf")
    assert Category.UPLOAD in assess(OPEN, taxes).categories
    other = replace(opens, met=Met(apps=frozenset({"mousepad"})))
    assert Category.UPLOAD not in assess(Click(at=AT), other).categories


def test_a_file_that_a_page_gets_is_an_upload_by_double_click_too() -> None:
    taxes = chooser(Role.LIST_ITEM, "taxes.pdf", app="chromium")
    assert Category.UPLOAD in assess(OPEN, taxes).categories
    assert Category.UPLOAD in assess(OPEN, chooser(Role.LIST_ITEM, "id_rsa", app="chromium")).categories
    assert Category.UPLOAD in assess(OPEN, chooser(Role.CELL, "", app="chromium")).categories
    assert Category.UPLOAD not in assess(OPEN, chooser(Role.LIST_ITEM, "Documents", app="chromium")).categories
    assert Category.UPLOAD not in assess(OPEN, replace(taxes, app="mousepad")).categories
