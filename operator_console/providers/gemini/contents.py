"""The contents sent to Gemini: the task, the answers to calls, and messages of the operator.

They are JSON objects in the camelCase of the REST API, because they are sent again unchanged with each request. The
rules of `generateContent` with the computer-use tool are:

* A turn with function calls is followed by one turn with a function response for each call, in order and with the same
  id. Each has a PNG of the screen, then pictures of its own (of a zoom or a function). Messages of the operator follow
  in a separate user turn.
* The response to a call that the service flagged needs an acknowledgement, which is sent only if the operator agreed.
  There is no documented way to refuse. Then the model's turn is removed from the history, and a user turn describes
  what happened to its calls.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

from operator_console.domain.frames import Frame, ImageNeeds, Picture
from operator_console.domain.geometry import FrameGeometry
from operator_console.domain.pages import Page
from operator_console.domain.proposals import CallResult, CallStatus, Observation
from operator_console.providers.gemini.actions import META_ARGUMENTS
from operator_console.providers.shared import results as words
from operator_console.providers.shared.history import Json, TurnFormat

# The service recommends 1440x900, and answers 503 to pictures above about 500 KB.
IMAGE_NEEDS = ImageNeeds(long_edge=1600, pixels=1440 * 900, max_bytes=450_000, mime_type="image/png")

# An acknowledgement states that the operator allowed the call, so it is sent only for calls that were attempted.
_ATTEMPTED = frozenset({CallStatus.DONE, CallStatus.FAILED, CallStatus.STOPPED})
_LONGEST_URL = 2_000
_TWO_PICTURES = (
    "Two pictures: first the whole screen as it is now, then the part you named, enlarged. Coordinates still refer to "
    "the whole screen."
)


class GeminiTurns(TurnFormat):
    """Turns of `generateContent`."""

    show = staticmethod(words.show_on_grid)
    left_out = META_ARGUMENTS

    def user_turn(self, text: str, picture: Picture | None) -> Json:
        """A user turn with a text and, if given, the current picture of the screen."""
        parts: list[Json] = [{"text": text}]
        if picture is not None:
            parts.append(_picture_part(picture))
        return {"role": "user", "parts": parts}

    def answer_turn(self, observation: Observation, geometry: FrameGeometry) -> Json:
        """The turn with the function responses. `geometry` is that of the frame that the calls refer to."""
        screen = _picture_part(observation.picture)
        parts = []
        for result in observation.results:
            response: dict[str, Any] = {
                "name": result.call.name,
                "response": _response(result, observation.frame, geometry),
                # Every response has the screen: the service requires it, and older pictures are removed from requests.
                "parts": [screen, *map(_picture_part, result.pictures)],
            }
            if result.call.call_id:
                response["id"] = result.call.call_id
            parts.append({"functionResponse": response})
        return {"role": "user", "parts": parts}

    def withdraws(self, results: Sequence[CallResult]) -> bool:
        """Whether the operator did not allow a flagged call."""
        return any(result.call.safety is not None and not _acknowledged(result) for result in results)

    def page_text(self, page: Page, *, answering: bool) -> str:
        """Its address, title and tabs, where there are no function responses, which tell it."""
        return "" if answering else words.page_words(page)

    def answers_calls(self, turn: Json) -> bool:
        """Whether the turn contains function responses."""
        return any("functionResponse" in part for part in turn["parts"])

    def pictures_in(self, turn: Json) -> int:
        """The number of pictures in the turn."""
        inner = (part.get("functionResponse", {}).get("parts") or () for part in turn["parts"])
        return sum("inlineData" in part for part in turn["parts"]) + sum(map(len, inner))

    def without_pictures(self, turn: Json) -> Json:
        """A copy without pictures."""
        return {**turn, "parts": [_without_picture(part) for part in turn["parts"] if "inlineData" not in part]}


def _picture_part(picture: Picture) -> Json:
    data = base64.b64encode(picture.data).decode("ascii")
    return {"inlineData": {"mimeType": picture.mime_type, "data": data}}


def _acknowledged(result: CallResult) -> bool:
    return result.call.safety is not None and result.acknowledged and result.status in _ATTEMPTED


def _response(result: CallResult, frame: Frame, geometry: FrameGeometry) -> dict[str, Any]:
    made: dict[str, Any] = {"status": result.status.value, "url": frame.url[:_LONGEST_URL]}
    if frame.page is not None:
        made["url"] = made["url"] or "about:blank"
        if frame.page.dialog is not None:
            made["dialog"] = words.dialog_words(frame.page.dialog)
        if tabs := words.tab_lines(frame.page):
            made["tabs"] = tabs
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
