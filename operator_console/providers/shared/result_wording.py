"""Describes the results of calls in words, for turns that are no longer sent in full."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from typing import Any, TypeAlias

from operator_console.domain.actions import Action
from operator_console.domain.codec import encode
from operator_console.domain.geometry import FrameGeometry, GridPoint, NativePoint, SentPoint
from operator_console.domain.proposals import Call, CallResult, CallStatus, Observation
from operator_console.providers.shared.observation_limits import cut

STATUS_WORDS = {
    CallStatus.DONE: "done",
    CallStatus.DECLINED: "declined by the operator",
    CallStatus.SKIPPED: "skipped by the operator",
    CallStatus.FAILED: "failed",
    CallStatus.STOPPED: "stopped",
    CallStatus.NOT_DONE: "not done",
    CallStatus.NOT_UNDERSTOOD: "not understood",
    CallStatus.OBSERVING: "not done: observing only",
}
_LINE_LIMIT = 300
_LONGEST_FIELD = 2_000

Show: TypeAlias = Callable[[Action, FrameGeometry], str]
"""Describes an action in the terms of the model."""

_Place: TypeAlias = Callable[[NativePoint], GridPoint | SentPoint]


def show_on_grid(action: Action, geometry: FrameGeometry) -> str:
    """The fields of an action as JSON, with points on the 0-999 grid."""
    return _show(action, geometry.to_grid)


def show_in_picture(action: Action, geometry: FrameGeometry) -> str:
    """The fields of an action as JSON, with points in pixels of the picture that was sent."""
    return _show(action, geometry.to_sent)


def digest_lines(
    observation: Observation, geometry: FrameGeometry, *, show: Show, left_out: Collection[str]
) -> tuple[str, ...]:
    """One line for each result and message of a turn. `left_out` are arguments to omit."""
    said = (f"Message: {text}"[:_LINE_LIMIT] for text in observation.messages)
    return (*(_line(result, geometry, show, left_out) for result in observation.results), *said)


def withdrawn_text(
    results: Sequence[CallResult], geometry: FrameGeometry, *, show: Show, left_out: Collection[str]
) -> str:
    """Describes each call of a turn that was removed; a picture of the screen follows."""
    lines = [f"- {_line(result, geometry, show, left_out)}" for result in results]
    return "\n".join(
        [
            "The operator did not allow everything in your last turn, so it was removed. The results of its calls:",
            *lines,
            "Do not try declined actions again, in this or another way. Do something else, or ask the operator.",
            "The screen now:",
        ]
    )


def _line(result: CallResult, geometry: FrameGeometry, show: Show, left_out: Collection[str]) -> str:
    call = result.call
    words = [f"{call.name} {_plain_arguments(call, left_out)}".strip()]
    if call.intent:
        words.append(f"({call.intent})")
    line = f"{' '.join(words)}: {STATUS_WORDS[result.status]}"
    reason = result.text or call.error
    for extra in (reason, result.output, *(result.tool.texts if result.tool is not None else ())):
        line += f". {extra}" if extra else ""
    if result.executed is not None:
        line += f". What ran: {show(result.executed, geometry)}"
    return line if len(line) <= _LINE_LIMIT else line[: _LINE_LIMIT - 1] + "…"


def _plain_arguments(call: Call, left_out: Collection[str]) -> str:
    arguments = json.loads(call.arguments_json)
    if not isinstance(arguments, dict):
        return ""
    plain = {name: value for name, value in arguments.items() if name not in left_out}
    return json.dumps(plain, ensure_ascii=False) if plain else ""


def _show(action: Action, place: _Place) -> str:
    fields = {key: _brief(_placed(value, place)) for key, value in encode(action).items()}
    return json.dumps({k: v for k, v in fields.items() if v not in (None, "", [], False)}, ensure_ascii=False)


def _brief(value: Any) -> Any:
    return cut(value, _LONGEST_FIELD) if isinstance(value, str) else value


def _placed(value: Any, place: _Place) -> Any:
    if isinstance(value, dict) and set(value) == {"x", "y"}:
        point = place(NativePoint(value["x"], value["y"]))
        return {"x": round(point.x), "y": round(point.y)}
    if isinstance(value, list):
        return [_placed(item, place) for item in value]
    return value
