"""What the console says to Gemini, as wire contents: the opening, answers to calls, the operator's words.

Plain JSON objects in the camelCase of the REST API, because they are replayed as they were. The rules that they keep
(generateContent with the computer-use tool):

* a turn with function calls is followed by one turn that holds a function response for each call, in order, ids
  echoed, each with a PNG (a zoom: the screen, then its own), and nothing else; the operator's words go into a user
  turn of their own after it;
* a flagged call's response carries an acknowledgement, which needs this human's yes. There is no documented form for
  a no: the flagged model turn is withdrawn from the history, and a user turn says in words what became of it.

Called by `gemini_history`. Pure.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from operator_console.domain.actions import Action
from operator_console.domain.codec import encode
from operator_console.domain.frames import Picture
from operator_console.domain.geometry import FrameGeometry, NativePoint
from operator_console.domain.proposals import Call, CallResult, CallStatus, Observation

Json: TypeAlias = Mapping[str, Any]

_STATUS_WORDS = {
    CallStatus.DONE: "done",
    CallStatus.DECLINED: "declined by the operator",
    CallStatus.SKIPPED: "skipped by the operator",
    CallStatus.FAILED: "failed",
    CallStatus.STOPPED: "stopped by the operator",
    CallStatus.NOT_DONE: "not done",
    CallStatus.NOT_UNDERSTOOD: "not understood",
    CallStatus.OBSERVING: "not done: observing only",
}
# An acknowledgement says that the human let the call happen; it never goes with a call that was not tried.
_TRIED = frozenset({CallStatus.DONE, CallStatus.FAILED, CallStatus.STOPPED})
_LINE_LIMIT = 300
_TWO_PICTURES = (
    "Two pictures: first the whole screen as it is now, then the part you named, enlarged. Coordinates still refer to "
    "the whole screen."
)


def picture_part(picture: Picture) -> Json:
    """The part that carries a picture."""
    data = base64.b64encode(picture.data).decode("ascii")
    return {"inlineData": {"mimeType": picture.mime_type, "data": data}}


def user_turn(text: str, picture: Picture | None) -> Json:
    """A user turn of words and, where there is one, the screen as it is now."""
    parts: list[Json] = [{"text": text}]
    if picture is not None:
        parts.append(picture_part(picture))
    return {"role": "user", "parts": parts}


def withdraws(results: Sequence[CallResult]) -> bool:
    """Whether a turn cannot be answered lawfully: a flagged call was not let happen."""
    return any(result.call.safety is not None and not _acknowledged(result) for result in results)


def _acknowledged(result: CallResult) -> bool:
    return result.call.safety is not None and result.acknowledged and result.status in _TRIED


def answer_turn(observation: Observation, geometry: FrameGeometry) -> Json:
    """The function-response turn; `geometry` is that of the frame the calls were made for."""
    screen = picture_part(observation.picture)
    parts = []
    for result in observation.results:
        response: dict[str, Any] = {
            "name": result.call.name,
            "response": _response(result, observation.frame.url, geometry),
            # The screen always: the next call is checked against it, and an older one may be dropped from requests.
            "parts": [screen] if result.picture is None else [screen, picture_part(result.picture)],
        }
        if result.call.call_id:
            response["id"] = result.call.call_id
        parts.append({"functionResponse": response})
    return {"role": "user", "parts": parts}


def _response(result: CallResult, url: str, geometry: FrameGeometry) -> dict[str, Any]:
    made: dict[str, Any] = {"status": result.status.value, "url": url}
    if result.status is CallStatus.DONE:
        said = " ".join(filter(None, (result.text, _TWO_PICTURES if result.picture is not None else "")))
        if said:
            made["message"] = said
    else:
        made["error"] = result.text or result.call.error or _STATUS_WORDS[result.status]
    if result.changed is not None:
        made["screen_changed"] = result.changed
    if result.output:
        made["output"] = result.output
    if result.executed is not None:
        made["changed_by_operator"] = f"The operator changed this call. What ran: {show(result.executed, geometry)}"
    if _acknowledged(result):
        made["safety_acknowledgement"] = "true"
    return made


def withdrawn_text(results: Sequence[CallResult], geometry: FrameGeometry) -> str:
    """What became of a turn that is no longer in the history, call by call."""
    lines = [f"- {_line(result, geometry)}" for result in results]
    return "\n".join(
        [
            "The operator did not allow everything in your last turn, so that turn was withdrawn. What became of it:",
            *lines,
            "Do not try again what was declined, in this or another way. Do something else, or ask the operator.",
            "The screen now:",
        ]
    )


def _line(result: CallResult, geometry: FrameGeometry) -> str:
    call = result.call
    words = [f"{call.name} {_plain_arguments(call)}".strip()]
    if call.intent:
        words.append(f"({call.intent})")
    line = f"{' '.join(words)}: {_STATUS_WORDS[result.status]}"
    reason = result.text or call.error
    for extra in (reason, result.output):
        line += f". {extra}" if extra else ""
    if result.executed is not None:
        line += f". What ran: {show(result.executed, geometry)}"
    return line if len(line) <= _LINE_LIMIT else line[: _LINE_LIMIT - 1] + "…"


def _plain_arguments(call: Call) -> str:
    arguments = json.loads(call.arguments_json)
    if not isinstance(arguments, dict):
        return ""
    plain = {k: v for k, v in arguments.items() if k not in {"intent", "safety_decision", "safety_response"}}
    return json.dumps(plain, ensure_ascii=False) if plain else ""


def digest_lines(observation: Observation, geometry: FrameGeometry) -> tuple[str, ...]:
    """One line for each answer and message, for the time when the turn itself is no longer replayed."""
    said = (f"Message: {text}"[:_LINE_LIMIT] for text in observation.messages)
    return (*(_line(result, geometry) for result in observation.results), *said)


def show(action: Action, geometry: FrameGeometry) -> str:
    """An action in the model's own terms: its fields as JSON, points on the 0-1000 grid."""
    fields = {key: _on_grid(value, geometry) for key, value in encode(action).items()}
    return json.dumps({k: v for k, v in fields.items() if v not in (None, "", [], False)}, ensure_ascii=False)


def _on_grid(value: Any, geometry: FrameGeometry) -> Any:
    if isinstance(value, dict) and set(value) == {"x", "y"}:
        point = geometry.to_grid(NativePoint(value["x"], value["y"]))
        return {"x": round(point.x), "y": round(point.y)}
    if isinstance(value, list):
        return [_on_grid(item, geometry) for item in value]
    return value


def without_pictures(content: Json) -> Json:
    """A copy of a turn without its pictures; the same object where it has none."""
    if not has_pictures(content):
        return content
    parts = [_without_picture(part) for part in content["parts"] if "inlineData" not in part]
    return {**content, "parts": parts}


def _without_picture(part: Json) -> Json:
    if "functionResponse" not in part:
        return part
    return {"functionResponse": {key: value for key, value in part["functionResponse"].items() if key != "parts"}}


def has_pictures(content: Json) -> bool:
    """Whether a turn carries any picture."""
    return any("inlineData" in part or part.get("functionResponse", {}).get("parts") for part in content["parts"])


def answers_calls(content: Json) -> bool:
    """Whether it is a function-response turn."""
    return any("functionResponse" in part for part in content["parts"])
