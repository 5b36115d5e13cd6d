"""What became of each call: done, failed, stopped, not done, or unknown because the console died in between.

Pure functions over records.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from operator_console.domain.actions import Action
from operator_console.domain.decisions import ActResult, DecisionKind
from operator_console.domain.events import Decided, Ended, Granted, Performed, Proposed, Record, SessionStarted
from operator_console.domain.proposals import CallStatus

KINDS_OF_CALLS = ("proposed", "decided", "granted", "performed")
"""The kinds of event that `last_action` looks at."""


class Fate(StrEnum):
    """How a call ended. `UNKNOWN`: it was let through, and nothing tells whether it happened."""

    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    NOT_DONE = "not done"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class LastAction:
    """A call of the record and how it ended."""

    step: int
    call: int
    action: Action | None
    name: str
    fate: Fate
    detail: str = ""


def last_run(records: Iterable[Record]) -> tuple[Record, ...]:
    """The records since the last `session_started`."""
    kept: list[Record] = []
    for record in records:
        if isinstance(record.event, SessionStarted):
            kept.clear()
        kept.append(record)
    return tuple(kept)


def run_was_cut_off(records: Iterable[Record]) -> bool:
    """Whether the last run has no end in the record."""
    run = last_run(records)
    return bool(run) and not any(isinstance(record.event, Ended) for record in run)


def fates(records: Iterable[Record]) -> tuple[LastAction, ...]:
    """Every call of the last run, in order, with its fate. A call that was only proposed is `not done`."""
    found: dict[tuple[int, int], LastAction] = {}
    for record in last_run(records):
        match record.event:
            case Proposed(step=step, calls=calls):
                for call in calls:
                    found[step, call.index] = LastAction(
                        step=step, call=call.index, action=call.action, name=call.name, fate=Fate.NOT_DONE
                    )
            case Decided(step=step, call=index, action=action, decision=decision):
                _update(found, step, index, Fate.NOT_DONE, action, _why(decision))
            case Granted(step=step, call=index, action=action):
                _update(found, step, index, Fate.UNKNOWN, action, "")
            case Performed(step=step, call=index) as event:
                _update(found, step, index, _fate(event), None, event.detail)
            case _:
                pass
    return tuple(found.values())


def last_action(records: Iterable[Record]) -> LastAction | None:
    """The last call that was let through or decided; where none was, the first one proposed last."""
    listed = list(records)
    calls = fates(listed)
    touched = {
        (event.step, event.call)
        for event in (record.event for record in last_run(listed))
        if isinstance(event, Decided | Granted | Performed)
    }
    reached = [call for call in calls if (call.step, call.call) in touched]
    last_step = calls[-1].step if calls else None
    if last_step is not None and not any(call.step == last_step for call in reached):
        return next(call for call in calls if call.step == last_step)
    return reached[-1] if reached else None


def _update(
    found: dict[tuple[int, int], LastAction], step: int, call: int, fate: Fate, action: Action | None, detail: str
) -> None:
    known = found.get((step, call))
    found[step, call] = LastAction(
        step=step,
        call=call,
        action=action or (known.action if known else None),
        name=known.name if known else "",
        fate=fate,
        detail=detail,
    )


def _why(decision: DecisionKind) -> str:
    return "" if decision in (DecisionKind.APPROVE, DecisionKind.MODIFY) else decision.value.replace("_", " ")


def _fate(event: Performed) -> Fate:
    if event.status in (CallStatus.DECLINED, CallStatus.SKIPPED, CallStatus.NOT_DONE, CallStatus.OBSERVING):
        return Fate.NOT_DONE
    match event.result:
        case ActResult.DONE:
            return Fate.DONE
        case ActResult.FAILED:
            return Fate.FAILED
        case ActResult.STOPPED:
            return Fate.STOPPED
        case ActResult.UNKNOWN:
            return Fate.UNKNOWN
