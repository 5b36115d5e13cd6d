"""The status line counts the steps as the list of sessions does."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain.decisions import DecidedBy
from operator_console.domain.proposals import Usage
from operator_console.domain.stopping import StopCause, StopLiveness
from operator_console.ui.backend import GuardStatus
from operator_console.ui.panels.status_line import StatusLine
from operator_console.ui.view.session_view import SessionView
from tests.display.ui.scene import HIGH, SUBMIT, Story, call_of, review
from tests.ui.view.folding import fold_all


def test_a_look_that_a_stop_left_unanswered_is_no_step(app: QApplication) -> None:
    line, story = StatusLine(), Story()
    line.show_view(SessionView(), None)
    assert line._step.text() == "–"
    story.history()
    story.observed(6)
    line.show_view(fold_all(story.records), 1.0)
    assert line._step.text() == "6"
    story.add(ev.Stopped(reason=StopCause.HOTKEY, latched=True))
    line.show_view(fold_all(story.records), 1.0)
    assert line._step.text() == "5"


def test_whose_input_counts_as_a_programs_is_said(app: QApplication) -> None:
    line = StatusLine()
    said = []
    for told, viewed in ((True, False), (True, True), (False, True)):
        status = GuardStatus(liveness=StopLiveness(live=True, viewed=viewed), human_input_s=1.0, devices_told=told)
        line.show_guard(status, 1.0)
        said.append((line._human.text(), bool(line._human.toolTip())))
    (own, no_tip), *others = said
    assert own
    assert not no_tip
    assert others == [
        ("Input through x11vnc counts as a program’s", True), ("A program’s presses count here as yours", True),
    ]  # fmt: skip


def test_a_follow_up_counts_tokens_anew_as_it_does_steps_and_time(app: QApplication) -> None:
    """The tooltip tells of what was used before."""
    line, story = StatusLine(), Story()
    story.history()
    line.show_view(fold_all(story.records), 42.0)
    assert (line._step.text(), line.used.text()) == ("5", "15.3 k")
    assert "Before" not in line.used.toolTip()
    story.add(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
    story.started(resumed=True)
    line.show_view(fold_all(story.records), 0.0)
    assert (line._step.text(), line.used.text()) == ("–", "–")
    story.observed(1)
    story.proposed(1, call_of(0, a.Screenshot()))
    line.show_view(fold_all(story.records), 1.0)
    assert (line._step.text(), line.used.text()) == ("1", "3.1 k")
    assert line.used.toolTip().endswith("Before, in the same record: 15.3 k tokens")
    assert fold_all(story.records).used.usage.total_tokens == 6 * 3_060


def test_questions_are_counted_for_100_actions_and_anew_in_a_follow_up(app: QApplication) -> None:
    line, story = StatusLine(), Story()
    story.history()
    line.show_view(fold_all(story.records), 1.0)
    assert line.asked.isHidden()
    for number in (1, 2):
        story.add(ev.Asked(question=review(5, 0, a.Click(at=SUBMIT), HIGH), step=5, call=0))
        took_s = 2.0 + number
        story.add(ev.Answered(question_id="q5.0", answer="yes", by=DecidedBy.HUMAN, took_s=took_s))
    line.show_view(fold_all(story.records), 1.0)
    assert line.asked.text() == "2 · 50 per 100 actions"
    assert line.asked.toolTip() == "You took 3.5 s for an answer (median)"
    story.add(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
    story.started(resumed=True)
    line.show_view(fold_all(story.records), 1.0)
    assert line.asked.isHidden()
    assert fold_all(story.records).load.questions == 2
