"""A check says what came back from a service on this machine, in words that a person can act on, for every dialect."""

from __future__ import annotations

import io
import json
import re
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from typing import Any

import pytest
from aiohttp import web
from PIL import Image

from operator_console.app.model_check import check_model, outcome_of, report_of
from operator_console.domain.errors import ConsoleError, OperatorError, ProviderRefused, ProviderTransient
from operator_console.domain.frames import VirtualTarget
from operator_console.domain.prices import Price
from operator_console.engine.session import instruction
from operator_console.providers import registry
from operator_console.providers.qwen.options import QwenOptions
from operator_console.providers.spec import Ingredients
from operator_console.ui.profile_values import CheckOutcome, CheckReport
from operator_console.ui.view.check_words import check_advice
from tests.servers.chat_server import ChatServer
from tests.servers.plain_servers import logging_proxy
from tests.servers.scripted_server import Turn
from tests.servers.structured_servers import StructuredChatServer

SERVICES = ("gemini", "anthropic", "openai", "cogagent", "ui_tars", "qwen", "structured")
PAGE = "<!doctype html><html><body><h1>It works!</h1></body></html>"

DONE_STRUCTURED = {"done": {"text": "ok"}}


def written(**arguments: Any) -> str:
    """A call as Qwen writes it."""
    call = {"name": "computer_use", "arguments": arguments}
    return f"<tool_call>\n{json.dumps(call)}\n</tool_call>"


CLICK = {"content": written(action="left_click", coordinate=[500, 500])}
"""On the button, in thousandths."""


@asynccontextmanager
async def answering(status: int, body: str, kind: str = "application/json") -> AsyncIterator[str]:
    """The address of a server that answers everything with this."""

    async def answer(request: web.Request) -> web.Response:
        await request.read()
        return web.Response(status=status, text=body, content_type=kind)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        host, port = runner.addresses[0][:2]
        yield f"http://{host}:{port}/v1"
    finally:
        await runner.cleanup()


async def failed(provider: str, base_url: str) -> ConsoleError:
    """The error of a check."""
    with pytest.raises(ConsoleError) as caught:
        await check_model(provider, "", Ingredients(api_key="not-a-real-key", base_url=base_url))
    return caught.value


def error_body(provider: str, code: int, word: str, message: str) -> str:
    """An error as the vendor writes it."""
    if provider in ("gemini", "structured"):  # its default model is one of Gemini
        return json.dumps({"error": {"code": code, "message": message, "status": word}})
    if provider == "anthropic":
        return json.dumps({"type": "error", "error": {"type": word, "message": message}})
    return json.dumps({"error": {"message": message, "type": word, "param": None, "code": word}})


@pytest.mark.parametrize("provider", SERVICES)
@pytest.mark.parametrize(
    ("status", "word", "outcome"),
    [
        (401, "authentication_error", CheckOutcome.KEY_REFUSED),
        (403, "permission_error", CheckOutcome.KEY_REFUSED),
        (404, "not_found_error", CheckOutcome.MODEL_UNKNOWN),
        (429, "rate_limit_error", CheckOutcome.RATE_LIMITED),
        (503, "overloaded_error", CheckOutcome.UNAVAILABLE),
        (400, "invalid_request_error", CheckOutcome.REFUSED),
        (405, "method_not_allowed", CheckOutcome.REFUSED),
    ],
)
async def test_an_error_of_the_service_is_told_apart(
    provider: str, status: int, word: str, outcome: CheckOutcome
) -> None:
    async with answering(status, error_body(provider, status, word, "As the service words it.")) as address:
        report = report_of(await failed(provider, address))
    assert report.outcome is outcome
    assert "As the service words it." in report.said
    assert report.remedy
    assert "record" not in report.remedy


@pytest.mark.parametrize("provider", SERVICES)
@pytest.mark.parametrize(("body", "kind"), [(PAGE, "text/html"), ("[1, 2", "application/json"), ("", "text/plain")])
async def test_what_does_not_speak_the_dialect_is_told_apart(provider: str, body: str, kind: str) -> None:
    async with answering(200, body, kind) as address:
        report = report_of(await failed(provider, address))
    assert report.outcome is CheckOutcome.OTHER_DIALECT, report
    assert ("browser" if body == PAGE else "provider") in report.remedy


