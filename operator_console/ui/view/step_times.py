"""How long a step took, and what for: the human's time apart from the machine's. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from operator_console.ui.view.session_view import Away, AwayKind, Step, parse_time


@dataclass(frozen=True, slots=True, kw_only=True)
class StepTimes:
    """Seconds of one step; each part without the time that the machine waited for a human or in a pause.

    Attributes:
        machine_s: from its picture to its last result; None: not over, or not known.
        you_s: questions that were open, and control that the human had.
        paused_s: pauses.
        think_s: from the picture to the model's answer.
        decide_s: checks and lead times before actions.
        act_s: carrying out.
        settle_s: waiting for the screen to stop changing.
    """

    machine_s: float | None
    you_s: float = 0.0
    paused_s: float = 0.0
    think_s: float = 0.0
    decide_s: float = 0.0
    act_s: float = 0.0
    settle_s: float = 0.0


def times_of(step: Step) -> StepTimes:
    """The times of a step, as far as it got."""
    began, ended = parse_time(step.began), parse_time(step.finished)
    if began is None or ended is None:
        return StepTimes(machine_s=None)
    away = [(each.kind, span) for each in step.away if (span := _span(each)) is not None]

    def overlap(kinds: Iterable[AwayKind], start: datetime, end: datetime) -> float:
        return sum(_shared(span, (start, end)) for kind, span in away if kind in kinds)

    parts = dict.fromkeys(("think", "decide", "act", "settle"), 0.0)
    at = began
    for part, until in _marks(step):
        end = min(until, ended)
        if end > at:
            parts[part] += max(0.0, (end - at).total_seconds() - overlap(AwayKind, at, end))
            at = end
    you_s = overlap((AwayKind.QUESTION, AwayKind.CONTROL), began, ended)
    paused_s = overlap((AwayKind.PAUSE,), began, ended)
    return StepTimes(
        machine_s=max(0.0, (ended - began).total_seconds() - you_s - paused_s), you_s=you_s, paused_s=paused_s,
        think_s=parts["think"], decide_s=parts["decide"], act_s=parts["act"], settle_s=parts["settle"],
    )  # fmt: skip


def _marks(step: Step) -> Iterable[tuple[str, datetime]]:
    """What went on until which time, in order."""
    times = [("think", step.proposed_at)]
    for call in step.calls:
        times.append(("decide", call.granted_at or call.decided_at))
        times.append(("act", call.performed_at))
        times.append(("settle", call.settled_at))
    for part, text in times:
        if (time := parse_time(text)) is not None:
            yield part, time


def _span(away: Away) -> tuple[datetime, datetime] | None:
    began, ended = parse_time(away.began), parse_time(away.ended)
    return (began, ended) if began is not None and ended is not None else None


def _shared(one: tuple[datetime, datetime], other: tuple[datetime, datetime]) -> float:
    return max(0.0, (min(one[1], other[1]) - max(one[0], other[0])).total_seconds())
