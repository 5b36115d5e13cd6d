"""Answers as they are documented, and as models write them."""

from __future__ import annotations

from typing import Any

import pytest

from operator_console.domain.actions import (
    Action,
    AskOperator,
    Back,
    Button,
    Chord,
    Click,
    Drag,
    Finish,
    Forward,
    KeyDown,
    KeyUp,
    Move,
    Navigate,
    ReadPage,
    Scroll,
    SwitchTab,
    TypeText,
    Wait,
)
from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.keys import Key
from operator_console.providers.shared.arguments import ParsedCall
from operator_console.providers.ui_tars.action_text import MOST_CALLS, WrittenAnswer, read_written
from operator_console.providers.ui_tars.actions import known, parse_call
from operator_console.providers.ui_tars.options import UiTarsOptions
from operator_console.providers.ui_tars.provider import traits_of

SCREEN = Size(2000, 1000)
GEOMETRY = FrameGeometry(origin=ScreenPoint(0, 0), native=SCREEN, sent=SCREEN)
DOUBAO = traits_of("doubao-1-5-ui-tars-250428", UiTarsOptions())
NONE: frozenset[str] = frozenset()


def read(text: str) -> WrittenAnswer:
    return read_written(text, known(NONE))


def parsed(text: str, tools: frozenset[str] = NONE) -> list[ParsedCall]:
    """What the calls of an answer mean on a screen of 2000x1000 pixels, in thousandths."""
    answer = read_written(text, known(tools))
    assert [call.problem for call in answer.calls] == [""] * len(answer.calls)
    return [
        parse_call(call.name, DOUBAO.arguments(call.arguments, GEOMETRY), tools=tools, said=answer.said)
        for call in answer.calls
    ]


def actions(text: str) -> list[Action]:
    return [each.action for each in parsed(text)]


AT = NativePoint(200, 200)
BOX = "start_box='<|box_start|>(100,200)<|box_end|>'"
POINT = "point='<point>100 200</point>'"


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (f"click({BOX})", Click(at=AT)),
        (f"left_double({BOX})", Click(at=AT, count=2)),
        (f"right_single({BOX})", Click(at=AT, button=Button.RIGHT)),
        (f"drag({BOX}, end_box='<|box_start|>(300,400)<|box_end|>')", Drag(path=(AT, NativePoint(600, 400)))),
        ("hotkey(key='ctrl c')", Chord(keys=(Key("ctrl"), Key("c")))),
        ("hotkey(key='arrowleft')", Chord(keys=(Key("left"),))),
        ("type(content='Berlin')", TypeText(text="Berlin")),
        ("type(content='Berlin\\n')", TypeText(text="Berlin", submit=True)),
        (f"scroll({BOX}, direction='down')", Scroll(at=AT, dy=5)),
        (f"scroll({BOX}, direction='left')", Scroll(at=AT, dx=-5)),
        ("wait()", Wait(duration_s=5.0)),
        ("finished()", Finish(message="I see it.")),
        ("call_user()", AskOperator(question="I see it.")),
        (f"click({POINT})", Click(at=AT)),
        (f"left_double({POINT})", Click(at=AT, count=2)),
        (f"right_single({POINT})", Click(at=AT, button=Button.RIGHT)),
        (
            "drag(start_point='<point>100 200</point>', end_point='<point>300 400</point>')",
            Drag(path=(AT, NativePoint(600, 400))),
        ),
        (f"scroll({POINT}, direction='up')", Scroll(at=AT, dy=-5)),
        ("finished(content='All \\'saved\\'.')", Finish(message="All 'saved'.")),
        ("press(key='ctrl')", KeyDown(key=Key("ctrl"))),
        ("release(key='ctrl')", KeyUp(key=Key("ctrl"))),
        ("navigate(content='example.org')", Navigate(url="https://example.org")),
        ("navigate_back()", Back()),
        (f"hover({POINT})", Move(at=AT)),
    ],
)
def test_every_documented_action(written: str, meant: Action) -> None:
    assert actions(f"Thought: I see it.\nAction: {written}") == [meant]


