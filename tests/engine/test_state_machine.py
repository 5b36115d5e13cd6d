"""The state machine: every pair of state and cause has a next state or raises, and nothing leaves Stopped."""

from __future__ import annotations

import pytest

from operator_console.domain import events, states
from operator_console.domain.actions import Click, QuestionKind
from operator_console.domain.decisions import ActResult, DecidedBy, DecisionKind, Question, Surface
from operator_console.domain.frames import MonitorTarget, SettleReason
from operator_console.domain.geometry import FrameGeometry, ScreenPoint, Size
from operator_console.domain.permissions import Coverage, PermittedAct, RevokedBy
from operator_console.domain.proposals import CallStatus, Usage
from operator_console.domain.risk import Autonomy, RiskClass
from operator_console.domain.snapshot_acts import SnapshotAct
from operator_console.domain.stopping import PauseCause, StopCause
from operator_console.engine.state_machine import (
    AskAgain,
    Begin,
    CallTurn,
    IllegalTransition,
    Look,
    Mark,
    Settle,
    next_state,
)

TARGET = MonitorTarget(spec="monitor:1", title="Monitor 1")
GEOMETRY = FrameGeometry(origin=ScreenPoint(0, 0), native=Size(9, 9), sent=Size(9, 9))
ABOUT_CALL = Question(
    question_id="q", answer=QuestionKind.CONFIRM, surface=Surface.CARD, text="?", step=2, call=1, about="review"
)
ABOUT_TURN = Question(question_id="q", answer=QuestionKind.TEXT, surface=Surface.CARD, text="?", step=2)
LIMIT = Question(question_id="q", answer=QuestionKind.CONFIRM, surface=Surface.CARD, text="?", about="limit")

STATES: dict[str, states.State] = {
    "idle": states.Idle(),
    "starting": states.Starting(),
    "observing": states.Observing(),
    "thinking": states.Thinking(),
    "retrying": states.Retrying(until_s=1.0, reason="busy"),
    "reviewing": states.Reviewing(request=ABOUT_CALL),
    "acting": states.Acting(step=2, call=1),
    "settling": states.Settling(),
    "paused": states.Paused(by=PauseCause.HUMAN),
    "handed_over": states.HandedOver(),
    "stopped": states.Stopped(reason=StopCause.HOTKEY),
    "ended": states.Ended(outcome=events.EndedOutcome.FINISHED),
}

CAUSES: dict[str, events.Event | Mark] = {
    "begin": Begin(),
    "look": Look(),
    "ask_again": AskAgain(),
    "call_turn": CallTurn(step=2, call=1),
    "settle": Settle(),
    "session_started": events.SessionStarted(
        task="t", target=TARGET, provider="p", model="m", autonomy=Autonomy.STEP, max_steps=1, max_minutes=1
    ),
    "observed": events.Observed(step=1, frame_id="f", picture="d", geometry=GEOMETRY),
    "proposed": events.Proposed(step=2, calls=(), usage=Usage()),
    "decided": events.Decided(step=2, call=1, decision=DecisionKind.APPROVE, by=DecidedBy.POLICY, rule="r"),
    "granted": events.Granted(step=2, call=1, grant_id="g", action=Click(at=None), epoch=1),
    "performed": events.Performed(step=2, call=1, result=ActResult.DONE, status=CallStatus.DONE),
    "settled": events.Settled(step=2, reason=SettleReason.QUIET, waited_s=0.1),
    "paused": events.Paused(by=PauseCause.HUMAN),
    "resumed": events.Resumed(by="human"),
    "handed_over": events.HandedOver(),
    "handed_back": events.HandedBack(),
    "stopped": events.Stopped(reason=StopCause.HOTKEY, latched=True),
    "question": events.Asked(question=ABOUT_CALL),
    "answered": events.Answered(question_id="q", answer="yes", by=DecidedBy.HUMAN),
    "permitted": events.Permitted(
        permission_id="p", text="t", coverage=Coverage(act=PermittedAct.PRESS, risk=RiskClass.C1), question_id="q"
    ),
    "permission_revoked": events.PermissionRevoked(permission_id="p", by=RevokedBy.OPERATOR),
    "message": events.Message(text="hi"),
    "retrying": events.Retrying(step=1, attempt=2, of=5, wait_s=3.0, reason="busy"),
    "warned": events.Warned(title="w"),
    "downloaded": events.Downloaded(name="n", folder="f", url="u"),
    "blocked": events.Blocked(site="s:80", by=events.BlockedBy.BLOCKED_SITE),
    "reset": events.Reset(by="human"),
    "snapshot": events.Snapshot(act=SnapshotAct.TAKEN, name="n"),
    "ended": events.Ended(outcome=events.EndedOutcome.FINISHED, usage=Usage()),
    "ended_stopped": events.Ended(outcome=events.EndedOutcome.STOPPED, usage=Usage()),
}

