"""What only OpenAI has: batches with one output, safety checks, stored conversations, reasoning, and the preview."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any

import pytest

from operator_console.domain.actions import Click, Screenshot, TypeText, Zoom
from operator_console.domain.errors import (
    OperatorError,
    ProviderMalformed,
    ProviderRefused,
    ProviderRejected,
    ProviderTransient,
)
from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.domain.pages import Page
from operator_console.domain.proposals import Brief, CallResult, CallStatus, Proposal
from operator_console.domain.tools import ToolResult, ToolSpec
from operator_console.providers.openai import DEFAULT_MODEL
from operator_console.providers.openai import provider as openai
from operator_console.providers.openai.client import LostConversation
from operator_console.providers.openai.options import Effort, Environment, OpenAIOptions
from tests.providers.conftest import picture
from tests.providers.contract.conftest import geometry_for, observation
from tests.servers.openai_server import OpenAIServer

CLICK = {"type": "click", "button": "left", "x": 405, "y": 157}
TYPE = {"type": "type", "text": "penguin"}
SHOT = {"type": "screenshot"}
CHECK = {"code": "malicious_instructions", "message": "The page tells you to transfer money."}
TURN: dict[str, Any] = {"thinking": "**Opening the menu**", "calls": [{"actions": [CLICK, TYPE]}]}
FLAGGED: dict[str, Any] = {"thinking": "Hm.", "calls": [{"actions": [CLICK, TYPE], "checks": [CHECK]}]}
SAYS = {"text": "Which one?"}
FULL = Size(1440, 900)


class Bench:
    """A provider and its server."""

    def __init__(self, server: OpenAIServer, provider: openai.OpenAIProvider, screen: Size) -> None:
        self.server = server
        self.provider = provider
        self.geometry = geometry_for(provider, screen)
        self._shade = 0

    async def propose(self, *results: CallResult, messages: Sequence[str] = (), url: str = "") -> Proposal:
        self._shade += 1
        page = Page(document="1", url=url) if url else None
        seen = observation(self.geometry, *results, messages=messages, shade=self._shade, page=page)
        return await self.provider.propose(seen)

    @property
    def body(self) -> Any:
        """The newest request."""
        return self.server.received[-1].body

    @property
    def items(self) -> list[Any]:
        """The items of the newest request."""
        found: list[Any] = self.body["input"]
        return found


Make = Callable[..., Any]


@pytest.fixture
async def bench(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Make]:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    servers: list[OpenAIServer] = []
    async with AsyncExitStack() as stack:

        async def make(
            *turns: Any,
            model: str = DEFAULT_MODEL,
            screen: Size = FULL,
            tools: tuple[ToolSpec, ...] = (),
            browser: bool = False,
            **options: Any,
        ) -> Bench:
            server = await stack.enter_async_context(OpenAIServer(turns, browser=browser))
            servers.append(server)
            provider = openai.OpenAIProvider(
                model=model, options=OpenAIOptions(**options), api_key="k", base_url=f"{server.url}/v1"
            )
            stack.push_async_callback(provider.close)
            brief = Brief(task="Save the file.", instruction="You work a desktop.", tools=tools, browser=browser)
            provider.begin(brief)
            return Bench(server, provider, screen)

        yield make
        assert [server.violations for server in servers] == [[] for _ in servers]


def done(proposal: Proposal, **more: Any) -> tuple[CallResult, ...]:
    return tuple(CallResult(call=call, status=CallStatus.DONE, **more) for call in proposal.calls)


# -- batches


async def test_a_batch_becomes_calls_and_their_results_one_output_with_one_screenshot(bench: Make) -> None:
    it = await bench(TURN, SAYS)
    first = await it.propose()
    assert [call.action for call in first.calls] == [Click(at=NativePoint(405, 157)), TypeText(text="penguin")]
    assert [call.index for call in first.calls] == [0, 1]
    assert len({call.call_id for call in first.calls}) == 1
    assert [call.intent for call in first.calls] == ["Opening the menu"] * 2
    assert first.thoughts == "**Opening the menu**"
    await it.propose(*done(first))
    *_, call, output = it.items
    assert (call["type"], output["type"]) == ("computer_call", "computer_call_output")
    assert output["call_id"] == call["call_id"]
    assert output["output"]["detail"] == "original"
    assert "acknowledged_safety_checks" not in output


async def test_what_was_not_simply_done_is_said_after_the_outputs(bench: Make) -> None:
    it = await bench(TURN, SAYS)
    one, two = (await it.propose()).calls
    await it.propose(
        CallResult(call=one, status=CallStatus.DONE, executed=Click(at=NativePoint(9, 9))),
        CallResult(call=two, status=CallStatus.DECLINED, text="Not this field."),
        messages=["Take the other one."],
    )
    output, report, message = it.items[-3:]
    assert output["type"] == "computer_call_output"
    (said,) = (part["text"] for part in report["content"])
    assert "1. click: done. The operator changed this call. What ran: " in said
    assert '"at": {"x": 9, "y": 9}' in said
    assert "2. type: declined by the operator. Not this field." in said
    assert message["content"] == [{"type": "input_text", "text": "Take the other one."}]


async def test_calls_of_functions_and_of_the_computer_in_one_turn(bench: Make) -> None:
    calls = [
        {"function": "book_room", "arguments": {"night": 2}},
        {"actions": [SHOT]},
        {"function": "ask_user", "arguments": {"question": "Which?"}},
        {"actions": [CLICK, CLICK]},
    ]
    tool = ToolSpec(name="book_room", description="Books.", parameters_json="{}")
    it = await bench({"thinking": "Hm.", "calls": calls}, SAYS, tools=(tool,))
    first = await it.propose()
    assert [call.index for call in first.calls] == [0, 1, 2, 3, 4]
    book, shot, ask, click, again = first.calls
    assert shot.action == Screenshot()
    await it.propose(
        CallResult(call=book, status=CallStatus.DONE, tool=ToolResult(texts=("room 7",), pictures=(picture(5),))),
        CallResult(call=shot, status=CallStatus.DONE),
        CallResult(call=ask, status=CallStatus.DONE, output="The left one."),
        CallResult(call=click, status=CallStatus.FAILED, text="Covered."),
        CallResult(call=again, status=CallStatus.NOT_DONE),
    )
    *outputs, report = it.items[-5:]
    assert [output["type"] for output in outputs] == ["function_call_output", "computer_call_output"] * 2
    assert [part["type"] for part in outputs[0]["output"]] == ["input_text", "input_image"]
    assert outputs[2]["output"] == "The left one."
    assert outputs[1]["output"] == outputs[3]["output"]
    assert "2. click: failed. Covered.\n3. click: not done" in report["content"][0]["text"]


async def test_after_calls_of_functions_alone_the_screen_is_shown(bench: Make) -> None:
    it = await bench({"calls": [{"function": "read_text", "arguments": "not JSON"}]}, SAYS)
    (call,) = (await it.propose()).calls
    assert call.action is None
    assert "JSON" in call.error
    assert json.loads(call.arguments_json) == "not JSON"
    await it.propose(CallResult(call=call, status=CallStatus.NOT_UNDERSTOOD, text=call.error))
    output, screen = it.items[-2:]
    assert output["output"].startswith("Error: ")
    assert [part["type"] for part in screen["content"]] == ["input_text", "input_image"]
    assert screen["content"][1]["detail"] == "original"


async def test_a_call_without_actions_is_answered(bench: Make) -> None:
    it = await bench({"calls": [{"actions": []}]}, SAYS)
    (call,) = (await it.propose()).calls
    assert (call.action, call.error) == (None, "The call has no action.")
    await it.propose(CallResult(call=call, status=CallStatus.NOT_UNDERSTOOD, text=call.error))


# -- safety checks


async def test_checks_are_told_in_their_own_words_and_acknowledged_after_a_yes(bench: Make) -> None:
    other = {"code": "sensitive_domain", "message": "This is a bank."}
    it = await bench({"calls": [{"actions": [CLICK, TYPE], "checks": [CHECK, other]}]}, SAYS)
    first = await it.propose()
    for call in first.calls:
        assert call.safety is not None
        assert call.safety.source == "openai pending_safety_checks"
        assert call.safety.decision == "malicious_instructions, sensitive_domain"
        assert call.safety.explanation == "The page tells you to transfer money.\nThis is a bank."
        assert not call.safety.blocked
    await it.propose(*done(first, acknowledged=True))
    call, output = it.items[-2:]
    assert output["acknowledged_safety_checks"] == call["pending_safety_checks"]
    assert len(output["acknowledged_safety_checks"]) == 2


async def test_a_yes_counts_also_where_the_action_failed(bench: Make) -> None:
    it = await bench(FLAGGED, SAYS)
    one, two = (await it.propose()).calls
    await it.propose(
        CallResult(call=one, status=CallStatus.FAILED, text="Covered.", acknowledged=True),
        CallResult(call=two, status=CallStatus.NOT_DONE),
    )
    assert it.items[-2]["acknowledged_safety_checks"][0]["code"] == "malicious_instructions"


@pytest.mark.parametrize(
    "results",
    [
        [(CallStatus.DONE, False), (CallStatus.DONE, False)],
        [(CallStatus.DONE, True), (CallStatus.DECLINED, False)],
        [(CallStatus.DONE, True), (CallStatus.DONE, False)],
        [(CallStatus.DECLINED, True), (CallStatus.NOT_DONE, False)],
        [(CallStatus.SKIPPED, False), (CallStatus.NOT_DONE, False)],
        [(CallStatus.OBSERVING, False), (CallStatus.OBSERVING, False)],
        [(CallStatus.NOT_DONE, False), (CallStatus.NOT_DONE, False)],
    ],
    ids=str,
)
@pytest.mark.parametrize("stored", [False, True])
async def test_without_a_yes_to_all_that_was_asked_the_turn_is_withdrawn(
    bench: Make, results: list[tuple[CallStatus, bool]], stored: bool
) -> None:
    it = await bench(TURN, FLAGGED, SAYS, SAYS, stored_by_service=stored)
    flagged = await it.propose(*done(await it.propose()))
    told = zip(flagged.calls, results, strict=True)
    await it.propose(
        *(CallResult(call=call, status=status, acknowledged=yes, text="Not today.") for call, (status, yes) in told)
    )
    assert "previous_response_id" not in it.body
    assert "acknowledged" not in str(it.items)
    assert [item["type"] for item in it.items].count("computer_call") == 1
    text, screen = it.items[-1]["content"]
    assert "Not today." in text["text"]
    assert screen["type"] == "input_image"
    assert (await it.propose(messages=["Go on."])).narration == "Which one?"


async def test_a_call_without_checks_is_never_acknowledged(bench: Make) -> None:
    it = await bench(TURN, SAYS)
    await it.propose(*done(await it.propose(), acknowledged=True))
    assert "acknowledged" not in str(it.items)


# -- state


async def test_nothing_is_stored_and_reasoning_comes_back_encrypted(bench: Make) -> None:
    it = await bench(TURN, TURN, SAYS)
    results: tuple[CallResult, ...] = ()
    for _ in range(3):
        results = done(await it.propose(*results))
        assert it.body["store"] is False
        assert it.body["include"] == ["reasoning.encrypted_content"]
        assert "previous_response_id" not in it.body
    kinds = [item["type"] for item in it.items]
    assert kinds == ["message", *["reasoning", "computer_call", "computer_call_output"] * 2]
    assert all(item["encrypted_content"] for item in it.items if item["type"] == "reasoning")


async def test_a_stored_conversation_sends_only_what_is_new(bench: Make) -> None:
    it = await bench(TURN, TURN, SAYS, TURN, stored_by_service=True)
    first = await it.propose()
    assert it.body["store"] is True
    second = await it.propose(*done(first))
    assert [item["type"] for item in it.items] == ["computer_call_output"]
    before = it.body["previous_response_id"]
    await it.propose(*done(second))
    assert it.body["previous_response_id"] != before
    assert "You work a desktop." in it.body["instructions"]
    await it.propose(messages=["The left one."])
    assert [item["type"] for item in it.items] == ["message"]
    assert it.server.conversations == 1


async def test_what_the_service_has_forgotten_is_sent_again(bench: Make) -> None:
    it = await bench(TURN, TURN, SAYS, stored_by_service=True)
    first = await it.propose()
    it.server.forgotten = True
    with pytest.raises(LostConversation) as caught:
        await it.propose(*done(first))
    assert isinstance(caught.value, ProviderTransient)
    assert "not found" in caught.value.detail
    it.server.violations.clear()  # the client could not know
    await it.propose(*done(first))
    assert [item["type"] for item in it.items][:2] == ["message", "reasoning"]
    assert "previous_response_id" not in it.body


@pytest.mark.parametrize("stored", [False, True])
async def test_older_turns_become_lines_as_a_whole(bench: Make, stored: bool) -> None:
    it = await bench(*[TURN] * 9, keep_turns=4, stored_by_service=stored)
    results: tuple[CallResult, ...] = ()
    counts = []
    for _ in range(9):
        results = done(await it.propose(*results))
        counts.append([item["type"] for item in it.items].count("computer_call_output"))
    assert counts == ([0, 1, 1, 1, 1, 3, 1, 3, 1] if stored else [0, 1, 2, 3, 4, 3, 4, 3, 4])
    assert ("previous_response_id" in it.body) == stored
    if not stored:
        assert "Your earlier turns, shortened" in it.items[0]["content"][0]["text"]
        assert 'click {"button": "left", "x": 405, "y": 157}' in it.items[0]["content"][0]["text"]


# -- answers


async def test_usage_is_told_by_kind(bench: Make) -> None:
    usage = {
        "input_tokens": 900, "input_tokens_details": {"cached_tokens": 700}, "output_tokens": 50,
        "output_tokens_details": {"reasoning_tokens": 30}, "total_tokens": 950,
    }  # fmt: skip
    it = await bench({**TURN, "usage": usage})
    used = (await it.propose()).usage
    assert (used.input_tokens, used.cached_tokens, used.output_tokens, used.thought_tokens) == (900, 700, 20, 30)


@pytest.mark.parametrize(
    ("turn", "error", "words"),
    [
        ({**TURN, "incomplete": "max_output_tokens"}, ProviderMalformed, "max_output_tokens"),
        ({**TURN, "incomplete": "content_filter"}, ProviderRefused, "content_filter"),
        ({"items": [], "error": {"code": "server_error", "message": "Oh."}}, ProviderTransient, "server_error: Oh."),
        ({"items": [], "error": {"code": "invalid_prompt", "message": "No."}}, ProviderRefused, "No."),
        ({"items": [], "error": {"code": "invalid_image", "message": "Bad."}}, ProviderRejected, "Bad."),
        ({**TURN, "state": "cancelled"}, ProviderMalformed, "cancelled"),
        ({**TURN, "refusal": "I can't help with that."}, ProviderRefused, "I can't help with that."),
        ({"thinking": "Hm."}, ProviderMalformed, "neither text nor a call"),
        ({"status": 429, "code": "insufficient_quota", "message": "Check your plan."}, ProviderRejected, "your plan"),
        ({"status": 400, "code": "context_length_exceeded", "message": "Too long."}, ProviderRejected, "Too long."),
        ({"status": 400, "code": "invalid_prompt", "message": "Flagged."}, ProviderRefused, "Flagged."),
    ],
    ids=str,
)
async def test_answers_that_cannot_be_used(
    bench: Make, turn: dict[str, Any], error: type[Exception], words: str
) -> None:
    it = await bench(turn, SAYS)
    with pytest.raises(error) as caught:
        await it.propose()
    assert words in getattr(caught.value, "detail", "")
    it.server.pending[:] = [SAYS]
    assert (await it.propose()).narration == "Which one?"


@pytest.mark.parametrize(
    "item",
    [
        {"type": "computer_call", "id": "cu_1", "actions": [CLICK], "pending_safety_checks": []},
        {"type": "computer_call", "id": "cu_1", "call_id": "c", "actions": [CLICK], "pending_safety_checks": "yes"},
        {"type": "computer_call", "id": "cu_1", "call_id": "c", "actions": [CLICK], "pending_safety_checks": [{}]},
        {"type": "computer_call", "id": "cu_1", "call_id": "c", "actions": [CLICK], "status": "incomplete"},
        {"type": "function_call", "call_id": "c", "name": None, "arguments": "{}"},
    ],
    ids=str,
)
async def test_items_that_cannot_be_answered_are_malformed(bench: Make, item: dict[str, Any]) -> None:
    it = await bench({"items": [item]})
    with pytest.raises(ProviderMalformed):
        await it.propose()


async def test_two_calls_of_one_id_are_malformed(bench: Make) -> None:
    call = {"type": "function_call", "call_id": "c", "name": "done", "arguments": "{}"}
    it = await bench({"items": [call, call]})
    with pytest.raises(ProviderMalformed):
        await it.propose()


# -- requests


async def test_options_reach_the_service(bench: Make) -> None:
    it = await bench(
        SAYS, effort=Effort.LOW, include_thoughts=False, max_output_tokens=2048, excluded_functions=("done",)
    )
    await it.propose()
    assert it.body["reasoning"] == {"effort": "low"}
    assert it.body["max_output_tokens"] == 2048
    assert [tool.get("name", tool["type"]) for tool in it.body["tools"]] == [
        "computer",
        "ask_user",
        "yield_to_user",
        "read_text",
    ]
    assert "truncation" not in it.body


async def test_the_preview_tool_is_for_its_model(bench: Make) -> None:
    turn = {"thinking": "Hm.", "calls": [{"actions": [CLICK], "checks": [CHECK]}]}
    it = await bench(turn, SAYS, model="computer-use-preview", environment=Environment.WINDOWS)
    first = await it.propose()
    computer = it.body["tools"][0]
    assert computer == {
        "type": "computer_use_preview", "display_width": 1280, "display_height": 800, "environment": "windows",
    }  # fmt: skip
    assert it.body["truncation"] == "auto"
    assert it.body["reasoning"] == {"summary": "concise"}
    assert first.calls[0].action == Click(at=NativePoint(456, 177))
    await it.propose(*done(first, acknowledged=True))
    assert "detail" not in it.items[-1]["output"]
    assert it.items[-1]["acknowledged_safety_checks"][0]["code"] == "malicious_instructions"


async def test_zoom_is_offered_where_the_picture_is_coarser_than_the_screen(bench: Make) -> None:
    fine = await bench(SAYS, screen=Size(2560, 1600))
    await fine.propose()
    assert fine.geometry.sent == Size(2560, 1600)
    assert "zoom" not in [tool.get("name") for tool in fine.body["tools"]]
    region = {"left": 10, "top": 10, "right": 19, "bottom": 19}
    turn = {"calls": [{"function": "zoom", "arguments": {**region, "intent": "Read the label"}}]}
    it = await bench(turn, SAYS, screen=Size(3840, 2160))
    (call,) = (await it.propose()).calls
    assert it.geometry.sent == Size(2560, 1440)
    assert "scaled down" in it.body["instructions"]
    assert call.action == Zoom(region=Rect(15, 15, 15, 15))
    assert call.intent == "Read the label"
    await it.propose(CallResult(call=call, status=CallStatus.DONE, picture=picture(9, Size(40, 30))))
    output, screen = it.items[-2:]
    assert [part["type"] for part in output["output"]] == ["input_text", "input_image"]
    assert "whole screen" in output["output"][0]["text"]
    assert screen["content"][0]["text"] == "The screen now:"


async def test_without_a_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    provider = openai.OpenAIProvider(model="gpt-5.4", base_url="http://127.0.0.1:9/v1")
    provider.begin(Brief(task="Go.", instruction=""))
    with pytest.raises(OperatorError, match="no key") as caught:
        await provider.propose(observation(geometry_for(provider, FULL)))
    await provider.close()
    assert "OPENAI_API_KEY" in caught.value.remedy


async def test_the_preview_is_told_of_a_browser_and_of_its_address_with_each_screenshot(bench: Make) -> None:
    turn = {"thinking": "Hm.", "calls": [{"actions": [CLICK]}]}
    it = await bench(turn, turn, SAYS, model="computer-use-preview", browser=True, environment=Environment.WINDOWS)
    first = await it.propose(url="https://a.example/")
    assert it.body["tools"][0]["environment"] == "browser"
    second = await it.propose(*done(first), url="https://b.example/x")
    await it.propose(*done(second), url="https://c.example/y")
    outputs = [item["output"] for item in it.items if item["type"] == "computer_call_output"]
    assert [each["current_url"] for each in outputs] == ["https://b.example/x", "https://c.example/y"]
    assert {each["type"] for each in outputs} == {"input_image"}


async def test_the_general_tool_tells_the_address_in_words(bench: Make) -> None:
    it = await bench(TURN, SAYS, browser=True)
    first = await it.propose(url="https://a.example/")
    await it.propose(*done(first), url="https://b.example/x")
    (output, words) = it.items[-2:]
    assert "current_url" not in output["output"]
    assert words["content"] == [{"type": "input_text", "text": "The page now: https://b.example/x"}]
