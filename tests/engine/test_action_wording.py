"""Actions and controls in words."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain.actions import (
    Action,
    AskOperator,
    Chord,
    Click,
    Drag,
    EditFile,
    Launch,
    Move,
    Release,
    Scroll,
    Search,
    TypeText,
)
from operator_console.domain.elements import Control, ControlSource, Role, TextKnowledge
from operator_console.domain.geometry import NativePoint
from operator_console.domain.keys import Key
from operator_console.engine.action_wording import action_words, control_words, describe, exact_text
from operator_console.policy import PolicyContext, assess

AT = NativePoint(178, 619)
SAVE = Control(source=ControlSource.ACCESSIBLE, role=Role.BUTTON, name="Save", window="Plant diary")
NAME = Control(source=ControlSource.ACCESSIBLE, role=Role.TEXT_FIELD, text="Rose", label="Name", window="Plant diary")
PICTURE = Control(source=ControlSource.PICTURE, knowledge=TextKnowledge.READ, text="Pay now", window="Shop")


@pytest.mark.parametrize(
    ("control", "window", "words"),
    [
        (None, "Shop", ""),
        (Control(), "Shop", ""),
        (SAVE, "", "button “Save” in “Plant diary”"),
        (SAVE, "Plants", "button “Save” in “Plants”"),
        (NAME, "", "text field “Name” in “Plant diary”"),
        (PICTURE, "", "“Pay now” in “Shop”"),
        (Control(role=Role.BUTTON), "Shop", "button without a name in “Shop”"),
        (replace(PICTURE, text="January February March", line="March"), "", "“March” in “Shop”"),
        (Control(role=Role.TEXT_FIELD, text="Dear Sir or Madam, " * 9), "Mail", "text field without a name in “Mail”"),
        (Control(role=Role.BUTTON, icon="send"), "", "button with the icon “send”"),
        (Control(icon="send"), "", "icon “send”"),
        (Control(role=Role.PARAGRAPH, text="It rained."), "", "text “It rained.”"),
        (Control(role=Role.WINDOW, name="Shop"), "Shop", "window “Shop”"),
        (Control(role=Role.BUTTON, name="a\u202eb\n"), "", "button “a⟨U+202E⟩b”"),
    ],
)
def test_a_control_is_named_by_role_name_and_window(control: Control | None, window: str, words: str) -> None:
    assert control_words(control, window) == words


@pytest.mark.parametrize(
    ("action", "words"),
    [
        (Click(at=AT), "click button “Save” in “Plant diary” at 178, 619"),
        (Move(at=AT), "move to button “Save” in “Plant diary” at 178, 619"),
        (TypeText(text="x"), "type “x” into button “Save” in “Plant diary”"),
        (Chord(keys=(Key("enter"),)), "press Enter on button “Save” in “Plant diary”"),
        (Scroll(at=AT, dy=3), "scroll down 3 at 178, 619"),
        (Release(), "release over button “Save” in “Plant diary”, pressed on text field “Name”"),
        (AskOperator(question="“Save” appears twice. Which?"), "ask you “‘Save’ appears twice. Which?”"),
        (
            Drag(path=(AT, NativePoint(3, 4))),
            "drag text field “Name” from 178, 619 to 3, 4, onto button “Save” in “Plant diary”",
        ),
    ],
)
def test_an_action_names_what_it_hits(action: Action, words: str) -> None:
    assert describe(action, "Sa", control=SAVE, from_control=NAME) == words


@pytest.mark.parametrize(
    ("action", "label", "words"),
    [
        (Click(at=AT), "", "click at 178, 619 in “Shop”"),
        (Click(at=AT), "Pay", "click “Pay” in “Shop” at 178, 619"),
        (TypeText(text="x", at=AT), "Pay", "type “x” into “Pay” in “Shop”, at 178, 619"),
        (Chord(keys=(Key("enter"),)), "Pay", "press Enter in “Shop”"),
        (TypeText(text="x"), "", "type “x” in “Shop”"),
    ],
)
def test_an_unknown_control_leaves_the_label_and_the_window_that_is_hit(action: Action, label: str, words: str) -> None:
    assert describe(action, label, window="Shop") == words


def test_the_parts_of_a_description_are_told_apart() -> None:
    words = action_words(Click(at=AT), "Sa", control=SAVE, limit=4)
    assert (words.line, words.where) == ("Click button “Save” in “Pl…y”", "left button, at 178, 619")


@pytest.mark.parametrize(
    ("action", "text"),
    [(Search(query="x y"), "x y"), (Launch(app="notes"), "notes"), (Launch(app="notes", url="x.example"), "x.example"),
     (Chord(keys=(Key("enter"),)), ""),
     (EditFile(command="view", path="a", arguments={"view_range": "[1, 2]"}), "a, view\nview_range: [1, 2]"),
     (EditFile(command="create", path="a", arguments={"file_text": "1\n2"}), "a, the whole file:\n+ 1\n+ 2"),
     (EditFile(command="insert", path="a", arguments={"insert_line": "3", "insert_text": "x"}),
      "a, after line 3:\n+ x"),
     (EditFile(command="str_replace", path="a", arguments={"old_str": "1\n2", "new_str": "1\n3"}),
      "a, replace:\n  1\n- 2\n+ 3")],
)  # fmt: skip
def test_the_exact_text_of_an_action(action: Action, text: str) -> None:
    assert exact_text(action) == text


def test_the_exact_text_of_a_submitted_command_has_what_was_typed_before() -> None:
    shell = PolicyContext(app="xterm", typed="rm -rf ")
    action = TypeText(text="build", submit=True)
    assert exact_text(action, assess(action, shell)) == "rm -rf build"
    assert exact_text(action, assess(action, PolicyContext(app="mousepad"))) == "build"


@pytest.mark.parametrize(("between", "words"), [(0, ""), (1, " through 1 more point"), (2, " through 2 more points")])
def test_a_drag_says_how_many_points_are_between(between: int, words: str) -> None:
    path = (AT, *(NativePoint(10 + each, 5) for each in range(between)), NativePoint(1, 2))
    assert describe(Drag(path=path)).endswith(f"from 178, 619 to 1, 2{words}")
