"""What was typed into which field, and when that is no longer known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.actions import (
    Action,
    Button,
    Chord,
    Click,
    Drag,
    HoldKeys,
    KeyDown,
    KeyUp,
    Press,
    Release,
    Scroll,
    TypeText,
)
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.elements import Control, ControlSource, ElementState, Role
from operator_console.domain.frames import Frame, MonitorTarget, StackedWindow, WindowInfo
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.keys import Key, parse_chord
from operator_console.engine.control_finder import Hit
from operator_console.engine.input_state import MAX_TYPED, FieldId, InputState, Line, field_id
from operator_console.policy import PolicyContext

SHELL = WindowInfo(window_id=6, title="shell", app="XTerm", pid=2, rect=Rect(0, 0, 400, 300))
FORM = WindowInfo(window_id=7, title="Form", app="Gnome-form", pid=3, rect=Rect(0, 0, 400, 300))
DONE = Outcome(result=ActResult.DONE)
AT = NativePoint(10, 10)

NAME = Hit(control=Control(source=ControlSource.ACCESSIBLE, role=Role.TEXT_FIELD, name="Name"), element_id="1")
CITY = Hit(control=Control(source=ControlSource.ACCESSIBLE, role=Role.TEXT_FIELD, name="City"), element_id="2")
NOTE = Hit(
    control=Control(
        source=ControlSource.ACCESSIBLE, role=Role.TEXT_FIELD, name="Note", states=(ElementState.MULTI_LINE,)
    ),
    element_id="3",
)  # fmt: skip
PASTE = Hit(control=Control(source=ControlSource.ACCESSIBLE, role=Role.MENU_ITEM, name="Paste"), element_id="4")
BOX = Hit(control=Control(source=ControlSource.PICTURE, extent=Rect(0, 0, 200, 30)))
OTHER_BOX = Hit(control=Control(source=ControlSource.PICTURE, extent=Rect(0, 50, 200, 30)))
LIST = Hit(control=Control(source=ControlSource.PICTURE, extent=Rect(0, 0, 200, 30), text="Member"))
NOWHERE = Hit()


class Hand:
    """Sends actions as a session does: keys go to `focus`, or to what was clicked where that is not known."""

    def __init__(self, window: WindowInfo = FORM) -> None:
        self.state = InputState()
        self.window = window
        self.focus: Hit | None = None

    def click(self, hit: Hit, button: Button = Button.LEFT) -> Hand:
        return self.send(Click(at=AT, button=button), hit)

    def keys(self, *chords: str) -> Hand:
        for chord in chords:
            self.send(Chord(keys=parse_chord(chord)))
        return self

    def type(self, text: str, *, submit: bool = False, clear: bool = False) -> Hand:
        return self.send(TypeText(text=text, submit=submit, clear=clear))

    def send(self, action: Action, hit: Hit | None = None) -> Hand:
        context = PolicyContext(control=hit.control if hit is not None else Control())
        place = self.place if hit is None else field_id(hit, self.window)
        self.state.note_sent(action, context, DONE, hit or self.focus or NOWHERE, place)
        return self

    @property
    def place(self) -> FieldId:
        return self.state.place(self.focus, self.window)

    @property
    def line(self) -> Line:
        return self.state.line(self.place)


def showing(*windows: WindowInfo) -> Frame:
    size = Size(400, 300)
    return Frame(
        frame_id="", pixels=memoryview(b""), target=MonitorTarget(spec="monitor:1", title=""), taken_s=0.0,
        geometry=FrameGeometry(origin=ScreenPoint(0, 0), native=size, sent=size),
        stack=tuple(StackedWindow(info=window, parts=(window.rect,)) for window in windows),
    )  # fmt: skip


def known(typed: str) -> Line:
    return Line(typed=typed)


def unknown(typed: str) -> Line:
    return Line(typed=typed, known=False)


@pytest.mark.parametrize("window", [SHELL, FORM])
def test_text_typed_in_pieces_is_joined(window: WindowInfo) -> None:
    hand = Hand(window).click(NOWHERE).type("rm -r").type("f ~").keys("space", "x", "shift+y", "backspace", "z")
    assert hand.line == known("rm -rf ~ xz")


def test_each_field_keeps_its_own_text_and_one_that_is_returned_to_is_not_known() -> None:
    hand = Hand().click(BOX).type("Ann").click(OTHER_BOX).type("Oslo")
    assert hand.line == known("Oslo")
    assert hand.state.line(field_id(BOX, FORM)) == unknown("Ann")
    hand.click(BOX).type("a")
    assert hand.line == unknown("Anna")


def test_the_field_with_the_focus_counts_and_not_the_one_that_was_clicked() -> None:
    hand = Hand().click(NAME)
    hand.focus = NAME
    hand.type("Ann").keys("tab")
    hand.focus = CITY
    assert hand.line == known("")
    assert hand.type("Oslo").line == known("Oslo")
    hand.focus = NAME
    assert hand.line == unknown("Ann")


def test_a_click_into_the_middle_makes_the_text_unknown_but_not_in_a_terminal() -> None:
    assert Hand().click(BOX).type("Ann").click(BOX).line == unknown("Ann")
    assert Hand(SHELL).click(NOWHERE).type("ls").click(NOWHERE).type(" -l").line == known("ls -l")


def test_a_terminal_in_a_page_or_an_editor_completes_words_as_any_terminal_does() -> None:
    page = WindowInfo(window_id=8, title="Cloud Shell - Chromium", app="Chromium", pid=4, rect=Rect(0, 0, 400, 300))
    control = Control(source=ControlSource.ACCESSIBLE, role=Role.TEXT_FIELD, name="Terminal input")
    hand = Hand(page)
    hand.focus = Hit(control=control, element_id="9")
    assert hand.type("ls").keys("tab").line == unknown("ls")
    assert hand.keys("enter").line == known("")


def test_after_escape_what_is_typed_into_a_terminal_may_be_a_command_until_the_line_ends() -> None:
    hand = Hand(SHELL).click(NOWHERE).type("ls").keys("esc")
    assert hand.line == Line(typed="ls", known=False, escaped=True)
    assert hand.type("v").keys("a", "backspace", "left", "ctrl+u").click(NOWHERE).line.escaped
    for chord in ("enter", "ctrl+c"):
        assert not Hand(SHELL).click(NOWHERE).keys("esc", chord).line.escaped
    assert not Hand(FORM).click(NAME).keys("esc").line.escaped


def test_a_menu_is_open_after_what_opens_one_until_something_else_is_done() -> None:
    hand = Hand(SHELL).click(NOWHERE)
    assert not hand.state.menu_open
    for chord in ("menu", "shift+f10", "f10", "alt+e"):
        assert hand.keys(chord).state.menu_open
        assert hand.keys("down", "up").state.menu_open
        assert not hand.keys("esc").state.menu_open
    assert hand.click(NOWHERE, Button.RIGHT).state.menu_open
    assert not hand.type("pwd").state.menu_open


def test_the_keys_right_before_are_known_until_something_else_is_done() -> None:
    hand = Hand().click(NAME).keys("ctrl+x")
    assert hand.state.before == parse_chord("ctrl+x")
    assert hand.send(KeyDown(key=Key("ctrl"))).state.before == parse_chord("ctrl+x")
    assert hand.keys("z").send(KeyUp(key=Key("ctrl"))).state.before == parse_chord("ctrl+z")
    assert hand.send(KeyDown(key=Key("a"))).send(KeyUp(key=Key("a"))).state.before == (Key("a"),)
    hand.send(KeyDown(key=Key("ctrl")))
    assert hand.send(Chord(keys=(Key("x"),))).state.before == parse_chord("ctrl+x")
    assert hand.click(NAME).state.before == ()


def test_fields_that_nothing_tells_apart_are_not_joined() -> None:
    hand = Hand().click(NOWHERE).type("1234").click(NOWHERE).type("5678")
    assert hand.line == unknown("5678")


@pytest.mark.parametrize(
    "chord",
    ["up", "down", "tab", "ctrl+r", "ctrl+p", "alt+.", "ctrl+v", "ctrl+shift+v", "shift+insert", "left", "home", "end",
     "right", "ctrl+y", "ctrl+a", "ctrl+w", "delete", "alt+b", "f3", "page_up", "ctrl+e"],
)  # fmt: skip
def test_history_completion_paste_and_caret_keys_make_a_command_line_unknown(chord: str) -> None:
    hand = Hand(SHELL).click(NOWHERE).type("ls").keys(chord)
    assert hand.line == unknown("ls")
    assert hand.type(" x").line == unknown("ls x")
    assert hand.keys("enter").line == known("")


@pytest.mark.parametrize("chord", ["up", "ctrl+v", "ctrl+r", "tab"])
def test_a_command_line_is_not_known_either_where_nothing_was_typed_before(chord: str) -> None:
    assert Hand(SHELL).keys(chord).line == unknown("")


@pytest.mark.parametrize("chord", ["ctrl+c", "ctrl+j", "ctrl+m", "enter", "kp_enter"])
def test_a_command_line_that_ran_or_was_discarded_begins_anew(chord: str) -> None:
    assert Hand(SHELL).type("ls").keys("up", chord).line == known("")


@pytest.mark.parametrize("chord", ["ctrl+l", "ctrl+shift+c", "shift", "caps_lock", "ctrl"])
def test_keys_that_change_no_command_line(chord: str) -> None:
    assert Hand(SHELL).type("ls").keys(chord).line == known("ls")


def test_what_a_middle_click_a_drag_or_a_menu_may_paste_is_not_known() -> None:
    assert Hand(SHELL).click(NOWHERE).type("ls ").click(NOWHERE, Button.MIDDLE).line == unknown("ls ")
    assert Hand(SHELL).type("ls ").send(Drag(path=(AT, AT)), NOWHERE).line == unknown("ls ")
    hand = Hand(SHELL).click(NOWHERE).click(PASTE)
    assert hand.click(NOWHERE).line == unknown("")
    hand = Hand(SHELL).type("ls ").send(Press(at=AT), NOWHERE).send(Release(at=AT), NOWHERE)
    assert hand.line == unknown("ls ")


def test_text_typed_with_line_breaks() -> None:
    assert Hand(SHELL).type("cd /\nls").line == known("ls")
    assert Hand(SHELL).keys("up").type("x\nls").line == known("ls")
    assert Hand(SHELL).type("ls", submit=True).line == known("")
    assert Hand(SHELL).type("old").type("new", clear=True).line == known("new")
    assert Hand(SHELL).type("cd /ho\t").line == unknown("cd /ho\t")
    note = Hand().click(NOTE)
    note.focus = NOTE
    assert note.type("[hotkeys]").keys("enter").type("stop = x\n").line == known("[hotkeys]\nstop = x\n")
    form = Hand().click(BOX).type("Ann\tOslo")
    assert form.line == known("Oslo")
    assert form.state.line(field_id(BOX, FORM)).typed == ""


def test_characters_with_a_held_modifier_are_key_combinations() -> None:
    hand = Hand(SHELL).type("ls").send(KeyDown(key=Key("ctrl")))
    assert hand.state.keys == ["ctrl"]
    assert hand.line == known("ls")
    assert hand.type("r").line == unknown("ls")
    assert hand.send(KeyUp(key=Key("ctrl"))).line == unknown("ls")
    hand = Hand(SHELL).type("ls").send(KeyDown(key=Key("ctrl"))).keys("j")
    assert hand.line == known("")


def test_a_key_that_is_held_may_repeat() -> None:
    assert Hand(SHELL).type("a").send(HoldKeys(keys=(Key("b"),), duration_s=1.0)).line == unknown("ab")
    assert Hand(SHELL).type("ab").send(KeyDown(key=Key("backspace"))).line == unknown("a")
    assert Hand(SHELL).type("abc").send(Chord(keys=(Key("backspace"),), repeat=2)).line == known("a")
    assert Hand(SHELL).send(Chord(keys=(Key("a"),), repeat=3)).line == known("aaa")
    assert Hand(SHELL).keys("shift+1").line == unknown("1")


@pytest.mark.parametrize(
    "chord", ["tab", "shift+tab", "enter", "esc", "ctrl+l", "ctrl+f", "alt+s", "f6", "down", "ctrl+tab", "alt", "menu"]
)
def test_the_label_of_a_clicked_button_does_not_outlive_its_focus(chord: str) -> None:
    hand = Hand().click(BOX)
    assert hand.state.field == BOX
    assert hand.keys(chord).state.field is None


@pytest.mark.parametrize("chord", ["a", "ctrl+c", "ctrl+v", "left", "shift+x", "delete", "ctrl+a", "shift"])
def test_the_label_of_a_clicked_field_stays_while_it_is_edited(chord: str) -> None:
    assert Hand().click(BOX).keys(chord).state.field == BOX


def test_a_menu_has_the_focus_after_a_right_click() -> None:
    hand = Hand().click(BOX).type("x").click(BOX, Button.RIGHT)
    assert hand.state.field is None
    assert hand.state.line(field_id(BOX, FORM)) == unknown("x")


def test_down_in_a_text_field_stays_in_it() -> None:
    hand = Hand().click(NAME).type("x").keys("down")
    assert (hand.state.field, hand.line) == (NAME, unknown("x"))


def test_keys_in_another_window_are_not_those_of_the_clicked_field() -> None:
    hand = Hand().click(BOX).type("x")
    hand.window = SHELL
    assert hand.line == known("")
    assert not hand.state.is_in(SHELL)
    assert hand.type("ls").line == known("ls")


@pytest.mark.parametrize(("window", "line"), [(SHELL, known("rm -rf ~")), (FORM, known("f ~"))])
def test_a_command_line_outlives_the_title_of_its_terminal_and_a_form_does_not(window: WindowInfo, line: Line) -> None:
    hand = Hand(window).click(BOX).type("rm -r")
    for title in (window.title, "another"):
        hand.state.new_frame(showing(replace(window, title=title)))
    assert hand.type("f ~").line == line


def test_a_field_is_forgotten_with_its_window() -> None:
    hand = Hand().click(BOX)
    hand.state.new_frame(showing(FORM, SHELL))
    assert hand.state.field == BOX
    hand.state.new_frame(showing(SHELL))
    assert hand.state.field is None


def test_after_a_person_used_the_target_nothing_is_known_until_a_line_is_sent_or_cleared() -> None:
    hand = Hand(SHELL).type("ls")
    hand.state.forget()
    assert hand.line == unknown("")
    assert hand.type("x").line == unknown("x")
    assert hand.keys("enter").type("y").line == known("y")


def test_the_place_of_a_press_is_kept_until_its_release() -> None:
    hand = Hand().send(Press(at=AT), NAME)
    assert hand.state.pressed == NAME.control
    assert hand.send(Release(at=AT), CITY).state.pressed is None
    hand.send(Press(at=AT), NAME).state.clear_held()
    assert hand.state.pressed is None


@pytest.mark.parametrize(
    "action",
    [HoldKeys(keys=(Key("super"),), duration_s=1.0), Chord(keys=parse_chord("super+e")), KeyUp(key=Key("super")),
     Click(at=AT, modifiers=(Key("super"),)), Scroll(at=AT, dy=1, modifiers=(Key("super"),)),
     Drag(path=(AT, AT), modifiers=(Key("super"),))],
)  # fmt: skip
def test_a_key_is_up_after_an_action_that_pressed_it_again(action: Action) -> None:
    hand = Hand().send(KeyDown(key=Key("super"))).send(KeyDown(key=Key("shift")))
    assert hand.send(action).state.keys == ["shift"]


@pytest.mark.parametrize("action", [Click(at=AT), Drag(path=(AT, AT)), TypeText(text="x", at=AT), Release(at=AT)])
def test_a_button_is_up_after_an_action_that_pressed_it_again(action: Action) -> None:
    hand = Hand().send(Press(at=AT, button=Button.RIGHT), NAME).send(Press(at=AT), NAME).send(action, CITY)
    assert (hand.state.buttons, hand.state.pressed) == ([Button.RIGHT], NAME.control)
    hand = Hand().send(Press(at=AT), NAME).send(action, CITY)
    assert (hand.state.buttons, hand.state.pressed) == ([], None)


def test_a_letter_in_a_menu_is_no_text_and_leaves_it_open_where_no_entry_has_it() -> None:
    hand = Hand().click(BOX, Button.RIGHT).keys("z").type("z")
    assert hand.state.menu_open
    assert hand.line == unknown("")
    assert hand.type("zz").line == unknown("zz")
    assert not hand.state.menu_open


@pytest.mark.parametrize("chord", ["home", "end"])
def test_keys_that_go_to_the_ends_of_a_list_choose_in_a_box_that_may_have_opened_one(chord: str) -> None:
    assert Hand().click(LIST).keys(chord).state.field is None
    assert Hand().click(BOX).keys(chord).state.field == BOX


def test_a_press_beside_an_open_list_leaves_the_focus_where_it_was() -> None:
    assert Hand().click(LIST).click(NOWHERE).state.field == LIST
    assert Hand().click(LIST).click(NAME).state.field == NAME
    assert Hand().click(BOX).click(NOWHERE).state.field == NOWHERE


def test_of_a_very_long_text_the_end_is_kept_and_it_counts_as_not_known() -> None:
    line = Hand(SHELL).type("x" * MAX_TYPED + "y").line
    assert (len(line.typed), line.typed[-1], line.known) == (MAX_TYPED, "y", False)


@pytest.mark.parametrize("opening", ["alt+f2", "super+r"])
def test_a_line_to_run_is_asked_for_until_it_is_run_or_left(opening: str) -> None:
    def after(*sent: str) -> bool:
        hand = Hand().keys(opening)
        for each in sent:
            hand = hand.keys(each.removeprefix("key:")) if each.startswith("key:") else hand.type(each)
        return hand.state.asks_for_line

    assert after()
    assert after("xte", "rm", "key:backspace")
    assert not after("xterm", "key:enter")
    assert not after("xterm\n")
    assert not after("key:esc")
    assert not Hand().keys(opening).click(NAME).state.asks_for_line
    assert not Hand().keys("f2").state.asks_for_line
    held = Hand().send(KeyDown(key=Key("alt"))).send(KeyDown(key=Key("f2"))).send(KeyUp(key=Key("alt")))
    assert held.state.asks_for_line
