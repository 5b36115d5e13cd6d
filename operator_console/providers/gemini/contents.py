"""What the console says to Gemini, as wire contents: the opening, answers to calls, the operator's words.

Plain JSON objects in the camelCase of the REST API, because they are replayed as they were. The rules that they keep
(generateContent with the computer-use tool):

* a turn with function calls is followed by one turn that holds a function response for each call, in order, ids
  echoed, each with a PNG of the screen (then its own pictures: a zoom, a function's), and nothing else; the operator's
  words go into a user turn of their own after it;
* a flagged call's response carries an acknowledgement, which needs this human's yes. There is no documented form for
  a no: the flagged model turn is withdrawn from the history, and a user turn says in words what became of it.

Pure.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from operator_console.domain.frames import Picture
from operator_console.domain.geometry import FrameGeometry
from operator_console.domain.proposals import CallResult, CallStatus, Observation
from operator_console.providers.gemini.actions import META_ARGUMENTS
from operator_console.providers.shared import results as words
from operator_console.providers.shared.history import Json

# An acknowledgement says that the human let the call happen; it never goes with a call that was not tried.
_TRIED = frozenset({CallStatus.DONE, CallStatus.FAILED, CallStatus.STOPPED})
_TWO_PICTURES = (
    "Two pictures: first the whole screen as it is now, then the part you named, enlarged. Coordinates still refer to "
    "the whole screen."
)


class GeminiTurns:
    """Turns of generateContent. Fits `shared.history.TurnFormat`."""

    def user_turn(self, text: str, picture: Picture | None) -> Json:
        """A user turn of words and, where there is one, the screen as it is now."""
        parts: list[Json] = [{"text": text}]
        if picture is not None:
            parts.append(_picture_part(picture))
        return {"role": "user", "parts": parts}

    def answer_turn(self, observation: Observation, geometry: FrameGeometry) -> Json:
        """The function-response turn; `geometry` is that of the frame the calls were made for."""
        screen = _picture_part(observation.picture)
        parts = []
        for result in observation.results:
            response: dict[str, Any] = {
                "name": result.call.name,
                "response": _response(result, observation.frame.url, geometry),
                # The screen always: the next call is checked against it, and an older one may be dropped from requests.
                "parts": [screen, *map(_picture_part, _pictures(result))],
            }
            if result.call.call_id:
                response["id"] = result.call.call_id
            parts.append({"functionResponse": response})
        return {"role": "user", "parts": parts}

    def withdraws(self, results: Sequence[CallResult]) -> bool:
        """Whether a flagged call was not let happen."""
        return any(result.call.safety is not None and not _acknowledged(result) for result in results)

    def withdrawn_text(self, results: Sequence[CallResult], geometry: FrameGeometry) -> str:
        """What became of a turn that is no longer in the history."""
        return words.withdrawn_text(results, geometry, show=words.show_on_grid, left_out=META_ARGUMENTS)

    def digest_lines(self, observation: Observation, geometry: FrameGeometry) -> tuple[str, ...]:
        """One line for each answer and message."""
        return words.digest_lines(observation, geometry, show=words.show_on_grid, left_out=META_ARGUMENTS)

    def answers_calls(self, turn: Json) -> bool:
        """Whether it is a function-response turn."""
        return any("functionResponse" in part for part in turn["parts"])

    def has_pictures(self, turn: Json) -> bool:
        """Whether it carries any picture."""
        return any("inlineData" in part or part.get("functionResponse", {}).get("parts") for part in turn["parts"])

    def without_pictures(self, turn: Json) -> Json:
        """A copy without its pictures; the same object where it has none."""
        if not self.has_pictures(turn):
            return turn
        return {**turn, "parts": [_without_picture(part) for part in turn["parts"] if "inlineData" not in part]}


def _picture_part(picture: Picture) -> Json:
    data = base64.b64encode(picture.data).decode("ascii")
    return {"inlineData": {"mimeType": picture.mime_type, "data": data}}


def _pictures(result: CallResult) -> tuple[Picture, ...]:
    own = (result.picture,) if result.picture is not None else ()
    return (*own, *(result.tool.pictures if result.tool is not None else ()))


def _acknowledged(result: CallResult) -> bool:
    return result.call.safety is not None and result.acknowledged and result.status in _TRIED


def _response(result: CallResult, url: str, geometry: FrameGeometry) -> dict[str, Any]:
    made: dict[str, Any] = {"status": result.status.value, "url": url}
    if result.status is CallStatus.DONE:
        said = " ".join(filter(None, (result.text, _TWO_PICTURES if result.picture is not None else "")))
        if said:
            made["message"] = said
    else:
        made["error"] = result.text or result.call.error or words.STATUS_WORDS[result.status]
    if result.changed is not None:
        made["screen_changed"] = result.changed
    made |= _output(result)
    if result.executed is not None:
        ran = words.show_on_grid(result.executed, geometry)
        made["changed_by_operator"] = f"The operator changed this call. What ran: {ran}"
    if _acknowledged(result):
        made["safety_acknowledgement"] = "true"
    return made


def _output(result: CallResult) -> dict[str, Any]:
    texts = [result.output] if result.output else []
    texts += result.tool.texts if result.tool is not None else ()
    if not texts:
        return {}
    return {"output": texts[0] if len(texts) == 1 else texts}


def _without_picture(part: Json) -> Json:
    if "functionResponse" not in part:
        return part
    return {"functionResponse": {key: value for key, value in part["functionResponse"].items() if key != "parts"}}
