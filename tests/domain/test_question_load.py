"""How much is asked and how quickly it is answered, by the events of a session."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import QuestionKind
from operator_console.domain.decisions import Assessment, DecidedBy, DecisionKind, Question, Surface
from operator_console.domain.events import Answered, Asked, Decided, Event
from operator_console.domain.question_load import HASTE, QuestionLoad
from operator_console.domain.risk import RiskClass


def decided(step: int, risk: RiskClass = RiskClass.C1, call: int = 0) -> Event:
    return Decided(
        step=step,
        call=call,
        decision=DecisionKind.APPROVE,
        by=DecidedBy.POLICY,
        rule="r",
        assessment=Assessment(risk=risk),
    )


def asked(about: str = "review") -> Event:
    return Asked(question=Question(
        question_id="q", answer=QuestionKind.CONFIRM, surface=Surface.CARD, text="?", about=about,
    ))  # fmt: skip


def answered(took_s: float, answer: str = "yes", by: DecidedBy = DecidedBy.HUMAN) -> Event:
    return Answered(question_id="q", answer=answer, by=by, took_s=took_s)


def load(*events: Event) -> QuestionLoad:
    found = QuestionLoad()
    for event in events:
        found = found.after(event)
    return found


def test_actions_are_calls_that_do_more_than_look_and_count_once() -> None:
    found = load(decided(1), decided(1), decided(1, call=1), decided(2, RiskClass.C0), decided(3, RiskClass.C4))
    assert (found.actions, found.questions, found.per_100, found.answer_s) == (3, 0, 0.0, None)
    assert load().per_100 is None


def test_questions_about_actions_count_also_unanswered_but_not_withdrawn() -> None:
    nobody = answered(0.0, "declined", DecidedBy.NOBODY)
    found = load(
        asked(), answered(4.0), decided(1), asked(), answered(60.0, "declined", DecidedBy.LAPSE), decided(2),
        asked(), nobody, decided(3), asked(), answered(3.0, "withdrawn", DecidedBy.NOBODY), asked("model"),
        answered(2.0), decided(4),
    )  # fmt: skip
    assert (found.questions, found.per_100, found.answers_s) == (3, 75.0, (4.0,))


@pytest.mark.parametrize(
    ("answers", "row"),
    [
        ([answered(1.9)] * 5, 5),
        ([answered(2.0)] * 5, 0),
        ([answered(0.9, "declined")] * 5, 5),
        ([answered(1.5, "declined")] * 5, 0),
        ([answered(1.2)] * 3 + [answered(9.0)] + [answered(1.2)] * 2, 2),
    ],
    ids=["yes", "a slower yes", "no", "a slower no", "one slow answer between"],
)
def test_an_answer_is_quick_from_when_it_could_be_given(answers: list[Event], row: int) -> None:
    found = load(*(event for answer in answers for event in (asked(), answer)))
    assert found.quick_in_a_row == row
    assert found.hasty is (row >= HASTE)


def test_the_row_begins_again_once_it_was_said() -> None:
    quick = [event for _ in range(HASTE) for event in (asked(), answered(1.2))]
    assert load(*quick).hasty
    assert not load(*quick, asked("haste")).hasty
