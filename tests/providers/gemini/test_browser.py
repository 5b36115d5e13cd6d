"""Gemini in a managed browser: its functions, the environment that it is told, and the address in every answer."""

from __future__ import annotations

from typing import Any

import pytest

from operator_console.domain.actions import (
    Action,
    Back,
    CallFunction,
    Chord,
    Click,
    CloseTab,
    Drag,
    Forward,
    Move,
    Navigate,
    OpenBrowser,
    ReadPage,
    Scroll,
    Search,
    SwitchTab,
    TypeText,
    Wait,
)
from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.keys import Key
from operator_console.domain.pages import Tab
from operator_console.domain.proposals import CallResult, CallStatus
from operator_console.domain.tools import ToolSpec
from operator_console.providers.gemini.actions import parse_call
from operator_console.providers.gemini.options import GeminiOptions
from tests.providers.conftest import Bench, MakeBench, all_done, geometry, seen

VIEWPORT = geometry(Size(1440, 900))
HERE, THERE = "https://a.example/start", "https://b.example/end?q=1"
AT = NativePoint(720, 450)

DOCUMENTED: list[tuple[str, dict[str, Any], Action]] = [
    ("open_web_browser", {}, OpenBrowser()),
    ("wait_5_seconds", {}, Wait(duration_s=5)),
    ("go_back", {}, Back()),
    ("go_forward", {}, Forward()),
    ("search", {}, Search()),
    ("navigate", {"url": "a.example"}, Navigate(url="https://a.example")),
    ("click_at", {"x": 500, "y": 500}, Click(at=AT)),
    ("hover_at", {"x": 500, "y": 500}, Move(at=AT)),
    ("type_text_at", {"x": 500, "y": 500, "text": "a"}, TypeText(text="a", at=AT, clear=True, submit=True)),
    (
        "type_text_at",
        {"x": 500, "y": 500, "text": "a", "press_enter": False, "clear_before_typing": False},
        TypeText(text="a", at=AT),
    ),
    ("key_combination", {"keys": "Control+C"}, Chord(keys=(Key("ctrl"), Key("c")))),
    ("scroll_document", {"direction": "down"}, Scroll(at=AT, dy=8)),
    ("scroll_document", {"direction": "up"}, Scroll(at=AT, dy=-8)),
    ("scroll_document", {"direction": "right"}, Scroll(at=AT, dx=7)),
    ("scroll_at", {"x": 500, "y": 500, "direction": "down", "magnitude": 500}, Scroll(at=AT, dy=4)),
    ("scroll_at", {"x": 500, "y": 500, "direction": "left"}, Scroll(at=AT, dx=-12)),
    (
        "drag_and_drop",
        {"x": 500, "y": 500, "destination_x": 0, "destination_y": 0},
        Drag(path=(AT, NativePoint(0, 0))),
    ),
]
OWN: list[tuple[str, dict[str, Any], Action]] = [
    ("switch_tab", {"number": 12}, SwitchTab(number=12)),
    ("close_tab", {}, CloseTab()),
    ("get_browser_state", {}, ReadPage()),
]


@pytest.mark.parametrize(("name", "arguments", "action"), DOCUMENTED + OWN, ids=lambda value: str(value)[:30])
def test_functions_in_a_browser(name: str, arguments: dict[str, Any], action: Action) -> None:
    assert parse_call(name, {**arguments, "intent": "why"}, VIEWPORT, browser=True).action == action


@pytest.mark.parametrize("name", [name for name, _, _ in OWN])
def test_on_a_desktop_there_are_no_functions_for_the_browser_beside_the_predefined_ones(name: str) -> None:
    with pytest.raises(ActionError, match="no function"):
        parse_call(name, {"number": 1}, VIEWPORT)


def test_no_program_is_started_from_a_browser() -> None:
    with pytest.raises(ActionError, match="no function 'open_app'"):
        parse_call("open_app", {"app_name": "mousepad"}, VIEWPORT, browser=True)


def _responses(it: Bench) -> list[dict[str, Any]]:
    parts = it.contents()[-1]["parts"]
    return [part["functionResponse"]["response"] for part in parts if "functionResponse" in part]


