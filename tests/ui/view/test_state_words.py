"""What the window says of a session's state, its pauses and its stops."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain.decisions import DecidedBy, DecisionKind
from operator_console.domain.geometry import NativePoint
from operator_console.domain.risk import Category
from operator_console.domain.stopping import PauseCause, StopCause
from operator_console.ui.view.call_words import said_heading
from operator_console.ui.view.fold_records import failed, fold_all
from operator_console.ui.view.session_view import SessionView
from operator_console.ui.view.state_words import card_heading, card_words, next_words
from operator_console.ui.view.words import CATEGORY_NAMES, STOP_WORDS, names_of, stopped_words
from tests.display.ui.scene import LOW, Story, call_of, review


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
    assert words.endswith("Resume looks at the screen again.")
    assert ("The waiting action was dropped." in words) is dropped


def test_a_runbook_is_not_called_a_model() -> None:
    view = paused(dropped=False)
    assert view.started is not None
    assert said_heading(view) == "The model says (not verified)"
    assert said_heading(replace(view, started=replace(view.started, provider="runbook"))) == "Runbook line"


def test_every_stop_has_words() -> None:
    assert STOP_WORDS.keys() == set(StopCause)
    assert stopped_words(StopCause.BUTTON) == "Stopped by the Stop button"
    assert stopped_words(StopCause.GUARD_DIED) == "Stopped: the safety process ended unexpectedly"
    assert stopped_words(None) == "Stopped"


def test_every_category_has_a_name() -> None:
    assert CATEGORY_NAMES.keys() == set(Category)
    assert names_of((Category.DELETE, Category.LOGIN)) == "delete things, sign in"


def test_the_bar_names_the_action_that_is_asked_about() -> None:
    action = a.TypeText(text="hello", at=NativePoint(9, 9))
    story = Story()
    story.started()
    story.observed(1)
    story.proposed(1, call_of(0, action, LOW))
    story.add(ev.Asked(question=review(1, 0, action, LOW), step=1, call=0))
    assert next_words(fold_all(story.records)) == "Type “hello” into “Notes”"


def test_the_cards_heading_says_where_the_session_is() -> None:
    assert card_heading(SessionView()) == "Next action"
    assert card_heading(paused(dropped=True)) == "Paused"
    assert card_heading(failed(paused(dropped=True), "The key was rejected.")) == "Failed"
