"""The strict server is strict: judged with the vendor's SDK as its makers show it, and with broken requests."""

from __future__ import annotations

import base64
import copy
from collections.abc import AsyncIterator, Callable
from typing import Any

import anthropic
import httpx2
import pytest

from operator_console.domain.geometry import Size
from tests.providers.conftest import picture
from tests.servers.anthropic_server import AnthropicServer

CLICK: dict[str, Any] = {"action": "left_click", "input": {"coordinate": [1, 2]}}
TURN: dict[str, Any] = {"thinking": "Hm.", "text": "Look.", "calls": [CLICK, CLICK]}
TOOLS: Any = [{"type": "computer_toolset_20260801"}]
DATED: dict[str, Any] = {
    "type": "computer_20251124", "name": "computer", "display_width_px": 800, "display_height_px": 600,
}  # fmt: skip


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _image(size: Size = Size(800, 600), media_type: str = "image/png", **more: Any) -> dict[str, Any]:
    data = base64.b64encode(picture(0, size).data).decode()
    return {"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}, **more}


def _result(use: dict[str, Any], **more: Any) -> dict[str, Any]:
    made = {"type": "tool_result", "tool_use_id": use["id"], "content": [_text("Clicked.")]}
    return {**made, **({"toolset_name": use["toolset_name"]} if "toolset_name" in use else {}), **more}


async def test_a_session_as_the_sdk_shows_it() -> None:
    async with AnthropicServer([TURN, {"text": "Done."}]) as server, httpx2.AsyncClient(verify=False) as http:
        client = anthropic.AsyncAnthropic(api_key="k", base_url=server.url, max_retries=0, http_client=http)
        messages: list[Any] = [{"role": "user", "content": [_text("Do it."), _image()]}]
        first = await client.messages.create(
            model="claude-opus-5",
            max_tokens=4096,
            tools=TOOLS,
            messages=messages,
        )
        uses = [block for block in first.content if block.type == "tool_use"]
        assert [(use.name, use.toolset_name, use.input) for use in uses] == [
            ("left_click", "computer", {"coordinate": [1, 2]})
        ] * 2
        assert first.stop_reason == "tool_use"
        messages.append(first.to_param())
        messages.append({"role": "user", "content": [_result(use.to_dict()) for use in uses]})
        second = await client.messages.create(
            model="claude-opus-5",
            max_tokens=4096,
            tools=TOOLS,
            messages=messages,
        )
        assert second.stop_reason == "end_turn"
        assert server.violations == []
        with pytest.raises(anthropic.BadRequestError, match="at its end") as caught:
            await client.messages.create(
                model="claude-opus-5",
                max_tokens=4096,
                tools=TOOLS,
                messages=messages[:1],
            )
        assert caught.value.type == "invalid_request_error"


# -- broken requests: a good second request, and what is done to it ------------------------------------------------

Change = Callable[[dict[str, Any]], object]


async def _post(url: str, body: dict[str, Any], **headers: str) -> httpx2.Response:
    sent = {"x-api-key": "k", "anthropic-version": "2023-06-01", "Connection": "close", **headers}
    async with httpx2.AsyncClient(verify=False) as client:  # no TLS here, and certificates take 20 ms
        return await client.post(f"{url}/v1/messages", json=body, headers=sent)


@pytest.fixture
async def second() -> AsyncIterator[Callable[..., Any]]:
    """Plays one turn and gives the server and a lawful second request."""
    servers: list[AnthropicServer] = []

    async def make(model: str = "claude-opus-5") -> tuple[AnthropicServer, dict[str, Any]]:
        server = AnthropicServer([TURN, {"text": "Done."}])
        await server.start()
        servers.append(server)
        body: dict[str, Any] = {
            "model": model,
            "max_tokens": 4096,
            "tools": copy.deepcopy(TOOLS),
            "messages": [{"role": "user", "content": [_text("Do it."), _image()]}],
        }
        answer = (await _post(server.url, body)).json()
        uses = [block for block in answer["content"] if block["type"] == "tool_use"]
        body["messages"].append({"role": "assistant", "content": answer["content"]})
        body["messages"].append({"role": "user", "content": [*map(_result, uses), _text("Hurry.")]})
        return server, body

    yield make
    for server in servers:
        await server.stop()


def _results(body: dict[str, Any]) -> list[Any]:
    found: list[Any] = body["messages"][2]["content"]
    return found


BROKEN: list[tuple[str, Change]] = [
    ("Extra inputs", lambda body: body.update(temprature=1)),
    ("Field required", lambda body: body.pop("max_tokens")),
    ("toolset_name", lambda body: _results(body)[0].pop("toolset_name")),
    ("without `tool_result` blocks", lambda body: _results(body).pop(0)),
    (
        "unexpected `tool_use_id`",
        lambda body: _results(body).insert(0, {**_results(body)[0], "tool_use_id": "toolu_x"}),
    ),
    ("single result", lambda body: _results(body).insert(0, _results(body)[0])),
    ("must come first", lambda body: _results(body).insert(0, _results(body).pop())),
    ("must be non-empty", lambda body: _results(body).append(_text(" "))),
    ('must be type "text"', lambda body: _results(body)[0].update(is_error=True, content=[_image()])),
    ("content cannot be empty", lambda body: _results(body)[0].update(is_error=True, content=[])),
    ("non-empty content", lambda body: body["messages"].append({"role": "user", "content": []})),
    ("cannot be modified", lambda body: body["messages"][1]["content"][0].update(signature="x")),
    ("cannot be modified", lambda body: body["messages"][1]["content"].pop(0)),
    ("no turn that the model produced", lambda body: body["messages"][1]["content"][1].update(text="Else.")),
    ("prefill", lambda body: body["messages"].append({"role": "assistant", "content": [_text("I")]})),
    ("does not match any", lambda body: body["tools"].__setitem__(0, DATED)),
    ("Extra inputs", lambda body: body["tools"][0].update(display_width_px=800)),
    ("must be unique", lambda body: body["tools"].append({"name": "computer", "input_schema": {"type": "object"}})),
    ("input_schema", lambda body: body["tools"].append({"name": "a", "input_schema": {}})),
    ("maximum of 4", lambda body: [each.update(cache_control={"type": "ephemeral"}) for each in _marked(body)]),
    ("does not appear to be", lambda body: _results(body).append(_image(media_type="image/jpeg"))),
    ("Could not process", lambda body: body["messages"][0]["content"][1]["source"].update(data="AAAA")),
    ("8000 pixels", lambda body: _results(body).append(_image(Size(8001, 10)))),
    ("2000 pixels", lambda body: _results(body).extend([_image(Size(2001, 10))] * 20)),
    ("exceed the largest", lambda body: _results(body).append(_image(Size(2577, 10), **_STRICT))),
    ("exceed the largest", lambda body: _results(body).append(_image(Size(2560, 1600), **_STRICT))),
    ("greater than `thinking", lambda body: body.update(thinking={"type": "enabled", "budget_tokens": 4096})),
    ("block_binding", lambda body: body.update(thinking={"type": "adaptive", "block_binding": {}})),
]
_STRICT: dict[str, Any] = {"transformations": {"oversized_image": "error"}}


def _marked(body: dict[str, Any]) -> list[Any]:
    return [*body["tools"], body["messages"][0]["content"][0], *_results(body), body["messages"][0]["content"][1]]


@pytest.mark.parametrize(("words", "change"), BROKEN, ids=[f"{i}-{words}" for i, (words, _) in enumerate(BROKEN)])
async def test_a_broken_rule_is_answered_as_the_service_would(
    second: Callable[..., Any], words: str, change: Change
) -> None:
    server, body = await second()
    broken = copy.deepcopy(body)
    change(broken)
    answer = await _post(server.url, broken)
    assert answer.status_code == 400, answer.text
    assert answer.json()["error"]["type"] == "invalid_request_error"
    assert server.violations
    assert words in server.violations[0]
    assert (await _post(server.url, body)).status_code == 200, "the good one"


@pytest.mark.parametrize(
    ("model", "tools", "betas", "words"),
    [
        ("claude-opus-5-5", [DATED], "computer-use-2025-11-24", "does not support tool types"),
        ("claude-haiku-4-5", TOOLS, "", "does not support tool types"),
        ("claude-opus-5", [DATED], "computer-use-1999-01-01", "Unexpected value"),
        ("claude-opus-5", [], "", "computer tool"),
    ],
)
async def test_a_tool_that_the_model_lacks(model: str, tools: list[Any], betas: str, words: str) -> None:
    async with AnthropicServer([{"text": "Done."}]) as server:
        body = {
            "model": model,
            "max_tokens": 9,
            "tools": tools,
            "messages": [{"role": "user", "content": [_text("A")]}],
        }
        answer = await _post(server.url, body, **({"anthropic-beta": betas} if betas else {}))
        assert answer.status_code == 400
        assert words in server.violations[0]


async def test_thinking_after_changed_messages_is_refused_or_dropped(second: Callable[..., Any]) -> None:
    server, body = await second("claude-opus-5-5")
    body["messages"][0]["content"][1] = _text("[Image omitted]")
    assert (await _post(server.url, body)).status_code == 400
    assert "have changed" in server.violations[0]
    body["thinking"] = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
    answer = await _post(server.url, body, **{"anthropic-beta": "thinking-binding-controls-2026-08-01"})
    assert answer.status_code == 200
    assert server.dropped[-1] == 1


async def test_key_and_model_are_checked() -> None:
    async with AnthropicServer([{"text": "Done."}], api_key="good") as server:
        body = {"model": "claude-opus-5", "max_tokens": 9, "tools": TOOLS, "messages": []}
        assert (await _post(server.url, body)).json()["error"]["type"] == "authentication_error"
        body["model"] = "claude-0"
        answer = await _post(server.url, body, **{"x-api-key": "good"})
        assert (answer.status_code, answer.json()["error"]["message"]) == (404, "model: claude-0")
