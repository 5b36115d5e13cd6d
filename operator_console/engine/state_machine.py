"""The session's state machine: one pure function, `next_state`; an illegal pair raises.

Transitions are caused by events, and by marks for what is not recorded as an event. The recorder calls it before an
event is written, so that an impossible order raises and never reaches the record.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from operator_console.domain import events, states
from operator_console.domain.events import EndedOutcome, Event
from operator_console.domain.states import State
from operator_console.domain.stopping import PauseCause


@dataclass(frozen=True, slots=True, kw_only=True)
class Begin:
    """The session starts: guard, target and provider are being prepared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """A fresh frame is captured next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskAgain:
    """The wait before a retry is over; the model is asked again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallTurn:
    """A call is handled next."""

    step: int
    call: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Settle:
    """The wait for the screen to stop changing begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AwaitDisk:
    """The session waits for the record to be written, and the disk is slow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskDone:
    """The wait for the disk is over."""


Mark: TypeAlias = Begin | Look | AskAgain | CallTurn | Settle | AwaitDisk | DiskDone


class IllegalTransition(RuntimeError):
    """A bug in this program: the event or mark is not possible in this state."""

    def __init__(self, state: State, cause: Event | Mark) -> None:
        super().__init__(f"{type(cause).__name__} cannot happen while {type(state).__name__}")


_RUNNING = (
    states.Starting,
    states.Observing,
    states.Thinking,
    states.Retrying,
    states.Reviewing,
    states.Acting,
    states.Settling,
)
_LIVE = (*_RUNNING, states.Paused, states.HandedOver)
_BETWEEN = (states.Observing, states.Thinking, states.Acting, states.Settling, states.Paused)


def next_state(state: State, cause: Event | Mark, now_s: float = 0.0) -> State:
    """The state after `cause`. `now_s` is the monotonic time, from which the end of a retry's wait is computed.

    Raises:
        IllegalTransition: `cause` cannot happen in `state`.
    """
    own = state.then if isinstance(state, states.WaitingForDisk) else state
    if isinstance(cause, DiskDone):
        return own
    following = _after_mark(own, cause) if isinstance(cause, Mark) else _after_event(own, cause, now_s)
    if following is None:
        raise IllegalTransition(state, cause)
    return state if following == own else following  # an event that changes no state does not end the wait for the disk


def _after_mark(state: State, mark: Mark) -> State | None:
    match mark:
        case Begin() if isinstance(state, states.Idle):
            return states.Starting()
        case Look() if isinstance(state, (*_BETWEEN, states.Retrying)) and not isinstance(state, states.Paused):
            return states.Observing()
        case AskAgain() if isinstance(state, states.Retrying | states.Thinking):
            return states.Thinking()
        case CallTurn(step=step, call=call) if isinstance(state, states.Acting | states.Settling | states.Thinking):
            return states.Acting(step=step, call=call)
        case Settle() if isinstance(state, states.Acting):
            return states.Settling()
        case AwaitDisk() if isinstance(state, _LIVE):
            return states.WaitingForDisk(then=state)
        case _:
            return None


def _after_event(state: State, event: Event, now_s: float) -> State | None:
    match event:
        case (
            events.Message() | events.Warned() | events.Downloaded() | events.Blocked()
            | events.Permitted() | events.PermissionRevoked()
        ):  # fmt: skip
            return None if isinstance(state, states.Idle | states.Ended) else state
        case events.Reset() | events.Snapshot() | events.AutonomyChanged():
            return state
        case events.Stopped(reason=reason):
            return states.Stopped(reason=reason) if isinstance(state, _LIVE) else None
        case events.Ended(outcome=outcome):
            return _ended(state, outcome)
        case events.Paused(by=by):
            return states.Paused(by=by) if isinstance(state, (*_RUNNING, states.Paused)) else None
        case events.HandedOver():
            return states.HandedOver() if isinstance(state, (*_RUNNING, states.Paused)) else None
        case events.Asked() | events.Answered():
            return _after_question(state, event)
        case _:
            return _after_work(state, event, now_s)


def _after_work(state: State, event: Event, now_s: float) -> State | None:
    match event:
        case events.SessionStarted() if isinstance(state, states.Starting):
            return states.Observing()
        case events.Observed() if isinstance(state, states.Observing):
            return states.Thinking()
        case events.Retrying(wait_s=wait_s, reason=reason) if isinstance(state, states.Thinking):
            return states.Retrying(until_s=now_s + wait_s, reason=reason)
        case events.Proposed(step=step) if isinstance(state, states.Thinking):
            return states.Acting(step=step, call=0)
        case events.Decided(step=step, call=call) | events.Granted(step=step, call=call) if isinstance(
            state, states.Acting
        ):
            return states.Acting(step=step, call=call)
        case events.Performed(step=step, call=call) if isinstance(state, states.Acting):
            return states.Acting(step=step, call=call)
        case events.Settled() if isinstance(state, states.Settling | states.Acting):
            # While Acting: between two calls of a turn.
            return states.Observing() if isinstance(state, states.Settling) else state
        case events.Resumed() if isinstance(state, states.Paused):
            return states.Observing()
        case events.HandedBack() if isinstance(state, states.HandedOver):
            return states.Observing()
        case _:
            return None


def _after_question(state: State, event: events.Asked | events.Answered) -> State | None:
    if isinstance(event, events.Asked):
        return states.Reviewing(request=event.question) if isinstance(state, _BETWEEN) else None
    if not isinstance(state, states.Reviewing) or state.request.question_id != event.question_id:
        return None
    question = state.request
    if question.about == "limit":
        return states.Paused(by=PauseCause.LIMIT)
    if question.step is None:
        return states.Observing()
    return states.Acting(step=question.step, call=question.call or 0)


def _ended(state: State, outcome: EndedOutcome) -> State | None:
    if isinstance(state, states.Stopped):
        # Remains Stopped, so that the cause stays visible.
        return state if outcome is EndedOutcome.STOPPED else None
    if outcome is EndedOutcome.STOPPED:
        return None
    return states.Ended(outcome=outcome) if isinstance(state, _LIVE) else None