@pytest.mark.parametrize(
    "written",
    [
        "key='ctrl', key2='c'",
        "key='c', key2='ctrl'",
        "keys=['ctrl', 'c']",
        "key='ctrl+c'",
        "'ctrl', 'c'",
        "'ctrl', key='c'",
        "hotkey='ctrl', key='c'",
        "key='c', modifiers=['ctrl']",
        "key='c', ctrl=True",
        "key='ctrl c', key2='', presses=1, hold=false",
    ],
)
def test_all_keys_of_a_hotkey_are_pressed_together(written: str) -> None:
    assert actions(f"Action: hotkey({written})") == [Chord(keys=(Key("ctrl"), Key("c")))]


def test_keys_that_a_call_of_the_pointer_names_are_held() -> None:
    held = (Key("ctrl"),)
    written = [f"click({BOX}, key='ctrl')", f"drag({BOX}, end_box='(300,400)', modifiers=['ctrl'])",
               f"scroll({BOX}, direction='up', ctrl=True)"]  # fmt: skip
    assert actions("Action: " + "\n\n".join(written)) == [
        Click(at=AT, modifiers=held),
        Drag(path=(AT, NativePoint(600, 400)), modifiers=held),
        Scroll(at=AT, dy=-5, modifiers=held),
    ]


def test_in_a_managed_browser_the_functions_that_control_it_stand_beside_the_vendors_own() -> None:
    written = ["navigate(content='a.example')", "navigate(url='https://a.example', new_tab=True)", "navigate_back()",
               "go_forward()", "switch_tab(number=2)", "get_browser_state()"]  # fmt: skip
    answer = read_written("Action: " + "\n\n".join(written), known(NONE, browser=True))
    made = [
        parse_call(call.name, DOUBAO.arguments(call.arguments, GEOMETRY), tools=NONE, said="", browser=True).action
        for call in answer.calls
    ]
    assert made == [
        Navigate(url="https://a.example"), Navigate(url="https://a.example", new_tab=True), Back(), Forward(),
        SwitchTab(number=2), ReadPage(),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "written",
    [
        "Action: click(start_box='(100,200)')",
        "Action：click(start_box='(100，200)')".replace("，", ","),
        "click(start_box='(100,200)')",
        "Thought: 点击“保存”按钮。\nAction: click(start_box='<|box_start|>(100,200)<|box_end|>')",
        "思考：点击。\n动作：click(start_box='(100,200)')",
        "Action: click(start_box=(100,200))",
        "Action: click(start_box='[100, 200]')",
        "Action: click(start_box=[100, 200])",
        "Action: click(start_box='100 200')",
        "Action: click(start_box=<point>100 200</point>)",
        "Action: click(start_box='<bbox>90 190 110 210</bbox>')",
        "Action: click(start_box='<bbox>90 190 110 210</bbox>'",
        "Action: click(start_box=<bbox>90 190 110 210</bbox>)",
        "Action: click(start_box='<|box_start|>(90,190),(110,210)<|box_end|>')",
        "Action: click(start_box='(90,190,110,210)')",
        "Action: click(start_box='(100.0,200.0)')",
        'Action: click(point="<point>100 200</point>")',
        "Action: click(x=100, y=200)",
        "Action: click((100,200))",
        "Action: click(start_box='(100,200)'",
        "Action: click(start_box='(100,200)')[EOS]",
        "Action: click(start_box='(100,200)')<|im_end|>",
        "```\nThought: There.\nAction: click(start_box='(100,200)')\n```",
        "Reflection: That failed.\nAction_Summary: Again.\nAction: click(start_box='(100,200)')",
        "<think>Hm. Action: wait()</think>\nThought: x\nAction: click(start_box='(100,200)')",
        "Hm.</think>Action: click(start_box='(100,200)')",
        "[THINK]\nclick(start_box='(1,1)')\n[/THINK]\nAction: click(start_box='(100,200)')",
        'Action: {"name": "click", "arguments": {"start_box": [100, 200]}}',
        'Action: {"action": "click", "point": "<point>100 200</point>"}',
        "Action: I will click(start_box='(100,200)')",
    ],
)
def test_what_models_write_instead(written: str) -> None:
    assert actions(written) == [Click(at=AT)]


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (r"type(content='it\'s')", "it's"),
        ("type(content='it's')", "it's"),
        ("type(content='say \"it's\" (now)')", 'say "it\'s" (now)'),
        ('type(content="it\'s")', "it's"),
        ("type(content='f('x', 'z')')", "f('x', 'z')"),
        ("type(content='a, b=c')", "a, b=c"),
        (r"type(content='a\nb')", "a\nb"),
        ("type(content='a\nb')", "a\nb"),
        (r"type(content='100% \\n C:\\dir')", "100% \\n C:\\dir"),
        ("type(content='你好，世界')", "你好，世界"),
        ("type(content='Action: click(start_box=\\'(1,2)\\')')", "Action: click(start_box='(1,2)')"),
        ("type(content=plain words)", "plain words"),
        ("type(content='__import__(\\'os\\').system(\\'id\\')')", "__import__('os').system('id')"),
        ("type(content='')", ""),
    ],
)
def test_texts_are_exact(written: str, text: str) -> None:
    assert actions(f"Thought: I type.\nAction: {written}") == [TypeText(text=text)]


