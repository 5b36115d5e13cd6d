"""What Qwen is sent, and where its drags begin."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import replace
from typing import Any

import pytest

from operator_console.domain.actions import Click, Drag
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.proposals import Brief, CallResult, CallStatus, Observation
from operator_console.providers.qwen.options import Generation, QwenOptions, ToolCalls
from operator_console.providers.qwen.provider import QwenProvider
from tests.providers.conftest import all_done, seen
from tests.servers.chat_server import ChatServer

SIZE = Size(1400, 896)
MOVE = {"action": "mouse_move", "coordinate": [100, 100]}
DRAG = {"action": "left_click_drag", "coordinate": [500, 500]}
TO = NativePoint(700, 448)
Begin = Callable[..., Any]


def says(*calls: dict[str, Any]) -> dict[str, str]:
    named = [json.dumps({"name": "computer_use", "arguments": call}) for call in calls]
    return {"content": "Next.\n" + "\n".join(f"<tool_call>\n{call}\n</tool_call>" for call in named)}


def at(x: int, y: int, *results: CallResult, size: Size = SIZE) -> Observation:
    """A screen with the pointer at this point."""
    made = seen(*results, size=size)
    return replace(made, frame=replace(made.frame, pointer=NativePoint(x, y)))


@pytest.fixture
async def begin(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Begin]:
    monkeypatch.delenv("QWEN_API_KEY", raising=False)
    async with AsyncExitStack() as stack:

        async def make(turns: Sequence[Any], **options: Any) -> tuple[ChatServer, QwenProvider]:
            server = await stack.enter_async_context(ChatServer(turns, models=["m"], most_pictures=3))
            chosen = QwenOptions(**{"generation": Generation.QWEN3, **options})
            provider = QwenProvider(model="m", options=chosen, base_url=server.base_url)
            stack.push_async_callback(provider.close)
            provider.begin(Brief(task="Save it.", instruction="Be careful."))
            return server, provider

        yield make


@pytest.mark.parametrize(("generation", "told"), [(Generation.QWEN3, "1000x1000"), (Generation.QWEN2_5, "1400x896")])
@pytest.mark.parametrize("calls", list(ToolCalls))
async def test_the_function_tells_the_resolution(
    begin: Begin, generation: Generation, told: str, calls: ToolCalls
) -> None:
    server, provider = await begin([says(MOVE)], generation=generation, tool_calls=calls)
    await provider.propose(at(0, 0))
    assert f"The screen's resolution is {told}." in json.dumps(server.received[0].body)
    assert ("tools" in server.received[0].body) is (calls is ToolCalls.NATIVE)
    system = server.received[0].body["messages"][0]["content"]
    assert system.startswith("Be careful.")
    assert ("<tools>" in system) is (calls is ToolCalls.TEXT)


@pytest.mark.parametrize("browser", [True, False])
async def test_the_function_says_what_it_is_an_interface_to(begin: Begin, browser: bool) -> None:
    server, provider = await begin([says(MOVE)], tool_calls=ToolCalls.NATIVE)
    provider.begin(Brief(task="Save it.", instruction="Be careful.", browser=browser))
    await provider.propose(seen(size=SIZE, url="https://a.example/" if browser else ""))
    described = server.received[0].body["tools"][0]["function"]["description"]
    assert ("desktop GUI" in described, "no address bar" in described) == (not browser, browser)
    assert "consult a screenshot" in described


async def test_a_drag_begins_where_the_agents_pointer_is(begin: Begin) -> None:
    _, provider = await begin([says(DRAG), says(MOVE), says(DRAG), says(DRAG), says(DRAG), says(DRAG)])
    first = await provider.propose(at(3, 4))
    assert first.calls[0].action == Drag(path=(NativePoint(3, 4), TO))
    # The human's pointer is elsewhere by now; the agent's own is put back before its input.
    moved = await provider.propose(at(9, 9, *all_done(first)))
    second = await provider.propose(at(9, 9, *all_done(moved)))
    assert second.calls[0].action == Drag(path=(NativePoint(140, 89), TO))
    edited = CallResult(call=second.calls[0], status=CallStatus.DONE, executed=Click(at=NativePoint(1, 1)))
    third = await provider.propose(at(9, 9, edited))
    assert third.calls[0].action == Drag(path=(NativePoint(1, 1), TO))
    skipped = CallResult(call=third.calls[0], status=CallStatus.SKIPPED)
    fourth = await provider.propose(at(9, 9, skipped))
    assert fourth.calls[0].action == Drag(path=(NativePoint(1, 1), TO))
    smaller = await provider.propose(at(5, 5, *all_done(fourth), size=Size(700, 448)))
    assert smaller.calls[0].action == Drag(path=(NativePoint(5, 5), NativePoint(350, 224)))


async def test_native_calls_are_answered_with_their_ids(begin: Begin) -> None:
    calls = [{"name": "computer_use", "arguments": MOVE}, {"name": "computer_use", "arguments": DRAG}]
    server, provider = await begin([{"content": "Both.", "calls": calls}, says(MOVE)], tool_calls=ToolCalls.NATIVE)
    made = await provider.propose(at(0, 0))
    await provider.propose(at(0, 0, *all_done(made)))
    said, one, two, screen = server.received[1].body["messages"][2:]
    assert [call["id"] for call in said["tool_calls"]] == [one["tool_call_id"], two["tool_call_id"]]
    assert (one["content"], screen["content"][0]["type"]) == ("Done.", "image_url")
    assert server.violations == []


@pytest.mark.parametrize("given", ["same", ""])
async def test_calls_without_an_id_of_their_own_are_given_one(begin: Begin, given: str) -> None:
    calls = [{"name": "computer_use", "arguments": MOVE, "id": given}] * 2
    server, provider = await begin([{"calls": calls}, {"calls": calls}, says(MOVE)], tool_calls=ToolCalls.NATIVE)
    first = await provider.propose(at(0, 0))
    second = await provider.propose(at(0, 0, *all_done(first)))
    await provider.propose(at(0, 0, *all_done(second)))
    messages = server.received[2].body["messages"]
    said = [call["id"] for message in messages for call in message.get("tool_calls", ())]
    assert said == [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    assert all(said)
    assert len(set(said[:2])) == 2
    assert server.violations == []
