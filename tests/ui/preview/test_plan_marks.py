"""What is drawn over the preview follows from the view; rings close during their lead time and fade once done."""

from __future__ import annotations

from dataclasses import replace

from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain.decisions import DecidedBy, DecisionKind, Question, Surface
from operator_console.domain.element_marks import ElementMark
from operator_console.domain.elements import Control
from operator_console.domain.geometry import NativePoint, Rect, Size
from operator_console.domain.keys import Key
from operator_console.domain.risk import RiskClass
from operator_console.domain.stopping import StopCause
from operator_console.ui.preview.plan_marks import (
    FADE_S,
    Mark,
    MarkMotion,
    MarkShape,
    MarkStage,
    marks_of,
    marks_of_step,
    numbers_of,
    numbers_of_step,
)
from operator_console.ui.view.session_view import Step
from tests.display.ui.scene import HIGH, LOW, NOTES, NOTES_FIELD, SUBMIT, SUBMIT_BUTTON, Story, call_of, review
from tests.ui.view.folding import fold_all


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


def assessed(action: a.Action, control: Control) -> Story:
    story = Story()
    story.started()
    story.observed(1)
    story.proposed(1, call_of(0, action, replace(LOW, control=control)))
    return story


def test_the_control_is_outlined_while_proposed_and_acting_and_in_a_past_step() -> None:
    click = a.Click(at=SUBMIT)
    story = assessed(click, SUBMIT_BUTTON)

    def outlined() -> list[Rect]:
        return [extent for mark in marks_of(fold_all(story.records)) for extent in mark.controls]

    assert outlined() == [SUBMIT_BUTTON.extent]
    story.add(ev.Asked(question=review(1, 0, click, HIGH, dialog=True)))
    assert outlined() == [SUBMIT_BUTTON.extent]
    decided = ev.Decided(step=1, call=0, decision=DecisionKind.APPROVE, by=DecidedBy.HUMAN, rule="r", assessment=HIGH)
    story.add(decided)
    story.add(ev.Granted(step=1, call=0, grant_id="g", action=click, epoch=1))
    assert outlined() == [SUBMIT_BUTTON.extent]
    step = fold_all(story.records).step
    assert step is not None
    assert [mark.controls for mark in marks_of_step(step)] == [(SUBMIT_BUTTON.extent,)]


def test_a_control_of_unknown_extent_has_no_outline() -> None:
    unknown = replace(SUBMIT_BUTTON, extent=None)
    assert marks_of(fold_all(assessed(a.Click(at=SUBMIT), unknown).records))[0].controls == ()


def test_while_a_point_is_edited_the_control_of_the_old_one_is_not_outlined() -> None:
    view = fold_all(assessed(a.Click(at=SUBMIT), SUBMIT_BUTTON).records)
    assert marks_of(view, a.Click(at=NOTES))[0].controls == ()


def test_text_and_keys_without_a_place_are_drawn_at_the_control_that_has_the_focus() -> None:
    typing = marks_of(fold_all(assessed(a.TypeText(text="x"), NOTES_FIELD).records))[0]
    assert (typing.shape, typing.controls) == (MarkShape.TEXT, (NOTES_FIELD.extent,))
    keys = marks_of(fold_all(assessed(a.Chord(keys=(Key("enter"),)), SUBMIT_BUTTON).records))[0]
    assert (keys.shape, keys.controls) == (MarkShape.KEYS, (SUBMIT_BUTTON.extent,))


def test_the_models_box_is_left_out_only_where_it_would_run_beside_the_control() -> None:
    story = told()
    for index, box in enumerate((Rect(88, 574, 184, 44), Rect(40, 500, 300, 200))):
        story.proposed(index + 2, call_of(0, a.Click(at=SUBMIT), replace(LOW, control=SUBMIT_BUTTON), box=box))
        regions = [mark.region for mark in marks_of(fold_all(story.records))]
        assert regions == [None if index == 0 else box]


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
    story.add(ev.Stopped(reason=StopCause.BUTTON, latched=True))
    view = fold_all(story.records)
    assert marks_of(view) == ()
    step = next(item for item in view.items if isinstance(item, Step))
    assert [mark.points for mark in marks_of_step(step)] == [(NOTES,)]


def test_the_numbers_of_elements_are_shown_until_something_is_done_and_in_a_past_step() -> None:
    mark = ElementMark(number=7, box=Rect(90, 576, 180, 40), tag=Rect(90, 560, 16, 16), words="button “Submit report”")
    story = Story()
    story.started()
    story.observed(1, marks=(mark,))
    shown = numbers_of(fold_all(story.records))
    assert shown is not None, "while the model thinks"
    assert (shown.native, shown.marks) == (Size(1280, 800), (mark,))
    story.proposed(1, call_of(0, a.Click(at=SUBMIT), LOW))
    assert numbers_of(fold_all(story.records)) == shown
    story.add(ev.Granted(step=1, call=0, grant_id="g", action=a.Click(at=SUBMIT), epoch=1))
    view = fold_all(story.records)
    assert numbers_of(view) is None
    assert view.step is not None
    assert numbers_of_step(view.step) == shown


def test_a_model_that_numbers_nothing_has_no_numbers() -> None:
    assert numbers_of(fold_all(told(a.Click(at=SUBMIT)).records)) is None


NEXT = Mark(
    key="1.0", number=1, shape=MarkShape.POINT, stage=MarkStage.NEXT, label="click", points=(NativePoint(5, 5),),
    lead_s=2.0,
)  # fmt: skip
DONE = replace(NEXT, stage=MarkStage.DONE, lead_s=0.0)


class Clock:
    def __init__(self) -> None:
        self.now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


def test_a_ring_closes_during_its_lead_time_however_often_it_is_shown() -> None:
    clock = Clock()
    motion = MarkMotion(clock)
    motion.show((NEXT,))
    clock.now_s += 0.5
    motion.show((NEXT,))
    assert motion.lead(NEXT) == 0.25
    assert motion.moving((NEXT,), live=True)
    clock.now_s += 5.0
    assert motion.lead(NEXT) == 1.0
    assert not motion.moving((NEXT,), live=True)


def test_what_was_done_fades_over_the_live_picture_only() -> None:
    clock = Clock()
    motion = MarkMotion(clock)
    motion.show((DONE,))
    clock.now_s += FADE_S / 2
    assert abs(motion.opacity(DONE) - 0.5) < 1e-9
    assert motion.moving((DONE,), live=True)
    assert not motion.moving((DONE,), live=False)
    clock.now_s += FADE_S
    assert motion.opacity(DONE) == 0.0
    assert not motion.moving((DONE,), live=True)


def test_with_reduced_motion_nothing_moves() -> None:
    motion = MarkMotion(Clock())
    motion.reduced = True
    motion.show((NEXT, replace(DONE, key="2.0")))
    assert motion.lead(NEXT) == 1.0
    assert motion.opacity(DONE) == 0.0
    assert not motion.moving((NEXT, DONE), live=True)


def test_a_mark_that_comes_back_begins_anew() -> None:
    clock = Clock()
    motion = MarkMotion(clock)
    motion.show((NEXT,))
    clock.now_s += 1.0
    motion.show(())
    motion.show((NEXT,))
    assert motion.lead(NEXT) == 0.0
