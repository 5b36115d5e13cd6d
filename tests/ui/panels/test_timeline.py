"""The timeline by keyboard, its rows of waits, and a session of thousands of steps."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPersistentModelIndex, QPoint, QRect, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain.decisions import ActResult, DecidedBy, DecisionKind
from operator_console.domain.geometry import NativePoint
from operator_console.domain.notices import Notice, NoticeCode
from operator_console.domain.proposals import CallStatus, Usage
from operator_console.ui.panels.action_card import MARGIN
from operator_console.ui.panels.timeline import RowSizes, Timeline, row_lines
from operator_console.ui.theme_colours import DARK, HIGH_CONTRAST_DARK, HIGH_CONTRAST_LIGHT, LIGHT
from operator_console.ui.view.fold_records import fold
from operator_console.ui.view.session_view import SessionView, Step
from operator_console.ui.view.timeline_entries import entry_of
from operator_console.ui.widgets.window_size import SIDE_WIDTH
from operator_console.ui.widgets.wrapped_lines import unbroken, whole_parts, wrapped_lines
from tests.display.ui.scene import Story, call_of, desktop_image
from tests.ui.view.folding import fold_all


@pytest.fixture
def timeline(app: QApplication) -> Iterator[Timeline]:
    made = Timeline()
    made.resize(360, 600)
    made.show()
    made.setFocus(Qt.FocusReason.TabFocusReason)
    yield made
    made.close()
    made.deleteLater()


def small_story() -> Story:
    story = Story(image=desktop_image(32, 20))
    story.started()
    return story


def wait(story: Story, step: int, *, of_runbook: bool = False) -> None:
    story.observed(step)
    call = call_of(0, a.Wait(duration_s=1.297))
    if of_runbook:
        note = Notice(code=NoticeCode.NAME_NOT_ON_SCREEN_YET, values={"name": "“Amount”", "seconds": 10.0})
        call = ev.ProposedCall(index=0, name="click", action=call.action, note="x", note_notices=(note,))
    story.proposed(step, call)
    story.done(step, 0)


def click(story: Story, step: int) -> None:
    story.observed(step)
    story.proposed(step, call_of(0, a.Click(at=NativePoint(9, 9))))
    story.done(step, 0)


def titles(timeline: Timeline) -> list[str]:
    """The rows as a screen reader has them, oldest first."""
    return [timeline.rows.index(row).data().split(" · ")[0] for row in reversed(range(timeline.rows.rowCount()))]


def test_the_first_arrow_chooses_the_first_row_and_the_next_one_goes_on(timeline: Timeline) -> None:
    story = Story()
    story.history()
    timeline.show_view(fold_all(story.records))
    chosen: list[object] = []
    timeline.chosen.connect(chosen.append)
    for expected in (0, 1, 2):
        QTest.keyClick(timeline, Qt.Key.Key_Down)
        assert [index.row() for index in timeline.selectedIndexes()] == [expected]
    assert chosen == list(reversed(timeline.rows.items))[:3]
    QTest.keyClick(timeline, Qt.Key.Key_Up)
    assert timeline.currentIndex().row() == 1
    timeline.clear_choice()
    QTest.keyClick(timeline, Qt.Key.Key_Up)
    assert [index.row() for index in timeline.selectedIndexes()] == [0]


def test_waits_in_a_row_are_one_row_that_opens_and_closes_by_keyboard(timeline: Timeline) -> None:
    story = small_story()
    click(story, 1)
    for step in (2, 3, 4):
        wait(story, step, of_runbook=True)
    click(story, 5)
    timeline.show_view(fold_all(story.records))
    folded = ["Started", "1 Click “Notes”", "2–4 Waiting for “Amount” (up to 10 s)", "5 Click “Notes”"]
    assert titles(timeline) == folded
    timeline.setCurrentIndex(timeline.rows.index(1))
    QTest.keyClick(timeline, Qt.Key.Key_Right)
    steps = [f"{step} Waiting for “Amount” (up to 10 s)" for step in (2, 3, 4)]
    assert titles(timeline) == [*folded[:2], *steps, *folded[2:]], "the newest is above, and their row above them"
    assert timeline.currentIndex().row() == 1
    QTest.keyClick(timeline, Qt.Key.Key_Down)
    QTest.keyClick(timeline, Qt.Key.Key_Left)
    assert titles(timeline) == folded
    assert timeline.currentIndex().row() == 1


def test_opening_a_row_keeps_the_rows_above_it(timeline: Timeline) -> None:
    story = small_story()
    for step in (1, 2):
        wait(story, step)
    click(story, 3)
    timeline.show_view(fold_all(story.records))
    newest = QPersistentModelIndex(timeline.rows.index(0))
    for expanded in (True, False):
        timeline.rows.set_expanded(1, expanded=expanded)
        assert newest.isValid()
        assert newest.row() == 0


def test_an_open_row_of_waits_grows_and_is_replayed_step_by_step(timeline: Timeline) -> None:
    story = small_story()
    wait(story, 1)
    wait(story, 2)
    timeline.show_view(fold_all(story.records))
    timeline.rows.set_expanded(0, expanded=True)
    wait(story, 3)
    click(story, 4)
    timeline.show_view(fold_all(story.records))
    waits = [f"{step} Wait 1.3 s" for step in (1, 2, 3)]
    assert titles(timeline) == ["Started", *waits, "1–3 Wait 1.3 s", "4 Click “Notes”"]
    rows, items = timeline.rows, timeline.rows.items
    assert [rows.row_at(place) for place in range(len(items))] == [5, 4, 3, 2, 0]
    for reached, row in ((2, 4), (3, 3), (4, 2), (5, 0)):
        rows.show_items(items, None, reached)
        assert [at for at in range(rows.rowCount()) if rows.is_reached_last(rows.row(at))] == [row]


def test_a_wait_joins_the_waits_before_it_as_the_session_goes_on(timeline: Timeline) -> None:
    story = small_story()
    wait(story, 1)
    wait(story, 2)
    click(story, 3)
    view, counts = SessionView(), []
    for record in story.records:
        view = fold(view, record)
        timeline.show_view(view)
        counts.append(timeline.rows.rowCount())
    assert titles(timeline) == ["Started", "1–2 Wait 1.3 s", "3 Click “Notes”"]
    assert max(counts) == 3


def test_a_chosen_step_stays_chosen_when_its_row_becomes_part_of_another(timeline: Timeline) -> None:
    story = small_story()
    wait(story, 1)
    story.observed(2)
    timeline.show_view(fold_all(story.records))
    chosen: list[object] = []
    timeline.chosen.connect(chosen.append)
    timeline.setCurrentIndex(timeline.rows.index(0))
    story.proposed(2, call_of(0, a.Wait()))
    timeline.show_view(fold_all(story.records))
    assert timeline.rows.rowCount() == 2
    assert [index.row() for index in timeline.selectedIndexes()] == [0]
    assert [item.number for item in chosen if isinstance(item, Step)] == [2]


def test_steps_of_another_run_with_the_same_numbers_are_rows_of_their_own(timeline: Timeline) -> None:
    story = small_story()
    click(story, 1)
    story.started(resumed=True)
    click(story, 1)
    timeline.show_view(fold_all(story.records))
    assert titles(timeline) == ["Started", "1 Click “Notes”", "Continued", "1 Click “Notes”"]
    timeline.setCurrentIndex(timeline.rows.index(2))
    story.observed(2)
    timeline.show_view(fold_all(story.records))
    assert [index.row() for index in timeline.selectedIndexes()] == [3]


def test_rows_follow_the_size_of_the_text(timeline: Timeline) -> None:
    story = small_story()
    timeline.show_view(fold_all(story.records))
    timeline.setStyleSheet("* { font-size: 14px }")
    before = timeline.sizeHintForRow(0)
    timeline.setStyleSheet("* { font-size: 28px }")
    assert timeline.sizeHintForRow(0) > 1.5 * before


def test_five_thousand_steps_never_hold_the_window_up(timeline: Timeline) -> None:
    def turn(of: SessionView) -> float:
        began = time.thread_time()
        timeline.show_view(of)
        timeline.grab()
        return time.thread_time() - began

    story = small_story()
    click(story, 1)
    look, answer = (next(r for r in story.records if isinstance(r.event, kind)) for kind in (ev.Observed, ev.Proposed))
    view = fold_all(story.records)
    for number in range(2, 5_001):
        for record in (look, answer):
            event = record.event
            assert isinstance(event, ev.Observed | ev.Proposed)
            shown = replace(event, step=number)
            view = fold(view, ev.Record(seq=view.last_seq + 1, time=record.time, event=shown))
    began = time.thread_time()
    later = fold(view, ev.Record(seq=1, time=look.time, event=ev.Message(text="Go on.")))
    folded = time.thread_time() - began
    turns = [turn(view), turn(later), turn(view), turn(later)]
    assert timeline.rows.rowCount() == 5_002
    assert folded < 0.01
    assert max(turns) < 0.1, turns


def test_why_a_session_failed_is_in_its_row_once_the_card_shows_it_no_longer(timeline: Timeline) -> None:
    story = small_story()
    story.add(ev.Ended(outcome=ev.EndedOutcome.FAILED, message="The server refused it.", usage=Usage()))
    timeline.show_view(fold_all(story.records))
    assert timeline.rows.index(0).data() == "Failed"
    story.started(resumed=True)
    timeline.show_view(fold_all(story.records))
    assert timeline.rows.index(1).data() == "Failed · The server refused it."


def test_rows_begin_where_the_card_below_them_does(app: QApplication) -> None:
    assert RowSizes(app.font()).side == MARGIN


def test_a_badge_and_a_result_are_cut_between_their_parts(app: QApplication) -> None:
    metrics = QFontMetrics(app.font())
    text = "1 edited · 2 approved by you"
    room = metrics.horizontalAdvance("1 edited · 2 app")
    assert whole_parts(text, metrics, metrics.horizontalAdvance(text), " · ") == text
    assert whole_parts(text, metrics, room, " · ") == "1 edited …"
    assert whole_parts(text, metrics, metrics.horizontalAdvance("1 ed"), " · ") == ""
    assert whole_parts("", metrics, room, " ") == ""
    assert whole_parts("1 done", metrics, metrics.horizontalAdvance("1 do"), " ", least=2) == "", (
        "a number alone tells nothing"
    )


@pytest.mark.parametrize("status", [CallStatus.NOT_DONE, CallStatus.FAILED, CallStatus.DONE, CallStatus.SKIPPED])
@pytest.mark.parametrize("at", [NativePoint(9, 9), None], ids=["a title of a line", "of two"])
def test_what_became_of_an_action_is_read_whole_beside_any_decision(
    app: QApplication, status: CallStatus, at: NativePoint | None
) -> None:
    """In the narrowest column, whatever the title's length: also what was allowed and not done, and why one skipped."""
    story = small_story()
    click(story, 1)
    proposed, decided, granted, tried = (record.event for record in story.records[-4:])
    assert isinstance(proposed, ev.Proposed)
    assert isinstance(decided, ev.Decided)
    assert isinstance(granted, ev.Granted)
    assert isinstance(tried, ev.Performed)
    skipped = status is CallStatus.SKIPPED
    kind = DecisionKind.SKIP if skipped else DecisionKind.APPROVE
    words = "not needed, I did it" if skipped else ""
    detail = "" if status in (CallStatus.DONE, CallStatus.SKIPPED) else "A window came over it."
    result = ActResult.DONE if status in (CallStatus.DONE, CallStatus.SKIPPED) else ActResult.FAILED
    action = a.Click(at=at) if at is not None else a.TypeText(text="Train to Kraków and back again, both on Friday")
    changes: dict[int, ev.Event] = {
        -4: replace(proposed, calls=(call_of(0, action),)),
        -3: replace(decided, by=DecidedBy.HUMAN, decision=kind, feedback=words),
        -2: replace(granted, action=action),
        -1: replace(tried, status=status, result=result, detail=detail),
    }
    for place, event in changes.items():
        story.records[place] = ev.Record(seq=story.records[place].seq, time=story.records[place].time, event=event)
    if status is CallStatus.DONE:
        story.settled(1)
    step = fold_all(story.records).step
    assert step is not None
    entry, sizes = entry_of(step), RowSizes(app.font())
    assert entry.badge is not None
    assert entry.badge.text == ("Skipped by you" if skipped else "Approved by you")
    inner = SIDE_WIDTH - 2 * sizes.side - sizes.thumb.width() - 10
    title, shown = row_lines(entry, sizes, inner)
    assert len(title) == (1 if at is not None else 2)
    assert " ".join(shown) == entry.detail, "nothing of it is cut"


