"""The connection to an endpoint: its address and keys."""

from __future__ import annotations

import pytest

from operator_console.domain.errors import OperatorError, ProviderRejected
from operator_console.domain.message_texts import notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.domain.redaction import hide_key
from operator_console.providers.registry import create
from operator_console.providers.shared.http_faults import reported
from operator_console.providers.spec import Ingredients
from operator_console.providers.ui_tars.options import UiTarsOptions
from operator_console.providers.ui_tars.provider import UiTarsProvider
from tests.providers.conftest import BRIEF, seen
from tests.servers.chat_server import ChatServer

MODEL = "ByteDance-Seed/UI-TARS-1.5-7B"
DONE = {"content": "Thought: It is done.\nAction: finished()"}


@pytest.fixture(autouse=True)
def without_variables(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("UI_TARS_BASE_URL", "UI_TARS_API_KEY", "QWEN_BASE_URL", "QWEN_API_KEY", "HTTP_PROXY", "http_proxy"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(("provider", "variable"), [("ui_tars", "UI_TARS_BASE_URL"), ("qwen", "QWEN_BASE_URL")])
def test_an_address_is_needed_and_a_key_is_not(monkeypatch: pytest.MonkeyPatch, provider: str, variable: str) -> None:
    with pytest.raises(OperatorError, match="no address") as caught:
        create(provider, "", Ingredients())
    assert variable in caught.value.remedy
    monkeypatch.setenv(variable, "http://127.0.0.1:9/v1")
    assert create(provider, "", Ingredients()).name == provider


@pytest.mark.parametrize(("provider", "model"), [("ui_tars", "my-model"), ("ui_tars", "ui-tars"), ("qwen", "qwen-vl")])
def test_a_name_that_does_not_tell_the_version_is_refused(provider: str, model: str) -> None:
    with pytest.raises(OperatorError, match="does not tell") as caught:
        create(provider, model, Ingredients(base_url="http://127.0.0.1:9/v1"))
    assert provider in caught.value.remedy


def test_an_error_without_a_reason_keeps_its_codes_and_hides_the_key() -> None:
    hide_key("sk-1")
    error = ProviderRejected("t", detail=reported("503", ""))
    assert [each.code for each in notices_of(error.detail)] == [NoticeCode.VERBATIM, NoticeCode.SERVICE_GAVE_NO_REASON]
    assert "sk-1" not in ProviderRejected("t", detail=reported("401", "bad key sk-1")).detail


async def test_what_is_meant_for_openai_is_not_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID"):
        monkeypatch.setenv(name, "secret-of-openai")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_CUSTOM_HEADERS", "Authorization: Bearer secret-of-openai")
    async with ChatServer([DONE], models=[MODEL]) as server:
        provider = UiTarsProvider(model=MODEL, options=UiTarsOptions(base_url=server.base_url))
        provider.begin(BRIEF)
        await provider.propose(seen())
        await provider.close()
    assert "secret-of-openai" not in str(server.received[0].headers)
    assert server.received[0].headers["authorization"] == "Bearer EMPTY"
    assert server.violations == []


async def test_an_unknown_model_and_an_address_without_its_path_are_told_apart() -> None:
    async with ChatServer([], models=["another"]) as server:
        for address, remedy in ((server.base_url, "serves the model"), (server.url, "/v1")):
            provider = UiTarsProvider(model=MODEL, options=UiTarsOptions(base_url=address))
            provider.begin(BRIEF)
            with pytest.raises(ProviderRejected, match=f"no model '{MODEL}'") as caught:
                await provider.propose(seen())
            await provider.close()
            assert remedy in caught.value.remedy
