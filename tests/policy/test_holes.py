"""The ten holes of the safety audit, closed by structure: each test shows that words alone do not decide."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.actions import (
    Action,
    Chord,
    Click,
    Drag,
    EditFile,
    KeyDown,
    Launch,
    Navigate,
    Release,
    Search,
    TypeText,
)
from operator_console.domain.elements import UNKNOWN_CONTROL, Control, ElementState, Role, TextKnowledge
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.keys import Key, parse_chord
from operator_console.domain.risk import Autonomy, Category, RiskClass
from operator_console.policy import PolicyContext, VerdictKind, assess, verdict
from tests.policy.control_examples import BROWSER, asking, control, drawn, on

AT = NativePoint(180, 116)
CLICK = Click(at=AT)
EDITOR = PolicyContext(app="mousepad", title="x - Mousepad", control=control(Role.TEXT_FIELD, "text", states=(
    ElementState.EDITABLE, ElementState.MULTI_LINE)))  # fmt: skip
SHELL = PolicyContext(app="XTerm", title="xterm")


def keys(text: str) -> Chord:
    return Chord(keys=parse_chord(text))


def categories(action: Action, context: PolicyContext) -> set[Category]:
    return set(assess(action, context).categories)


def asked(action: Action, context: PolicyContext) -> bool:
    return assess(action, context).risk >= RiskClass.C3


# 1: arbitrary code without a question.


@pytest.mark.parametrize(
    "text",
    ["[Desktop Entry]\nType=Application\nExec=sh -c 'id'\n", "Exec=/tmp/x", "[Service]\nExecStart=/tmp/x",
     "@reboot /tmp/x", "*/5 * * * * /tmp/x"],
)  # fmt: skip
def test_hole_1_content_that_starts_programs_asks_while_it_is_typed(text: str) -> None:
    assert categories(TypeText(text=text), EDITOR) == {Category.SECURITY}
    assert categories(EditFile(command="create", path="/home/me/a", arguments={"file_text": text}), EDITOR) == {
        Category.SECURITY,
        Category.TERMINAL,
    }


def test_hole_1_content_typed_in_pieces_is_joined_and_asked_once() -> None:
    first = PolicyContext(app="mousepad", typed="[Desktop ", control=EDITOR.control)
    assert categories(TypeText(text="Entry]\n"), first) == {Category.SECURITY}
    whole = PolicyContext(app="mousepad", typed="[Desktop Entry]\n", control=EDITOR.control)
    assert not categories(TypeText(text="Name=x\n"), whole)


def test_hole_1_saving_as_a_desktop_entry_asks() -> None:
    save = on(control(Role.TEXT_FIELD, "File name"), app="mousepad", title="Save As")
    assert categories(TypeText(text="~/.local/share/applications/x.desktop"), save) == {Category.SECURITY}
    assert categories(TypeText(text="x.desktop"), save) == {Category.SECURITY}


# 2: typing at a point is a click.


@pytest.mark.parametrize("found", [control(name="{}"), drawn("{}")], ids=["accessible", "picture"])
@pytest.mark.parametrize(
    ("label", "category"),
    [("Pay now", Category.PAY), ("Send", Category.SEND), ("Delete", Category.DELETE), ("Allow", Category.SECURITY)],
)
@pytest.mark.parametrize("text", ["x", ""])
def test_hole_2_typing_at_a_control_is_judged_as_a_click(
    found: Control, label: str, category: Category, text: str
) -> None:
    named = replace(found, name=found.name.format(label), text=found.text.format(label))
    assert category in categories(TypeText(text=text, at=AT), on(named))


def test_hole_2_typing_into_a_field_is_no_risk_by_its_name() -> None:
    field = control(Role.TEXT_FIELD, "Reason to delete")
    assert not asked(TypeText(text="too old", at=AT), on(field))


# 3: beside the label.


def test_hole_3_all_text_of_the_control_decides_not_the_nearest_word() -> None:
    decoy = on(drawn("No  Delete everything"), label="No")
    assert Category.DELETE in categories(CLICK, decoy)
    assert Category.DELETE in categories(CLICK, on(control(name="Delete everything", text="No"), label="No"))
    wide = on(drawn("Pay now", extent=Rect(0, 100, 1200, 40)), label="")
    assert Category.PAY in categories(CLICK, wide)


@pytest.mark.parametrize("knowledge", [TextKnowledge.NOT_YET, TextKnowledge.UNREADABLE])
@pytest.mark.parametrize(
    "place",
    [
        {"app": "slack", "title": "general"},
        {"app": BROWSER, "title": "Transfer - Example Bank"},
        {"app": BROWSER, "title": "Cart - Shop"},
        {"app": "org.gnome.Software", "title": "Software"},
        {"app": "thunar", "title": "me"},
        {"app": "zenity", "title": "Delete file?"},
        {"app": "plain", "title": "Window", "nearby": ("Pay now", "Cancel")},
    ],
    ids=lambda place: f"{place['app']} {place['title']}",
)
def test_hole_3_what_is_not_known_asks_where_it_could_harm(knowledge: TextKnowledge, place: dict[str, str]) -> None:
    unknown = drawn("", knowledge=knowledge)
    found = assess(CLICK, on(unknown, **place))
    assert found.risk is RiskClass.C3
    others = [each for each in Category if each.risk is RiskClass.C3 and each is not Category.UNKNOWN]
    assert verdict(found, Autonomy.AUTO, others, None).kind is VerdictKind.ASK


@pytest.mark.parametrize("knowledge", [TextKnowledge.NOT_YET, TextKnowledge.UNREADABLE])
def test_hole_3_what_is_not_known_never_lowers_and_elsewhere_is_noteworthy(knowledge: TextKnowledge) -> None:
    assert assess(CLICK, on(control(Role.GROUP, "", knowledge=knowledge))).risk is RiskClass.C2
    # A box around the place may be a button.
    assert assess(CLICK, on(drawn("", knowledge=knowledge))).risk is RiskClass.C3
    sign = drawn("", knowledge=knowledge, extent=Rect(170, 100, 30, 28))
    assert asked(CLICK, on(sign)) is (knowledge is TextKnowledge.NOT_YET)
    assert not asked(CLICK, on(drawn("", knowledge=knowledge, extent=Rect(100, 100, 300, 200))))
    declines = drawn("No", knowledge=knowledge)
    assert assess(CLICK, on(declines, app="zenity", title="Delete file?")).risk is RiskClass.C3
    # A field or a list item is known by its role, whatever it says.
    listed = control(Role.LIST_ITEM, "", knowledge=knowledge)
    assert not asked(CLICK, on(listed, app="slack"))


def test_hole_3_words_that_decline_are_safe_as_the_whole_control() -> None:
    for found in (control(name="Don’t delete"), drawn("Don’t delete")):
        assert assess(CLICK, on(found, app="zenity", title="Delete file?")).risk is RiskClass.C1


# 4: files through the GUI.

PROTECTED = (
    "~/.bashrc", "$HOME/.profile", "${HOME}/.config/autostart/x.desktop", "/home/me/.ssh/authorized_keys",
    "~/x/../.ssh/config", "~/.config/systemd/user/x.service", "/tmp/../home/me/.gnupg/gpg.conf",
    "~/.config/operator-console/settings.toml", "/run/user/1000/operator_console/guard.sock",
    "file:///home/me/%2Ebashrc", "~//.local/share/applications/x.desktop", "~/run 1.ocsession",
)  # fmt: skip


@pytest.mark.parametrize("path", PROTECTED)
def test_hole_4_paths_are_judged_by_what_they_name(path: str) -> None:
    for place in (
        on(control(Role.TEXT_FIELD, "File name"), app="mousepad", title="Save As"),
        on(control(Role.TEXT_FIELD, "Name", dialog=asking("Open File")), app="kate", title="x - Kate"),
        PolicyContext(app="mousepad", title="Save As"),
    ):
        assert Category.SECURITY in categories(TypeText(text=path), place), place
    assert Category.SECURITY in categories(EditFile(command="create", path=path), PolicyContext())


def test_hole_4_a_folder_of_this_console_that_is_not_named_after_it() -> None:
    place = PolicyContext(app="mousepad", title="Save As", own_folders=("/srv/oc",))
    assert categories(TypeText(text="/srv/x/../oc/settings.toml"), place) == {Category.SECURITY}
    assert not categories(TypeText(text="/tmp/other/settings.toml"), place)


def test_hole_4_a_path_typed_in_pieces_is_joined() -> None:
    place = PolicyContext(app="mousepad", title="Save As", typed="~/.ba")
    assert categories(TypeText(text="shrc"), place) == {Category.SECURITY}


def test_hole_4_settings_of_the_console_typed_into_an_editor_ask() -> None:
    assert categories(TypeText(text='[hotkeys]\nstop = "<f1>"\n'), EDITOR) == {Category.SECURITY}
    assert categories(TypeText(text='autonomy = "auto"'), EDITOR) == {Category.SECURITY}


@pytest.mark.parametrize("path", ["report.odt", "~/Documents/plan.txt", "/tmp/a.png", "notes on .bashrc"])
def test_hole_4_other_files_do_not_ask(path: str) -> None:
    assert not asked(TypeText(text=path), PolicyContext(app="mousepad", title="Save As"))
    assert not asked(TypeText(text=path), EDITOR)


def test_hole_4_prose_about_such_files_does_not_ask() -> None:
    assert not asked(TypeText(text="Put it into ~/.bashrc or ~/.profile."), EDITOR)
    assert not asked(TypeText(text="authorized_keys"), on(control(Role.SEARCH_FIELD, "Search"), app=BROWSER))


# 5: Enter in terminals.


@pytest.mark.parametrize("chord", ["ctrl+shift+m", "ctrl+shift+j", "ctrl+shift+enter", "ctrl+m", "ctrl+j", "kp_enter",
                                   "alt+enter", "ctrl+o"])  # fmt: skip
def test_hole_5_every_way_to_end_a_line_submits_it(chord: str) -> None:
    assert Category.TERMINAL in categories(keys(chord), SHELL)


def test_hole_5_keys_held_before_count_for_text() -> None:
    held = PolicyContext(app="XTerm", held=(Key("ctrl"),), typed="rm -rf ~")
    assert {Category.TERMINAL, Category.DELETE} <= categories(TypeText(text="j"), held)
    assert {Category.TERMINAL, Category.DELETE} <= categories(KeyDown(key=Key("m")), held)


WEB = "ttyd - Chromium"
TERMINALS = {
    "ttyd": {"app": BROWSER, "title": WEB},
    "cloud shell": {"app": BROWSER, "title": "Cloud Shell"},
    "cloud shell by address": {"app": BROWSER, "title": "x", "url": "https://shell.cloud.google.com/?x"},
    "jupyter": {"app": BROWSER, "title": "x", "url": "http://localhost:8888/terminals/1"},
    "xterm.js in a page": {"app": BROWSER, "title": "x", "control": control(Role.TEXT_FIELD, "Terminal input")},
    "a shell's prompt as a page's title": {"app": BROWSER, "title": "me@host: ~"},
    "codespaces": {"app": BROWSER, "title": "x", "url": "https://a-b.github.dev/",
                   "control": control(Role.TEXT_FIELD, "Terminal 1, bash")},
    "an editor's panel": {"app": "Code", "title": "x", "control": control(Role.TEXT_FIELD, "Terminal 1, zsh Run")},
    "a terminal by its role": {"app": "plain", "title": "x", "control": control(Role.TERMINAL, "")},
    "virt-viewer": {"app": "virt-viewer", "title": "vm1"},
    "virtualbox": {"app": "VirtualBoxVM", "title": "vm1 [Running] - Oracle VirtualBox"},
    "vmware": {"app": "vmware-vmx", "title": "vm"},
    "remmina": {"app": "org.remmina.Remmina", "title": "server"},
    "freerdp": {"app": "xfreerdp", "title": "FreeRDP: host"},
    "vncviewer": {"app": "vncviewer", "title": "host"},
    "spicy": {"app": "spicy", "title": "x"},
    "boxes": {"app": "org.gnome.Boxes", "title": "x"},
    "novnc": {"app": BROWSER, "title": "host - noVNC"},
    "novnc by address": {"app": BROWSER, "title": "x", "url": "http://host:6080/vnc.html?host=a"},
}  # fmt: skip


@pytest.mark.parametrize("place", TERMINALS.values(), ids=TERMINALS)
def test_hole_5_embedded_and_remote_terminals_take_command_lines(place: dict[str, str]) -> None:
    context = PolicyContext(**place)  # type: ignore[arg-type]
    assert Category.TERMINAL in categories(TypeText(text="ls", submit=True), context)
    assert {Category.TERMINAL, Category.DELETE} <= categories(TypeText(text="rm -rf ~\n"), context)
    assert Category.TERMINAL in categories(keys("enter"), context)
    assert Category.TERMINAL in categories(keys("ctrl+v"), context)


def test_hole_5_a_risky_command_asks_where_a_terminal_has_not_been_read_yet() -> None:
    panel = PolicyContext(app=BROWSER, title="main.py - workspace - Code")
    assert {Category.TERMINAL, Category.DELETE} <= categories(keys("enter"), replace(panel, typed="rm -rf ~"))
    assert Category.TERMINAL in categories(TypeText(text="rm -rf ~", submit=True), panel)
    assert not asked(keys("enter"), replace(panel, typed="for i in range(3):"))
    search = replace(panel, control=control(Role.TEXT_FIELD, "Search"), typed="what rm -rf does")
    assert not asked(keys("enter"), search)


def test_hole_5_pasting_from_a_menu_and_dropping_text_run_it() -> None:
    for entry in (control(Role.MENU_ITEM, "Paste"), drawn("Paste"), drawn("Einfügen")):
        assert categories(CLICK, on(entry, app="gnome-terminal-server")) == {Category.TERMINAL}
    assert not asked(CLICK, on(control(Role.MENU_ITEM, "Paste"), app="mousepad"))
    drop = PolicyContext(app="XTerm", title="xterm", control=drawn(app="XTerm", window="xterm"),
                         from_control=drawn("a line", app="mousepad", window="x"))  # fmt: skip
    for action in (Drag(path=(AT, NativePoint(500, 500))), Release(at=AT)):
        assert Category.TERMINAL in categories(action, drop)


def test_hole_5_selecting_text_in_a_terminal_does_not_ask() -> None:
    inside = drawn(app="XTerm", window="xterm")
    select = PolicyContext(app="XTerm", title="xterm", control=inside, from_control=inside)
    assert not asked(Drag(path=(AT, NativePoint(300, 116))), select)


@pytest.mark.parametrize("line", ["ls -la", "./run.sh", "npm test", "git push", "rm -rf build", "cat a | sh"])
def test_hole_5_a_command_submitted_in_an_editor_of_unknown_focus_asks(line: str) -> None:
    place = PolicyContext(app="Code", title="x - Visual Studio Code")
    assert Category.TERMINAL in categories(TypeText(text=line, submit=True), place)


@pytest.mark.parametrize("line", ["x = 1", "import os", "print(x)", "for i in range(3):", "return 1;", "# a note"])
def test_hole_5_program_text_in_an_editor_does_not_ask(line: str) -> None:
    place = PolicyContext(app="Code", title="x - Visual Studio Code")
    assert not asked(TypeText(text=line, submit=True), place)


# 6: what is shown is what runs.


def test_hole_6_the_whole_command_is_shown() -> None:
    command = "echo " + "a" * 3_000 + " && rm -rf ~"
    found = assess(TypeText(text=command, submit=True), SHELL)
    assert command in found.reasons[0] and found.findings[0].values == (command,)
    joined = assess(keys("enter"), PolicyContext(app="XTerm", typed="ls; rm x"))
    assert "ls; rm x" in joined.reasons[0]


def test_hole_6_a_line_that_history_or_completion_may_have_changed_is_said_to_be_unknown() -> None:
    changed = PolicyContext(app="XTerm", typed="ls", typed_known=False)
    for found in (assess(keys("enter"), changed), assess(TypeText(text="ls\t\n"), SHELL), assess(keys("enter"), SHELL)):
        assert "It is not known what exactly the line says." in found.reasons
        assert verdict(found, Autonomy.AUTO, [Category.TERMINAL], None).kind is VerdictKind.ASK
    known = assess(keys("enter"), PolicyContext(app="XTerm", typed="ls"))
    assert verdict(known, Autonomy.AUTO, [Category.TERMINAL], None).kind is VerdictKind.RUN


def test_hole_6_names_of_this_console_in_pieces_are_critical_whatever_is_allowed() -> None:
    for action, typed in (
        (TypeText(text="-console\n"), "echo operator"),
        (keys("enter"), "echo operator_console"),
        (TypeText(text="console"), "operator-"),
    ):
        found = assess(action, PolicyContext(app="XTerm", typed=typed))
        assert found.risk is RiskClass.C4, found
        assert verdict(found, Autonomy.AUTO, [Category.TERMINAL], None).kind is VerdictKind.ASK


# 7: press, move, release.


def test_hole_7_a_release_is_judged_by_where_it_happens_and_where_it_began() -> None:
    menu = control(Role.MENU, "Edit")
    delete = on(control(Role.MENU_ITEM, "Delete"), from_control=menu)
    assert Category.DELETE in categories(Release(), delete)
    trash = on(control(Role.LIST_ITEM, "Trash"), app="thunar", from_control=control(Role.LIST_ITEM, "plan.odt"))
    assert Category.DELETE in categories(Release(), trash)
    assert Category.DELETE in categories(Release(), replace(trash, from_control=UNKNOWN_CONTROL))
    own = on(control(name="Approve"), app="operator-console", from_control=menu)
    assert Category.SECURITY in categories(Release(), own)
    assert assess(Release(), PolicyContext(app="slack")).risk is RiskClass.C3


# 8: keyboard navigation.


def test_hole_8_keys_are_judged_by_what_has_the_focus() -> None:
    for chord in ("enter", "space", "kp_enter"):
        assert Category.PAY in categories(keys(chord), on(control(name="Pay now"), title="Shop"))
        assert Category.DELETE in categories(keys(chord), on(control(Role.MENU_ITEM, "Delete"), app="thunar"))
    assert Category.PAY in categories(TypeText(text=" "), on(control(name="Pay now")))


def test_hole_8_enter_presses_the_default_button_of_the_dialog() -> None:
    question = asking("Delete Permanently — Dolphin", "Do you really want to delete 3 items?", "Delete")
    place = on(control(Role.LIST, "", dialog=question), app="dolphin", title="Delete Permanently — Dolphin")
    assert categories(keys("enter"), place) == {Category.DELETE}
    assert categories(keys("enter"), PolicyContext(app="dolphin", title="Delete Permanently — Dolphin")) == {
        Category.DELETE
    }
    harmless = asking("Delete file?", "Do you want to delete it?", "Cancel")
    assert not asked(keys("enter"), on(control(Role.DIALOG, "", dialog=harmless), app="dolphin", title="x"))


def test_hole_8_escape_is_told_in_a_dialog() -> None:
    assert assess(keys("esc"), on(control(name="OK", dialog=asking("Question", "Save?")))).risk is RiskClass.C2
    assert assess(keys("esc"), PolicyContext(app="mousepad")).risk is RiskClass.C1


def test_hole_8_access_keys_answer_dialogs_and_choose_menu_entries() -> None:
    question = on(control(name="Cancel", dialog=asking("Confirm", "Delete 3 items?", "Cancel")))
    for action in (keys("y"), keys("alt+d"), TypeText(text="d")):
        assert Category.DELETE in categories(action, question)
    menu = on(control(Role.MENU_ITEM, "Copy"), app="thunar")
    for action in (keys("d"), keys("alt+d"), TypeText(text="d")):
        assert asked(action, menu)
    field = on(control(Role.TEXT_FIELD, "Name", dialog=asking("Delete?", "Delete?")))
    assert not asked(keys("y"), field)


def test_hole_8_a_focus_that_is_not_known_asks_where_it_could_harm() -> None:
    for place in (PolicyContext(app="thunar", title="me"), PolicyContext(app=BROWSER, title="Checkout - Shop")):
        for key in ("enter", "space", "t"):  # a letter may choose in a menu that is open
            assert asked(keys(key), place), key


@pytest.mark.parametrize("app", ["eog", "org.gnome.Loupe", "gwenview", "ristretto", "Thunar", "thunderbird"])
def test_hole_8_the_delete_key_deletes_in_lists(app: str) -> None:
    assert categories(keys("delete"), PolicyContext(app=app, title="x")) == {Category.DELETE}
    assert not asked(keys("delete"), on(control(Role.TEXT_FIELD, "Rename"), app=app))


@pytest.mark.parametrize("chord", ["ctrl+v", "shift+insert"])
def test_a_paste_into_a_field_for_a_secret_is_asked_about_as_typing_is(chord: str) -> None:
    field = control(Role.PASSWORD_FIELD, "Password")
    assert Category.CREDENTIALS in categories(keys(chord), on(field, app="chromium", title="Sign in"))
    assert not asked(keys(chord), on(control(Role.TEXT_FIELD, "City"), app="chromium", title="Weather"))


@pytest.mark.parametrize("role", [Role.LIST, Role.TABLE, Role.TREE, Role.LIST_ITEM])
def test_the_delete_key_deletes_what_is_chosen_on_a_page(role: Role) -> None:
    assert categories(keys("delete"), on(control(role, "lease.pdf"), app="chromium", title="Drive")) == {
        Category.DELETE
    }


# 9: addresses.


@pytest.mark.parametrize(
    "address", ["javascript: alert(1)", "JaVaScRiPt:alert(1)", " javascript:x", "data: text/html,x"]
)
def test_hole_9_script_addresses_ask_by_every_way(address: str) -> None:
    page = on(control(Role.TEXT_FIELD, "Address and search bar"), app=BROWSER, title="x")
    for action in (Navigate(url=address), Search(query=address), Launch(url=address)):
        assert Category.SECURITY in categories(action, page)
    assert Category.SECURITY in categories(TypeText(text=address, submit=True), page)
    typed = on(page.control, app=BROWSER, title="x", typed=address)
    assert Category.SECURITY in categories(keys("enter"), typed)
    for told in (replace(page.control, value=address), replace(page.control, text=address)):  # what was typed is lost
        assert Category.SECURITY in categories(keys("enter"), on(told, app=BROWSER, title="x"))


@pytest.mark.parametrize(
    "data", ["4111 1111 1111 1111", "4111-1111-1111-1111", "ghp_" + "a1B2" * 9, "DE89 3704 0044 0532 0130 00"]
)
def test_hole_9_numbers_and_keys_count_wherever_they_go(data: str) -> None:
    for action in (
        Search(query=data),
        Navigate(url=f"https://x.example/?q={data}"),
        Navigate(url=f"https://x.example/?q={data.replace(' ', '+')}"),
        Navigate(url=f"https://x.example/?q={data.replace(' ', '%20')}"),
        TypeText(text=data, submit=True),
    ):
        found = categories(action, on(control(Role.SEARCH_FIELD, "Search"), app=BROWSER))
        assert found & {Category.PERSONAL_DATA, Category.CREDENTIALS}, action


def test_hole_9_a_number_typed_in_pieces_counts_once() -> None:
    first = on(control(Role.TEXT_FIELD, "Note"), typed="4111 1111 1111 11")
    assert categories(TypeText(text="11"), first) == {Category.PERSONAL_DATA}
    assert categories(keys("1"), on(first.control, typed="4111 1111 1111 111")) == {Category.PERSONAL_DATA}
    assert not categories(TypeText(text=" thanks"), on(first.control, typed="4111 1111 1111 1111"))


# 10: launching.


@pytest.mark.parametrize(
    "app",
    ["poweroff", "reboot", "xkill", "xfce4-session-logout", "gnome-session-quit", "lxqt-leave", "mate-session-save",
     "systemctl", "Log Out", "Shut Down", "/sbin/poweroff", "Neu starten"],
)  # fmt: skip
def test_hole_10_programs_that_end_the_session_or_the_machine_ask(app: str) -> None:
    assert Category.SYSTEM in categories(Launch(app=app), PolicyContext())


@pytest.mark.parametrize("app", ["sh -c id", "python3 /tmp/x.py", "bash /tmp/x", "env X=1 id", "xterm -e id"])
def test_hole_10_interpreters_with_arguments_are_command_lines(app: str) -> None:
    assert Category.TERMINAL in categories(Launch(app=app), PolicyContext())


@pytest.mark.parametrize("app", ["galculator", "Text Editor", "LibreOffice Writer", "firefox", "Files"])
def test_hole_10_other_applications_do_not_ask(app: str) -> None:
    assert assess(Launch(app=app), PolicyContext()).risk is RiskClass.C2
