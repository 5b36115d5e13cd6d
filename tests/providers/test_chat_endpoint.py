"""The connection to an endpoint: its address and keys."""

from __future__ import annotations

import json

import pytest

from operator_console.domain.errors import OperatorError, ProviderRejected
from operator_console.domain.message_texts import notice, notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.domain.redaction import hide_key
from operator_console.providers.registry import create
from operator_console.providers.shared.chat_endpoint import endpoint_address
from operator_console.providers.shared.http_faults import reported
from operator_console.providers.spec import Ingredients
from operator_console.providers.ui_tars.options import UiTarsOptions
from operator_console.providers.ui_tars.provider import UiTarsProvider
from tests.providers.conftest import BRIEF, seen
from tests.servers.chat_server import ChatServer
from tests.servers.plain_servers import answering

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


async def refused_by(address: str) -> ProviderRejected:
    provider = UiTarsProvider(model=MODEL, options=UiTarsOptions(base_url=address))
    provider.begin(BRIEF)
    try:
        with pytest.raises(ProviderRejected) as caught:
            await provider.propose(seen())
    finally:
        await provider.close()
    return caught.value


async def test_an_unknown_model_and_an_address_without_its_path_are_told_apart() -> None:
    async with ChatServer([], models=["another"]) as server:
        unknown, elsewhere = await refused_by(server.base_url), await refused_by(server.url)
        assert unknown.title == notice(NoticeCode.SERVICE_HAS_NO_MODEL, service="UI-TARS", model=MODEL)
        assert "serves the model" in unknown.remedy
        asked = f"{server.url}/chat/completions"
        assert elsewhere.title == notice(NoticeCode.NO_SERVICE_AT_ADDRESS, service="UI-TARS", address=asked)
        assert "/v1" in elsewhere.remedy


@pytest.mark.parametrize(
    "end", ["", "/", "//", "/v1", "/v1/", "/chat/completions", "/chat/completions/", "/completions", "/models", "/chat"]
)
async def test_an_address_of_a_request_is_that_of_the_endpoint(end: str) -> None:
    async with ChatServer([DONE], models=[MODEL]) as server:
        provider = UiTarsProvider(model=MODEL, options=UiTarsOptions(base_url=f" {server.base_url}{end} "))
        provider.begin(BRIEF)
        assert [call.name for call in (await provider.propose(seen())).calls] == ["finished"]
        await provider.close()
        assert server.violations == []


def test_another_path_stays_as_it_is() -> None:
    assert endpoint_address("https://h/api/v3/models-of-ours") == "https://h/api/v3/models-of-ours"


@pytest.mark.parametrize("status", [301, 302, 307, 308])
async def test_a_redirect_names_where_it_leads_and_is_not_followed(status: int) -> None:
    async with answering(200) as there, answering(status, location=f"http://127.0.0.1:{there.port}/v1?key=abc") as here:
        refused = await refused_by(f"http://127.0.0.1:{here.port}/v1")
        there_v1 = f"http://127.0.0.1:{there.port}/v1"
        assert refused.title == notice(NoticeCode.SERVICE_REDIRECTS, service="UI-TARS", address=there_v1)
        assert "abc" not in str(refused)
        assert there.requests == []
        assert len(here.requests) == 1


async def test_a_page_of_a_proxy_and_a_list_of_faults_are_told_in_words() -> None:
    page = "<html><head><title>413</title></head><body><h1>413 Request Entity Too Large</h1>nginx</body></html>"
    async with answering(413, page, kind="text/html") as proxy:
        assert "413: 413 Request Entity Too Large nginx." in (await refused_by(f"http://127.0.0.1:{proxy.port}")).detail
    faults = json.dumps({"detail": [{"loc": ["body", "messages"], "msg": "Field required", "type": "missing"}]})
    async with answering(422, faults) as service:
        refused = await refused_by(f"http://127.0.0.1:{service.port}")
    assert "body.messages: Field required" in refused.detail


async def test_an_account_without_credit_is_not_told_to_slow_down() -> None:
    spent = {"error": {"message": "You exceeded your current quota.", "code": "insufficient_quota", "type": "x"}}
    async with answering(429, json.dumps(spent)) as service:
        refused = await refused_by(f"http://127.0.0.1:{service.port}/v1")
    assert refused.title == notice(NoticeCode.SERVICE_WANTS_PAYMENT, service="UI-TARS")


async def test_an_error_that_another_protocol_tells_with_the_status_of_a_success_is_one() -> None:
    told = {
        '{"code": "InvalidApiKey", "message": "Invalid API-key provided."}': NoticeCode.SERVICE_REJECTED_KEY,
        '{"code": 404, "msg": "No such path", "success": false}': NoticeCode.NO_SERVICE_AT_ADDRESS,
        '{"object": "error", "message": "Bad image", "code": 400}': NoticeCode.SERVICE_REJECTED_REQUEST,
    }
    for body, code in told.items():
        async with answering(200, body) as service:
            (title,) = notices_of((await refused_by(f"http://127.0.0.1:{service.port}/v1")).title)
        assert title.code == code
