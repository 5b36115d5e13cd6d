"""Reads an answer of `generateContent`: gives the proposal and the content to send again, or raises an error.

The response types of the SDK are not used, because the content must be sent again unchanged, with its signatures and
fields unknown to the SDK, and because unknown values must not be fatal.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pydantic
from pydantic.alias_generators import to_camel

from operator_console.domain.geometry import FrameGeometry
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call, Proposal, SafetySignal, Usage
from operator_console.providers.gemini.actions import parse_call
from operator_console.providers.shared import answers
from operator_console.providers.shared.answers import count, reported
from operator_console.providers.shared.arguments import given_arguments, make_call

# Gemini's own safety check of a call. The documented form is `args.safety_decision` = {"decision", "explanation"}. Also
# seen: beside the arguments, as JSON text, as a single word, as the repr of an enum, and named `safety_response`.
SAFETY_SOURCE = "gemini safety_decision"
_SAFETY_NAMES = ("safety_decision", "safetyDecision", "safety_response", "safetyResponse")
_CLEAR = frozenset({"allowed", "allow", "regular", "safe"})
_BLOCKED = frozenset({"blocked", "block", "deny", "denied", "forbidden"})


# A person must look at the screen, whatever else the answer contains.
_BLOCKS = frozenset(
    {
        "SAFETY", "PROHIBITED_CONTENT", "BLOCKLIST", "SPII", "MODEL_ARMOR", "ESCALATION", "IMAGE_SAFETY",
        "IMAGE_PROHIBITED_CONTENT",
    }
)  # fmt: skip
# The same if the answer contains no call.
_BLOCKS_IF_EMPTY = frozenset(
    {"OTHER", "RECITATION", "LANGUAGE", "IMAGE_OTHER", "IMAGE_RECITATION", "PUP_LIMITED_DISABLED"}
)
# The answer may be incomplete.
_CUT_OFF = frozenset({"MAX_TOKENS", "MALFORMED_FUNCTION_CALL", "MALFORMED_RESPONSE", "TOO_MANY_TOOL_CALLS"})
_HISTORY_FAULTS = frozenset({"MISSING_THOUGHT_SIGNATURE"})
_ENDS = frozenset({"", "STOP", "FINISH_REASON_UNSPECIFIED"})


def usage_of(body: bytes) -> Usage:
    """The tokens that an answer reports (`usageMetadata`).

    `promptTokenCount` includes cached tokens, but not those of tool results that the service itself adds, which are in
    `toolUsePromptTokenCount`; `candidatesTokenCount` does not include thinking. `promptTokensDetails` tells how many of
    the prompt's tokens are pictures.
    """
    usage = reported(body, "usageMetadata")
    prompt, added = count(usage, "promptTokenCount"), count(usage, "toolUsePromptTokenCount")
    return Usage(
        input_tokens=prompt if added is None else (prompt or 0) + added,
        cached_tokens=count(usage, "cachedContentTokenCount"),
        image_tokens=_images(usage),
        output_tokens=count(usage, "candidatesTokenCount"),
        thought_tokens=count(usage, "thoughtsTokenCount"),
    )


def _images(usage: Mapping[str, Any]) -> int | None:
    """The tokens of pictures; None without a list of kinds. A kind that is not in a list has none."""
    found = [
        entry
        for name in ("promptTokensDetails", "toolUsePromptTokensDetails")
        if isinstance(usage.get(name), list)
        for entry in usage[name]
        if isinstance(entry, dict)
    ]
    if not found:
        return None
    return sum(count(entry, "tokenCount") or 0 for entry in found if entry.get("modality") == "IMAGE")


class _Wire(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="ignore", alias_generator=to_camel, populate_by_name=True)


class _Part(_Wire):
    text: str | None = None
    thought: bool | None = None
    function_call: dict[str, Any] | None = None


class _Content(_Wire):
    parts: list[_Part] | None = None


class _Candidate(_Wire):
    content: _Content | None = None
    finish_reason: str | None = None
    finish_message: str | None = None


class _Feedback(_Wire):
    block_reason: str | None = None
    block_reason_message: str | None = None


class _Answer(_Wire):
    candidates: list[_Candidate] | None = None
    prompt_feedback: _Feedback | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """Further functions that the session offers, predefined ones that it does not offer, and whether its target is a
    managed browser."""

    tools: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()
    browser: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadContent:
    """The content of a usable answer: its calls, thoughts, other text and tokens, and all of it unchanged."""

    calls: tuple[Mapping[str, Any], ...]
    thoughts: str
    text: str
    usage: Usage
    content: Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnswer:
    """A usable answer: the proposal, and the content of the model unchanged."""

    proposal: Proposal
    content: Mapping[str, Any]


def read_answer(body: bytes, geometry: FrameGeometry, vocabulary: Vocabulary, *, request_bytes: int) -> ReadAnswer:
    """Read one answer. Raises ProviderRefused, ProviderRejected, ProviderMalformed."""
    read = read_content(body)
    proposal = Proposal(
        calls=tuple(_call(index, call, geometry, vocabulary) for index, call in enumerate(read.calls)),
        thoughts=read.thoughts,
        narration=read.text,
        finished=not read.calls,
        usage=read.usage,
        raw=body,
        request_bytes=request_bytes,
    )
    return ReadAnswer(proposal=proposal, content=read.content)


def read_content(body: bytes) -> ReadContent:
    """Read what one answer says, without its meaning. Raises ProviderRefused, ProviderRejected, ProviderMalformed."""
    raw: Any
    raw, answer = answers.read_body(body, _Answer)
    if answer.prompt_feedback is not None and _is_block(answer.prompt_feedback.block_reason):
        reason = str(answer.prompt_feedback.block_reason)
        raise answers.refusal("Gemini", reason, answer.prompt_feedback.block_reason_message or "")
    if not answer.candidates:
        without = notice(NoticeCode.MODEL_ANSWER_WITHOUT_CANDIDATE)
        raise answers.malformed(notice(NoticeCode.SERVICE_ANSWER_EMPTY), without)
    candidate = answer.candidates[0]
    parts = (candidate.content.parts if candidate.content is not None else None) or []
    calls = tuple(part.function_call for part in parts if part.function_call is not None)
    thoughts = "\n".join(part.text for part in parts if part.text and part.thought)
    text = "\n".join(part.text for part in parts if part.text and not part.thought).strip()
    _check_finish(candidate, has_calls=bool(calls), has_text=bool(text))
    content = raw["candidates"][0]["content"]
    return ReadContent(
        calls=calls,
        thoughts=thoughts.strip(),
        text=text,
        usage=usage_of(body),
        content=content if content.get("role") else {"role": "model", **content},
    )


def _check_finish(candidate: _Candidate, *, has_calls: bool, has_text: bool) -> None:
    reason = (candidate.finish_reason or "").rsplit(".", 1)[-1].upper()
    detail = candidate.finish_message or ""
    if reason in _BLOCKS or (reason in _BLOCKS_IF_EMPTY and not has_calls):
        raise answers.refusal("Gemini", reason, detail)
    if reason in _HISTORY_FAULTS and not has_calls:
        raise answers.conversation_rejected("Gemini", reason, detail)
    if has_calls and reason not in _CUT_OFF:
        return
    if reason not in _ENDS:
        raise answers.cut_off(reason, detail)
    if not has_text:
        raise answers.empty()


def _is_block(reason: str | None) -> bool:
    return reason not in {None, "", "BLOCKED_REASON_UNSPECIFIED", "BLOCK_REASON_UNSPECIFIED"}


def _call(index: int, wire: Mapping[str, Any], geometry: FrameGeometry, vocabulary: Vocabulary) -> Call:
    name = re.sub(r"^default_api[.:]", "", str(wire.get("name") or ""))  # the module of functions in the model's view
    arguments = given_arguments(wire.get("args"))
    return make_call(
        lambda: parse_call(
            name,
            arguments,
            geometry,
            tools=vocabulary.tools,
            excluded=vocabulary.excluded,
            browser=vocabulary.browser,
        ),
        index=index,
        call_id=str(wire.get("id") or ""),
        name=name,
        arguments=wire.get("args"),
        intent=str(arguments.get("intent") or ""),
        safety=read_signal(wire, arguments),
    )


def read_signal(call: Mapping[str, object], arguments: Mapping[str, object]) -> SafetySignal | None:
    """The safety check in a call; None if there is none, or if it allows the call.

    Any value that does not clearly allow the call counts as a request for confirmation, or as blocked.
    """
    for holder in (arguments, call):
        for name in _SAFETY_NAMES:
            if holder.get(name) is not None:
                return _signal(holder[name])
    return None


def _signal(value: object) -> SafetySignal | None:
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except ValueError:
            parsed = value
        value = parsed
    if isinstance(value, Mapping):
        stated, explanation = value.get("decision"), str(value.get("explanation") or "")
        if stated is None and not value:
            return None
        word = _word(stated) if stated is not None else "unspecified"
    else:
        word, explanation = _word(value), ""
    if word in _CLEAR:
        return None
    return SafetySignal(
        source=SAFETY_SOURCE, decision=word or "unspecified", explanation=explanation, blocked=word in _BLOCKED
    )


def _word(value: object) -> str:
    return str(value).rsplit(".", 1)[-1].strip().lower()