def test_several_actions_in_one_answer() -> None:
    text = f"Thought: All.\nAction: click({BOX})\n\ntype(content='x')\n\nhotkey(key='ctrl s')"
    assert actions(text) == [Click(at=AT), TypeText(text="x"), Chord(keys=(Key("ctrl"), Key("s")))]
    again = f"Thought: One.\nAction: click({BOX})\nThought: Two.\nAction: type(content='x')"
    assert actions(again) == [Click(at=AT), TypeText(text="x")]
    assert read(again).said == "One.\nTwo."


def test_a_box_is_kept() -> None:
    (call,) = parsed("Action: click(start_box='(90,190,110,210)')")
    assert (call.action, call.box) == (Click(at=AT), Rect(180, 190, 41, 21))


def test_thoughts_and_reflections() -> None:
    answer = read("<think>Deep.</think>Reflection: Bad.\nAction_Summary: Better.\nAction: wait()")
    assert (answer.thoughts, answer.said) == ("Deep.\nBad.", "Better.")
    assert read("Thought: I look.\n").unfinished
    question = read("Which of the two?")
    assert (question.said, question.calls, question.unfinished) == ("Which of the two?", (), False)


@pytest.mark.parametrize(
    "written",
    ["Action: click the button", "Action: type(content='never ends", "Action: ", "Action: [1]", "Action: f(a=[)"],
)
def test_what_cannot_be_read_has_a_problem(written: str) -> None:
    (call,) = read(written).calls
    assert call.problem
    assert not call.name


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("click(start_box='')", "missing"),
        ("click()", "missing"),
        ("click(start_box='(1)')", "not a point"),
        ("click(start_box='(1,2,3)')", "not a point"),
        ("click(start_box='(1e9,2)')", "not a point"),
        ("click(start_box='here')", "not a point"),
        ("click(start_box='(1001,2)')", "outside"),
        ("click(start_box='(0.5,0.31)')", "fractions"),
        ("click(start_box='(-1,2)')", "outside"),
        ("click(start_box='(9,9,1,1)')", "smaller"),
        ("scroll(start_box='(1,2)', direction='over')", "direction"),
        ("hotkey(key='hyper x')", "hyper"),
        ("hotkey(key='ctrl', key2='hyper')", "hyper"),
        ("hotkey(key='tab', presses=3)", "'presses'.*each press"),
        ("hotkey(key='space', hold=2)", "'hold'"),
        ("hotkey()", "'key' is missing"),
        ("press(key='ctrl', key2='c')", "one key"),
        ("release('ctrl', 'c')", "one key"),
        ("eval(content='1')", "no function"),
        ("zoom(left=1, top=1, right=2, bottom=2)", "no function"),
        ("ask_user(question='')", "empty"),
        ("type(content='f('x', y='z')')", "backslash"),
    ],
)
def test_what_is_refused(written: str, said: str) -> None:
    with pytest.raises(ActionError, match=said):
        parsed(f"Action: {written}")


def test_functions_with_lists_and_objects() -> None:
    tools = frozenset({"book"})
    (call,) = parsed("Action: book(nights=[1, 2], who={'name': 'A, B', 'vip': true}, note=none)", tools)
    made: Any = call.action
    assert made.arguments_json == '{"nights": [1, 2], "who": {"name": "A, B", "vip": true}, "note": null}'


def test_more_actions_than_can_be_meant() -> None:
    assert len(read("Action: " + "wait()\n" * 500).calls) == MOST_CALLS + 1


@pytest.mark.parametrize("text", ["Action: f(" + "[" * 50_000, "'" * 100_000, "Action: type(content='" + "' " * 50_000])
def test_long_nonsense_is_read_in_time(text: str) -> None:
    assert len(read(text).calls) <= 1
