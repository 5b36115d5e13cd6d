"""What the window says of a session's state, its pauses and its stops."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain.decisions import DecidedBy, DecisionKind, Question, Surface
from operator_console.domain.frames import TargetKind
from operator_console.domain.geometry import NativePoint
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Usage
from operator_console.domain.risk import Category
from operator_console.domain.stopping import PauseCause, StopCause, StopLiveness
from operator_console.engine.turn.call_results import OBSERVING_ONLY
from operator_console.ui.backend import GuardStatus
from operator_console.ui.view.call_words import call_outcome, said_heading
from operator_console.ui.view.cause_words import stop_words, stopped_words
from operator_console.ui.view.fold_records import failed
from operator_console.ui.view.next_steps import NextStep, next_steps
from operator_console.ui.view.session_view import Phase, SessionView
from operator_console.ui.view.state_words import (
    PillTone,
    card_heading,
    card_words,
    next_words,
    pill_words,
    question_heading,
    replay_heading,
    replay_words,
    start_blocked,
)
from operator_console.ui.view.timeline_entries import entry_of
from operator_console.ui.view.words import names_of, permission_name
from tests.display.ui.scene import LOW, Story, call_of, review
from tests.domain.words import value_names
from tests.fakes.targets import target_of
from tests.ui.view.folding import fold_all


def paused(*, dropped: bool) -> SessionView:
    story = Story()
    story.started()
    story.observed(1)
    story.proposed(1, call_of(0, a.Click(at=NativePoint(9, 9))))
    if dropped:
        story.add(
            ev.Decided(step=1, call=0, decision=DecisionKind.NOT_DONE, by=DecidedBy.POLICY, rule="paused", action=None)
        )
    story.add(ev.Paused(by=PauseCause.HUMAN, detail=""))
    return fold_all(story.records)


@pytest.mark.parametrize("dropped", [True, False])
def test_a_pause_says_whether_an_action_was_dropped(dropped: bool) -> None:
    words = card_words(paused(dropped=dropped))
    assert words.endswith("Resuming looks at the screen again.")
    assert ("The waiting action was dropped." in words) is dropped


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (
            TargetKind.MONITOR,
            ("The model sees nothing, and nothing is sent. Hand back when you are done; a note helps the model."),
        ),
        (
            TargetKind.VIRTUAL,
            (
                "The model sees nothing. The target has no window here: click and type in the picture. "
                "F6 gives the keyboard back to the console. Hand back when you are done; a note helps "
                "the model."
            ),
        ),
    ],
)
def test_a_person_is_told_that_an_isolated_desktop_is_used_in_the_picture(kind: TargetKind, words: str) -> None:
    story = Story()
    story.started()
    story.add(ev.HandedOver())
    view = fold_all(story.records)
    assert view.started is not None
    assert card_words(replace(view, started=replace(view.started, target=target_of(kind)))) == words


def test_a_runbook_is_not_called_a_model() -> None:
    view = paused(dropped=False)
    assert view.started is not None
    assert said_heading(view) == "The model says (not verified)"
    assert said_heading(replace(view, started=replace(view.started, provider="runbook"))) == "Runbook line"


def test_every_stop_has_words() -> None:
    assert len(set(map(stop_words, StopCause))) == len(StopCause)
    assert stopped_words(StopCause.BUTTON) == "Stopped by the Stop button"
    assert stopped_words(StopCause.GUARD_DIED) == "Stopped: the safety process ended unexpectedly"
    assert stopped_words(None) == "Stopped"


def test_every_category_has_a_name() -> None:
    assert len(set(map(permission_name, Category))) == len(Category)
    assert names_of((Category.DELETE, Category.LOGIN)) == "delete things, sign in"


def test_the_bar_names_the_action_that_is_asked_about() -> None:
    action = a.TypeText(text="hello", at=NativePoint(9, 9))
    story = Story()
    story.started()
    story.observed(1)
    story.proposed(1, call_of(0, action, LOW))
    story.add(ev.Asked(question=review(1, 0, action, LOW), step=1, call=0))
    assert next_words(fold_all(story.records)) == "Type “hello” into “Notes”"


def turn(action: a.Action, *, lead_s: float = 0.0, decision: DecisionKind | None = None, rule: str = "") -> Story:
    story = Story()
    story.started()
    story.observed(1)
    story.proposed(1, call_of(0, action, LOW))
    if decision is not None:
        decided = ev.Decided(step=1, call=0, decision=decision, by=DecidedBy.POLICY, rule=rule, lead_s=lead_s)
        story.add(decided)
    return story


CLICK = a.Click(at=NativePoint(9, 9))


def test_only_what_is_carried_out_is_called_acting() -> None:
    approved = DecisionKind.APPROVE
    assert pill_words(fold_all(turn(CLICK).records))[0] == "Checking"
    assert pill_words(fold_all(turn(CLICK, decision=approved, lead_s=0.5).records))[0] == "About to act"
    story = turn(CLICK, decision=approved, lead_s=0.5)
    story.add(ev.Granted(step=1, call=0, grant_id="g", action=CLICK, epoch=1))
    assert pill_words(fold_all(story.records))[0] == "Acting"
    assert pill_words(fold_all(turn(a.Wait(duration_s=9), decision=approved).records))[0] == "Waiting"
    assert pill_words(fold_all(turn(a.Screenshot(), decision=approved).records))[0] == "Looking"


@pytest.mark.parametrize(
    ("by", "words"),
    [(PauseCause.HAND, "You have it"), (PauseCause.HOLD, "Hold to run"), (PauseCause.HUMAN, "Paused by you")],
)
def test_who_has_it_is_said_in_a_pause(by: PauseCause, words: str) -> None:
    story = turn(CLICK)
    story.add(ev.Paused(by=by, detail=""))
    assert pill_words(fold_all(story.records))[0] == words


def test_a_session_that_only_observes_never_says_that_it_acts() -> None:
    view = fold_all(turn(CLICK, decision=DecisionKind.NOT_DONE, rule=OBSERVING_ONLY).records)
    assert pill_words(view)[0] == "Checking"
    assert card_words(view) == (
        "Observing only: the action of this step was not carried out. Taking the next screenshot."
    )
    assert (
        card_words(fold_all(turn(CLICK, decision=DecisionKind.SKIP).records))
        == "Step finished. Taking the next screenshot."
    )


def test_the_cards_heading_says_where_the_session_is() -> None:
    assert card_heading(SessionView()) == "Next action"
    limit = Question(question_id="q", answer=a.QuestionKind.CONFIRM, surface=Surface.CARD, text="?", about="limit")
    assert question_heading(SessionView(question=limit)) == "A limit is reached"
    assert question_heading(SessionView(question=replace(limit, about="model"))) == "The model asks you"
    assert card_heading(paused(dropped=True)) == "Paused"
    assert card_heading(failed(paused(dropped=True), "The key was rejected.")) == "Failed"


def ended(outcome: ev.EndedOutcome, message: str = "") -> SessionView:
    story = Story()
    story.started()
    story.observed(1)
    story.proposed(1, call_of(0, a.Click(at=NativePoint(9, 9))), call_of(1, a.Click(at=NativePoint(9, 9))))
    action = a.Click(at=NativePoint(9, 9))
    story.add(ev.Decided(step=1, call=0, decision=DecisionKind.APPROVE, by=DecidedBy.POLICY, rule="ordinary"))
    story.add(ev.Granted(step=1, call=0, grant_id="g", action=action, epoch=1))
    story.add(ev.Ended(outcome=outcome, message=message, usage=Usage()))
    return fold_all(story.records)


def test_nothing_is_in_progress_after_the_end() -> None:
    view = ended(ev.EndedOutcome.FAILED)
    assert view.step is not None
    assert [call_outcome(call) for call in view.step.calls] == ["outcome unknown", "not done"]


@pytest.mark.parametrize(
    ("code", "step"),
    [
        (NoticeCode.SERVICE_REJECTED_KEY, NextStep.ENTER_KEY),
        (NoticeCode.TARGET_CLOSED, NextStep.CHOOSE_TARGET),
        (NoticeCode.LOG_AND_RECORD_HAVE_DETAILS, NextStep.OPEN_LOGS),
    ],
)
def test_a_failure_offers_what_helps_against_its_cause(code: NoticeCode, step: NextStep) -> None:
    message = notice(code, **dict.fromkeys(value_names(code.words), "x"))
    view = ended(ev.EndedOutcome.FAILED, message)
    assert next_steps(view, replay=False) == (step,)
    assert card_heading(view) == "Failed"
    assert pill_words(view) == ("Failed", PillTone.FAILED)


def test_a_failure_without_a_known_cause_leads_to_the_set_up() -> None:
    assert next_steps(ended(ev.EndedOutcome.FAILED, "It broke."), replay=False) == (NextStep.CHANGE_SETUP,)
    assert next_steps(ended(ev.EndedOutcome.FAILED, "It broke."), replay=True) == ()
    assert next_steps(ended(ev.EndedOutcome.FINISHED), replay=False) == ()


def ended_in_words_alone() -> SessionView:
    story = Story()
    story.started()
    story.observed(1)
    story.add(ev.Proposed(step=1, calls=(), narration="Which name?", finished=True, usage=Usage()))
    story.add(ev.Ended(outcome=ev.EndedOutcome.FINISHED, message="Which name?", usage=Usage()))
    return fold_all(story.records)


def test_words_that_ended_a_session_are_the_models_and_can_be_answered() -> None:
    view = ended_in_words_alone()
    assert card_heading(view) == "The model says"
    assert card_words(view).split("\n\n") == ["Which name?", "Answer goes on in the same conversation and record."]
    assert next_steps(view, replay=False) == (NextStep.ANSWER, NextStep.DONE)
    assert next_steps(view, replay=True) == ()
    assert pill_words(view) == ("Finished", PillTone.PLAIN)


def test_no_pause_leaves_a_person_without_a_way_on() -> None:
    for cause in PauseCause:
        view = replace(paused(dropped=False), pause=ev.Paused(by=cause))
        assert "Resuming looks" in card_words(view)


def test_the_card_offers_no_start_where_none_is_possible() -> None:
    view = ended(ev.EndedOutcome.FINISHED)
    assert "A follow-up task or Continue uses the same record; Start begins a new session." in card_words(view)
    blocked = start_blocked(GuardStatus(liveness=StopLiveness(live=False, detail="The listener has ended.")))
    assert blocked is not None
    assert blocked.why in card_words(view, blocked=blocked.why)
    assert "A follow-up task or Continue uses the same record; Start begins a new session." not in card_words(
        view, blocked=blocked.why
    )


@pytest.mark.parametrize("phase", list(Phase))
def test_every_phase_has_words_for_the_card_and_the_pill(phase: Phase) -> None:
    """Where there is an action or a reason to retry, the card shows that instead."""
    view = replace(paused(dropped=False), phase=phase, pause=None)
    assert card_heading(view)
    assert pill_words(view)[0]
    assert (
        card_words(view)
        == (
            "While a session runs, each proposed action appears here and in the preview before it "
            "happens. You can approve, edit or skip it."
        )
    ) == (phase in (Phase.IDLE, Phase.REVIEWING, Phase.STOPPED, Phase.RETRYING))


def test_the_card_of_a_replay_says_what_the_model_said_and_not_what_the_row_says() -> None:
    story = Story()
    story.history(1)
    view = fold_all(story.records)
    assert replay_heading(view) == "Step 1"
    said = "The model says (not verified)\nThe fields match the receipt; I add a note and submit the report."
    assert replay_words(view) == said
    assert entry_of(view.items[-1]).title not in said
