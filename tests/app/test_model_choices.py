"""The list of models in the window."""

from __future__ import annotations

import pytest

from operator_console.app.model_choices import model_choices, profile_choices, told_mark, told_title
from operator_console.providers import registry
from operator_console.settings.model import Notices, Settings
from operator_console.settings.profiles import Profile


def test_a_model_is_called_as_its_service_calls_it() -> None:
    titles = [choice.title for choice in model_choices(Settings(), registry.find("openai"))]
    assert titles[0] == "gpt-5.6-sol"
    assert "gpt-5.6-sol (" in [each.title for each in model_choices(Settings(), registry.find("structured"))][-1]


PROXY = "proxy.lan:3128"


@pytest.fixture
def proxied(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """An environment with a proxy for everything, which has a user and a password."""
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTPS_PROXY", f"http://someone:sesame@{PROXY}")
    monkeypatch.setenv("HTTP_PROXY", f"http://someone:sesame@{PROXY}")
    return monkeypatch


@pytest.mark.parametrize("provider", ["gemini", "anthropic", "openai", "cogagent", "ui_tars", "qwen", "structured"])
def test_what_a_person_agrees_to_names_the_proxy(proxied: pytest.MonkeyPatch, provider: str) -> None:
    spec = registry.find(provider)
    for choice in model_choices(Settings(), spec):
        assert f", through the proxy {PROXY}. Nothing else" in choice.leaves
        assert "someone" not in choice.leaves
        assert "sesame" not in choice.leaves
    for profile in ("http://192.168.7.5/v1", "https://there.test/v1"):
        settings = Settings(profiles={"p": Profile(provider=provider, model="m", base_url=profile)})
        assert f", through the proxy {PROXY}. " in profile_choices(settings)[0].leaves


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "LOCALHOST", "box.localhost.", "[::1]", "127.3.2.1"])
def test_of_a_model_on_this_computer_nothing_leaves_whatever_proxy_is_set(
    proxied: pytest.MonkeyPatch, host: str
) -> None:
    settings = Settings(profiles={"p": Profile(provider="qwen", model="m", base_url=f"http://{host}:8000/v1")})
    assert profile_choices(settings)[0].leaves == ""


def test_a_service_without_a_proxy_of_its_own_is_said_to_be_reached_directly(proxied: pytest.MonkeyPatch) -> None:
    proxied.setenv("NO_PROXY", "openai.com,there.test")
    assert "proxy" not in model_choices(Settings(), registry.find("openai"))[0].leaves
    settings = Settings(profiles={"p": Profile(provider="qwen", model="m", base_url="https://there.test/v1")})
    assert "proxy" not in profile_choices(settings)[0].leaves


def test_who_agreed_without_a_proxy_is_asked_again_with_one(proxied: pytest.MonkeyPatch) -> None:
    spec = registry.find("openai")
    before = Settings(notices=Notices(seen=("openai",)))
    assert not model_choices(before, spec)[0].told
    mark = told_mark(Settings(), "openai")
    assert told_title(mark) == f"{spec.title} through {PROXY}"
    assert model_choices(Settings(notices=Notices(seen=(mark,))), spec)[0].told
    proxied.delenv("HTTPS_PROXY")
    assert model_choices(before, spec)[0].told
