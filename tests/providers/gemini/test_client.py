"""Failures of a request become the right error, without retries, and leave the conversation unchanged."""

from __future__ import annotations

import email.utils
import time
from typing import Any

import pytest

from operator_console.domain.errors import (
    OperatorError,
    ProviderError,
    ProviderMalformed,
    ProviderRejected,
    ProviderTransient,
)
from operator_console.providers.gemini import DEFAULT_MODEL
from operator_console.providers.gemini import provider as gemini
from operator_console.providers.gemini.client import _api_error
from tests.providers.conftest import BRIEF, MakeBench, all_done, seen
from tests.servers.gemini_server import GeminiServer

CLICK = {"name": "click", "args": {"x": 500, "y": 250}}
DONE = {"text": "Done."}
DAILY = "GenerateRequestsPerDayPerProjectPerModel-FreeTier"
MINUTELY = "GenerateRequestsPerMinutePerProjectPerModel-FreeTier"


@pytest.mark.parametrize(
    ("fault", "error", "retry_after_s"),
    [
        ({"status": 429, "retry_info": "13.5s", "quota_id": MINUTELY}, ProviderTransient, 13.5),
        ({"status": 429, "retry_after": 7, "retry_info": "9s"}, ProviderTransient, 9.0),
        ({"status": 429, "quota_id": DAILY, "retry_info": "30s"}, ProviderRejected, None),
        ({"status": 408}, ProviderTransient, None),
        ({"body": '{"candidates": [{"content": {"parts": [{"functionCall": 3}]}}]}'}, ProviderMalformed, None),
        ({"candidates": []}, ProviderMalformed, None),
        ({"candidates": [{"content": {"role": "model"}, "finishReason": "STOP"}]}, ProviderMalformed, None),
        ({"thought": "Only a thought."}, ProviderMalformed, None),
        ({"finish_reason": "MALFORMED_FUNCTION_CALL"}, ProviderMalformed, None),
        ({"finish_reason": "SOMETHING_NEW"}, ProviderMalformed, None),
        ({"finish_reason": "MISSING_THOUGHT_SIGNATURE"}, ProviderRejected, None),
    ],
    ids=str,
)
async def test_a_fault_is_raised_once_and_the_turn_can_be_sent_again(
    bench: MakeBench, fault: dict[str, Any], error: type[ProviderError], retry_after_s: float | None
) -> None:
    it = await bench([{"calls": [CLICK]}, fault, {"calls": [CLICK]}, DONE])
    first = await it.provider.propose(seen())
    observation = seen(*all_done(first), shade=1)
    with pytest.raises(error) as caught:
        await it.provider.propose(observation)
    assert len(it.server.received) == 2
    assert type(caught.value) is error
    assert getattr(caught.value, "retry_after_s", None) == retry_after_s
    assert caught.value.title.endswith(".")
    second = await it.provider.propose(observation)
    assert it.contents(1) == it.contents(2)
    assert (await it.provider.propose(seen(*all_done(second), shade=2))).finished
    assert it.server.violations == []


async def test_a_nudge_after_a_malformed_answer(bench: MakeBench) -> None:
    it = await bench([{"finish_reason": "MALFORMED_FUNCTION_CALL"}, {"calls": [CLICK]}])
    with pytest.raises(ProviderMalformed):
        await it.provider.propose(seen())
    await it.provider.propose(seen(messages=["Your last answer could not be read. Answer again."]))
    (opening,) = it.contents()
    assert opening["parts"][0]["text"].endswith("Answer again.")


async def test_a_wrong_key_is_named_and_not_shown() -> None:
    async with GeminiServer([DONE], api_key="the-right-one") as server:
        provider = gemini.GeminiProvider(model=DEFAULT_MODEL, api_key="a-wrong-one", base_url=server.url)
        provider.begin(BRIEF)
        with pytest.raises(ProviderRejected) as caught:
            await provider.propose(seen())
        await provider.close()
    assert caught.value.key_problem
    assert "a-wrong-one" not in str(caught.value)


async def test_no_key_is_the_operators_to_mend() -> None:
    provider = gemini.GeminiProvider(model=DEFAULT_MODEL, base_url="http://127.0.0.1:9")
    provider.begin(BRIEF)
    with pytest.raises(OperatorError, match="no key"):
        await provider.propose(seen())
    await provider.close()


async def test_the_sdks_own_environment_is_honoured(monkeypatch: pytest.MonkeyPatch) -> None:
    async with GeminiServer([DONE], api_key="from-the-environment") as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.url)
        monkeypatch.setenv("GEMINI_API_KEY", "from-the-environment")
        provider = gemini.GeminiProvider(model=DEFAULT_MODEL)
        provider.begin(BRIEF)
        assert (await provider.propose(seen())).finished
        await provider.close()


def test_retry_after_as_a_date() -> None:
    stated = email.utils.formatdate(time.time() + 100, usegmt=True)
    error = _api_error(429, {}, {"retry-after": stated}, "m")
    assert isinstance(error, ProviderTransient)
    assert error.retry_after_s is not None
    assert 0 < error.retry_after_s <= 101


@pytest.mark.parametrize("details", [None, [], "text", {"error": "text"}, {"error": {"details": [3, {"@type": 5}]}}, 7])
def test_any_error_body_is_survived(details: object) -> None:
    assert isinstance(_api_error(500, details, {}, "m"), ProviderTransient)
    assert isinstance(_api_error(400, details, {}, "m"), ProviderRejected)
