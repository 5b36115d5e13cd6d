"""Calls as they are documented, and as models write them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from operator_console.domain.actions import (
    Action,
    AskOperator,
    Button,
    Chord,
    Click,
    Drag,
    Finish,
    Move,
    Scroll,
    TypeText,
    Wait,
)
from operator_console.domain.geometry import FrameGeometry, NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.keys import Key
from operator_console.domain.proposals import Proposal
from operator_console.providers.qwen.actions import ACTIONS, Situation
from operator_console.providers.qwen.answer import read_answer
from operator_console.providers.qwen.options import QwenOptions
from operator_console.providers.qwen.provider import traits_of

SCREEN = Size(2000, 1000)
GEOMETRY = FrameGeometry(origin=ScreenPoint(0, 0), native=SCREEN, sent=SCREEN)
QWEN3 = traits_of("Qwen/Qwen3-VL-8B-Instruct", QwenOptions())
AT = NativePoint(200, 200)


def proposal(content: str, *, native: Any = None, pointer: NativePoint | None = None) -> Proposal:
    message = {"role": "assistant", "content": content, "tool_calls": native}
    body = json.dumps({"choices": [{"message": message, "finish_reason": "stop"}]}).encode()
    situation = Situation(tools=frozenset(), said="", pointer=pointer, resolution=QWEN3.resolution(GEOMETRY))
    return read_answer(body, lambda values: QWEN3.arguments(values, GEOMETRY), situation, request_bytes=1).proposal


def actions(content: str, **more: Any) -> list[Action | None]:
    made = proposal(content, **more)
    assert [call.error for call in made.calls] == [""] * len(made.calls)
    return [call.action for call in made.calls]


def written(**arguments: Any) -> str:
    call = {"name": "computer_use", "arguments": arguments}
    return f"I do it.\n<tool_call>\n{json.dumps(call)}\n</tool_call>"


DOCUMENTED: list[tuple[dict[str, Any], Action]] = [
    ({"action": "key", "keys": ["ctrl", "s"]}, Chord(keys=(Key("ctrl"), Key("s")))),
    ({"action": "type", "text": "a\nb"}, TypeText(text="a\nb")),
    ({"action": "mouse_move", "coordinate": [100, 200]}, Move(at=AT)),
    ({"action": "left_click", "coordinate": [100, 200]}, Click(at=AT)),
    ({"action": "left_click_drag", "coordinate": [100, 200]}, Drag(path=(NativePoint(5, 6), AT))),
    ({"action": "right_click", "coordinate": [100, 200]}, Click(at=AT, button=Button.RIGHT)),
    ({"action": "middle_click", "coordinate": [100, 200]}, Click(at=AT, button=Button.MIDDLE)),
    ({"action": "double_click", "coordinate": [100, 200]}, Click(at=AT, count=2)),
    ({"action": "triple_click", "coordinate": [100, 200]}, Click(at=AT, count=3)),
    ({"action": "scroll", "pixels": -300}, Scroll(at=None, dy=3)),
    ({"action": "scroll", "pixels": 5, "coordinate": [100, 200]}, Scroll(at=AT, dy=-1)),
    ({"action": "hscroll", "pixels": 200}, Scroll(at=None, dx=4)),
    ({"action": "wait", "time": 3}, Wait(duration_s=3.0)),
    ({"action": "answer", "text": "It is 4."}, AskOperator(question="It is 4.")),
    ({"action": "interact", "text": "Please sign in."}, AskOperator(question="Please sign in.")),
    ({"action": "terminate", "status": "success"}, Finish(message="I do it.")),
    ({"action": "terminate", "status": "failure"}, Finish(message="I do it.", success=False)),
]


@pytest.mark.parametrize(("arguments", "meant"), DOCUMENTED, ids=str)
def test_every_documented_action(arguments: dict[str, Any], meant: Action) -> None:
    assert actions(written(**arguments), pointer=NativePoint(5, 6)) == [meant]
    native = [{"id": "1", "function": {"name": "computer_use", "arguments": json.dumps(arguments)}}]
    assert actions("I do it.", native=native, pointer=NativePoint(5, 6)) == [meant]


def test_all_actions_are_among_them() -> None:
    assert {arguments["action"] for arguments, _ in DOCUMENTED} == set(ACTIONS)


@pytest.mark.parametrize(
    "coordinate",
    [[100, 200], ["100", "200"], "[100, 200]", "(100, 200)", "100 200", [90, 190, 110, 210], {"x": 100, "y": 200},
     [[100, 200]], [100.0, 200.0], "<point>100 200</point>", [[90, 190], [110, 210]],
     [100.00000000000001, 200]],
    ids=str,
)  # fmt: skip
def test_any_form_of_a_point(coordinate: Any) -> None:
    assert actions(written(action="left_click", coordinate=coordinate)) == [Click(at=AT)]


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        ({"action": "left_click", "x": 100, "y": 200}, Click(at=AT)),
        ({"action": "left_click", "point": [100, 200]}, Click(at=AT)),
        ({"action": "LEFT-CLICK", "bbox_2d": [90, 190, 110, 210]}, Click(at=AT)),
        ({"action": "left_click_drag", "coordinate": [[100, 200], [50, 20]]}, Drag(path=(AT, NativePoint(100, 20)))),
        ({"action": "scroll", "direction": "down", "pixels": 300}, Scroll(at=None, dy=3)),
        ({"action": "scroll", "direction": "left", "pixels": 200}, Scroll(at=None, dx=-4)),
        ({"action": "key", "keys": '["ctrl", "c"]'}, Chord(keys=(Key("ctrl"), Key("c")))),
        ({"action": "key", "keys": ["ctrl"], "text": "s"}, Chord(keys=(Key("ctrl"), Key("s")))),
        ({"action": "type", "text": "x", "coordinate": [100, 200]}, TypeText(text="x", at=AT)),
        ({"action": "wait", "seconds": 3}, Wait(duration_s=3.0)),
    ],
    ids=str,
)
def test_what_arguments_say_is_not_left_out(arguments: dict[str, Any], meant: Action) -> None:
    assert actions(written(**arguments), pointer=NativePoint(5, 6)) == [meant]


def test_a_box_is_kept() -> None:
    (call,) = proposal(written(action="left_click", coordinate=[90, 190, 110, 210])).calls
    assert call.box == Rect(180, 190, 41, 21)


ARGUMENTS = '{"action": "left_click", "coordinate": [100, 200]}'
ELSEWHERE = '{"action": "left_click", "coordinate": [1, 1]}'
QWEN_CODER = (
    "<tool_call>\n<function=computer_use>\n<parameter=action>\nleft_click\n</parameter>\n"
    "<parameter=coordinate>\n[100, 200]\n</parameter>\n</function>\n</tool_call>"
)
GLM = (
    "<tool_call>computer_use\n<arg_key>action</arg_key>\n<arg_value>left_click</arg_value>\n"
    "<arg_key>coordinate</arg_key>\n<arg_value>[100, 200]</arg_value>\n</tool_call>"
)
THINKING = [
    ("<thinking>", "</thinking>"), ("<seed:think>", "</seed:think>"), ("<thought>", "</thought>"),
    ("[THINK]", "[/THINK]"), ("◁think▷", "◁/think▷"), ("<|channel|>analysis<|message|>", "<|end|>"),
]  # fmt: skip
CALL = '{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [100, 200]}}'


@pytest.mark.parametrize(
    "content",
    [
        CALL,
        f"<tool_call>{CALL}",
        f"{CALL}</tool_call>",
        f"Thought: x\nAction: y\n<tool_call>\n```json\n{CALL}\n```\n</tool_call>",
        f"```json\n{CALL}\n```",
        f"<think><tool_call>no</tool_call></think><tool_call>{CALL}</tool_call>",
        f"Hm.</think>\n<tool_call>{CALL}</tool_call>",
        '{"action": "left_click", "coordinate": [100, 200]}',
        '<tool_call>{"name": "left_click", "arguments": {"coordinate": [100, 200]}}</tool_call>',
        f"<tool_call>{CALL.replace('arguments', 'parameters')}</tool_call>",
        f'<tool_call>{{"name": "computer_use", "arguments": {json.dumps(ARGUMENTS)}}}',
        f'{{"type": "function", "function": {CALL}}}',
        f"I click. {CALL}",
        f"{CALL}\nDone.",
        f"[TOOL_CALLS] [{CALL}]",
        f"<|tool_call|>{CALL}<|/tool_call|>",
        f"<function_call>{CALL.replace('computer_use', 'functions.computer_use:0')}</function_call>",
        CALL.replace('"arguments": {', "").replace("}}", "}"),
        QWEN_CODER,
        GLM,
        *(f"{begin}\n{ELSEWHERE}\n{end}\n{CALL}" for begin, end in THINKING),
    ],
)
def test_what_models_write_instead(content: str) -> None:
    assert actions(content) == [Click(at=AT)]
    assert proposal(content).calls[0].note == ""


@pytest.mark.parametrize(
    "content",
    [
        f"<tool_call>{CALL[:-1]}</tool_call>",
        f"<tool_call>{CALL.replace(']', ',]')}</tool_call>",
        "<tool_call>" + CALL.replace('"', "'") + "</tool_call>",
        f"<tool_call>{CALL.replace('200]', '200')}</tool_call>",
    ],
)
def test_damaged_json_is_repaired_and_the_operator_is_told(content: str) -> None:
    (call,) = proposal(content).calls
    assert (call.action, "repaired" in call.note) == (Click(at=AT), True)


def test_several_calls() -> None:
    both = [Click(at=AT), TypeText(text="x")]
    typed = '{"name": "computer_use", "arguments": {"action": "type", "text": "x"}}'
    assert actions(f"<tool_call>{CALL}</tool_call>\n<tool_call>{typed}</tool_call>") == both
    assert actions(f"<tool_call>{CALL}\n{typed}</tool_call>") == both
    assert actions(f"<tool_call>[{CALL}, {typed}]</tool_call>") == both


def test_a_drag_begins_where_the_turn_has_left_the_pointer() -> None:
    move = '{"name": "computer_use", "arguments": {"action": "mouse_move", "coordinate": [1, 2]}}'
    drag = '{"name": "computer_use", "arguments": {"action": "left_click_drag", "coordinate": [100, 200]}}'
    text = f"<tool_call>{move}</tool_call><tool_call>{drag}</tool_call>"
    assert actions(text, pointer=NativePoint(9, 9))[1] == Drag(path=(NativePoint(2, 2), AT))
    (lost,) = proposal(f"<tool_call>{drag}</tool_call>").calls
    assert "pointer" in lost.error


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"action": "left_click", "coordinate": [1001, 5]}, "outside"),
        ({"action": "left_click", "coordinate": [1]}, "not a point"),
        ({"action": "left_click", "coordinate": [0.5, 0.31]}, "fractions"),
        ({"action": "left_click", "coordinate": ["50%", "31%"]}, "not a point"),
        ({"action": "left_click", "coordinate": "here"}, "not a point"),
        ({"action": "left_click", "coordinate": [True, False]}, "not a point"),
        ({"action": "scroll"}, "missing"),
        ({"action": "scroll", "pixels": 1e12}, "between"),
        ({"action": "wait", "time": 9999}, "between"),
        ({"action": "key", "keys": ["hyper"]}, "hyper"),
        ({"action": "key", "keys": ["enter"], "text": "hello"}, "hello"),
        ({"action": "key", "keys": ["tab"], "repeat": 3}, "each press"),
        ({"action": "open_app", "text": "x"}, "no function"),
        ({}, "no function"),
    ],
    ids=str,
)
def test_what_is_refused(arguments: dict[str, Any], said: str) -> None:
    (call,) = proposal(written(**arguments)).calls
    assert call.action is None
    assert said in call.error


@pytest.mark.parametrize(
    "text", ["", "nonsense", "[1]", '{"name": 3}', '{"name": "a b"}', '{"name": "x", "arguments": 5}']
)
def test_what_cannot_be_read_is_an_error_to_the_model(text: str) -> None:
    (call,) = proposal(f"<tool_call>{text}</tool_call>").calls
    assert call.action is None
    assert call.error


@pytest.mark.parametrize("text", [r'"\ud800"', "NaN", "1e999", "9" * 5000])
def test_what_no_record_can_hold_is_not_kept(text: str) -> None:
    body = '<tool_call>{"name": "computer_use", "arguments": {"action": "type", "text": ' + text + "}}</tool_call>"
    (call,) = proposal(body).calls
    json.dumps(call.arguments_json).encode()
    assert call.action is None or "repaired" in call.note


def test_text_alone_is_no_call() -> None:
    made = proposal('The file has {"a": 1} in it. Which one?')
    assert (made.calls, made.narration, made.finished) == ((), 'The file has {"a": 1} in it. Which one?', False)
