"""Reads an answer of the Responses API: gives the proposal and the items to send again, or raises an error.

The response types of the SDK are not used, because reasoning must be sent again unchanged, and because unknown values
must not be fatal.

One `computer_call` has several actions, and each becomes a `Call` of its own with the id of the wire's call. Its safety
checks are those of all its actions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pydantic

from operator_console.domain.errors import ActionError, ProviderError, ProviderTransient
from operator_console.domain.geometry import FrameGeometry
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call, Proposal, SafetySignal, Usage
from operator_console.providers.openai.actions import parse_action
from operator_console.providers.openai.contents import WireCall
from operator_console.providers.shared import answers
from operator_console.providers.shared.answers import count, part, reported, without
from operator_console.providers.shared.arguments import (
    INTENT_LENGTH,
    ParsedCall,
    decoded_arguments,
    given_arguments,
    make_call,
)
from operator_console.providers.shared.own_tools import Vocabulary, parse_function
from operator_console.providers.shared.results import one_line

SAFETY_SOURCE = "openai pending_safety_checks"

_NAME_LIMIT = 80
# The service could not answer now.
_TRANSIENT_ERRORS = frozenset({"server_error", "rate_limit_exceeded", "vector_store_timeout"})
# The service does not want to answer this screen or task, whatever else it says.
_REFUSING_ERRORS = frozenset(
    {"invalid_prompt", "bio_policy", "misalignment_policy_violation", "image_content_policy_violation"}
)
_CONTENT_FILTER = "content_filter"


def usage_of(body: bytes) -> Usage:
    """The tokens that an answer reports (`usage`).

    `input_tokens` includes those read from a cache and those written to it, `output_tokens` includes reasoning.
    Pictures are not told apart.
    """
    usage = reported(body, "usage")
    taken = part(usage, "input_tokens_details")
    thoughts = count(part(usage, "output_tokens_details"), "reasoning_tokens")
    return Usage(
        input_tokens=count(usage, "input_tokens"),
        cached_tokens=count(taken, "cached_tokens"),
        cache_write_tokens=count(taken, "cache_write_tokens"),
        output_tokens=without(count(usage, "output_tokens"), thoughts),
        thought_tokens=thoughts,
    )


def _as_text(value: object) -> object:
    return "" if value is None else str(value) if isinstance(value, int) else value


_Word = Annotated[str, pydantic.BeforeValidator(_as_text)]


class _Error(answers.Wire):
    code: _Word = ""
    message: _Word = ""


class _Incomplete(answers.Wire):
    reason: str | None = None


class _Response(answers.Wire):
    id: str | None = None
    status: str | None = None
    error: _Error | None = None
    incomplete_details: _Incomplete | None = None
    output: list[dict[str, Any]] | None = None


class _Item(answers.Wire):
    status: str | None = None


class _Text(answers.Wire):
    text: str


class _Reasoning(_Item):
    summary: list[_Text] = pydantic.Field(default_factory=list)


class _Content(answers.Wire):
    type: str
    text: _Word = ""
    refusal: _Word = ""


class _Message(_Item):
    role: Literal["assistant"]
    content: list[_Content]


class _Check(answers.Wire):
    id: str = pydantic.Field(min_length=1)
    code: str | None = None
    message: str | None = None


class _ComputerCall(_Item):
    call_id: str = pydantic.Field(min_length=1)
    action: Any = None
    actions: list[Any] | None = None
    pending_safety_checks: list[_Check] | None = None


class _FunctionCall(_Item):
    call_id: str = pydantic.Field(min_length=1)
    name: str
    arguments: Any = None


_ITEMS: Mapping[str, type[_Item]] = {
    "reasoning": _Reasoning,
    "message": _Message,
    "computer_call": _ComputerCall,
    "function_call": _FunctionCall,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnswer:
    """A usable answer.

    Attributes:
        proposal: What the model proposes.
        items: Its items, to be sent again.
        wire_calls: Those among them that need an output, in order.
        response_id: The id of the answer; "" if it has none.
    """

    proposal: Proposal
    items: Sequence[Mapping[str, Any]]
    wire_calls: tuple[WireCall, ...]
    response_id: str


def read_answer(body: bytes, geometry: FrameGeometry, vocabulary: Vocabulary, *, request_bytes: int) -> ReadAnswer:
    """Read one answer. Raises ProviderTransient, ProviderRefused, ProviderRejected, ProviderMalformed."""
    response, kept, items = _read_items(body)
    reader = _Reader(geometry, vocabulary)
    for item, raw in zip(items, kept, strict=True):
        reader.read(item, raw)
    if not (reader.calls or any(text.strip() for text in reader.texts)):
        raise answers.empty()
    proposal = Proposal(
        calls=tuple(reader.calls),
        finished=not reader.calls,
        thoughts="\n\n".join(reader.thoughts).strip(),
        narration="\n".join(reader.texts).strip(),
        usage=usage_of(body),
        raw=body,
        request_bytes=request_bytes,
    )
    return ReadAnswer(proposal=proposal, items=kept, wire_calls=tuple(reader.wire_calls), response_id=response.id or "")


def read_text(body: bytes) -> str:
    """The text of an answer; "" for none. Raises as `read_answer` does."""
    said = [part.text for item in _read_items(body)[2] if isinstance(item, _Message) for part in item.content]
    return "\n".join(said)


def _read_items(body: bytes) -> tuple[_Response, Sequence[Mapping[str, Any]], Sequence[_Item]]:
    """A complete answer, its items that are known, and these as read."""
    response = answers.read_body(body, _Response)[1]
    _check_status(response)
    kept = [item for item in response.output or () if _is_kept(item)]
    items = [answers.read_block(_ITEMS, item) for item in kept]
    _check_items(items)
    return response, kept, items


def _check_status(response: _Response) -> None:
    """Raise ProviderError unless the answer is complete."""
    if response.status == "failed" or response.error is not None:
        error = response.error or _Error()
        raise _failure(error.code or "failed", error.message or "")
    reason = (response.incomplete_details or _Incomplete()).reason or ""
    if reason == _CONTENT_FILTER:
        raise answers.refusal("OpenAI", reason)
    if response.status != "completed":
        raise answers.cut_off(reason or f"status {response.status}")


def _failure(code: str, message: str) -> ProviderError:
    if code in _TRANSIENT_ERRORS:
        return ProviderTransient(
            notice(NoticeCode.SERVICE_UNAVAILABLE, service="OpenAI"), detail=f"{code}: {message}".strip(": ")
        )
    if code in _REFUSING_ERRORS:
        return answers.refusal("OpenAI", code, message)
    return answers.conversation_rejected("OpenAI", code, message)


def _is_kept(item: Mapping[str, Any]) -> bool:
    """Whether an item is sent again. Kinds that are not known might be rejected."""
    kind = item.get("type")
    return isinstance(kind, str) and kind in _ITEMS


def _check_items(items: Sequence[_Item]) -> None:
    """Raise ProviderError for a refusal, an item that is cut off, or calls that cannot be told apart."""
    for item in items:
        for said in item.content if isinstance(item, _Message) else ():
            if said.type == "refusal":
                raise answers.refusal("OpenAI", "refusal", said.refusal)
        if item.status not in {None, "completed"}:
            raise answers.cut_off(f"status {item.status}")
    ids = [item.call_id for item in items if isinstance(item, _ComputerCall | _FunctionCall)]
    if len(set(ids)) != len(ids):
        raise answers.malformed(notice(NoticeCode.MODEL_ANSWER_UNREADABLE), notice(NoticeCode.CALLS_SHARE_ID))


class _Reader:
    """Collects what the items of an answer say."""

    def __init__(self, geometry: FrameGeometry, vocabulary: Vocabulary) -> None:
        self._geometry = geometry
        self._vocabulary = vocabulary
        self._said = ""
        self.calls: list[Call] = []
        self.wire_calls: list[WireCall] = []
        self.thoughts: list[str] = []
        self.texts: list[str] = []

    def read(self, item: _Item, raw: Mapping[str, Any]) -> None:
        """Add one item. Calls have the text or thought before them as intent: they have no argument for it."""
        match item:
            case _Reasoning(summary=summary):
                self.thoughts += [part.text for part in summary]
                self._say(" ".join(part.text for part in summary))
            case _Message(content=content):
                texts = [part.text for part in content if part.type == "output_text"]
                self.texts += texts
                self._say(" ".join(texts))
            case _ComputerCall():
                self._read_computer(item, raw)
            case _FunctionCall():
                self._read_function(item)
            case _:
                raise AssertionError(item)

    def _say(self, text: str) -> None:
        self._said = one_line(text.replace("**", ""), INTENT_LENGTH) or self._said

    def _read_computer(self, item: _ComputerCall, raw: Mapping[str, Any]) -> None:
        actions = item.actions if item.actions is not None else [] if item.action is None else [item.action]
        # A call without actions needs an output, too, so it becomes one call that is not understood.
        for action in actions or [None]:
            self._read_action(item, action)
        checks = tuple(raw.get("pending_safety_checks") or ())
        self.wire_calls.append(WireCall(call_id=item.call_id, computer=True, calls=max(1, len(actions)), checks=checks))

    def _read_action(self, item: _ComputerCall, action: object) -> None:
        arguments = given_arguments(action)
        name = str(arguments.get("type") or "")

        def parse() -> ParsedCall:
            if not name:
                raise ActionError(notice(NoticeCode.CALL_WITHOUT_ACTION))
            return parse_action(name, arguments, self._geometry, self._vocabulary.excluded)

        self.calls.append(
            make_call(
                parse,
                index=len(self.calls),
                call_id=item.call_id,
                name=name[:_NAME_LIMIT] or "computer",
                arguments=action,
                intent=self._said,
                safety=_signal(item.pending_safety_checks or ()),
            )
        )

    def _read_function(self, item: _FunctionCall) -> None:
        arguments = decoded_arguments({} if item.arguments is None else item.arguments)

        def parse() -> ParsedCall:
            if not isinstance(arguments, dict):
                raise ActionError(notice(NoticeCode.ARGUMENTS_NOT_OBJECT))
            return parse_function(item.name, arguments, self._geometry, self._vocabulary)

        intent = str(given_arguments(arguments).get("intent") or "")
        self.calls.append(
            make_call(
                parse,
                index=len(self.calls),
                call_id=item.call_id,
                name=item.name[:_NAME_LIMIT],
                arguments=arguments,
                intent=intent[:INTENT_LENGTH] or self._said,
            )
        )
        self.wire_calls.append(WireCall(call_id=item.call_id, computer=False))


def _signal(checks: Sequence[_Check]) -> SafetySignal | None:
    if not checks:
        return None
    return SafetySignal(
        source=SAFETY_SOURCE,
        decision=", ".join(dict.fromkeys(check.code or "unspecified" for check in checks)),
        explanation="\n".join(check.message for check in checks if check.message),
    )
