"""Answers that are not as documented, and the mark of sensitive operations."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.domain.actions import (
    Action,
    AskOperator,
    Back,
    CallFunction,
    Chord,
    Click,
    CloseTab,
    Finish,
    Forward,
    KeyDown,
    KeyUp,
    Navigate,
    Search,
    SwitchTab,
    TypeText,
)
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.keys import Key
from operator_console.providers.cogagent.answer import UNREADABLE, read_answer
from operator_console.providers.cogagent.operations import given_result
from operator_console.providers.cogagent.written_operation import read_operation
from operator_console.providers.shared.written_values import Unreadable
from tests.providers.cogagent.test_documented_answers import GEOMETRY, read
from tests.providers.conftest import geometry

CTRL, C, V = Key("ctrl"), Key("c"), Key("v")
BOX = "box=[[387,249,727,317]]"
AT = NativePoint(557, 283)


def operation(written: str, mark: str = "\n<<一般操作>>") -> Action:
    """The action of an answer with this operation."""
    (call,) = read(f"Action: Do it.\nGrounded Operation: {written}{mark}").calls
    assert call.action is not None, call.error
    return call.action


@pytest.mark.parametrize(
    ("written", "text"),
    [
        ("text=':)'", ":)"),
        ("text='a, b=(c)', element_type='Text'", "a, b=(c)"),
        ("text='it's he said'", "it's he said"),
        ("text='say 'hi' now', element_info='x'", "say 'hi' now"),
        ('text="it\'s"', "it's"),
        (r"text='it\'s \"x\" \\n'", 'it\'s "x" \\n'),
        (r"text='one\ntwo'", "one\ntwo"),
        ("text='one\ntwo'", "one\ntwo"),
        ("text='<<一般操作>>'", "<<一般操作>>"),
        ("text='Grounded Operation: END()'", "Grounded Operation: END()"),
        ('text=\'__import__("os").system("id")\'', '__import__("os").system("id")'),
        ("text='f('x')<<2'", "f('x')<<2"),
        ("text='cat 'x'<<EOF'", "cat 'x'<<EOF"),
        ("text=42", "42"),
        ("text=‘数’", "数"),
    ],
)
def test_texts_are_exact(written: str, text: str) -> None:
    assert operation(f"TYPE({BOX}, {written})") == TypeText(text=text, at=AT)


@pytest.mark.parametrize(
    "written",
    [
        "CLICK(box=[[387, 249, 727, 317]])", "CLICK(box=[387,249,727,317])", "click(box=[[0387,0249,0727,0317]])",
        "CLICK (box = [[387,249,727,317]] , element_info = 'a(b)c')", "CLICK（box=[[387，249，727，317]]）",
        "CLICK(box='[[387,249,727,317]]')", "CLICK(box=[[387,249,727,317]], element_info='Search'",
        "`CLICK(box=[[387,249,727,317]])`", "**CLICK(box=[[387,249,727,317]])**", "CLICK(box=[[557,283]])",
    ],
)  # fmt: skip
def test_forms_of_a_click(written: str) -> None:
    assert operation(written) == Click(at=AT)


@pytest.mark.parametrize(
    "text",
    [
        "Grounded Operation：CLICK(box=[[387,249,727,317]])",
        "**Grounded Operation:** CLICK(box=[[387,249,727,317]])",
        "Action: CLICK(box=[[387,249,727,317]])",
        "Action: Click it.\nCLICK(box=[[387,249,727,317]])",
        "grounded operation: CLICK(box=[[387,249,727,317]])",
    ],
)
def test_forms_of_the_label(text: str) -> None:
    (call,) = read(text).calls
    assert call.action == Click(at=AT)


@pytest.mark.parametrize(
    ("written", "error"),
    [
        ("CLICK(element_info='Save')", "missing"),
        ("CLICK(box=[[]])", "missing|point"),
        ("CLICK(box=[[1,2,3]])", "point"),
        ("CLICK(box=[[1001,5,1002,9]])", "outside"),
        ("CLICK(box=[[-1,5,3,9]])", "outside"),
        ("CLICK(box=[[300,5,200,9]])", "smaller"),
        ("CLICK(box=1+1)", "point"),
        (f"TYPE({BOX})", "missing"),
        (f"TYPE({BOX}, text='')", "empty"),
        (f"TYPE({BOX}, text='__CogName_nothing__')", "no value"),
        (f"SCROLL_DOWN({BOX})", "missing"),
        (f"SCROLL_DOWN({BOX}, step_count=1000)", "100"),
        (f"SCROLL_DOWN({BOX}, step_count=many)", "number"),
        ("KEY_PRESS(key='Hyper')", "Unknown key"),
        ("KEY_PRESS(key='Tab', count=3)", "each press"),
        ("GESTURE(actions=[KEY_DOWN(key='A', key2='B')])", "one key"),
        ("GESTURE(actions=[])", "list"),
        ("GESTURE(actions=[CLICK(box=[[1,2,3,4]])])", "list"),
        ("GESTURE(actions=[KEY_DOWN(key='A')])", "release"),
        ("GESTURE(actions=[KEY_UP(key='A')])", "release"),
        ("GESTURE(actions='KEY_DOWN')", "list"),
        ("LAUNCH(app='None', url='None')", "missing"),
        (f"QUOTE_TEXT({BOX}, output='price')", "__CogName_name__"),
        ("QUOTE_TEXT(box=[[5,5]], output='__CogName_x__')", "box"),
        ("LLM(prompt='', output='__CogName_x__')", "empty"),
        ("FLY(to='Berlin')", "FLY"),
        ("CLICK(box=[[1,2,3,4]", "function that can be read"),
        ("(((", "function that can be read"),
        ("", "function that can be read"),
        ("TYPE(text='abc", "function that can be read"),
    ],
)
def test_what_cannot_be_done_is_an_error_to_the_model(written: str, error: str) -> None:
    (call,) = read(f"Action: Do it.\nGrounded Operation: {written}").calls
    assert call.action is None
    assert re.search(error, call.error), call.error
    assert call.safety is None


def test_an_action_in_words_without_an_operation_is_an_error_to_the_model() -> None:
    (call,) = read("Action: Click the button.").calls
    assert (call.name, call.action) == (UNREADABLE, None)
    assert "Grounded Operation" in call.error


def test_text_alone_is_no_call() -> None:
    answer = read("Which account do you mean? [[1,2,3,4]]")
    assert (answer.calls, answer.narration) == ((), "Which account do you mean? [[1,2,3,4]]")


def test_only_the_first_operation_is_used_and_that_is_said() -> None:
    (call,) = read(f"Grounded Operation: CLICK({BOX})\nGrounded Operation: END()\n<<一般操作>>").calls
    assert call.action == Click(at=AT)
    assert "first" in call.note
    assert call.safety is not None, "the mark may belong to the other"


@pytest.mark.parametrize(
    ("mark", "asks", "decision"),
    [
        ("\n<<一般操作>>", False, ""),
        (" <<一般操作>>", False, ""),
        ("\n<< General Operation >>", False, ""),
        ("\n《一般操作》", False, ""),
        ("\n<<敏感操作>>", True, "敏感操作"),
        ("\n<<sensitive operation>>", True, "sensitive operation"),
        ("\n<<whatever>>", True, "whatever"),
        ("\n<<一般操作>><<敏感操作>>", True, "敏感操作"),
        ("", True, "no mark"),
        ("\n一般操作", True, "no mark"),
        ("\nand so on\n<<一般操作>>", True, "no mark"),
    ],
)
def test_the_mark(mark: str, asks: bool, decision: str) -> None:
    (call,) = read(f"Action: <<一般操作>>\nGrounded Operation: CLICK({BOX}){mark}").calls
    assert (call.safety is not None) is asks
    if call.safety is not None:
        assert call.safety.decision == decision
        assert call.safety.explanation
        assert call.safety.explanation_notices


@pytest.mark.parametrize(
    ("written", "asks", "asks_if_sensitive"),
    [
        ("END()", False, False),
        ("ask_user(question='Which?')", False, False),
        (f"QUOTE_TEXT({BOX}, output='__CogName_a__')", False, True),
        (f"QUOTE_TEXT({BOX}, output='__CogName_a__', auto_scroll=True)", True, True),
        ("QUOTE_CLIPBOARD(output='__CogName_a__')", True, True),
        ("LLM(prompt='a', output='__CogName_a__')", False, True),
        ("KEY_PRESS(key='Return')", True, True),
    ],
)
def test_what_only_looks_needs_no_mark(written: str, asks: bool, asks_if_sensitive: bool) -> None:
    for mark, asked in (("", asks), ("\n<<敏感操作>>", asks_if_sensitive)):
        (call,) = read(f"Grounded Operation: {written}{mark}").calls
        assert (call.safety is not None) is asked


def test_a_gesture_with_several_presses_is_done_part_by_part_and_asked_once() -> None:
    down, up = "KEY_DOWN(key='Lcontrol')", "KEY_UP(key='Lcontrol')"
    written = f"GESTURE(actions=[{down}, KEY_PRESS(key='C'), KEY_PRESS(key='V'), {up}])"
    calls = read(f"Grounded Operation: {written}\n<<敏感操作>>").calls
    assert [call.action for call in calls] == [KeyDown(key=CTRL), Chord(keys=(C,)), Chord(keys=(V,)), KeyUp(key=CTRL)]
    assert [call.index for call in calls] == [0, 1, 2, 3]
    assert [call.safety is not None for call in calls] == [True, False, False, False]
    assert json.loads(calls[0].arguments_json)["actions"][0] == {"KEY_DOWN": {"key": "Lcontrol"}}


def test_the_element_is_part_of_the_intent() -> None:
    (call,) = read(
        f"Action: Open it.\nGrounded Operation: CLICK({BOX}, element_type='Button', element_info='File')"
    ).calls
    assert call.intent == "Open it. [Button: File]"
    (call,) = read(f"Action: Click File.\nGrounded Operation: CLICK({BOX}, element_info='File')").calls
    assert call.intent == "Click File."


@pytest.mark.parametrize(
    ("written", "action"),
    [
        ("LAUNCH(app='None', url='baidu.com')", Navigate(url="https://baidu.com")),
        ("LAUNCH(app='Browser', url='`https://a.example/x`')", Navigate(url="https://a.example/x")),
        ("go_back()", Back()),
        ("GO_FORWARD()", Forward()),
        ("search(query='weather')", Search(query="weather")),
        ("switch_tab(number=2)", SwitchTab(number=2)),
        ("close_tab()", CloseTab()),
    ],
)
def test_in_a_managed_browser_it_goes_to_addresses_and_uses_tabs(written: str, action: Action) -> None:
    (call,) = read_answer(f"Grounded Operation: {written}", GEOMETRY, {}, browser=True).calls
    assert (call.action, call.error) == (action, "")


def test_in_a_managed_browser_no_program_is_launched() -> None:
    text = "Grounded Operation: LAUNCH(app='Settings', url='None')"
    (call,) = read_answer(text, GEOMETRY, {}, browser=True).calls
    assert call.action is None
    assert "No program can be started here" in call.error


def test_own_functions_and_those_of_the_session() -> None:
    ask = operation("ask_user(question='Which one?', choices=['a', 'b'])")
    assert isinstance(ask, AskOperator)
    assert [choice.label for choice in ask.choices] == ["a", "b"]
    assert operation("YIELD_TO_USER(reason='Sign in.')") == AskOperator(question="Sign in.")
    assert operation("done(text='No such file.', success=False)") == Finish(message="No such file.", success=False)
    text = """Grounded Operation: book(night=2, who={"name": 'O\\'Neil', "ok": true}, at=[1, 2.5], note=None)"""
    (call,) = read_answer(text, GEOMETRY, {}, frozenset({"book"})).calls
    assert isinstance(call.action, CallFunction)
    assert json.loads(call.action.arguments_json) == {
        "night": 2, "who": {"name": "O'Neil", "ok": True}, "at": [1, 2.5], "note": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("result", "whole"), [("'17.00'", "17.00"), ("'a...'", ""), ("'a…b'", ""), ("'None'", ""), ("17", "17")]
)
def test_a_shortened_result_is_none(result: str, whole: str) -> None:
    written, _ = read_operation(f"LLM(prompt='a', output='__CogName_x__', result={result})")
    assert given_result(written) == whole


@given(st.integers(0, 999), st.integers(0, 999), st.integers(0, 999), st.integers(0, 999))
def test_clicks_are_within_a_pixel_of_the_centre_of_the_box(a: int, b: int, c: int, d: int) -> None:
    left, right, top, bottom = min(a, c), max(a, c), min(b, d), max(b, d)
    text = f"Grounded Operation: CLICK(box=[[{left:03},{top:03},{right:03},{bottom:03}]])"
    for width, height in ((1440, 900), (2560, 1600), (3840, 1080), (801, 601)):
        (call,) = read_answer(text, geometry(Size(width, height)), {}).calls
        assert isinstance(call.action, Click)
        assert call.action.at is not None
        assert abs(call.action.at.x - (left + right) / 2000 * width) <= 1
        assert abs(call.action.at.y - (top + bottom) / 2000 * height) <= 1
        assert call.box is None or call.box.contains(call.action.at.x, call.action.at.y)


_PIECES = ["CLICK(", "END", "[[", "'", '"', ")", "]", "{", "}", ",", "box=", "text=", "\\", "9", "\n"]


@given(st.text(max_size=300) | st.lists(st.sampled_from(_PIECES)).map(" ".join))
def test_any_text_is_an_operation_or_unreadable(text: str) -> None:
    try:
        _, end = read_operation(text)
    except Unreadable:
        return
    assert 0 < end <= len(text)


@pytest.mark.parametrize(
    "text", ["[" * 5000, "TYPE(text='" + "' " * 50_000 + "x", "CLICK(" + "a=[" * 5000, "'" * 50_000 + ")"]
)
def test_deep_and_long_texts_are_bounded(text: str) -> None:
    with pytest.raises(Unreadable):
        read_operation(text)
