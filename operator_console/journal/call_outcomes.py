"""How each recorded call ended. Pure functions on records.

A call whose console died between permission and result has an unknown outcome.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from operator_console.domain.actions import Action
from operator_console.domain.decisions import ActResult, DecisionKind
from operator_console.domain.events import Decided, Ended, Granted, Performed, Proposed, Record, SessionStarted
from operator_console.domain.proposals import CallStatus

CALL_EVENT_KINDS = ("proposed", "decided", "granted", "performed")
"""The kinds of event that `call_outcomes` and `last_call` need."""


class CallOutcome(StrEnum):
    """How a call ended. `UNKNOWN`: it was permitted, but there is no record of its execution."""

    DONE = "done"
    FAILED = "failed"
    STOPPED = "stopped"
    NOT_DONE = "not done"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedCall:
    """A call of a recorded run and how it ended.

    Attributes:
        action: As executed if the operator edited it; None if the call could not be understood.
        name: The name the model used; "" if its proposal is not among the records.
        detail: Why the call was not done, or what its execution reported.
    """

    step: int
    call: int
    action: Action | None
    name: str
    outcome: CallOutcome
    detail: str = ""


def last_run(records: Iterable[Record]) -> tuple[Record, ...]:
    """The records from the last `session_started` on, or all of them if there is none."""
    run: list[Record] = []
    for record in records:
        if isinstance(record.event, SessionStarted):
            run.clear()
        run.append(record)
    return tuple(run)


def run_was_cut_off(records: Iterable[Record]) -> bool:
    """Whether the last run has no `ended` event."""
    run = last_run(records)
    return bool(run) and not any(isinstance(record.event, Ended) for record in run)


def call_outcomes(records: Iterable[Record]) -> tuple[RecordedCall, ...]:
    """All calls of the last run, in order. A call that was only proposed counts as not done."""
    found: dict[tuple[int, int], RecordedCall] = {}
    for record in last_run(records):
        match record.event:
            case Proposed(step=step, calls=calls):
                for call in calls:
                    found[step, call.index] = RecordedCall(
                        step=step, call=call.index, action=call.action, name=call.name, outcome=CallOutcome.NOT_DONE
                    )
            case Decided(step=step, call=index, action=action, decision=decision):
                _update(found, step, index, CallOutcome.NOT_DONE, action, _refusal(decision))
            case Granted(step=step, call=index, action=action):
                _update(found, step, index, CallOutcome.UNKNOWN, action, "")
            case Performed(step=step, call=index) as event:
                _update(found, step, index, _outcome(event), None, event.detail)
            case _:
                pass
    return tuple(found.values())


def last_call(records: Iterable[Record]) -> RecordedCall | None:
    """The last call of the last run that was decided or permitted.

    If no call of the last step was decided, this is the first call of that step. None if nothing was proposed.
    """
    listed = list(records)
    calls = call_outcomes(listed)
    reached = {
        (event.step, event.call)
        for event in (record.event for record in last_run(listed))
        if isinstance(event, Decided | Granted | Performed)
    }
    last_step = calls[-1].step if calls else None
    of_last_step = [call for call in calls if call.step == last_step]
    if of_last_step and not any((call.step, call.call) in reached for call in of_last_step):
        return of_last_step[0]
    return next((call for call in reversed(calls) if (call.step, call.call) in reached), None)


def _update(
    found: dict[tuple[int, int], RecordedCall],
    step: int,
    call: int,
    outcome: CallOutcome,
    action: Action | None,
    detail: str,
) -> None:
    known = found.get((step, call))
    found[step, call] = RecordedCall(
        step=step,
        call=call,
        action=action or (known.action if known else None),
        name=known.name if known else "",
        outcome=outcome,
        detail=detail,
    )


def _refusal(decision: DecisionKind) -> str:
    return "" if decision.approves else decision.value.replace("_", " ")


def _outcome(event: Performed) -> CallOutcome:
    if event.status in (CallStatus.DECLINED, CallStatus.SKIPPED, CallStatus.NOT_DONE, CallStatus.OBSERVING):
        return CallOutcome.NOT_DONE
    match event.result:
        case ActResult.DONE:
            return CallOutcome.DONE
        case ActResult.FAILED:
            return CallOutcome.FAILED
        case ActResult.STOPPED:
            return CallOutcome.STOPPED
        case ActResult.UNKNOWN:
            return CallOutcome.UNKNOWN
