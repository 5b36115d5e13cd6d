"""What a request to an endpoint has besides what its dialect says: more fields, more headers, answers in pieces."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pydantic
import pytest
from aiohttp import web

from operator_console.domain.errors import OperatorError, ProviderError, ProviderRejected, ProviderTransient
from operator_console.domain.message_texts import notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.domain.redaction import without_secrets
from operator_console.providers.qwen.options import QwenOptions
from operator_console.providers.qwen.provider import QwenProvider
from tests.providers.conftest import BRIEF, seen
from tests.servers.chat_server import ChatServer

MODEL = "Qwen/Qwen3-VL-8B-Instruct"
CLICK = '{"name": "computer_use", "arguments": {"action": "left_click", "coordinate": [500, 500]}}'
CALL = f"<tool_call>\n{CLICK}\n</tool_call>"


@dataclass(slots=True)
class StreamingOnly:
    """A service that answers in pieces of a few characters, and otherwise not at all."""

    pieces: list[dict[str, Any]]
    end: str = "data: [DONE]\n\n"
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        self.bodies.append(body)
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        if not body.get("stream"):
            said = "parameter.enable_thinking must be set to false for non-streaming calls"
            return web.json_response({"error": {"message": said}}, status=400)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        for piece in self.pieces:
            await response.write(f"data: {json.dumps(piece)}\n\n".encode())
        await response.write(self.end.encode())
        return response


def piece(delta: dict[str, Any], reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": MODEL, "choices": [choice]}


USAGE = {
    "id": "c", "object": "chat.completion.chunk", "created": 1, "model": MODEL, "choices": [],
    "usage": {"prompt_tokens": 900, "completion_tokens": 40, "total_tokens": 940},
}  # fmt: skip


@asynccontextmanager
async def serving(service: StreamingOnly) -> AsyncIterator[str]:
    app = web.Application(client_max_size=1 << 26)
    app.router.add_post("/v1/chat/completions", service.answer)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


async def propose(address: str, **options: Any) -> Any:
    provider = QwenProvider(model=MODEL, options=QwenOptions(base_url=address, **options))
    provider.begin(BRIEF)
    try:
        return await provider.propose(seen())
    finally:
        await provider.close()


def in_pieces(text: str, size: int = 7) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


async def test_an_answer_in_pieces_is_the_whole_answer() -> None:
    thoughts = [piece({"role": "assistant", "reasoning_content": part}) for part in in_pieces("I look at it.")]
    said = [piece({"content": part}) for part in in_pieces(CALL)]
    service = StreamingOnly([*thoughts, *said, piece({}, "stop"), USAGE])
    async with serving(service) as address:
        made = await propose(address, stream=True)
    assert [call.name for call in made.calls] == ["left_click"]
    assert made.thoughts == "I look at it."
    assert made.usage.input_tokens == 900
    assert service.bodies[0]["messages"]


async def test_native_calls_in_pieces_are_whole_calls() -> None:
    arguments = json.dumps({"action": "left_click", "coordinate": [500, 500]})
    first = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "computer_use", "arguments": ""}}
    parts = [{"index": 0, "function": {"arguments": part}} for part in in_pieces(arguments)]
    service = StreamingOnly(
        [*(piece({"role": "assistant", "tool_calls": [each]}) for each in (first, *parts)), piece({}, "tool_calls")]
    )
    async with serving(service) as address:
        made = await propose(address, stream=True, tool_calls="native")
    assert [(call.name, call.call_id) for call in made.calls] == [("left_click", "call_1")]


async def test_a_service_that_answers_in_pieces_only_names_what_it_wants() -> None:
    async with serving(StreamingOnly([])) as address:
        with pytest.raises(ProviderRejected, match=r"non-streaming.*Set stream to true"):
            await propose(address)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"message": "Rate limited upstream", "code": 429}, NoticeCode.SERVICE_ASKS_TO_SLOW_DOWN),
        ({"message": "Overloaded", "type": "overloaded_error"}, NoticeCode.SERVICE_UNAVAILABLE),
        ({"message": "No such key", "type": "authentication_error"}, NoticeCode.SERVICE_REJECTED_KEY),
        ("CUDA out of memory", NoticeCode.SERVICE_UNAVAILABLE),
    ],
)
async def test_an_error_in_the_stream_is_told_as_one_before_it(error: object, code: NoticeCode) -> None:
    async with serving(
        StreamingOnly([piece({"role": "assistant", "content": CALL[:40]}), {"error": error}])
    ) as address:
        with pytest.raises(ProviderError) as raised:
            await propose(address, stream=True)
    assert notices_of(raised.value.title)[0].code == code
    said = error["message"] if isinstance(error, dict) else error
    assert f"{said}." in raised.value.detail


async def test_an_answer_is_read_whether_it_comes_whole_or_in_pieces() -> None:
    class Other(StreamingOnly):
        """Does the other than it is asked for."""

        async def answer(self, request: web.Request) -> web.StreamResponse:
            body = await request.json()
            if body.get("stream"):
                message = {"role": "assistant", "content": CALL}
                return web.json_response({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]})
            lines = [f"data: {json.dumps(each)}\n\n" for each in self.pieces]
            return web.Response(text="".join((*lines, self.end)), content_type="text/event-stream")

    for stream in (True, False):
        async with serving(Other([piece({"role": "assistant", "content": CALL}), piece({}, "stop")])) as address:
            made = await propose(address, stream=stream)
        assert [call.name for call in made.calls] == ["left_click"]


async def test_a_stream_that_ends_early_is_tried_again_and_no_half_answer_is_used() -> None:
    async with serving(StreamingOnly([piece({"role": "assistant", "content": CALL[:40]})], end="")) as address:
        with pytest.raises(ProviderTransient):
            await propose(address, stream=True)


async def test_a_stream_that_breaks_off_is_tried_again_and_no_half_answer_is_used() -> None:
    class Broken(StreamingOnly):
        async def answer(self, request: web.Request) -> web.StreamResponse:
            made = await StreamingOnly.answer(self, request)
            assert request.transport is not None
            request.transport.abort()
            return made

    service = Broken([piece({"role": "assistant", "content": CALL[:40]})], end="")
    async with serving(service) as address:
        with pytest.raises(ProviderTransient):
            await propose(address, stream=True)


async def test_more_fields_and_headers_are_sent_and_a_key_among_them_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GATEWAY_TOKEN", "gateway-secret-1234567890")
    service = StreamingOnly([piece({"role": "assistant", "content": CALL}), piece({}, "stop")])
    async with serving(service) as address:
        await propose(
            address, stream=True, extra_body={"enable_thinking": False, "chat_template_kwargs": {"a": [1, None]}},
            extra_headers={"X-Gateway-Token": "Bearer ${GATEWAY_TOKEN}", "X-Team": "blue"},
        )  # fmt: skip
    assert (service.bodies[0]["enable_thinking"], service.bodies[0]["chat_template_kwargs"]) == (
        False,
        {"a": [1, None]},
    )
    assert service.headers[0]["x-gateway-token"] == "Bearer gateway-secret-1234567890"
    assert service.headers[0]["x-team"] == "blue"
    assert "gateway-secret" not in without_secrets("x gateway-secret-1234567890")


async def test_an_extra_field_wins_over_the_dialect_s() -> None:
    async with ChatServer([{"content": CALL}], models=[MODEL]) as server:
        await propose(server.base_url, extra_body={"temperature": 0.5})
        assert server.received[0].body["temperature"] == 0.5
        assert server.violations == []


async def test_a_header_whose_variable_is_not_set_is_refused_before_anything_is_sent() -> None:
    with pytest.raises(OperatorError, match="NOT_SET_ANYWHERE"):
        await propose("http://127.0.0.1:9/v1", extra_headers={"X-Team": "${NOT_SET_ANYWHERE}"})


def test_the_window_has_them_as_text() -> None:
    options = QwenOptions.model_validate({"extra_body": '{"enable_thinking": false}', "extra_headers": " "})
    assert (options.extra_body, options.extra_headers) == ({"enable_thinking": False}, {})
    with pytest.raises(pydantic.ValidationError, match="extra_body"):
        QwenOptions.model_validate({"extra_body": "enable_thinking"})


@pytest.mark.parametrize(
    "options",
    [
        {"extra_body": {"messages": []}},
        {"extra_body": {"stream": True}},
        {"extra_headers": {"Authorization": "Bearer sk-123"}},
        {"extra_headers": {"X-Api-Key": "sk-123"}},
        {"extra_headers": {"X Team": "blue"}},
        {"extra_headers": {"X-Team": "blue\r\nX-Other: 1"}},
        {"extra_headers": {"X-Team": "blåu"}},
    ],
    ids=str,
)
def test_what_cannot_be_given_there_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(pydantic.ValidationError, match="extra_"):
        QwenOptions(**options)