@pytest.mark.parametrize("provider", SERVICES)
async def test_nobody_there(provider: str) -> None:
    with socket.socket() as taken:  # bound and not listening: a connection is refused
        taken.bind(("127.0.0.1", 0))
        report = report_of(await failed(provider, f"http://127.0.0.1:{taken.getsockname()[1]}/v1"))
    assert (report.outcome, "network" in report.remedy) == (CheckOutcome.UNREACHABLE, True)


async def test_what_is_missing_is_told_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("QWEN_BASE_URL", raising=False)
    found = {}
    for provider, model in (("gemini", ""), ("qwen", ""), ("qwen", "qwen-vl"), ("scripted", "")):
        with pytest.raises(OperatorError) as caught:
            await check_model(provider, model, Ingredients())
        found[provider, model] = outcome_of(caught.value)
        assert report_of(caught.value).remedy
    assert list(found.values()) == [
        CheckOutcome.KEY_MISSING, CheckOutcome.NO_ADDRESS, CheckOutcome.MODEL_UNKNOWN, CheckOutcome.MODEL_UNKNOWN,
    ]  # fmt: skip


def test_errors_of_other_packages_are_told_apart_by_their_class() -> None:
    assert outcome_of(ProviderTransient("Busy.")) is CheckOutcome.UNAVAILABLE
    assert outcome_of(ProviderRefused("No.")) is CheckOutcome.REFUSED
    assert outcome_of(OperatorError("Locked.")) is CheckOutcome.NOT_SENT


async def test_what_needs_no_check_says_so() -> None:
    report = await check_model("runbook", "", Ingredients())
    assert (report.outcome, "nothing to check" in report.said, report.seconds) == (CheckOutcome.WORKS, True, 0.0)


def test_every_service_is_tried_here() -> None:
    assert {spec.name for spec in registry.BUILT_IN if spec.sends_to} == set(SERVICES)


QWEN = "Qwen/Qwen3-VL-8B-Instruct"
DONE = {"content": written(action="terminate", status="success")}


async def of_qwen(*turns: Turn, price: Price | None = None, **options: Any) -> tuple[CheckReport, ChatServer]:
    """What the check says of a model whose server plays these turns, and the server."""
    async with ChatServer(turns, models=[QWEN]) as server:
        ingredients = Ingredients(base_url=server.base_url, options=QwenOptions(**options))
        try:
            report = await check_model("qwen", "", ingredients, price)
        except ConsoleError as error:
            report = report_of(error)
    assert server.violations == []
    return report, server


async def test_a_check_is_the_first_two_requests_of_a_session() -> None:
    report, server = await of_qwen(CLICK, DONE)
    assert (report.outcome, report.seconds > 0) == (CheckOutcome.WORKS, True)
    first, second = (received.body["messages"] for received in server.received)
    assert instruction(VirtualTarget(spec="", title="")) in first[0]["content"]
    assert '"left_click"' in first[0]["content"], "with the tools"
    assert server.received[0].body["max_tokens"] == QwenOptions().max_tokens
    assert second[: len(first)] == first
    answered = str(second[len(first) :])
    assert "<tool_response>" in answered
    assert "data:image/" in answered, "with another picture"
    with Image.open(io.BytesIO(server.last_png)) as shown:
        assert min(shown.size) > 300, "no service refuses a picture of this size"
    assert max(received.size for received in server.received) < 30_000


async def test_a_check_names_model_answers_tokens_and_price_and_what_it_cannot_know() -> None:
    price = Price(input=Decimal(100), output=Decimal(100))
    report, _ = await of_qwen(CLICK, DONE, price=price)
    assert QWEN in report.said
    assert "“click at 320, 200”, then the end of the task" in report.said
    assert re.search(r"[\d.]+ k tokens \(.* out\), 0\.\d+ USD\.", report.said)
    assert "Nothing was carried out." in report.said
    assert "Not tried: pictures as large as your screen" in report.said
    assert "USD" not in (await of_qwen(CLICK, DONE))[0].said


@pytest.mark.parametrize(
    ("turn", "said"),
    [
        ({"content": "A grey button."}, "in words, without a call: “A grey button.”. A session would ask you here."),
        ({"content": written(action="dance")}, "was not understood"),
        ({"content": written(action="answer", text="Which?")}, "asked a question: “Which?”"),
        (DONE, "ended the task instead of clicking the button"),
        ({"content": written(action="left_click", coordinate=[10, 700])}, "pixels beside the button"),
    ],
)
async def test_an_answer_that_leads_no_further_is_no_success(turn: Turn, said: str) -> None:
    report, server = await of_qwen(turn, DONE)
    assert (report.outcome, len(server.received)) == (CheckOutcome.DOUBTFUL, 2)
    assert said in report.said
    assert check_advice(report)


