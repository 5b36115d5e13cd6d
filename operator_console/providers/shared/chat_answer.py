"""Reads a chat completion: the text, the native calls of functions, what the model thought, and the tokens.

The response types of the SDK are not used: endpoints differ in what they leave out and add, and the body is recorded
unchanged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pydantic

from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Usage
from operator_console.providers.shared import answers
from operator_console.providers.shared.answers import count, part, reported, without

MAX_TEXT = 200_000
MAX_CALLS = 32

_TOKEN_LIMIT = frozenset({"length", "max_tokens", "model_length"})
# Any other reason is complete: servers name the end of an answer in many ways (eos, stop_sequence, end_turn).
_BROKEN_OFF = frozenset({"abort", "aborted", "cancelled", "error", "insufficient_system_resource"})
_FILTERED = "content_filter"


def usage_of(body: bytes) -> Usage:
    """The tokens that a completion reports (`usage`).

    `prompt_tokens` includes those read from a cache, `completion_tokens` includes reasoning, as in OpenAI's own
    service. Most endpoints report no more than these two; few tell pictures apart (`image_tokens`).
    """
    usage = reported(body, "usage")
    prompt = part(usage, "prompt_tokens_details")
    thoughts = count(part(usage, "completion_tokens_details"), "reasoning_tokens")
    return Usage(
        input_tokens=count(usage, "prompt_tokens"),
        cached_tokens=count(prompt, "cached_tokens"),
        cache_write_tokens=count(prompt, "cache_write_tokens"),
        image_tokens=count(prompt, "image_tokens") or None,  # 0, with a picture in every request, is no count
        output_tokens=without(count(usage, "completion_tokens"), thoughts),
        thought_tokens=thoughts,
    )


class _Wire(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="ignore")


class _Function(_Wire):
    name: str | None = None
    arguments: Any = None


class _ToolCall(_Wire):
    id: str | None = None
    function: _Function


class _Message(_Wire):
    content: str | list[dict[str, Any]] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _Choice(_Wire):
    message: _Message
    finish_reason: str | None = None


class _Completion(_Wire):
    choices: list[_Choice] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionCall:
    """A native call; `arguments` are as the endpoint gave them, usually JSON text."""

    call_id: str
    name: str
    arguments: object


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatAnswer:
    """A completion. `thoughts` are those that the endpoint keeps apart from the text."""

    text: str
    thoughts: str
    calls: tuple[FunctionCall, ...]
    usage: Usage


def read_chat(body: bytes, service: str, *, limit_option: str = "max_tokens") -> ChatAnswer:
    """Read a completion.

    Where the answer has no content, but something that the endpoint took for thoughts, that is the text: a reasoning
    parser whose end mark the model does not write takes the whole answer.

    Args:
        body: The answer's body.
        service: The name of the service, for errors.
        limit_option: The option that limits the tokens of an answer.

    Raises:
        ProviderRefused, ProviderMalformed: There is no usable answer.
    """
    completion = answers.read_body(body, _Completion)[1]
    if not completion.choices:
        raise answers.malformed(
            notice(NoticeCode.SERVICE_ANSWER_EMPTY), notice(NoticeCode.MODEL_ANSWER_WITHOUT_CANDIDATE)
        )
    choice = completion.choices[0]
    message = choice.message
    reason = choice.finish_reason or ""
    if reason == _FILTERED or message.refusal:
        raise answers.refusal(service, reason if reason == _FILTERED else "refusal", message.refusal or "")
    text, thoughts = _text(message.content), (message.reasoning_content or message.reasoning or "").strip()
    calls = message.tool_calls or []
    if not text.strip() and not calls:
        text, thoughts = thoughts, ""
    _check_complete(reason, text, calls, limit_option)
    return ChatAnswer(
        text=text,
        thoughts=thoughts,
        calls=tuple(
            FunctionCall(
                call_id=call.id or "", name=call.function.name or "", arguments=_given(call.function.arguments)
            )
            for call in calls
        ),
        usage=usage_of(body),
    )


def _check_complete(reason: str, text: str, calls: list[_ToolCall], limit_option: str) -> None:
    if reason.lower() in _TOKEN_LIMIT:
        raise answers.cut_off(reason, notice(NoticeCode.RAISE_ANSWER_LIMIT, option=limit_option))
    if reason.lower() in _BROKEN_OFF:
        raise answers.cut_off(reason)
    if len(text) > MAX_TEXT or len(calls) > MAX_CALLS:
        raise answers.malformed(notice(NoticeCode.MODEL_ANSWER_UNREADABLE), notice(NoticeCode.ANSWER_TOO_LONG))
    if not text.strip() and not calls:
        raise answers.empty()


def _text(content: str | list[dict[str, Any]] | None) -> str:
    if isinstance(content, list):
        return "".join(part["text"] for part in content if isinstance(part.get("text"), str))
    return content or ""


def _given(arguments: object) -> object:
    return {} if arguments is None else arguments
