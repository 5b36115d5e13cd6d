"""The messages of chat completions, as they are sent and read.

A turn of `Conversation` is an object with a list of messages, because the answers to native calls are messages of their
own. A native call has an id, and is answered with a message of the role `tool`, before anything else. A call that was
written as text is answered in words, with the next picture.

Of an answer, the text, the native calls of functions, what the model thought, and the tokens are read. The response
types of the SDK are not used: endpoints differ in what they leave out and add, and the body is recorded unchanged.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import pydantic

from operator_console.domain.frames import Picture
from operator_console.domain.geometry import FrameGeometry
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import CallResult, CallStatus, Observation, Proposal, Usage
from operator_console.providers.shared import answers
from operator_console.providers.shared import results as words
from operator_console.providers.shared.answers import count, part, reported, without
from operator_console.providers.shared.history import Json, TurnFormat

_ENLARGED = "The part you named, enlarged. Coordinates still refer to the whole screen."
_LEFT_OUT = "(an earlier screenshot, left out)"

MOST_TEXT = 40_000
"""Characters of all turns that are sent in full: about 10,000 tokens, as these models are often served with 32,768."""

Message = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatTurns(TurnFormat):
    """Turns of chat completions.

    Attributes:
        show: Describes an action in the terms of the model.
        tell: Puts what became of calls into the words of the dialect; "" where the picture alone says it.
    """

    show: words.Show
    tell: Callable[[Sequence[tuple[CallResult, str]]], str]

    def user_turn(self, text: str, picture: Picture | None) -> Json:
        """A user turn with a text, followed by the current picture of the screen if given."""
        return {"messages": [_user(_text(text), *image_parts(picture))]}

    def answer_turn(self, observation: Observation, geometry: FrameGeometry) -> Json:
        """The turn that answers all calls. `geometry` is that of the frame that the calls refer to."""
        told = [(result, result_text(result, geometry, self.show)) for result in observation.results]
        native = [
            {"role": "tool", "tool_call_id": result.call.call_id, "content": text}
            for result, text in told
            if result.call.call_id
        ]
        written = [(result, text) for result, text in told if not result.call.call_id]
        own = [one for result in observation.results for picture in result.pictures for one in image_parts(picture)]
        shown = [*_text(_ENLARGED), *own, *_text("The screen now:")] if own else []
        said = _text(self.tell(written)) if written else []
        return {"messages": [*native, _user([*said, *shown], *image_parts(observation.picture))], "answers": True}

    def answers_calls(self, turn: Json) -> bool:
        """Whether the turn was made by `answer_turn`."""
        return bool(turn.get("answers"))

    def pictures_in(self, turn: Json) -> int:
        """The number of pictures in the turn."""
        return sum(piece["type"] == "image_url" for message in turn["messages"] for piece in _parts(message))

    def without_pictures(self, turn: Json) -> Json:
        """A copy without pictures."""
        return {**turn, "messages": [_with_pictures(message, 0)[0] for message in turn["messages"]]}


def messages_of(turns: Sequence[Json], most_pictures: int) -> list[Message]:
    """The messages of a request, with the newest `most_pictures` pictures: endpoints have such a limit.

    Neighbouring user messages become one, because some chat templates require that the roles alternate.
    """
    room = most_pictures
    limited: list[Message] = []
    for message in reversed([message for turn in turns for message in turn["messages"]]):
        kept, room = _with_pictures(message, room)
        limited.append(kept)
    made: list[Message] = []
    for message in reversed(limited):
        if made and made[-1]["role"] == message["role"] == "user":
            made[-1] = {"role": "user", "content": [*made[-1]["content"], *message["content"]]}
        else:
            made.append(message)
    return made


def result_text(result: CallResult, geometry: FrameGeometry, show: words.Show) -> str:
    """What became of a call, in sentences; with the data that it asked for."""
    status = words.STATUS_WORDS[result.status]
    reason = result.text or ("" if result.status is CallStatus.DONE else result.call.error)
    made = [f"{status[0].upper()}{status[1:]}.", reason]
    if result.tool is not None and result.tool.error:
        made.append("The function failed.")
    if result.executed is not None:
        made.append(f"The operator changed this call. What ran: {show(result.executed, geometry)}")
    data = [result.output, *(result.tool.texts if result.tool is not None else ())]
    return "\n".join(filter(None, (" ".join(filter(None, made)), *data)))


def is_plain(result: CallResult) -> bool:
    """Whether there is nothing to say about a call but that it was done."""
    return result.status is CallStatus.DONE and not (
        result.text or result.output or result.executed is not None or result.tool is not None or result.pictures
    )


def _user(text: Sequence[Message], *more: Message) -> Message:
    return {"role": "user", "content": [*text, *more]}


def _text(text: str) -> list[Message]:
    return [{"type": "text", "text": text}] if text.strip() else []


def image_parts(picture: Picture | None) -> list[Message]:
    """The part of a message that is the picture; none without one."""
    if picture is None:
        return []
    data = base64.b64encode(picture.data).decode("ascii")
    return [{"type": "image_url", "image_url": {"url": f"data:{picture.mime_type};base64,{data}"}}]


def _parts(message: Message) -> Sequence[Message]:
    content = message["content"]
    return content if isinstance(content, list) else ()


def _with_pictures(message: Message, room: int) -> tuple[Message, int]:
    """The message with at most `room` pictures, the last ones; and how much room there is left."""
    if not isinstance(message["content"], list):
        return message, room
    parts: list[Message] = []
    for piece in reversed(message["content"]):
        if piece["type"] == "image_url":
            room -= 1
            if room < 0:
                continue
        parts.append(piece)
    return {**message, "content": parts[::-1] or _text(_LEFT_OUT)}, max(0, room)


MAX_TEXT = 200_000
MAX_CALLS = 32

_TOKEN_LIMIT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"})
# Any other reason is complete: servers name the end of an answer in many ways (eos, stop_sequence, end_turn).
_BROKEN_OFF = frozenset(
    {"abort", "aborted", "cancelled", "error", "insufficient_system_resource", "network_error", "timeout"}
)
_UNFINISHED = frozenset({"malformed_function_call", "repetition_truncation"})
_FILTERED = frozenset({"content_filter", "safety", "sensitive", "blocklist", "prohibited_content"})


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


def _text_or_none(value: object) -> object:
    return value if isinstance(value, str) else None


def _parts_of(content: object) -> object:
    """The parts of a content; servers also give a single one, and texts in place of parts."""
    parts = content if isinstance(content, list) else [content]
    return [part if isinstance(part, dict) else {"text": part} for part in parts]


_OptionalText = Annotated[str | None, pydantic.BeforeValidator(_text_or_none)]
"""What is of another type is left out: it does not make an answer unusable."""


class _Function(answers.Wire):
    name: str | None = None
    arguments: Any = None


class _ToolCall(answers.Wire):
    id: Annotated[str | None, pydantic.BeforeValidator(lambda given: None if given is None else str(given))] = None
    function: _Function


class _Message(answers.Wire):
    content: Annotated[list[dict[str, Any]], pydantic.BeforeValidator(_parts_of)] = pydantic.Field(default_factory=list)
    reasoning_content: _OptionalText = None
    reasoning: _OptionalText = None
    refusal: _OptionalText = None
    tool_calls: Annotated[list[_ToolCall], pydantic.BeforeValidator(lambda given: given or [])] = pydantic.Field(
        default_factory=list
    )


class _Choice(answers.Wire):
    message: _Message
    finish_reason: _OptionalText = None


class _Completion(answers.Wire):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadAnswer:
    """A usable answer of a dialect: the proposal, and the model's turn as it is sent again."""

    proposal: Proposal
    turn: Json


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
    filtered = reason.lower() in _FILTERED
    if filtered or message.refusal:
        raise answers.refusal(service, reason if filtered else "refusal", message.refusal or "")
    text, thoughts = _text_of(message.content), (message.reasoning_content or message.reasoning or "").strip()
    calls = message.tool_calls
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
        raise answers.broken_off(reason)
    if reason.lower() in _UNFINISHED:
        raise answers.cut_off(reason)
    if len(text) > MAX_TEXT or len(calls) > MAX_CALLS:
        raise answers.malformed(notice(NoticeCode.MODEL_ANSWER_UNREADABLE), notice(NoticeCode.ANSWER_TOO_LONG))
    if not text.strip() and not calls:
        raise answers.empty()


def _text_of(content: list[dict[str, Any]]) -> str:
    return "".join(piece["text"] for piece in content if isinstance(piece.get("text"), str))


def _given(arguments: object) -> object:
    return {} if arguments is None else arguments
