"""Reads an answer of the Messages API: gives the proposal and the content to send again, or raises an error.

The response types of the SDK are not used, because thinking must be sent again unchanged, and because unknown values
must not be fatal.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pydantic

from operator_console.domain.geometry import FrameGeometry
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call, Proposal, Usage
from operator_console.providers.anthropic.actions import COMPUTER, parse_action
from operator_console.providers.shared import answers
from operator_console.providers.shared.answers import count, part, reported, without
from operator_console.providers.shared.arguments import INTENT_LENGTH, given_arguments, make_call
from operator_console.providers.shared.own_tools import Vocabulary, parse_function
from operator_console.providers.shared.results import one_line

# Only these are complete answers; all others, and those that are not known, may have been cut off. The last three are
# words of gateways to other models.
_COMPLETE = frozenset({"end_turn", "tool_use", "stop_sequence", "stop", "tool_calls", "eos"})
_PAUSED = "pause_turn"
_TOO_LONG = "model_context_window_exceeded"
_REFUSAL = "refusal"


def usage_of(body: bytes) -> Usage:
    """The tokens that an answer reports (`usage`).

    Its `input_tokens` are only those after the last cache point: what was read from a cache and written to it is
    counted apart. `output_tokens` includes thinking. Pictures are not told apart.
    """
    usage = reported(body, "usage")
    fresh = count(usage, "input_tokens")
    read, written = count(usage, "cache_read_input_tokens"), count(usage, "cache_creation_input_tokens")
    thoughts = count(part(usage, "output_tokens_details"), "thinking_tokens")
    return Usage(
        input_tokens=None if fresh is read is written is None else (fresh or 0) + (read or 0) + (written or 0),
        cached_tokens=read,
        cache_write_tokens=written,
        output_tokens=without(count(usage, "output_tokens"), thoughts),
        thought_tokens=thoughts,
    )


class _StopDetails(answers.Wire):
    category: str | None = None
    explanation: str | None = None


class _Message(answers.Wire):
    content: list[dict[str, Any]] | None = None
    stop_reason: str | None = None
    stop_details: _StopDetails | None = None


class _Text(answers.Wire):
    text: str


class _Thinking(answers.Wire):
    thinking: str


class _RedactedThinking(answers.Wire):
    data: str


class _ToolUse(answers.Wire):
    id: str = pydantic.Field(min_length=1)
    name: str = pydantic.Field(min_length=1)
    input: Any = None
    toolset_name: str | None = None


_BLOCKS: Mapping[str, type[answers.Wire]] = {
    "text": _Text,
    "thinking": _Thinking,
    "redacted_thinking": _RedactedThinking,
    "tool_use": _ToolUse,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadMessage:
    """What a usable answer says, without its meaning.

    Attributes:
        blocks: Its blocks as read.
        content: The same as they are sent again.
        text: All of its text.
        thoughts: What of its thinking is shown.
        usage: Tokens of all parts.
        paused: As of `ReadAnswer`.
    """

    blocks: Sequence[answers.Wire]
    content: Sequence[Mapping[str, Any]]
    text: str
    thoughts: str
    usage: Usage
    paused: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnswer:
    """A usable answer.

    Attributes:
        proposal: What the model proposes; without calls and text if `paused`.
        content: The model's turn, to be sent again.
        toolsets: The toolset of each tool use that belongs to one, by the id of the tool use.
        paused: The service has interrupted the turn, and continues it if it is sent again.
    """

    proposal: Proposal
    content: Mapping[str, Any]
    toolsets: Mapping[str, str]
    paused: bool


def read_answer(
    bodies: Sequence[bytes], geometry: FrameGeometry, vocabulary: Vocabulary, *, request_bytes: int
) -> ReadAnswer:
    """Read one answer, in several parts if the service paused it.

    Raises:
        ProviderRefused, ProviderRejected, ProviderMalformed: There is no usable answer.
    """
    read = read_message(bodies)
    calls = _calls(read.blocks, geometry, vocabulary)
    proposal = Proposal(
        calls=calls,
        thoughts=read.thoughts,
        narration=read.text,
        finished=not calls and bool(read.text) and not read.paused,
        usage=read.usage,
        raw=bodies[0] if len(bodies) == 1 else b"[" + b",".join(bodies) + b"]",
        request_bytes=request_bytes,
    )
    uses = (block for block in read.blocks if isinstance(block, _ToolUse))
    return ReadAnswer(
        proposal=proposal,
        content={"role": "assistant", "content": read.content},
        toolsets={use.id: use.toolset_name for use in uses if use.toolset_name is not None},
        paused=read.paused,
    )


def read_message(bodies: Sequence[bytes]) -> ReadMessage:
    """Read what an answer says, in several parts if the service paused it.

    Raises:
        ProviderRefused, ProviderRejected, ProviderMalformed: There is no usable answer.
    """
    messages = [answers.read_body(body, _Message)[1] for body in bodies]
    content = [_sendable(block) for message in messages for block in message.content or () if _is_kept(block)]
    blocks = [answers.read_block(_BLOCKS, block) for block in content]
    uses = [block for block in blocks if isinstance(block, _ToolUse)]
    if len({use.id for use in uses}) != len(uses):
        raise answers.malformed(notice(NoticeCode.MODEL_ANSWER_UNREADABLE), notice(NoticeCode.CALLS_SHARE_ID))
    texts = [block.text for block in blocks if isinstance(block, _Text)]
    paused = _check_stop(messages[-1], has_uses=bool(uses))
    if not (uses or texts or (paused and content)):
        raise answers.empty()
    return ReadMessage(
        blocks=blocks,
        content=content,
        text="\n".join(texts).strip(),
        thoughts="\n".join(block.thinking for block in blocks if isinstance(block, _Thinking)).strip(),
        usage=sum(map(usage_of, bodies), Usage()),
        paused=paused,
    )


def _is_kept(block: Mapping[str, Any]) -> bool:
    """Whether a block is sent again. Kinds that are not known and empty texts would be rejected."""
    kind = block.get("type")
    if kind == "text":
        return isinstance(block.get("text"), str) and bool(block["text"].strip())
    return isinstance(kind, str) and kind in _BLOCKS


def _sendable(block: Mapping[str, Any]) -> Mapping[str, Any]:
    """The block with its arguments as an object, as the protocol demands; gateways also give them as text."""
    if block["type"] != "tool_use" or isinstance(block.get("input"), dict):
        return block
    return {**block, "input": given_arguments(block.get("input"))}


def _check_stop(message: _Message, *, has_uses: bool) -> bool:
    """Whether the turn was paused. Raises ProviderError if it is refused or may be incomplete."""
    reason = message.stop_reason or ""
    details = message.stop_details or _StopDetails()
    if reason == _REFUSAL:
        raise answers.refusal("Claude", details.category or reason, details.explanation or "")
    if reason == _TOO_LONG:
        raise answers.conversation_rejected("Claude", reason)
    if reason == _PAUSED:
        return not has_uses
    if reason not in _COMPLETE:
        raise answers.cut_off(reason or "stop_reason null")
    return False


def _calls(blocks: Sequence[answers.Wire], geometry: FrameGeometry, vocabulary: Vocabulary) -> tuple[Call, ...]:
    """The calls, each with the text before it as intent: tool uses have no argument for it."""
    made: list[Call] = []
    said = ""
    for block in blocks:
        if isinstance(block, _Text):
            said = one_line(block.text, INTENT_LENGTH)
        elif isinstance(block, _ToolUse):
            made.append(_call(len(made), block, said, geometry, vocabulary))
    return tuple(made)


def _call(index: int, use: _ToolUse, intent: str, geometry: FrameGeometry, vocabulary: Vocabulary) -> Call:
    arguments = given_arguments(use.input)
    parse, name = parse_function, use.name
    if use.toolset_name == COMPUTER:
        parse = parse_action
    elif use.name == COMPUTER:  # a dated tool
        parse, name = parse_action, str(arguments.get("action") or "")
    return make_call(
        lambda: parse(name, arguments, geometry, vocabulary),
        index=index,
        call_id=use.id,
        name=name or use.name,
        arguments=use.input,
        intent=intent,
    )
