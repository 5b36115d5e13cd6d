"""The messages of chat completions: the task, what became of calls, messages of the operator, and pictures.

A turn of `Conversation` is an object with a list of messages, because the answers to native calls are messages of their
own. A native call has an id, and is answered with a message of the role `tool`, before anything else. A call that was
written as text is answered in words, with the next picture.
"""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from operator_console.domain.frames import Picture
from operator_console.domain.geometry import FrameGeometry
from operator_console.domain.proposals import CallResult, CallStatus, Observation
from operator_console.providers.shared import results as words
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
        own = [part for result in observation.results for picture in result.pictures for part in image_parts(picture)]
        shown = [*_text(_ENLARGED), *own, *_text("The screen now:")] if own else []
        said = _text(self.tell(written)) if written else []
        return {"messages": [*native, _user([*said, *shown], *image_parts(observation.picture))], "answers": True}

    def answers_calls(self, turn: Json) -> bool:
        """Whether the turn was made by `answer_turn`."""
        return bool(turn.get("answers"))

    def pictures_in(self, turn: Json) -> int:
        """The number of pictures in the turn."""
        return sum(part["type"] == "image_url" for message in turn["messages"] for part in _parts(message))

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
    for part in reversed(message["content"]):
        if part["type"] == "image_url":
            room -= 1
            if room < 0:
                continue
        parts.append(part)
    return {**message, "content": parts[::-1] or _text(_LEFT_OUT)}, max(0, room)
