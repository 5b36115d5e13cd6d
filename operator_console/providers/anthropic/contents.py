"""The messages sent to Claude: the task, the results of tool uses, and messages of the operator.

They are JSON objects as in the Messages API. Its rules:

* A turn with tool uses is followed by a user turn with a tool result for each of them, in order and before anything
  else. The result of a toolset's member names the toolset.
* Results contain text and pictures; those of failures only text.
* In a batch, the first failure ends it, and the results after it say so in the words of the documentation.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from operator_console.domain.actions import CursorPosition
from operator_console.domain.frames import Picture
from operator_console.domain.geometry import FrameGeometry, NativePoint
from operator_console.domain.proposals import CallResult, CallStatus, Observation
from operator_console.providers.shared import results as words
from operator_console.providers.shared.history import Json, TurnFormat

NOT_EXECUTED = "Not executed: an earlier computer action in this turn failed."
_LEFT_OUT = {"type": "text", "text": "[Image omitted]"}
_SCREEN_NOW = {"type": "text", "text": "The screen now:"}
_ENLARGED = "The part you named, enlarged. Coordinates still refer to the whole screen."


@dataclass(frozen=True, slots=True, kw_only=True)
class AnthropicTurns(TurnFormat):
    """Turns of the Messages API.

    Attributes:
        toolsets: The toolset of each pending tool use that belongs to one, by id.
    """

    toolsets: Mapping[str, str] = field(default_factory=dict)
    left_out = frozenset({"action"})  # names the action of a dated tool, as the name of the call does

    def user_turn(self, text: str, picture: Picture | None) -> Json:
        """A user turn with a text, followed by the current picture of the screen if given."""
        content: list[Json] = [{"type": "text", "text": text}] if text.strip() else []
        if picture is not None:
            content.append(_screen(picture))
        return {"role": "user", "content": content}

    def answer_turn(self, observation: Observation, geometry: FrameGeometry) -> Json:
        """The turn with the tool results. `geometry` is that of the frame that the calls refer to."""
        content: list[dict[str, Any]] = []
        failed = False
        for result in observation.results:
            block = self._result(result, geometry, failed=failed)
            failed = failed or result.status is not CallStatus.DONE
            content.append(block)
        screen = _screen(observation.picture)
        last = content[-1]
        if last.get("is_error") or any(block["type"] == "image" for block in last["content"]):
            return {"role": "user", "content": [*content, _SCREEN_NOW, screen]}
        last["content"].append(screen)
        return {"role": "user", "content": content}

    def answers_calls(self, turn: Json) -> bool:
        """Whether the turn contains tool results."""
        return any(block["type"] == "tool_result" for block in turn["content"])

    def pictures_in(self, turn: Json) -> int:
        """The number of pictures in the turn."""
        return sum(
            block["type"] == "image" or sum(inner["type"] == "image" for inner in block.get("content", ()))
            for block in turn["content"]
        )

    def without_pictures(self, turn: Json) -> Json:
        """A copy without pictures."""
        return {**turn, "content": [_without_picture(block) for block in turn["content"]]}

    def _result(self, result: CallResult, geometry: FrameGeometry, *, failed: bool) -> dict[str, Any]:
        made: dict[str, Any] = {"type": "tool_result", "tool_use_id": result.call.call_id}
        if result.call.call_id in self.toolsets:
            made["toolset_name"] = self.toolsets[result.call.call_id]
        texts = [text for text in _texts(result, geometry, failed=failed) if text.strip()] or [_in_a_word(result)]
        made["content"] = [{"type": "text", "text": text} for text in texts]
        if result.status is not CallStatus.DONE or (result.tool is not None and result.tool.error):
            made["is_error"] = True
        else:
            made["content"] += map(_image, result.pictures)
        return made


def with_cache_points(messages: Sequence[Json], count: int) -> list[Json]:
    """The messages with cache points at the ends of the newest `count` stretches of user turns."""
    made = list(messages)
    for index in range(len(made) - 1, -1, -1):
        ends = made[index]["role"] == "user" and (index + 1 == len(made) or made[index + 1]["role"] != "user")
        if ends and count:
            *rest, last = made[index]["content"]
            made[index] = {**made[index], "content": [*rest, {**last, "cache_control": {"type": "ephemeral"}}]}
            count -= 1
    return made


def _image(picture: Picture) -> dict[str, Any]:
    data = base64.b64encode(picture.data).decode("ascii")
    return {"type": "image", "source": {"type": "base64", "media_type": picture.mime_type, "data": data}}


def _screen(picture: Picture) -> dict[str, Any]:
    """A picture that coordinates refer to: an error is better than that the service scales it unseen."""
    return {**_image(picture), "transformations": {"oversized_image": "error"}}


def _in_a_word(result: CallResult) -> str:
    return f"{words.STATUS_WORDS[result.status].capitalize()}."


def _texts(result: CallResult, geometry: FrameGeometry, *, failed: bool) -> list[str]:
    tool = result.tool.texts if result.tool is not None else ()
    if failed and result.status is CallStatus.NOT_DONE:
        return [NOT_EXECUTED]
    if result.status is CallStatus.DONE:
        made = [result.text]
    else:
        made = [result.text or result.call.error or _in_a_word(result)]
    if result.picture is not None:
        made.append(_ENLARGED)
    if result.changed:
        made.append("The screen changed.")
    if result.executed is not None:
        ran = words.show_in_picture(result.executed, geometry)
        made.append(f"The operator changed this call. What ran: {ran}")
    return [*made, _output(result, geometry), *tool]


def _output(result: CallResult, geometry: FrameGeometry) -> str:
    if not isinstance(result.call.action, CursorPosition) or result.status is not CallStatus.DONE:
        return result.output
    x, y = map(int, result.output.split(","))  # as the engine writes it
    point = geometry.to_sent(NativePoint(x, y))
    return f"X={round(point.x)},Y={round(point.y)}"


def _without_picture(block: Json) -> Json:
    if block["type"] == "image":
        return _LEFT_OUT
    if block["type"] != "tool_result":
        return block
    return {**block, "content": [_LEFT_OUT if inner["type"] == "image" else inner for inner in block["content"]]}
