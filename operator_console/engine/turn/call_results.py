"""What is recorded of a turn's calls, and what the model is told about each. Pure functions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from operator_console.domain.actions import Action, Finish
from operator_console.domain.decisions import ActResult, Assessment, DecidedBy, Decision, DecisionKind, Outcome
from operator_console.domain.errors import RejectedReason
from operator_console.domain.events import EndedOutcome, ProposedCall, Settled, StoppedAction, Warned
from operator_console.domain.frames import Frame, SettleReason
from operator_console.domain.intents import Edit, End, Pause, Skip, Stop, TakeOver
from operator_console.domain.message_texts import NoticeText, joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call, CallResult, CallStatus
from operator_console.domain.stopping import PauseCause
from operator_console.engine.operator_channel import Hold, Holding, Stopping

Ending: TypeAlias = tuple[EndedOutcome, str]

_BY_OPERATOR = frozenset((PauseCause.HUMAN, PauseCause.HOTKEY))
NOTHING_CHANGED = notice(NoticeCode.PICTURE_UNCHANGED)
NOT_HANDLED = notice(NoticeCode.INPUT_NOT_HANDLED)

# Rules of decisions, as recorded.
OBSERVING_ONLY = "observing-only"
NOT_UNDERSTOOD = "not-understood"
EARLIER_NOT_DONE = "an-earlier-call-was-not-done"
SECRET_NOT_TYPED = "secret-not-typed"  # noqa: S105 - the name of a rule
HIDDEN_PLACE, UNTOLD_PLACE = "hidden-from-model", "may-show-password"
STALE = RejectedReason.STALE.value
"""The screen changed under the action before anybody was asked about it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Handled:
    """A call's result, and what follows from it.

    Attributes:
        result: for the model.
        sent: the action that was sent, wholly or in part; None: none.
        before: the picture right before it was sent; None: not known.
        pause: a pause that must follow.
    """

    result: CallResult
    sent: Action | None = None
    before: Frame | None = None
    pause: Pause | None = None


def as_recorded(calls: Sequence[Call], glances: Sequence[Assessment | None]) -> tuple[ProposedCall, ...]:
    """The calls as recorded, each with its first assessment."""
    return tuple(
        ProposedCall(
            index=call.index, call_id=call.call_id, name=call.name, arguments_json=call.arguments_json,
            action=call.action, error=call.error, intent=call.intent, safety=call.safety, box=call.box, note=call.note,
            assessment=glance,
        )
        for call, glance in zip(calls, glances, strict=True)
    )  # fmt: skip


def as_stopped(calls: Sequence[Call], glances: Sequence[Assessment | None]) -> tuple[StoppedAction, ...]:
    """The calls as a stop dropped them, each with its first assessment."""
    return tuple(
        StoppedAction(name=call.name) if call.action is None else StoppedAction(action=call.action, assessment=glance)
        for call, glance in zip(calls, glances, strict=True)
    )


def dropped(signal: Holding | Stopping) -> tuple[DecisionKind, str, NoticeText]:
    """The decision about a call that a pause or stop cut off: its kind, the rule's name, the text for the model."""
    if isinstance(signal, Stopping):
        return DecisionKind.STOP, "stopped", notice(NoticeCode.CALL_CUT_OFF_BY_STOP)
    if isinstance(signal.intent, TakeOver):
        return DecisionKind.TAKE_OVER, "taken-over", notice(NoticeCode.CALL_CUT_OFF_BY_TAKE_OVER)
    if isinstance(signal.intent, End):
        return DecisionKind.NOT_DONE, "ended", notice(NoticeCode.CALL_CUT_OFF_BY_END)
    return DecisionKind.NOT_DONE, "paused", notice(NoticeCode.CALL_CUT_OFF_BY_PAUSE)


def interrupted_by(interruption: Stop | Hold | None) -> str:
    """What interrupted a call, for the model; "" for nothing."""
    match interruption:
        case None:
            return ""
        case Stop():
            return notice(NoticeCode.INTERRUPTED_BY_STOP)
        case Pause(by=by) if by not in _BY_OPERATOR:
            return notice(NoticeCode.INTERRUPTED_BY_PAUSE)
        case Pause() | TakeOver() | End():
            return notice(NoticeCode.INTERRUPTED_BY_OPERATOR)


def came_too_late(mark: Skip | Edit) -> Warned:
    """The warning about a Skip or Edit that came after its call had been decided."""
    title = notice(NoticeCode.EDIT_TOO_LATE if isinstance(mark, Edit) else NoticeCode.SKIP_TOO_LATE)
    detail = notice(NoticeCode.TOO_LATE_FOR_CALL, call=mark.call + 1, step=mark.step)
    return Warned(title=title, detail=detail, step=mark.step)


