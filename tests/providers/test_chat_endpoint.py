"""The connection to an endpoint: its address, keys, and what a check says."""

from __future__ import annotations

import pytest

from operator_console.domain.errors import OperatorError, ProviderRejected
from operator_console.domain.message_texts import notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.providers.registry import check, create
from operator_console.providers.shared.http_client import without_key
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
    error = without_key(ProviderRejected("t", detail=reported("503", "")), "sk-1")
    assert [each.code for each in notices_of(error.detail)] == [NoticeCode.VERBATIM, NoticeCode.SERVICE_GAVE_NO_REASON]
    assert "sk-1" not in without_key(ProviderRejected("t", detail=reported("401", "bad key sk-1")), "sk-1").detail


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


async def test_a_check_sends_a_small_picture() -> None:
    async with ChatServer([{"content": "W", "finish_reason": "length"}], models=[MODEL], api_key="k") as server:
        said = await check("ui_tars", MODEL, Ingredients(base_url=server.base_url, api_key="k"))
    assert "takes pictures" in said
    assert "version 1.5" in said
    assert server.received[0].body["max_tokens"] == 1
    assert server.received[0].size < 1000
    assert server.violations == []


async def test_a_check_says_what_is_wrong() -> None:
    text_only = {"status": 400, "message": "At most 0 image(s) may be provided in one prompt."}
    async with ChatServer([text_only], models=["Qwen/Qwen3-VL-8B-Instruct"]) as server:
        with pytest.raises(ProviderRejected, match="At most 0 image"):
            await check("qwen", "", Ingredients(base_url=server.base_url))
        with pytest.raises(ProviderRejected, match="no model 'qwen3-other'") as caught:
            await check("qwen", "qwen3-other", Ingredients(base_url=server.base_url))
        assert "serves the model" in caught.value.remedy
        with pytest.raises(ProviderRejected) as lacking:
            await check("qwen", "", Ingredients(base_url=server.url))
        assert "/v1" in lacking.value.remedy
