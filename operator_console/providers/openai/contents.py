"""The input items sent to OpenAI: the task, the outputs of calls, and messages of the operator.

They are JSON objects as in the Responses API. A turn, as `Conversation` keeps it, is {"items": [...]}. The rules:

* Each `computer_call` needs one `computer_call_output`, which has one screenshot and no text, however many actions the
  call has; each `function_call` needs a `function_call_output` with text and pictures. What happened to actions that
  were not simply carried out is said in a message after the outputs.
* The output of a call with pending safety checks must acknowledge them, which is done only if the operator agreed.
  There is no way to refuse. Then the model's turn is removed, and a message describes what happened to its calls.
* A screenshot cannot be left out of an output, and a call can neither be without its output nor without its reasoning.
  So older turns are removed as a whole.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from operator_console.domain.frames import Picture
from operator_console.domain.geometry import FrameGeometry
from operator_console.domain.proposals import CallResult, CallStatus, Observation
from operator_console.providers.shared import results as words
from operator_console.providers.shared.history import Json, TurnFormat

_OUTPUTS = frozenset({"computer_call_output", "function_call_output"})
_LEFT_OUT: Json = {"type": "input_text", "text": "[Image omitted]"}
_SCREEN_NOW = "The screen now:"
_ENLARGED = "The part you named, enlarged. Coordinates still refer to the whole screen."
_LONGEST_URL = 2_000
_REPORT = "What happened to the actions of your last turn:"

# An acknowledgement states that the operator allowed the call, so it needs one that was attempted; the others may be
# those after a failure, which nobody was asked about.
_ATTEMPTED = frozenset({CallStatus.DONE, CallStatus.FAILED, CallStatus.STOPPED})
_UNASKED = frozenset({CallStatus.NOT_DONE, CallStatus.NOT_UNDERSTOOD})


@dataclass(frozen=True, slots=True, kw_only=True)
class WireCall:
    """A call in an answer that needs one output.

    Attributes:
        call_id: Its id.
        computer: Whether it is a call of the computer tool, or else of a function.
        calls: How many calls of the proposal it stands for.
        checks: The pending safety checks, unchanged.
    """

    call_id: str
    computer: bool
    calls: int = 1
    checks: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenAITurns(TurnFormat):
    """Turns of the Responses API.

    Attributes:
        detail: The detail at which the model looks at pictures.
        screenshot_detail: Whether screenshots of the computer tool say so, too.
        current_url: Whether screenshots tell the address of the page, as the preview tool has it for browsers.
        pending: The calls in the last answer.
    """

    detail: str = "original"
    screenshot_detail: bool = True
    current_url: bool = False
    pending: tuple[WireCall, ...] = ()
    left_out = frozenset({"type"})  # names the action, as the name of the call does

    def user_turn(self, text: str, picture: Picture | None) -> Json:
        """A user message with a text, followed by the current picture of the screen if given."""
        content: list[Json] = [{"type": "input_text", "text": text}] if text.strip() else []
        if picture is not None:
            content.append(self._image(picture))
        return {"items": [{"type": "message", "role": "user", "content": content}]}

    def answer_turn(self, observation: Observation, geometry: FrameGeometry) -> Json:
        """The outputs of all calls. `geometry` is that of the frame that the calls refer to."""
        items: list[Json] = []
        told: list[CallResult] = []
        for wire, results in self._by_wire_call(observation.results):
            if wire.computer:
                items.append(self._screenshot(wire, results, observation))
                told += results
            else:
                items.append(self._output(wire, results[0], geometry))
        report = _report(told, geometry)
        shown = any(wire.computer for wire in self.pending)
        texts = [report, "" if shown else _SCREEN_NOW]
        if any(texts):
            said = self.user_turn("\n\n".join(filter(None, texts)), None if shown else observation.picture)
            items += said["items"]
        return {"items": items}

    def withdraws(self, results: Sequence[CallResult]) -> bool:
        """Whether the operator did not allow a call with safety checks."""
        return any(wire.checks and not _acknowledged(own) for wire, own in self._by_wire_call(results))

    def answers_calls(self, turn: Json) -> bool:
        """Whether the turn contains outputs."""
        return any(item["type"] in _OUTPUTS for item in turn["items"])

    def pictures_in(self, turn: Json) -> int:
        """The number of pictures in the turn that can be left out."""
        return sum(part["type"] == "input_image" for item in turn["items"] for part in _parts(item))

    def without_pictures(self, turn: Json) -> Json:
        """A copy without the pictures that can be left out."""
        return {"items": [_without_pictures(item) for item in turn["items"]]}

    def _by_wire_call(self, results: Sequence[CallResult]) -> Iterator[tuple[WireCall, Sequence[CallResult]]]:
        """Each pending call with the results of its actions."""
        start = 0
        for wire in self.pending if results else ():
            yield wire, results[start : start + wire.calls]
            start += wire.calls

    def _screenshot(self, wire: WireCall, results: Sequence[CallResult], observation: Observation) -> Json:
        output = {"type": "computer_screenshot", "image_url": _data_url(observation.picture)}
        if self.current_url:
            url = observation.frame.url or "about:blank"
            output |= {"type": "input_image", "current_url": url[:_LONGEST_URL]}
        if self.screenshot_detail:
            output["detail"] = self.detail
        made: dict[str, Any] = {"type": "computer_call_output", "call_id": wire.call_id, "output": output}
        if wire.checks and _acknowledged(results):
            made["acknowledged_safety_checks"] = list(wire.checks)
        return made

    def _output(self, wire: WireCall, result: CallResult, geometry: FrameGeometry) -> Json:
        text = _text(result, geometry)
        pictures = [self._image(picture) for picture in result.pictures]
        output = [{"type": "input_text", "text": text}, *pictures] if pictures else text
        return {"type": "function_call_output", "call_id": wire.call_id, "output": output}

    def _image(self, picture: Picture) -> Json:
        return {"type": "input_image", "image_url": _data_url(picture), "detail": self.detail}


def _acknowledged(results: Sequence[CallResult]) -> bool:
    """Whether the operator allowed every action that they were asked about, and there was one."""
    allowed = [result for result in results if result.acknowledged and result.status in _ATTEMPTED]
    others = [result for result in results if result not in allowed]
    return bool(allowed) and all(result.status in _UNASKED for result in others)


def _data_url(picture: Picture) -> str:
    return f"data:{picture.mime_type};base64,{base64.b64encode(picture.data).decode('ascii')}"


def _report(results: Sequence[CallResult], geometry: FrameGeometry) -> str:
    """What happened to actions, by number; "" if all were simply carried out."""
    if all(result.status is CallStatus.DONE and not _details(result, geometry) for result in results):
        return ""
    return "\n".join([_REPORT, *(_line(number, result, geometry) for number, result in enumerate(results, 1))])


def _line(number: int, result: CallResult, geometry: FrameGeometry) -> str:
    details = " ".join(_details(result, geometry))
    return f"{number}. {result.call.name}: {words.STATUS_WORDS[result.status]}{f'. {details}' if details else ''}"


def _details(result: CallResult, geometry: FrameGeometry) -> list[str]:
    """What is to be said of a result besides its status."""
    ran = ""
    if result.executed is not None:
        ran = f"The operator changed this call. What ran: {words.show_in_picture(result.executed, geometry)}"
    failed = result.status is not CallStatus.DONE
    return [text for text in (result.text or (result.call.error if failed else ""), ran, result.output) if text]


def _text(result: CallResult, geometry: FrameGeometry) -> str:
    """The output of a function in words."""
    tool = result.tool.texts if result.tool is not None else ()
    made = [*_details(result, geometry), _ENLARGED if result.picture is not None else "", *tool]
    said = "\n".join(filter(None, made))
    if result.status is not CallStatus.DONE or (result.tool is not None and result.tool.error):
        return f"Error: {said or f'It was {words.STATUS_WORDS[result.status]}.'}"
    return said or "Done."


def _parts(item: Json) -> Sequence[Json]:
    """The parts of a message, or of the output of a function."""
    found = item.get("content" if item["type"] == "message" else "output")
    return found if isinstance(found, list) else ()


def _without_pictures(item: Json) -> Json:
    if not any(part["type"] == "input_image" for part in _parts(item)):
        return item
    name = "content" if item["type"] == "message" else "output"
    return {**item, name: [_LEFT_OUT if part["type"] == "input_image" else part for part in item[name]]}
