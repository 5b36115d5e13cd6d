"""A model is asked, with the task alone, what the task needs; of its answer only what can be a scope is taken."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any
from unittest.mock import MagicMock

import pytest

from operator_console.app.backend import Backend
from operator_console.app.model_choices import profile_choices
from operator_console.app.scope_question import question, read_scope, suggest_scope, window_name
from operator_console.domain.errors import OperatorError, ProviderMalformed, ProviderRejected, ProviderTransient
from operator_console.domain.frames import TargetKind
from operator_console.domain.risk import Category
from operator_console.domain.scope import SuggestedScope
from operator_console.providers import registry
from operator_console.providers.cogagent.options import CogAgentOptions
from operator_console.providers.spec import Ingredients
from operator_console.settings.model import Settings
from operator_console.settings.profiles import Profile
from tests.servers.anthropic_server import AnthropicServer
from tests.servers.chat_server import ChatServer
from tests.servers.cogagent_server import CogAgentServer
from tests.servers.gemini_server import GeminiServer
from tests.servers.openai_server import OpenAIServer
from tests.servers.scripted_server import ScriptedServer, Turn

TASK = "Copy the receipt from shop.example into the form and send it to Ann."
SAID = json.dumps({"applications": [], "sites": ["shop.example"], "effects": ["send"]})
FOUND = SuggestedScope(sites=("shop.example",), effects=(Category.SEND,))
VNC = TargetKind.VNC

SERVERS: dict[tuple[str, str], Callable[[list[Turn]], ScriptedServer]] = {
    ("gemini", "gemini-3.8-flash"): GeminiServer,
    ("anthropic", "claude-opus-5-5"): AnthropicServer,
    ("openai", "gpt-5.6-sol"): OpenAIServer,
    ("qwen", "Qwen/Qwen3-VL-8B-Instruct"): lambda turns: ChatServer(turns, models=["Qwen/Qwen3-VL-8B-Instruct"]),
    ("structured", "gemini-3.8-flash"): GeminiServer,
    ("structured", "claude-opus-5-5"): AnthropicServer,
    ("structured", "gpt-5.6-sol"): lambda turns: ChatServer(turns, models=["gpt-5.6-sol"]),
    ("cogagent", "THUDM/cogagent-9b-20241220"): CogAgentServer,
}


def says(text: str, provider: str = "gemini", model: str = "") -> dict[str, Any]:
    """A turn of the server of this model."""
    written = SERVERS.get((provider, model)) not in (GeminiServer, AnthropicServer, OpenAIServer, None)
    return {"content": text, "text": text, "prompted": True} if written else {"text": text}


def ingredients(provider: str, server: ScriptedServer) -> Ingredients:
    address = server.url if isinstance(server, GeminiServer | AnthropicServer) else f"{server.url}/v1"
    options = CogAgentOptions(text_model="glm-4-9b-chat") if provider == "cogagent" else None
    return Ingredients(api_key="not-a-real-key", base_url=address, options=options)


@pytest.mark.parametrize(("provider", "model"), SERVERS, ids=lambda name: name)
async def test_every_model_that_writes_is_asked_with_the_task_alone(provider: str, model: str) -> None:
    async with SERVERS[provider, model]([says(SAID, provider, model)]) as server:
        found = await suggest_scope(provider, model, ingredients(provider, server), TASK, VNC)
        (received,) = server.received
        assert (found, server.violations) == (FOUND, [])
    sent = json.dumps(received.body)
    assert TASK in sent
    assert "image" not in sent
    assert "tools" not in received.body
    told = registry.find(provider).answers_text(model, {"text_model": "glm-4-9b-chat"})
    assert told, "the set-up offers it"


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("ui_tars", "ByteDance-Seed/UI-TARS-1.5-7B"), ("cogagent", "THUDM/cogagent-9b-20241220"),
        ("gemini", "gemini-2.5-computer-use-preview-10-2025"), ("openai", "computer-use-preview"), ("runbook", ""),
        ("scripted", "turns.json"),
    ],
)  # fmt: skip
def test_models_that_know_actions_alone_are_not_offered(provider: str, model: str) -> None:
    assert not registry.find(provider).answers_text(model, {})


async def test_the_window_asks_the_model_of_the_profile_that_is_chosen() -> None:
    model = "Qwen/Qwen3-VL-8B-Instruct"
    async with ChatServer([{"content": SAID}], models=[model]) as server:
        settings = Settings(profiles={"mine": Profile(provider="qwen", model=model, base_url=f"{server.url}/v1")})
        (choice,) = profile_choices(settings)
        backend = MagicMock()
        backend._services.settings = settings
        assert choice.answers_text
        assert await Backend.suggest_scope(backend, choice, VNC, TASK) == FOUND


@pytest.mark.parametrize("text_model", ["", "glm-4-9b-chat"])
def test_an_option_of_a_profile_can_name_a_model_that_writes(text_model: str) -> None:
    options = {"text_model": text_model}
    profile = Profile(provider="cogagent", model="m", base_url="http://127.0.0.1:9/v1", options=options)
    (choice,) = profile_choices(Settings(profiles={"mine": profile}))
    assert choice.answers_text is bool(text_model)


async def test_a_model_that_knows_actions_alone_is_not_asked() -> None:
    where = Ingredients(base_url="http://127.0.0.1:9/v1")
    with pytest.raises(OperatorError, match="actions alone"):
        await suggest_scope("ui_tars", "ByteDance-Seed/UI-TARS-1.5-7B", where, TASK, VNC)


@pytest.mark.parametrize(
    ("turn", "error", "told"),
    [
        (says("I would use the shop."), ProviderMalformed, "write it yourself"),
        (says(json.dumps({"sites": []})), ProviderMalformed, "write it yourself"),
        ({"status": 503}, ProviderTransient, "write it yourself"),
        ({"status": 400, "message": "No."}, ProviderRejected, ""),
    ],
)
async def test_an_error_says_what_to_do(turn: Turn, error: type[Exception], told: str) -> None:
    async with GeminiServer([turn]) as server:
        with pytest.raises(error) as caught:
            await suggest_scope("gemini", "", ingredients("gemini", server), TASK, VNC)
    remedy = getattr(caught.value, "remedy", "")
    assert remedy
    assert told in remedy
    assert "repeated" not in remedy


async def test_it_can_be_cancelled() -> None:
    async with GeminiServer([{"delay_s": 60, **says(SAID)}]) as server:
        asking = asyncio.ensure_future(suggest_scope("gemini", "", ingredients("gemini", server), TASK, VNC))
        await server.waiting.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking


def answer(**named: list[str]) -> str:
    return json.dumps({"applications": [], "sites": [], "effects": [], **named})


def test_what_cannot_be_a_scope_is_dropped_and_told() -> None:
    said = answer(
        sites=["Shop.Example", "https://bank.example/pay", "*.docs.example", "*.com", "google", "a.example, b.example",
               "mail.example:8443", "shop.example."],
        effects=["send", "SEND", "unknown", "everything", "download-run"],
        applications=["Text Editor", "a,b"],
    )  # fmt: skip
    found = read_scope(said, VNC, lambda _: "")
    assert found.sites == ("shop.example", "*.docs.example", "mail.example:8443")
    assert found.effects == (Category.SEND, Category.DOWNLOAD_RUN)
    assert found.apps == ("Text Editor", "a b")
    assert found.dropped == (
        "https://bank.example/pay", "*.com", "google", "a.example, b.example", "unknown", "everything",
    )  # fmt: skip


def test_on_this_computer_applications_are_those_that_are_installed() -> None:
    said = answer(applications=["Firefox", "Notes"])
    found = read_scope(said, TargetKind.MONITOR, {"Firefox": "firefox-esr", "Notes": ""}.__getitem__)
    assert (found.apps, found.dropped) == (("firefox-esr",), ("Notes",))


def test_in_a_managed_browser_no_application_is_named() -> None:
    found = read_scope(answer(applications=["Firefox"], sites=["shop.example"]), TargetKind.BROWSER, lambda name: name)
    assert (found.apps, found.sites, found.dropped) == ((), ("shop.example",), ())


@pytest.mark.parametrize(
    "said",
    [
        "", "[]", "no", '{"applications": [], "sites": [], "effects": []', answer(more=["x"]),
        json.dumps({"applications": "Firefox", "sites": [], "effects": []}), answer(sites=["x.example"] * 41),
        answer(sites=["x" * 121]), json.dumps({"applications": [1], "sites": [], "effects": []}),
        '{"applications": [NaN], "sites": [], "effects": []}', "[" * 100_000,
    ],
)  # fmt: skip
def test_an_answer_of_another_form_is_none(said: str) -> None:
    with pytest.raises(ProviderMalformed):
        read_scope(said, VNC, str)


@pytest.mark.parametrize("around", ["```json\n{}\n```", "<think>Which {sites}?</think>\n{}", "{}"])
def test_thoughts_and_a_code_block_are_no_part_of_it(around: str) -> None:
    assert read_scope(around.replace("{}", SAID), VNC, str) == FOUND


def test_every_kind_of_effect_is_explained_and_the_task_is_taken_as_it_is() -> None:
    asked = question("Write {effects} into {task}.")
    assert asked.endswith("Write {effects} into {task}.")
    for category in Category:
        assert (f"- {category.value}: " in asked) is (category is not Category.UNKNOWN)


def test_an_installed_application_is_named_as_its_windows_are(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "applications").mkdir()
    entries = {
        "firefox-esr": "Name=Firefox ESR\nExec=/bin/true %u\nStartupWMClass=firefox-esr",
        "mousepad": "Name=Mousepad\nExec=/bin/true %F",
    }
    for name, lines in entries.items():
        text = f"[Desktop Entry]\nType=Application\n{lines}\n"
        (tmp_path / "applications" / f"{name}.desktop").write_text(text, encoding="utf-8")
    monkeypatch.setenv("XDG_DATA_DIRS", str(tmp_path))
    assert [window_name(each) for each in ("Firefox", "firefox esr", "mousepad", "Frobnicator")] == [
        "firefox-esr", "firefox-esr", "true", "",
    ]  # fmt: skip