async def test_every_answer_tells_the_address_where_the_page_is_then(bench: MakeBench) -> None:
    turns = [
        {"calls": [{"name": "open_web_browser"}, {"name": "navigate", "args": {"url": THERE}}]},
        {"calls": [{"name": "click_at", "args": {"x": 1, "y": 2}}]},
        {"text": "Done."},
    ]
    it = await bench(turns, browser=True)
    first = await it.provider.propose(seen(url=HERE))
    assert HERE in it.contents()[0]["parts"][0]["text"]
    second = await it.provider.propose(seen(*all_done(first), shade=1, url=THERE))
    assert [each["url"] for each in _responses(it)] == [THERE, THERE]
    failed = [CallResult(call=call, status=CallStatus.FAILED, text="Covered.") for call in second.calls]
    await it.provider.propose(seen(*failed, shade=2, url="about:blank"))
    assert [each["url"] for each in _responses(it)] == ["about:blank"]
    (tool, _) = it.server.received[-1].body["tools"]
    assert tool["computerUse"]["environment"] == "ENVIRONMENT_BROWSER"
    assert it.server.violations == []


@pytest.mark.parametrize("model", ["gemini-2.5-computer-use-preview-10-2025", "gemini-3.8-flash"])
async def test_what_controls_the_browser_is_offered_beside_the_predefined_functions(
    bench: MakeBench, model: str
) -> None:
    it = await bench([{"text": "Done."}], browser=True, model=model)
    await it.provider.propose(seen(url=HERE))
    declared = {each["name"] for each in it.server.received[0].body["tools"][1]["functionDeclarations"]}
    assert {"switch_tab", "close_tab", "get_browser_state", "ask_user", "done"} <= declared
    assert not declared & {"navigate", "search", "go_back", "go_forward"}, "these are predefined"
    assert it.server.violations == []


async def test_functions_can_be_excluded_and_replaced_by_own_ones(bench: MakeBench) -> None:
    own = ToolSpec(name="navigate", description="Goes to a room.", parameters_json='{"type": "object"}')
    calls = [{"name": "navigate", "args": {"room": 3}}, {"name": "search"}, {"name": "close_tab"}]
    options = GeminiOptions(excluded_functions=("search", "close_tab"))
    it = await bench([{"calls": calls}], browser=True, options=options, tools=(own,))
    replaced, *withheld = (await it.provider.propose(seen(url=HERE))).calls
    assert replaced.action == CallFunction(name="navigate", arguments_json='{"room": 3}')
    assert ["not available" in call.error for call in withheld] == [True, True]
    uses, functions = it.server.received[0].body["tools"]
    assert set(uses["computerUse"]["excluded_predefined_functions"]) == {"navigate", "search", "close_tab"}
    assert "close_tab" not in {each["name"] for each in functions["functionDeclarations"]}
    assert it.server.violations == []


async def test_several_tabs_are_told_with_their_numbers(bench: MakeBench) -> None:
    it = await bench([{"calls": [{"name": "go_back"}]}, {"text": "Done."}], browser=True)
    proposal = await it.provider.propose(seen(url=HERE))
    tabs = [Tab(tab_id="a", url=HERE, title="A\nstart"), Tab(tab_id="b", url=THERE, shown=True)]
    await it.provider.propose(seen(*all_done(proposal), shade=1, url=THERE, tabs=tabs))
    assert _responses(it)[0]["tabs"] == [f"1. {HERE} “A start”", f"2. {THERE} (shown)"]


async def test_after_a_declined_check_the_address_is_told_in_words(bench: MakeBench) -> None:
    flagged = {"x": 1, "y": 1, "safety_decision": {"decision": "require_confirmation"}}
    it = await bench([{"calls": [{"name": "click_at", "args": flagged}]}, {"text": "Done."}], browser=True)
    (call,) = (await it.provider.propose(seen(url=HERE))).calls
    await it.provider.propose(seen(CallResult(call=call, status=CallStatus.DECLINED), shade=1, url=THERE))
    assert THERE in it.contents()[-1]["parts"][0]["text"]
    assert it.server.violations == []