RUNNING = ("starting", "observing", "thinking", "retrying", "reviewing", "acting", "settling")
# What may happen in each state, and where it leads ("." for the same state).
LEGAL: dict[str, dict[str, str]] = {
    "idle": {"begin": "starting", "reset": ".", "snapshot": "."},
    "starting": {"session_started": "observing"},
    "observing": {"observed": "thinking", "look": ".", "question": "reviewing"},
    "thinking": {
        "proposed": "acting", "retrying": "retrying", "look": "observing", "ask_again": ".", "question": "reviewing",
        "call_turn": "acting",
    },
    "retrying": {"ask_again": "thinking", "look": "observing"},
    "reviewing": {"answered": "acting"},
    "acting": {
        "call_turn": ".", "decided": ".", "granted": ".", "performed": ".", "settle": "settling", "settled": ".",
        "look": "observing", "question": "reviewing",
    },
    "settling": {"settled": "observing", "look": "observing", "call_turn": "acting", "question": "reviewing"},
    "paused": {"resumed": "observing", "question": "reviewing"},
    "handed_over": {"handed_back": "observing"},
    "stopped": {"ended_stopped": ".", "message": ".", "warned": ".", "reset": ".", "snapshot": "."}
    | dict.fromkeys(("downloaded", "blocked", "permitted", "permission_revoked"), "."),
    "ended": {"reset": ".", "snapshot": "."},
}  # fmt: skip
for name in (*RUNNING, "paused", "handed_over"):
    LEGAL[name] |= {
        "downloaded": ".",
        "blocked": ".",
        "permitted": ".",
        "permission_revoked": ".",
        "snapshot": ".",
        "message": ".",
        "warned": ".",
        "reset": ".",
        "stopped": "stopped",
        "ended": "ended",
    }
for name in (*RUNNING, "paused"):
    LEGAL[name] |= {"paused": "paused", "handed_over": "handed_over"}


@pytest.mark.parametrize("state", STATES)
def test_every_pair(state: str) -> None:
    for cause, event in CAUSES.items():
        expected = LEGAL[state].get(cause)
        if expected is None:
            with pytest.raises(IllegalTransition):
                print(cause, next_state(STATES[state], event))
            continue
        found = next_state(STATES[state], event, now_s=10.0)
        wanted = STATES[state if expected == "." else expected]
        assert type(found) is type(wanted), cause
        if expected == ".":
            assert found == wanted, cause


def test_a_retry_says_until_when() -> None:
    assert next_state(states.Thinking(), CAUSES["retrying"], 10.0) == states.Retrying(until_s=13.0, reason="busy")


def test_an_answer_leads_back_to_where_the_question_came_from() -> None:
    answered = CAUSES["answered"]
    assert next_state(states.Reviewing(request=ABOUT_CALL), answered) == states.Acting(step=2, call=1)
    assert next_state(states.Reviewing(request=ABOUT_TURN), answered) == states.Acting(step=2, call=0)
    assert isinstance(next_state(states.Reviewing(request=LIMIT), answered), states.Paused)
    other = events.Answered(question_id="another", answer="yes", by=DecidedBy.HUMAN)
    with pytest.raises(IllegalTransition):
        next_state(states.Reviewing(request=ABOUT_CALL), other)
