"""What the model is told about a call that was decided against. Pure functions."""

from __future__ import annotations

from operator_console.domain.decisions import DecidedBy, Decision, DecisionKind
from operator_console.domain.errors import RejectedReason
from operator_console.domain.message_texts import NoticeText, joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import CallStatus

# Rules of decisions, as recorded.
OBSERVING_ONLY = "observing-only"
NOT_UNDERSTOOD = "not-understood"
EARLIER_NOT_DONE = "an-earlier-call-was-not-done"
STALE = RejectedReason.STALE.value
"""The screen changed under the action before anybody was asked about it."""


def refusal(decision: Decision) -> tuple[CallStatus, NoticeText]:
    """The status and the text for a decision against a call."""
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
        case _ if decision.rule == STALE:
            return CallStatus.NOT_DONE, joined(
                notice(NoticeCode.SCREEN_IS_NOT_AS_SEEN), notice(NoticeCode.LOOK_BEFORE_GOING_ON)
            )
        case _:
            return CallStatus.DECLINED, notice(NoticeCode.CALL_FORBIDDEN_BY_SERVICE)