def test_an_action_that_was_not_done_is_told_among_others(app: QApplication) -> None:
    story = small_story()
    story.observed(1)
    story.proposed(1, *(call_of(number, a.Click(at=NativePoint(9, 9))) for number in range(2)))
    story.done(1, 0)
    assert entry_of(fold_all(story.records).items[-1]).missed == "", "the other one is still to be done"
    story.done(1, 1)
    tried = story.records[-1].event
    assert isinstance(tried, ev.Performed)
    event = replace(tried, status=CallStatus.NOT_DONE, result=ActResult.FAILED)
    story.records[-1] = replace(story.records[-1], event=event)
    assert entry_of(fold_all(story.records).items[-1]).missed == "1 not done"


def test_no_line_ends_between_a_number_and_its_unit(app: QApplication) -> None:
    text = "Waiting for “Report sent” (up to 6 s)"
    metrics = QFontMetrics(app.font())
    lines = wrapped_lines(text, app.font(), metrics.horizontalAdvance(text[: text.index(" s)")]), 2)
    assert lines == ["Waiting for “Report sent” (up to", "6 s)"]
    assert unbroken("Next action · 2 of 3") == "Next action · 2\u00a0of\u00a03"
    assert unbroken("Click 3 settings of 4 pages") == "Click 3 settings of 4 pages"


def test_a_missing_picture_can_be_seen_in_every_theme(timeline: Timeline) -> None:
    story = small_story()
    story.add(ev.Proposed(step=1, calls=(), usage=Usage()))
    timeline.show_view(fold_all(story.records))
    size = RowSizes(timeline.font())
    for tokens in (LIGHT, DARK, HIGH_CONTRAST_LIGHT, HIGH_CONTRAST_DARK):
        timeline.set_tokens(tokens)
        row = timeline.visualRect(timeline.rows.index(0)).topLeft()
        seen = timeline.viewport().grab(QRect(row + QPoint(size.side, size.pad), size.thumb)).toImage()
        edge = {seen.pixelColor(x, 0).name() for x in range(1, seen.width() - 1)}
        assert edge == {tokens.line_strong}
