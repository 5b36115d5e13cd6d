"""What UI-TARS is sent: its prompt, its own words again, and results where a picture alone does not tell them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack
from typing import Any

import pytest

from operator_console.domain.errors import ProviderMalformed
from operator_console.domain.proposals import Brief, CallResult, CallStatus
from operator_console.domain.tools import ToolSpec
from operator_console.providers.ui_tars.options import UiTarsOptions, Version
from operator_console.providers.ui_tars.provider import UiTarsProvider
from tests.providers.conftest import all_done, seen
from tests.servers.chat_server import ChatServer

CLICK = {"content": "Thought: I click.\nAction: click(start_box='(10,20)')"}
TWO = {"content": "Thought: Both.\nAction: click(start_box='(10,20)')\n\ntype(content='x')"}
Begin = Callable[..., Any]


@pytest.fixture
async def begin(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Begin]:
    monkeypatch.delenv("UI_TARS_API_KEY", raising=False)
    async with AsyncExitStack() as stack:

        async def make(
            turns: Sequence[Any], version: Version = Version.V1_5, tools: tuple[ToolSpec, ...] = (), **options: Any
        ) -> tuple[ChatServer, UiTarsProvider]:
            server = await stack.enter_async_context(ChatServer(turns, models=["m"], most_pictures=5))
            provider = UiTarsProvider(
                model="m", options=UiTarsOptions(version=version, **options), base_url=server.base_url
            )
            stack.push_async_callback(provider.close)
            provider.begin(Brief(task="Save it.", instruction="Be careful.", tools=tools))
            return server, provider

        yield make


@pytest.mark.parametrize(
    ("version", "has", "lacks"),
    [
        (Version.V1_0, "click(start_box='<|box_start|>(x1,y1)<|box_end|>')", "<point>"),
        (Version.V1_5, "call_user()", "<point>"),
        (Version.DOUBAO, "drag(start_point='<point>x1 y1</point>'", "start_box"),
    ],
)
async def test_each_version_has_its_prompt(begin: Begin, version: Version, has: str, lacks: str) -> None:
    tool = ToolSpec(name="book", description="Books\na room.", parameters_json='{"properties": {"n": {}}}')
    server, provider = await begin([CLICK], version, (tool,), language="Chinese")
    await provider.propose(seen())
    (message,) = server.received[0].body["messages"]
    text = message["content"][0]["text"]
    assert has in text
    assert lacks not in text
    assert "Use Chinese in `Thought` part." in text
    assert "book(n='xxx' (optional)) # Books a room." in text
    assert text.endswith("## User Instruction\nSave it.")
    assert server.received[0].body["temperature"] == 0.0


@pytest.mark.parametrize(("version", "tokens"), [(Version.V1_0, True), (Version.V1_5, True), (Version.DOUBAO, False)])
async def test_its_words_come_back_with_the_tokens_that_endpoints_remove(
    begin: Begin, version: Version, tokens: bool
) -> None:
    server, provider = await begin([CLICK, CLICK], version)
    await provider.propose(seen(*all_done(await provider.propose(seen()))))
    said = server.received[1].body["messages"][1]["content"]
    assert ("start_box='<|box_start|>(10,20)<|box_end|>'" in said) is tokens


async def test_results_are_told_only_where_a_picture_does_not_tell_them(begin: Begin) -> None:
    server, provider = await begin([TWO, TWO, CLICK])
    results = all_done(await provider.propose(seen()))
    click, typed = (await provider.propose(seen(*results))).calls
    (part,) = server.received[1].body["messages"][-1]["content"]
    assert part["type"] == "image_url"
    failed = CallResult(call=typed, status=CallStatus.FAILED, text="No focus.")
    await provider.propose(seen(CallResult(call=click, status=CallStatus.DONE), failed))
    text = server.received[2].body["messages"][-1]["content"][0]["text"]
    assert text == "What became of your actions:\n1. click: Done.\n2. type: Failed. No focus."


async def test_old_pictures_and_turns_are_left_out(begin: Begin) -> None:
    server, provider = await begin([CLICK] * 30, keep_screenshots=2, keep_turns=4)
    results: tuple[CallResult, ...] = ()
    for shade in range(30):
        results = all_done(await provider.propose(seen(*results, shade=shade)))
    messages = server.received[-1].body["messages"]
    assert str(messages).count("sha256:") == 2
    assert len(messages) <= 2 * 5 + 1
    assert "click" in messages[0]["content"][0]["text"].partition("Your earlier turns")[2]
    assert server.violations == []


@pytest.mark.parametrize("content", ["Thought: I look.", "Action: " + "wait()\n\n" * 30, "<think>Hm.</think>"])
async def test_what_no_turn_can_be_made_of_is_asked_for_again(begin: Begin, content: str) -> None:
    _, provider = await begin([{"content": content}, CLICK])
    with pytest.raises(ProviderMalformed):
        await provider.propose(seen())
    assert (await provider.propose(seen())).calls
