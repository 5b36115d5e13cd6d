"""A check says what came back from a service on this machine, in words that a person can act on, for every dialect."""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from operator_console.app.model_check import check_model, outcome_of, report_of
from operator_console.domain.errors import ConsoleError, OperatorError, ProviderRefused, ProviderTransient
from operator_console.providers import registry
from operator_console.providers.spec import Ingredients
from operator_console.ui.profile_values import CheckOutcome

SERVICES = ("gemini", "anthropic", "openai", "cogagent", "ui_tars", "qwen", "structured")
PAGE = "<!doctype html><html><body><h1>It works!</h1></body></html>"


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
    assert "provider" in report.remedy


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
    assert {spec.name for spec in registry.BUILT_IN if spec.check is not None} <= set(SERVICES)
