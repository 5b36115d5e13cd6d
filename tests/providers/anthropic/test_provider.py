"""What only Claude has: its tools and models, thinking, results, paused turns, pictures and cache points."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any

import pytest

from operator_console.domain.actions import CallFunction, CursorPosition, HoldKeys, RunCommand, Zoom
from operator_console.domain.errors import OperatorError, ProviderMalformed, ProviderRejected
from operator_console.domain.geometry import FrameGeometry, Rect, ScreenPoint, Size
from operator_console.domain.keys import Key
from operator_console.domain.proposals import Brief, CallResult, CallStatus, Proposal
from operator_console.domain.tools import BASH, TEXT_EDITOR, ToolResult, ToolSpec
from operator_console.engine.turn.request_with_retries import read_action
from operator_console.providers.anthropic import DEFAULT_MODEL
from operator_console.providers.anthropic import provider as anthropic
from operator_console.providers.anthropic.options import AnthropicOptions, Effort
from operator_console.providers.anthropic.request import prepare
from tests.providers.conftest import picture
from tests.providers.contract.conftest import geometry_for, observation
from tests.servers.anthropic_server import AnthropicServer

CLICK = {"action": "left_click", "input": {"coordinate": [720, 450]}}
SHOT: dict[str, Any] = {"action": "screenshot", "input": {}}
DONE = {"text": "Done."}
FULL = Size(1440, 900)


class Bench:
    """A provider and its server."""

    def __init__(self, server: AnthropicServer, provider: anthropic.AnthropicProvider, screen: Size) -> None:
        self.server = server
        self.provider = provider
        self.geometry = geometry_for(provider, screen)
        self._shade = 0

    async def propose(self, *results: CallResult, messages: Sequence[str] = ()) -> Proposal:
        self._shade += 1
        return await self.provider.propose(observation(self.geometry, *results, messages=messages, shade=self._shade))

    @property
    def body(self) -> Any:
        """The newest request."""
        return self.server.received[-1].body

    @property
    def results(self) -> list[Any]:
        """The blocks of the newest user turn."""
        found: list[Any] = self.body["messages"][-1]["content"]
        return found


Make = Callable[..., Any]


@pytest.fixture
async def bench() -> AsyncIterator[Make]:
    servers: list[AnthropicServer] = []
    async with AsyncExitStack() as stack:

        async def make(
            *turns: Any,
            model: str = DEFAULT_MODEL,
            screen: Size = FULL,
            tools: tuple[ToolSpec, ...] = (),
            **options: Any,
        ) -> Bench:
            server = await stack.enter_async_context(AnthropicServer(turns))
            servers.append(server)
            provider = anthropic.AnthropicProvider(
                model=model, options=AnthropicOptions(**options), api_key="k", base_url=server.url
            )
            stack.push_async_callback(provider.close)
            provider.begin(Brief(task="Save the file.", instruction="You work a desktop.", tools=tools))
            return Bench(server, provider, screen)

        yield make
        assert [server.violations for server in servers] == [[] for _ in servers]


def done(proposal: Proposal, **more: Any) -> tuple[CallResult, ...]:
    return tuple(CallResult(call=call, status=CallStatus.DONE, **more) for call in proposal.calls)


@pytest.mark.parametrize(
    ("model", "tool", "beta", "thinking"),
    [
        ("claude-opus-5-5", "computer_toolset_20260801", "thinking-binding-controls-2026-08-01", "adaptive"),
        ("claude-opus-5", "computer_toolset_20260801", "", "adaptive"),
        ("claude-opus-4-8", "computer_toolset_20260801", "", "adaptive"),
        ("claude-opus-4-7", "computer_20251124", "computer-use-2025-11-24", "adaptive"),
        ("claude-sonnet-4-6", "computer_20251124", "computer-use-2025-11-24", "adaptive"),
        ("claude-opus-4-5", "computer_20251124", "computer-use-2025-11-24", "enabled"),
        ("claude-haiku-4-5", "computer_20250124", "computer-use-2025-01-24", "enabled"),
    ],
)
async def test_the_newest_tool_that_a_model_takes(bench: Make, model: str, tool: str, beta: str, thinking: str) -> None:
    it = await bench(DONE, model=model)
    await it.propose()
    computer = it.body["tools"][0]
    assert computer["type"] == tool
    assert it.server.received[0].headers.get("anthropic-beta", "") == beta
    assert it.body["thinking"]["type"] == thinking
    names = [each.get("name") for each in it.body["tools"][1:]]
    own_zoom = ["zoom"] if model == "claude-haiku-4-5" else []
    assert names == ["ask_user", "yield_to_user", "done", "read_text", *own_zoom]
    if "toolset" not in tool:
        assert (computer["display_width_px"], computer["display_height_px"]) == (
            it.geometry.sent.width,
            it.geometry.sent.height,
        )
        assert computer.get("enable_zoom") is (True if tool == "computer_20251124" else None)


@pytest.mark.parametrize(
    ("model", "screen", "sent"),
    [
        ("claude-opus-5", Size(1440, 900), Size(1440, 900)),
        ("claude-opus-5", Size(1920, 1080), Size(1920, 1080)),
        ("claude-opus-5", Size(2560, 1600), Size(2420, 1512)),
        ("claude-opus-5", Size(3840, 1080), Size(2576, 724)),
        ("claude-haiku-4-5", Size(1440, 900), Size(1356, 847)),
        ("claude-haiku-4-5", Size(1280, 800), Size(1280, 800)),
    ],
)
async def test_pictures_are_as_large_as_the_model_sees_them(bench: Make, model: str, screen: Size, sent: Size) -> None:
    it = await bench(DONE, model=model, screen=screen)
    assert it.geometry.sent == sent
    await it.propose()
    screenshot = it.results[-1]
    assert screenshot["transformations"] == {"oversized_image": "error"}


async def test_a_request_never_has_more_pictures_than_the_service_takes_at_their_size(bench: Make) -> None:
    zooms = [{"action": "zoom", "input": {"region": [0, 0, 9, 9]}}] * 6
    it = await bench(*[{"calls": zooms}] * 8, DONE, keep_screenshots=20)
    results: tuple[CallResult, ...] = ()
    counts = []
    for _ in range(8):
        results = done(await it.propose(*results), picture=picture(9, Size(40, 30)))
        counts.append(json.dumps(it.body["messages"]).count("sha256:"))
    assert counts == [1, 8, 15, 14, 14, 14, 14, 14]


async def test_options_reach_the_service(bench: Make) -> None:
    it = await bench(
        DONE, effort=Effort.LOW, thinking=False, max_output_tokens=8192, excluded_functions=("left_mouse_down", "done")
    )
    await it.propose()
    assert it.body["output_config"] == {"effort": "low"}
    assert it.body["thinking"]["display"] == "omitted", "this model cannot be kept from thinking"
    assert it.body["max_tokens"] == 8192
    assert it.body["tools"][0]["configs"] == {"left_mouse_down": {"enabled": False}}
    assert "done" not in [tool.get("name") for tool in it.body["tools"]]
    older = await bench({"calls": [{"action": "left_mouse_down"}]}, model="claude-haiku-4-5", thinking=False)
    await older.propose()
    assert "thinking" not in older.body


async def test_an_action_that_is_not_offered_is_not_taken(bench: Make) -> None:
    it = await bench({"calls": [{"action": "left_mouse_down"}]}, DONE, excluded_functions=("left_mouse_down",))
    (call,) = (await it.propose()).calls
    assert call.action is None
    assert "not available" in call.error
    await it.propose(CallResult(call=call, status=CallStatus.NOT_UNDERSTOOD))


async def test_thinking_comes_back_unchanged_and_the_text_before_a_call_is_its_intent(bench: Make) -> None:
    turn = {"thinking": "Hm.", "redacted": True, "text": "Opening  the\nmenu.", "calls": [CLICK, CLICK]}
    it = await bench(turn, DONE)
    first = await it.propose()
    assert (first.thoughts, first.narration) == ("Hm.", "Opening  the\nmenu.")
    assert [call.intent for call in first.calls] == ["Opening the menu."] * 2
    assert first.usage.thought_tokens == 5
    assert first.usage.output_tokens == 20
    await it.propose(*done(first))
    thinking, redacted, *_ = it.body["messages"][1]["content"]
    assert thinking["signature"]
    assert redacted["type"] == "redacted_thinking"


async def test_the_screen_is_in_the_last_result_or_after_a_failure(bench: Make) -> None:
    it = await bench({"calls": [CLICK, CLICK, CLICK]}, {"calls": [CLICK]}, {"calls": [CLICK]}, DONE)
    one, two, three = (await it.propose()).calls
    second = await it.propose(
        CallResult(call=one, status=CallStatus.DONE),
        CallResult(call=two, status=CallStatus.FAILED, text="Covered."),
        CallResult(call=three, status=CallStatus.NOT_DONE, text="Anything."),
    )
    results = it.results
    assert [block["type"] for block in results] == ["tool_result"] * 3 + ["text", "image"]
    assert [block.get("toolset_name") for block in results[:3]] == ["computer"] * 3
    assert results[2]["content"] == [
        {"type": "text", "text": "Not executed: an earlier computer action in this turn failed."}
    ]
    third = await it.propose(*done(second, text="Clicked."))
    (result,) = it.results
    assert [inner["type"] for inner in result["content"]] == ["text", "image"]
    await it.propose(*done(third), messages=["Hurry."])
    assert it.results[-1]["text"] == "Hurry."


async def test_zoom_is_made_of_native_pixels_and_followed_by_the_screen(bench: Make) -> None:
    zoom = {"action": "zoom", "input": {"region": [0, 0, 2420, 1512]}}
    part = {"action": "zoom", "input": {"region": [1000, 500, 1001, 501]}}
    it = await bench({"calls": [zoom]}, {"calls": [part]}, DONE, screen=Size(2560, 1600))
    first = await it.propose()
    assert first.calls[0].action == Zoom(region=Rect(0, 0, 2560, 1600))
    second = await it.propose(*done(first, picture=picture(99, Size(400, 300))))
    result, words, screen = it.results
    assert [inner["type"] for inner in result["content"]] == ["text", "image"]
    assert (words["text"], screen["type"]) == ("The screen now:", "image")
    assert second.calls[0].action == Zoom(region=Rect(1057, 529, 2, 2))


@pytest.mark.parametrize("region", [[0, 0, 0, 5], [5, 5, 4, 9], [0, 0, 9999, 9], [-1, 0, 5, 5], [1, 2, 3], "x", None])
async def test_a_region_that_is_none_is_an_error_to_the_model(bench: Make, region: object) -> None:
    it = await bench({"calls": [{"action": "zoom", "input": {"region": region}}]})
    (call,) = (await it.propose()).calls
    assert call.action is None
    assert call.error


async def test_the_pointer_is_told_in_pixels_of_the_picture(bench: Make) -> None:
    it = await bench({"calls": [{"action": "cursor_position"}]}, DONE, screen=Size(2560, 1600))
    first = await it.propose()
    assert first.calls[0].action == CursorPosition()
    await it.propose(*done(first, output="1280,800"))
    assert it.results[0]["content"][0]["text"] == "X=1210,Y=756"


async def test_keys_are_held(bench: Make) -> None:
    it = await bench({"calls": [{"action": "hold_key", "input": {"text": "shift+Page_Down", "duration": 2}}]})
    (call,) = (await it.propose()).calls
    assert call.action == HoldKeys(keys=(Key("shift"), Key("page_down")), duration_s=2.0)


async def test_a_failed_function_is_an_error_without_pictures(bench: Make) -> None:
    tool = ToolSpec(name="book", description="Books.")
    it = await bench({"calls": [{"function": "book", "input": {}}]}, DONE, tools=(tool,))
    first = await it.propose()
    await it.propose(*done(first, tool=ToolResult(texts=("No room.",), pictures=(picture(3),), error=True)))
    result = it.results[0]
    assert result["is_error"]
    assert "toolset_name" not in result
    assert [inner["type"] for inner in result["content"]] == ["text"]


async def test_a_function_cannot_take_the_name_of_the_tool(bench: Make) -> None:
    it = await bench(DONE, tools=(ToolSpec(name="computer", description="Mine."),))
    with pytest.raises(OperatorError, match="'computer'"):
        await it.propose()


async def test_a_paused_turn_is_sent_again_and_becomes_one(bench: Make) -> None:
    pause: dict[str, Any] = {"thinking": "Long.", "text": "Wait,", "stop_reason": "pause_turn"}
    it = await bench(pause, {"thinking": "On.", "text": "now.", "calls": [CLICK]}, DONE)
    first = await it.propose()
    assert (first.thoughts, first.narration, len(first.calls)) == ("Long.\nOn.", "Wait,\nnow.", 1)
    assert [message["role"] for message in it.body["messages"]] == ["user", "assistant"]
    assert first.request_bytes == sum(one.size for one in it.server.received)
    assert len(json.loads(first.raw)) == 2
    await it.propose(*done(first))
    assert [message["role"] for message in it.body["messages"]] == ["user", "assistant", "user"]


async def test_a_turn_that_is_paused_for_ever_is_given_up(bench: Make) -> None:
    pause = {"text": "Wait,", "stop_reason": "pause_turn"}
    it = await bench(*[pause] * 4, DONE)
    with pytest.raises(ProviderMalformed, match="cut off"):
        await it.propose()


async def test_a_conversation_that_is_too_long_is_said_to_be(bench: Make) -> None:
    it = await bench({"text": "And", "stop_reason": "model_context_window_exceeded"})
    with pytest.raises(ProviderRejected, match="conversation"):
        await it.propose()


@pytest.mark.parametrize("reason", [None, "something_new", "max_tokens"])
async def test_a_turn_that_may_be_incomplete_is_not_acted_on(bench: Make, reason: str | None) -> None:
    it = await bench({"calls": [CLICK], "stop_reason": reason})
    with pytest.raises(ProviderMalformed, match="cut off"):
        await it.propose()


@pytest.mark.parametrize(("model", "drops"), [("claude-opus-5-5", True), ("claude-opus-5", False)])
async def test_pictures_are_left_out_in_batches_so_that_the_beginning_stays(
    bench: Make, model: str, drops: bool
) -> None:
    it = await bench(*[{"thinking": "Hm.", "calls": [CLICK]}] * 45, DONE, model=model, keep_screenshots=3)
    results: tuple[CallResult, ...] = ()
    counts, changes, before = [], 0, ""
    for _ in range(45):
        results = done(await it.propose(*results))
        messages = json.dumps([_bare(message) for message in it.body["messages"][:-1]])
        changes += not messages.startswith(before[:-1])
        before = json.dumps([_bare(message) for message in it.body["messages"]])
        counts.append(json.dumps(it.body["messages"]).count("sha256:"))
    assert max(counts) == 20
    assert counts[19:22] == [20, 3, 4]
    assert changes == 2
    assert any(it.server.dropped) is drops, "only then does the service drop thinking"


def _bare(message: Any) -> Any:
    content = [
        {name: value for name, value in block.items() if name != "cache_control"} for block in message["content"]
    ]
    return {**message, "content": content}


async def test_cache_points_are_after_the_instruction_and_the_newest_user_turns(bench: Make) -> None:
    it = await bench(*[{"calls": [CLICK]}] * 5, DONE)
    results: tuple[CallResult, ...] = ()
    for _ in range(6):
        results = done(await it.propose(*results))
    assert "cache_control" in it.body["system"][-1]
    marked = ["cache_control" in message["content"][-1] for message in it.body["messages"]]
    assert marked == [False] * 6 + [True, False, True, False, True]


async def test_no_key_is_the_operators_to_mend(monkeypatch: pytest.MonkeyPatch) -> None:
    provider = anthropic.AnthropicProvider(model=DEFAULT_MODEL, base_url="http://127.0.0.1:9")
    with pytest.raises(OperatorError, match="no key"):
        await provider.propose(observation(geometry_for(provider, FULL)))
    await provider.close()


async def test_the_sdks_own_environment_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    async with AnthropicServer([DONE], api_key="from-the-environment") as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.url)
        monkeypatch.setenv("ANTHROPIC_API_KEY", "from-the-environment")
        provider = anthropic.AnthropicProvider(model=DEFAULT_MODEL)
        provider.begin(Brief(task="Go.", instruction=""))
        assert (await provider.propose(observation(geometry_for(provider, FULL)))).narration == "Done."
        await provider.close()


def _sandboxed() -> tuple[ToolSpec, ...]:
    return (
        ToolSpec(name=BASH, description="A shell in /workspace, without a network.", sandboxed=True),
        ToolSpec(name=TEXT_EDITOR, description="Changes files in /workspace.", sandboxed=True),
    )


@pytest.mark.parametrize("model", ["claude-opus-5-5", "claude-opus-5", "claude-sonnet-4-6", "claude-haiku-4-5"])
async def test_bash_and_the_text_editor_are_claudes_own_tools(bench: Make, model: str) -> None:
    edit = {"command": "insert", "path": "/workspace/a", "insert_line": 0, "insert_text": "x\n"}
    it = await bench(
        {"calls": [{"function": BASH, "input": {"command": "ls -l"}}, {"function": TEXT_EDITOR, "input": edit}]},
        {"calls": [{"function": BASH, "input": {"restart": True}}]},
        DONE,
        model=model,
        tools=_sandboxed(),
    )
    run, change = (await it.propose()).calls
    declared = [tool for tool in it.body["tools"] if tool.get("name") in {BASH, TEXT_EDITOR}]
    assert declared == [
        {"type": "bash_20250124", "name": "bash"},
        {"type": "text_editor_20250728", "name": "str_replace_based_edit_tool"},
    ]
    assert "without a network" in it.body["system"][0]["text"], "these tools have no description of their own"
    assert run.action == CallFunction(name=BASH, arguments_json='{"command": "ls -l"}')
    assert change.action == CallFunction(name=TEXT_EDITOR, arguments_json=json.dumps(edit))
    assert read_action(run.action) == RunCommand(command="ls -l")
    done = CallResult(call=run, status=CallStatus.DONE, tool=ToolResult(texts=("total 0",)))
    (again,) = (await it.propose(done, CallResult(call=change, status=CallStatus.DECLINED, text="No."))).calls
    assert isinstance(again.action, CallFunction)
    assert read_action(again.action) == RunCommand(command="", restart=True)
    texts = [[inner["text"] for inner in block["content"]] for block in it.results if block["type"] == "tool_result"]
    assert texts == [["total 0"], ["No."]]
    assert [block.get("is_error") for block in it.results if block["type"] == "tool_result"] == [None, True]


async def test_functions_of_these_names_that_are_no_sandboxed_tools_stay_functions(bench: Make) -> None:
    own = ToolSpec(name=BASH, description="Someone's own.")
    it = await bench(DONE, tools=(own,))
    await it.propose()
    assert [tool["description"] for tool in it.body["tools"] if tool.get("name") == BASH] == ["Someone's own."]


def test_an_older_model_gets_the_editor_as_a_function() -> None:
    prepared = prepare(
        "claude-3-7-sonnet-20250219",
        Brief(task="", instruction="", tools=_sandboxed()),
        AnthropicOptions(),
        FrameGeometry(origin=ScreenPoint(0, 0), native=FULL, sent=FULL),
    )
    kinds = {tool["name"]: tool.get("type", "custom") for tool in prepared.params["tools"]}
    assert (kinds[BASH], kinds[TEXT_EDITOR]) == ("bash_20250124", "custom")
