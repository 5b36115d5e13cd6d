"""What is drawn over the preview follows from the view."""

from __future__ import annotations

from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain.decisions import DecidedBy, DecisionKind, Question, Surface
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.risk import RiskClass
from operator_console.ui.stage.plan_marks import MarkShape, MarkStage, marks_of, marks_of_step
from operator_console.ui.view.fold_records import fold_all
from operator_console.ui.view.session_view import Step
from tests.display.ui.scene import LOW, NOTES, SUBMIT, Story, call_of


def told(*actions: a.Action) -> Story:
    story = Story()
    story.started()
    story.observed(1)
    story.proposed(1, *(call_of(index, action, LOW) for index, action in enumerate(actions)))
    return story


def test_every_proposed_call_has_its_number_and_shape() -> None:
    drag = a.Drag(path=(NativePoint(0, 0), NativePoint(9, 9)))
    story = told(a.Click(at=SUBMIT), a.Scroll(at=NOTES, dy=3), drag, a.TypeText(text="x", at=NOTES), a.Wait())
    marks = marks_of(fold_all(story.records))
    assert [(mark.number, mark.shape) for mark in marks] == [
        (1, MarkShape.POINT), (2, MarkShape.SCROLL), (3, MarkShape.DRAG), (4, MarkShape.TEXT),
    ]  # fmt: skip
    assert [mark.stage for mark in marks] == [MarkStage.NEXT, *[MarkStage.WAITING] * 3]
    assert marks[2].points[0] == NativePoint(0, 0)
    assert marks[0].risk is RiskClass.C1


def test_text_without_a_place_is_drawn_where_the_pointer_was_put() -> None:
    marks = marks_of(fold_all(told(a.Click(at=NOTES), a.TypeText(text="x")).records))
    assert marks[1].points == (NOTES,)


def test_a_done_call_is_marked_done_and_the_next_is_next() -> None:
    story = told(a.Click(at=NOTES), a.Click(at=SUBMIT))
    story.done(1, 0)
    assert [mark.stage for mark in marks_of(fold_all(story.records))] == [MarkStage.DONE, MarkStage.NEXT]


def test_a_lead_time_runs_on_its_mark_until_the_act() -> None:
    story = told(a.Click(at=NOTES))
    story.add(ev.Decided(step=1, call=0, decision=DecisionKind.APPROVE, by=DecidedBy.POLICY, rule="r", lead_s=0.5))
    assert marks_of(fold_all(story.records))[0].lead_s == 0.5
    story.add(ev.Granted(step=1, call=0, grant_id="g", action=a.Click(at=NOTES), epoch=1))
    assert marks_of(fold_all(story.records))[0].lead_s == 0.0


def test_an_edited_point_is_drawn_where_it_was_moved_to() -> None:
    moved = a.Click(at=NativePoint(5, 6))
    assert marks_of(fold_all(told(a.Click(at=NOTES)).records), moved)[0].points == (NativePoint(5, 6),)


def test_a_choose_question_shows_its_places_alone() -> None:
    story = told(a.Click(at=NOTES))
    choices = (a.Choice(label="top", region=Rect(10, 10, 20, 20)), a.Choice(label="nowhere"))
    question = Question(
        question_id="q", answer=a.QuestionKind.CHOOSE, surface=Surface.CARD, text="Which?", choices=choices
    )
    story.add(ev.Asked(question=question))
    marks = marks_of(fold_all(story.records))
    assert [(mark.shape, mark.label, mark.region) for mark in marks] == [
        (MarkShape.CHOICE, "top", Rect(10, 10, 20, 20))
    ]


def test_nothing_is_drawn_when_nothing_runs_but_a_step_can_be_looked_back_at() -> None:
    story = told(a.Click(at=NOTES))
    story.add(ev.Stopped(reason=ev.StopCause.BUTTON, latched=True))
    view = fold_all(story.records)
    assert marks_of(view) == ()
    step = next(item for item in view.items if isinstance(item, Step))
    assert [mark.points for mark in marks_of_step(step)] == [(NOTES,)]