def with_change(result: CallResult, settled: Settled) -> CallResult:
    """The result with what came of the call; only for one that was carried out."""
    if result.status is not CallStatus.DONE:
        return result
    unchanged = settled.changed is False and NOTHING_CHANGED not in result.text
    hangs = settled.reason is SettleReason.NOT_ANSWERING and NOT_HANDLED not in result.text
    notes = (NOTHING_CHANGED if unchanged else "", NOT_HANDLED if hangs else "")
    return replace(result, changed=settled.changed, text=joined(result.text, *notes))


def finished(result: CallResult) -> Ending | None:
    """The ending where the call was a Finish; else None."""
    action = result.executed or result.call.action
    if not isinstance(action, Finish) or result.status is not CallStatus.DONE:
        return None
    return (EndedOutcome.FINISHED if action.success else EndedOutcome.FAILED), action.message


def refusal(decision: Decision) -> tuple[CallStatus, NoticeText]:
    """The status and the text for a decision against a call."""
    if decision.rule == SECRET_NOT_TYPED:
        return CallStatus.DECLINED, decision.why
    status, text = _refusal(decision)
    if decision.feedback:
        text = joined(text, notice(NoticeCode.OPERATOR_SAYS, text=decision.feedback))
    return status, text


def _refusal(decision: Decision) -> tuple[CallStatus, NoticeText]:
    match decision.kind, decision.by:
        case DecisionKind.SKIP, _:
            return CallStatus.SKIPPED, notice(NoticeCode.CALL_SKIPPED)
        case DecisionKind.DENY, DecidedBy.LAPSE:
            return CallStatus.DECLINED, notice(NoticeCode.CALL_LAPSED)
        case DecisionKind.DENY, DecidedBy.NOBODY:
            return CallStatus.DECLINED, notice(NoticeCode.CALL_NEEDS_APPROVAL)
        case DecisionKind.DENY, _:
            return CallStatus.DECLINED, notice(NoticeCode.CALL_DECLINED)
        case _ if decision.rule == OBSERVING_ONLY:
            return CallStatus.OBSERVING, notice(NoticeCode.OBSERVING_ONLY)
        case _ if decision.rule == HIDDEN_PLACE:
            return CallStatus.DECLINED, notice(NoticeCode.PLACE_IS_HIDDEN)
        case _ if decision.rule == UNTOLD_PLACE:
            return CallStatus.DECLINED, notice(NoticeCode.PLACE_MAY_SHOW_PASSWORD)
        case _ if decision.rule == STALE:
            return CallStatus.NOT_DONE, joined(
                notice(NoticeCode.SCREEN_IS_NOT_AS_SEEN), notice(NoticeCode.LOOK_BEFORE_GOING_ON)
            )
        case _:
            return CallStatus.DECLINED, notice(NoticeCode.CALL_FORBIDDEN_BY_SERVICE)


def acknowledged(call: Call, decision: Decision) -> bool:
    """Whether a human has approved what the provider's own check raised."""
    approved = decision.kind.approves
    return call.safety is not None and approved and decision.by is DecidedBy.HUMAN


def declined(call: Call, decision: Decision) -> Handled:
    """What follows from a decision against a call."""
    pause = None
    match decision.kind, decision.by:
        case DecisionKind.DENY, DecidedBy.LAPSE:
            pause = Pause(by=PauseCause.LAPSED_QUESTION, detail=notice(NoticeCode.SAFETY_QUESTION_LAPSED))
        case ((DecisionKind.SKIP | DecisionKind.DENY), _):
            pass
        case _ if decision.rule not in (OBSERVING_ONLY, STALE, HIDDEN_PLACE, UNTOLD_PLACE, SECRET_NOT_TYPED):
            detail = call.safety.explanation if call.safety else ""
            pause = Pause(by=PauseCause.PROVIDER_BLOCKED, detail=detail or notice(NoticeCode.SERVICE_BLOCKED_CALL))
    status, text = refusal(decision)
    return Handled(result=CallResult(call=call, status=status, text=text), pause=pause)


def told(status: CallStatus, outcome: Outcome, why: str, *, edited: bool) -> NoticeText:
    """What the model is told; `why` the call was interrupted, "" where only the outcome says so."""
    said = [notice(NoticeCode.CALL_EDITED)] if edited else []
    match status:
        case CallStatus.DONE:
            return joined(*said, outcome.detail)
        case CallStatus.STOPPED:
            sent = notice(NoticeCode.SENT_OF_TOTAL, sent=outcome.delivered, total=outcome.total)
            extent = sent if outcome.total else outcome.detail if why else ""
            return joined(*said, why or outcome.detail, extent, notice(NoticeCode.LOOK_BEFORE_GOING_ON))
        case _ if outcome.result is ActResult.UNKNOWN:
            look = notice(NoticeCode.DO_NOT_REPEAT)
            return joined(*said, notice(NoticeCode.OUTCOME_UNKNOWN), outcome.detail, look)
        case CallStatus.NOT_DONE if outcome.reason == RejectedReason.STALE.value:
            return joined(*said, notice(NoticeCode.SCREEN_IS_NOT_AS_SEEN), outcome.detail)
        case _:
            return joined(*said, notice(NoticeCode.CALL_NOT_DONE), outcome.detail)
