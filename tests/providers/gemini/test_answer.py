"""Any bytes of an answer give a proposal or a ProviderError."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_console.domain.actions import Click, TypeText
from operator_console.domain.errors import ProviderError, ProviderMalformed
from operator_console.domain.geometry import NativePoint
from operator_console.providers.gemini.answer import ReadAnswer, Vocabulary, read_answer
from tests.providers.conftest import geometry

_SCALAR = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
_ANY = st.recursive(
    _SCALAR, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=4), inner, max_size=2)
)
_CALL = st.dictionaries(st.sampled_from(["name", "args", "id", "safety_decision"]), _ANY | st.just("click"))
_PART = st.dictionaries(
    st.sampled_from(["text", "thought", "functionCall", "thoughtSignature", "new"]), _ANY | _CALL, max_size=3
)
_CANDIDATE = st.dictionaries(
    st.sampled_from(["content", "finishReason", "finishMessage"]),
    _ANY | st.sampled_from(["STOP", "SAFETY"]) | st.fixed_dictionaries({"parts": st.lists(_PART, max_size=3)}),
)
_ANSWER = st.dictionaries(
    st.sampled_from(["candidates", "promptFeedback", "usageMetadata", "modelVersion"]),
    _ANY | st.lists(_CANDIDATE, max_size=2),
)


def _read(body: bytes) -> ReadAnswer:
    return read_answer(body, geometry(), Vocabulary(), request_bytes=1)


@settings(deadline=None, max_examples=300)
@given(_ANSWER.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=30))
def test_any_bytes(body: bytes) -> None:
    with contextlib.suppress(ProviderError):
        read = _read(body)
        assert read.proposal.calls or read.proposal.narration
        assert all(call.action is not None or call.error for call in read.proposal.calls)
        assert read.content["role"]


def test_deep_nesting_is_malformed() -> None:
    with pytest.raises(ProviderMalformed):
        _read(b'{"candidates":' + b"[" * 200_000 + b"]" * 200_000 + b"}")


def test_thoughts_narration_and_usage_are_told_apart() -> None:
    parts: list[dict[str, Any]] = [
        {"text": "I look.", "thought": True},
        {"text": "Opening it."},
        {"text": "I click.", "thought": True},
        {"functionCall": {"name": "click", "args": {"x": 1, "y": 1}}, "thoughtSignature": "+/=="},
        {"somethingNew": {"kept": True}},
    ]
    usage = {"promptTokenCount": 9, "candidatesTokenCount": 8, "cachedContentTokenCount": 7, "thoughtsTokenCount": 6}
    body = {"candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}], "usageMetadata": usage}
    read = _read(json.dumps(body).encode())
    assert read.proposal.thoughts == "I look.\nI click."
    assert read.proposal.narration == "Opening it."
    assert not read.proposal.finished
    counted = read.proposal.usage
    assert (counted.input_tokens, counted.output_tokens, counted.cached_tokens, counted.thought_tokens) == (9, 8, 7, 6)
    assert read.content == {"role": "model", "parts": parts}


@pytest.mark.parametrize(
    "reason", ["MAX_TOKENS", "MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "TOO_MANY_TOOL_CALLS"]
)
def test_calls_of_an_answer_that_was_cut_off_are_not_taken(reason: str) -> None:
    call = {"functionCall": {"name": "type", "args": {"text": "rm -rf /tmp/a"}}}
    body = {"candidates": [{"content": {"role": "model", "parts": [call]}, "finishReason": reason}]}
    with pytest.raises(ProviderMalformed) as caught:
        _read(json.dumps(body).encode())
    assert reason in caught.value.detail


@pytest.mark.parametrize("reason", ["STOP", "", "SOMETHING_NEW"])
def test_calls_of_any_other_answer_are(reason: str) -> None:
    call = {"functionCall": {"name": "wait", "args": {}}}
    body = {"candidates": [{"content": {"role": "model", "parts": [call]}, "finishReason": reason}]}
    assert len(_read(json.dumps(body).encode()).proposal.calls) == 1


@pytest.mark.parametrize("name", ["click", "default_api.click", "default_api:click"])
def test_a_module_before_the_name_and_arguments_as_text_are_read_with_the_safety_check(name: str) -> None:
    arguments = {"x": 500, "y": 500, "safety_decision": {"decision": "require_confirmation", "explanation": "Look."}}
    for args in (arguments, json.dumps(arguments)):
        part = {"functionCall": {"name": name, "args": args}}
        body = {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP"}]}
        (call,) = _read(json.dumps(body).encode()).proposal.calls
        assert isinstance(call.action, Click)
        assert call.safety is not None


def test_the_documented_answer() -> None:
    check = {"decision": "require_confirmation", "explanation": "Must check check-box"}
    parts = [
        {"text": "I will open the menu.", "thought": True},
        {
            "functionCall": {
                "id": "fc-1", "name": "click",
                "args": {"x": 450, "y": 120, "intent": "Open the File menu", "safety_decision": check},
            },
            "thoughtSignature": "YWJj",
        },
        {"functionCall": {"id": "fc-2", "name": "type", "args": {"text": "a", "press_enter": False, "intent": "…"}}},
    ]  # fmt: skip
    content = {"role": "model", "parts": parts}
    body = json.dumps({"candidates": [{"finishReason": "STOP", "content": content}]}).encode()
    answer = read_answer(body, geometry(), Vocabulary(), request_bytes=0)
    click, typed = answer.proposal.calls
    assert click.action == Click(at=NativePoint(648, 108))
    assert typed.action == TypeText(text="a")
    assert (click.call_id, click.intent, typed.call_id) == ("fc-1", "Open the File menu", "fc-2")
    assert click.safety is not None
    assert (click.safety.decision, click.safety.explanation) == tuple(check.values())
    assert typed.safety is None
    assert answer.proposal.thoughts == "I will open the menu."
    assert answer.content == content, "signatures go back as they came"