async def test_points_in_another_space_than_the_options_say_are_seen() -> None:
    in_pixels = {"content": written(action="left_click", coordinate=[320, 200])}
    assert (await of_qwen(in_pixels, DONE, generation="2.5"))[0].outcome is CheckOutcome.WORKS
    assert "beside the button" in (await of_qwen(in_pixels, DONE, generation="3"))[0].said


async def test_a_service_that_takes_fewer_pictures_works_as_in_a_session_and_is_named() -> None:
    refused = {"status": 400, "message": "At most 1 image(s) may be provided."}
    report, server = await of_qwen(CLICK, refused, DONE)
    assert (report.outcome, len(server.received)) == (CheckOutcome.WORKS, 3)
    assert "keep_screenshots" in report.said


async def test_a_service_that_takes_no_second_picture_is_named_as_such() -> None:
    refused = {"status": 400, "message": "At most 1 image(s) may be provided."}
    report, server = await of_qwen(CLICK, *[refused] * 9)
    assert (report.outcome, len(server.received)) == (CheckOutcome.REFUSED, 5)
    assert "The first request of a session was answered" in report.said
    assert "At most 1 image(s)" in report.said
    assert "keep_screenshots" in report.remedy


async def test_a_check_never_asks_twice() -> None:
    for turn in ({"status": 503}, {"status": 429, "retry_after": 0}, {"content": ""}, {"drop": True}):
        _, server = await of_qwen(turn, CLICK, DONE)
        assert len(server.received) == 1, turn


async def test_a_structured_model_is_told_of_the_button() -> None:
    says = {"thinking": "", "evaluation_previous_goal": "", "memory": "", "next_goal": ""}
    turns = [{"content": json.dumps({**says, "action": [each]})} for each in ({"click": {"index": 1}}, DONE_STRUCTURED)]
    async with StructuredChatServer(turns, models=["any"]) as server:
        report = await check_model("structured", "any", Ingredients(base_url=server.base_url))
    assert (report.outcome, server.violations) == (CheckOutcome.WORKS, []), report
    assert "“Continue”" in str(server.received[0].body)


async def test_no_page_that_answers_with_404_passes_for_a_model() -> None:
    for provider in SERVICES:
        async with answering(404, PAGE, "text/html") as address:
            assert report_of(await failed(provider, address)).outcome is CheckOutcome.NO_ADDRESS


@pytest.mark.parametrize("provider", SERVICES)
async def test_the_check_names_the_proxy_that_pictures_go_through(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    async with logging_proxy() as proxy:
        named = f"Pictures go through the proxy 127.0.0.1:{proxy.port}."
        monkeypatch.setenv("HTTP_PROXY", f"http://someone:sesame@127.0.0.1:{proxy.port}")
        report = report_of(await failed(provider, "http://service.invalid/v1"))
        assert report.said.endswith(named)
        assert len(proxy.requests) == 1
        assert "sesame" not in report.said + report.remedy
        async with answering(503, "{}") as address:
            assert "proxy" not in report_of(await failed(provider, address)).said


async def test_a_proxy_that_cannot_be_used_is_told_with_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.setenv("ALL_PROXY", "socks4://someone:sesame@proxy.lan:1080")
    report = report_of(await failed("qwen", "http://service.invalid/v1"))
    assert report.outcome is CheckOutcome.NOT_SENT
    assert report.said == "The proxy of the environment cannot be used: proxy.lan:1080."
    assert "ALL_PROXY" in report.remedy


async def test_a_check_that_succeeds_names_the_proxy_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    answer = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "White"}, "finish_reason": "stop"}]}
    async with answering(200, json.dumps(answer)) as address:  # a proxy that answers for the service
        host = address.removeprefix("http://").removesuffix("/v1")
        monkeypatch.setenv("HTTP_PROXY", f"http://someone:sesame@{host}")
        report = await check_model("qwen", "Qwen3-VL-8B", Ingredients(base_url="http://service.invalid/v1"))
        assert report.said.endswith(f" Pictures go through the proxy {host}.")
        assert "sesame" not in report.said
        report = await check_model("qwen", "Qwen3-VL-8B", Ingredients(base_url=address))
        assert "proxy" not in report.said
