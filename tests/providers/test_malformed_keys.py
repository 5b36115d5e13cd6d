"""What cannot be a key is sent to no service; and whatever a library or a service says of a key, no error shows it."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from operator_console.app.model_check import check_model
from operator_console.domain.api_keys import KeyUnusable
from operator_console.domain.errors import ConsoleError
from operator_console.domain.redaction import hide_key
from operator_console.providers import registry
from operator_console.providers.shared import http_faults
from operator_console.providers.shared.http_client import Answered
from operator_console.providers.spec import Ingredients
from tests.malformed_keys import MALFORMED, ONE_OF_EACH_SORT, left_of
from tests.servers.plain_servers import answering

KEY = "sk-Zq7vXk2pLm9wRt4yHb8nQd3s"
VARIABLES = {
    "gemini": "GEMINI_API_KEY", "gemini ": "GOOGLE_API_KEY", "anthropic": "ANTHROPIC_API_KEY",
    "openai": "OPENAI_API_KEY", "cogagent": "COGAGENT_API_KEY", "ui_tars": "UI_TARS_API_KEY", "qwen": "QWEN_API_KEY",
    "structured": "GEMINI_API_KEY", "structured claude-opus-5-5": "ANTHROPIC_API_KEY",
    "structured gpt-5.6-sol": "OPENAI_API_KEY", "structured own": "STRUCTURED_API_KEY",
}  # fmt: skip
"""Each provider, with a model where it has several services, and the variable that its SDK or connection reads."""
LIBRARIES = ("gemini", "anthropic", "openai", "qwen")
"""A provider for each SDK and connection; the others use the same ones."""


async def check(route: str, base_url: str, api_key: str | None) -> None:
    """The check of this provider and model."""
    provider, _, model = route.partition(" ")
    await check_model(provider, model, Ingredients(api_key=api_key, base_url=base_url))


@pytest.mark.parametrize("given", [False, True], ids=["from the environment", "given"])
@pytest.mark.parametrize("route", VARIABLES)
async def test_what_cannot_be_a_key_is_not_sent(monkeypatch: pytest.MonkeyPatch, route: str, given: bool) -> None:
    key = MALFORMED["a line break"]
    if not given:
        monkeypatch.setenv(VARIABLES[route], key)
    async with answering(200) as server:
        with pytest.raises(KeyUnusable) as caught:
            await check(route, f"http://127.0.0.1:{server.port}/v1", key if given else None)
    assert server.requests == []
    assert (VARIABLES[route] in caught.value.text) is not given
    assert left_of(key, repr(caught.value) + caught.value.text) == []


async def test_the_key_of_a_second_model_is_no_exception(monkeypatch: pytest.MonkeyPatch) -> None:
    from operator_console.providers.cogagent.options import CogAgentOptions

    monkeypatch.setenv("COGAGENT_TEXT_API_KEY", MALFORMED["a line break"])
    options = CogAgentOptions(text_model="t", text_base_url="http://127.0.0.1:1/v1")
    with pytest.raises(KeyUnusable, match="COGAGENT_TEXT_API_KEY"):
        registry.create("cogagent", "", Ingredients(base_url="http://127.0.0.1:1/v1", options=options))


@pytest.mark.parametrize(
    "kind", [kind if kind in ONE_OF_EACH_SORT else pytest.param(kind, marks=pytest.mark.full) for kind in MALFORMED]
)
@pytest.mark.parametrize("route", LIBRARIES)
async def test_an_error_of_a_library_about_a_key_does_not_show_it(
    monkeypatch: pytest.MonkeyPatch, route: str, kind: str
) -> None:
    def unchecked(value: str, *, variable: str = "") -> str:
        hide_key(value)
        return value

    monkeypatch.setattr(http_faults, "usable_key", unchecked)
    key = MALFORMED[kind]
    async with answering(401, '{"error": {"message": "No."}}') as server:
        with pytest.raises(Exception) as caught:  # noqa: PT011 - whatever is raised
            await check(route, f"http://127.0.0.1:{server.port}/v1", key)
    if isinstance(caught.value, ConsoleError):  # of all others only the name is told
        assert left_of(key, caught.value.text + repr(caught.value)) == []


@pytest.mark.parametrize("route", VARIABLES)
async def test_a_service_that_repeats_the_key_is_quoted_without_it(route: str) -> None:
    key = KEY
    async with answering(401, f'{{"error": {{"message": "Bad key: {key}, {key[:12]}***{key[-8:]}"}}}}') as server:
        with pytest.raises(ConsoleError) as caught:
            await check(route, f"http://127.0.0.1:{server.port}/v1", key)
    assert "Bad key: [hidden]" in caught.value.detail
    assert left_of(key, caught.value.text) == []


@pytest.mark.parametrize("key", [KEY, "Zq7vXk2p+Lm9w/Rt4yHb8n"])
def test_the_body_of_an_answer_in_which_the_service_repeats_the_key_is_kept_without_it(key: str) -> None:
    hide_key(key)
    body = json.dumps({"content": f"I was called with {key}, {quote(key, safe='')} and \n{key[:10]}.", "n": 1})
    kept = Answered(body=body.encode(), request_bytes=1).body.decode()
    assert left_of(key, kept) == []
    assert json.loads(kept)["n"] == 1
    assert Answered(body=b"\xff\x00 no text", request_bytes=1).body == b"\xff\x00 no text"
