"""A call and what became of it, in a few words. Pure; used by the timeline, the card, the reticles and the fold."""

from __future__ import annotations

from operator_console.domain.decisions import ActResult, DecisionKind
from operator_console.domain.proposals import CallStatus
from operator_console.engine.wording import action_words, brief
from operator_console.ui.model import Call


def call_title(call: Call) -> str:
    """One call in a few words."""
    if call.action is None:
        return f"Not understood: {brief(call.proposed.name, 80)}"
    return action_words(call.action, call.label, limit=40).line


def call_outcome(call: Call) -> str:
    """How a call stands, in a few words."""
    edited = "edited by you, " if call.decision is DecisionKind.MODIFY else ""
    performed = call.performed
    if performed is None:
        return _undone_words(call)
    match performed.status:
        case CallStatus.DONE:
            seen = {True: " · screen changed", False: " · screen unchanged", None: ""}[call.changed]
            return f"{edited}done{seen}"
        case CallStatus.SKIPPED | CallStatus.DECLINED:
            word = "skipped" if performed.status is CallStatus.SKIPPED else "declined"
            return f"{word}: “{call.feedback}”" if call.feedback else f"{word} by you"
        case CallStatus.STOPPED:
            count = f" after {performed.delivered} of {performed.total}" if performed.total else ""
            return f"stopped{count}"
        case CallStatus.FAILED:
            word = "outcome unknown" if performed.result is ActResult.UNKNOWN else "failed"
            return f"{edited}{word}: {brief(performed.detail, 300)}" if performed.detail else f"{edited}{word}"
        case CallStatus.NOT_DONE:
            return f"not done: {brief(performed.detail, 300)}" if performed.detail else _not_done(call)
        case CallStatus.NOT_UNDERSTOOD:
            return "not understood"
        case CallStatus.OBSERVING:
            return "not done: observing only"


def _undone_words(call: Call) -> str:
    match call.decision:
        case None:
            return "proposed"
        case DecisionKind.APPROVE | DecisionKind.MODIFY:
            return "under way" if call.granted else "about to happen"
        case DecisionKind.SKIP:
            return f"skipped: “{call.feedback}”" if call.feedback else "skipped by you"
        case DecisionKind.DENY:
            return "denied"
        case DecisionKind.TAKE_OVER:
            return "you took over"
        case DecisionKind.STOP:
            return "stopped"
        case DecisionKind.NOT_DONE:
            return _not_done(call)


_WHY_NOT = {
    "paused": "the session was paused before it",
    "an-earlier-call-was-not-done": "an earlier action of this step was not done",
    "not-understood": "it was not understood",
    "observing-only": "observing only",
    "provider-blocked": "the model’s service forbids it",
}


def _not_done(call: Call) -> str:
    why = _WHY_NOT.get(call.rule, call.rule.replace("-", " "))
    return f"not done: {why}" if why else "not done"
