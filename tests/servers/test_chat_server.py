"""The stand-in for an endpoint with chat completions refuses what such endpoints refuse."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import httpx2
import openai
import pytest

from operator_console.domain.geometry import Size
from tests.providers.conftest import picture
from tests.servers.chat_server import ChatServer

SAID = {"role": "assistant", "content": "One."}
ASKED = {"role": "user", "content": "Go."}
TOOL = {"type": "function", "function": {"name": "f", "parameters": {"type": "object", "properties": {}}}}


def shown(size: Size = Size(56, 56), kind: str = "image/png") -> dict[str, Any]:
    data = base64.b64encode(picture(1, size).data).decode()
    return {"role": "user", "content": [{"type": "image_url", "image_url": {"url": f"data:{kind};base64,{data}"}}]}


def link(url: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"type": "image_url", "image_url": {"url": url}}]}


async def ask(server: ChatServer, messages: Sequence[Any], *, key: str = "k", model: str = "m", **more: Any) -> Any:
    async with httpx2.AsyncClient(verify=False) as http:  # no TLS here, and certificates take 20 ms
        client = openai.AsyncOpenAI(api_key=key, base_url=server.base_url, max_retries=0, http_client=http)
        return await client.chat.completions.create(model=model, messages=list(messages), **more)


async def test_a_lawful_conversation() -> None:
    called = {"content": "Two.", "calls": [{"name": "f", "arguments": {"a": "ł"}}]}
    async with ChatServer([{"content": "One."}, called, {"content": "Three."}], models=["m"]) as server:
        first = await ask(server, [{"role": "system", "content": "S"}, shown()], temperature=0.0, tools=[TOOL])
        assert (first.choices[0].message.content, first.choices[0].finish_reason) == ("One.", "stop")
        second = await ask(server, [ASKED, SAID, shown()], tools=[TOOL])
        (call,) = second.choices[0].message.tool_calls
        assert (call.function.arguments, second.choices[0].finish_reason) == ('{"a": "ł"}', "tool_calls")
        said = {"role": "assistant", "content": "Two.", "tool_calls": [call.model_dump()]}
        answered = {"role": "tool", "tool_call_id": call.id, "content": "Done."}
        third = await ask(server, [ASKED, SAID, ASKED, said, answered, shown()], max_tokens=5)
        assert third.choices[0].message.content == "Three."
        assert server.violations == []
        assert server.conversations == 1


@pytest.mark.parametrize(
    ("messages", "more", "said"),
    [
        ([], {}, "at least 1 item"),
        ([{"role": "user"}], {}, "missing"),
        ([{"role": "robot", "content": "x"}], {}, "literal_error"),
        ([{"role": "user", "content": [{"type": "image", "image": "x"}]}], {}, "literal_error"),
        ([SAID], {}, "must alternate"),
        ([ASKED, ASKED], {}, "must alternate"),
        ([ASKED, {"role": "system", "content": "x"}], {}, "at the beginning"),
        ([ASKED, {"role": "assistant", "content": "Other."}, ASKED], {}, "did not produce"),
        ([ASKED, SAID, ASKED, SAID, ASKED], {}, "did not produce"),
        ([ASKED, SAID], {}, "last message is from the assistant"),
        ([{"role": "user", "content": []}], {}, "no content"),
        ([ASKED, {"role": "tool", "tool_call_id": "x", "content": "y"}], {}, "no previous assistant message"),
        ([link("https://example.org/a.png")], {}, "only base64 data URLs"),
        ([link("data:image/png;base64,AAAA")], {}, "Failed to load image"),
        ([shown(Size(5700, 28))], {}, "absolute aspect ratio"),
        ([{"role": "user", "content": [*shown()["content"] * 3]}], {}, "At most 2 image(s)"),
        ([ASKED], {"max_tokens": 200_000}, "maximum context length"),
        ([ASKED], {"max_tokens": 0}, "max_tokens must be at least 1"),
        ([ASKED], {"temperature": -1.0}, "temperature must be non-negative"),
        ([ASKED], {"top_p": 0.0}, "top_p must be in"),
        ([ASKED], {"extra_body": {"magic": 1}}, "Extra inputs"),
        ([ASKED], {"tools": [TOOL, TOOL]}, "unique"),
        ([ASKED], {"tools": [{"type": "function", "function": {"name": "a b"}}]}, "does not match pattern"),
    ],
    ids=str,
)
async def test_every_rule(messages: list[Any], more: dict[str, Any], said: str) -> None:
    async with ChatServer([{"content": "One."}, {"content": "Two."}], models=["m"], most_pictures=2) as server:
        await ask(server, [ASKED])
        with pytest.raises(openai.BadRequestError) as caught:
            await ask(server, messages, **more)
        assert said in str(caught.value)
        assert len(server.violations) == 1


async def test_calls_that_are_not_answered() -> None:
    async with ChatServer([{"calls": [{"name": "f", "arguments": {}}]}] * 2, models=["m"]) as server:
        (call,) = (await ask(server, [ASKED], tools=[TOOL])).choices[0].message.tool_calls
        said = {"role": "assistant", "content": "", "tool_calls": [call.model_dump()]}
        with pytest.raises(openai.BadRequestError, match=f"did not have response messages: {call.id}"):
            await ask(server, [ASKED, said, ASKED], tools=[TOOL])


async def test_key_and_model() -> None:
    async with ChatServer([{"content": "x"}], models=["m"], api_key="right") as server:
        with pytest.raises(openai.AuthenticationError):
            await ask(server, [ASKED], key="wrong")
        with pytest.raises(openai.NotFoundError, match="The model `other` does not exist"):
            await ask(server, [ASKED], key="right", model="other")
