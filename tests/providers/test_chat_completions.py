"""A completion is read as servers write it: any word for its end, a reasoning parser that took all of it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from operator_console.domain.errors import ProviderMalformed, ProviderRefused
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.shared.chat_completions import ChatAnswer, read_chat


def read(message: dict[str, Any], reason: Any = "stop") -> ChatAnswer:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
    return read_chat(json.dumps({"choices": [choice]}).encode(), "Service", limit_option="max_tokens")


@pytest.mark.parametrize(
    "reason", [None, "", "stop", "tool_calls", "eos", "eos_token", "STOP", "stop_sequence", "end_turn", "something_new"]
)
def test_an_answer_is_complete_however_its_end_is_named(reason: str | None) -> None:
    assert read({"content": "all of it"}, reason).text == "all of it"


@pytest.mark.parametrize("reason", ["length", "LENGTH", "max_tokens", "max_output_tokens", "model_length"])
def test_an_answer_at_the_limit_names_the_option(reason: str) -> None:
    with pytest.raises(ProviderMalformed) as raised:
        read({"content": "half of"}, reason)
    assert raised.value.title == notice(NoticeCode.MODEL_ANSWER_CUT_OFF)
    assert notice(NoticeCode.RAISE_ANSWER_LIMIT, option="max_tokens") in raised.value.detail


@pytest.mark.parametrize("reason", ["abort", "error", "insufficient_system_resource", "network_error"])
def test_an_answer_that_the_server_broke_off_is_asked_for_again_and_is_not_the_models_fault(reason: str) -> None:
    with pytest.raises(ProviderMalformed) as raised:
        read({"content": "half of"}, reason)
    assert not raised.value.by_model


@pytest.mark.parametrize("reason", ["content_filter", "CONTENT_FILTER", "SAFETY", "sensitive"])
def test_an_answer_that_a_filter_took_is_told_as_blocked(reason: str) -> None:
    with pytest.raises(ProviderRefused):
        read({"content": ""}, reason)


@pytest.mark.parametrize(
    "odd",
    [
        {"reasoning": {"content": "Hm."}},
        {"reasoning_content": ["Hm."]},
        {"refusal": False},
        {"tool_calls": {}},
        {"content": {"type": "text", "text": "all of it"}},
        {"content": ["all of it"]},
        {"content": [None, {"type": "text", "text": "all of it"}]},
    ],
    ids=str,
)
def test_a_field_of_another_type_does_not_make_an_answer_unusable(odd: dict[str, Any]) -> None:
    assert read({"content": "all of it", **odd}, {"type": "stop"}).text == "all of it"


def test_an_id_may_be_a_number() -> None:
    (call,) = read({"content": None, "tool_calls": [{"id": 0, "function": {"name": "f", "arguments": {}}}]}).calls
    assert call.call_id == "0"


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning"])
@pytest.mark.parametrize("content", [None, "", "\n\n", []])
def test_an_answer_that_the_reasoning_parser_took_is_the_answer(field: str, content: Any) -> None:
    answer = read({"content": content, field: "Click on it."})
    assert (answer.text, answer.thoughts) == ("Click on it.", "")


def test_thoughts_beside_an_answer_or_a_call_stay_thoughts() -> None:
    beside = read({"content": "It is done.", "reasoning_content": "Is it?"})
    assert (beside.text, beside.thoughts) == ("It is done.", "Is it?")
    called = read({"content": "", "reasoning": "Hm.", "tool_calls": [{"function": {"name": "f", "arguments": "{}"}}]})
    assert (called.text, called.thoughts) == ("", "Hm.")


def test_neither_text_nor_thoughts_is_empty() -> None:
    with pytest.raises(ProviderMalformed) as raised:
        read({"content": None, "reasoning": " "})
    assert raised.value.title == notice(NoticeCode.SERVICE_ANSWER_EMPTY)
