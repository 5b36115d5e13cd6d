"""What the window shows follows from the records alone, live or read from a file."""

from __future__ import annotations

import itertools
import time

import pytest

from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain import states as st
from operator_console.domain.decisions import ActResult, DecidedBy, DecisionKind
from operator_console.domain.hand_input import HandUse
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import Notice, NoticeCode
from operator_console.domain.permissions import RevokedBy
from operator_console.domain.proposals import CallStatus, Usage
from operator_console.domain.snapshot_acts import SnapshotAct
from operator_console.domain.stopping import PauseCause, StopCause
from operator_console.ui.view.fold_records import fold, with_state
from operator_console.ui.view.session_view import Note, NoteKind, Phase, SessionView, Step
from operator_console.ui.view.timeline_entries import call_badge, entry_of
from tests.display.ui.scene import (
    HIGH,
    LOW,
    NEXT,
    NOTES,
    SUBMIT,
    SUBMIT_BUTTON,
    SUBMITTING,
    Story,
    call_of,
    permitted,
    review,
)
from tests.ui.view.folding import fold_all


def told() -> Story:
    story = Story()
    story.history()
    story.batch()
    return story


def test_a_batch_waits_with_both_calls_open() -> None:
    story = told()
    view = fold_all(story.records)
    assert [call.index for call in view.open_calls] == [0, 1]
    assert view.step is not None
    assert view.step.number == 6
    assert view.used.usage.total_tokens == 6 * 3060


def test_what_is_said_about_a_call_is_worded_from_its_notices() -> None:
    story = told()
    missing = (Notice(code=NoticeCode.ARGUMENT_MISSING, values={"argument": "{x}"}),)
    note = (Notice(code=NoticeCode.WITH_PAGE_KEYS),)
    call = ev.ProposedCall(
        index=0, name="click", error="Words of another version.", error_notices=missing, note="Other words.",
        note_notices=note,
    )  # fmt: skip
    story.add(ev.Proposed(step=7, calls=(call,), narration="Old.", narration_notices=missing, usage=Usage()))
    step = fold_all(story.records).step
    assert step is not None and step.proposed is not None
    shown = step.calls[0].proposed
    assert (shown.error, shown.note) == ("Argument '{x}' is missing.", "with the Page keys")
    assert step.proposed.narration == "Argument '{x}' is missing."


def test_last_words_alone_are_in_the_row_of_their_step_and_not_again_in_that_of_the_end() -> None:
    story, said = told(), "The form was sent."
    story.observed(7)
    story.add(ev.Proposed(step=7, calls=(), narration=said, finished=True, usage=Usage()))
    story.add(ev.Ended(outcome=ev.EndedOutcome.FINISHED, message=said, usage=Usage()))
    *_, step, end = fold_all(story.records).items
    assert (entry_of(step).title, entry_of(end).spoken) == (said, "Finished")


def test_the_row_of_a_call_that_ended_the_session_is_not_failed_and_done() -> None:
    story, said = told(), "The form cannot be sent."
    story.observed(7)
    story.proposed(7, call_of(0, a.Finish(message=said, success=False), LOW))
    story.add(ev.Decided(step=7, call=0, decision=DecisionKind.APPROVE, by=DecidedBy.POLICY, rule="r"))
    story.add(ev.Performed(step=7, call=0, result=ActResult.DONE, status=CallStatus.DONE))
    story.add(ev.Ended(outcome=ev.EndedOutcome.FAILED, message=said, usage=Usage()))
    *_, step, end = fold_all(story.records).items
    row = entry_of(step)
    assert (row.title, row.detail, row.badge, entry_of(end).spoken) == ("Failed", "", None, f"Failed · {said}")


def test_why_a_session_failed_is_in_the_row_of_its_end() -> None:
    story = told()
    story.add(ev.Ended(outcome=ev.EndedOutcome.FAILED, message="The server refused it.", usage=Usage()))
    assert entry_of(fold_all(story.records).items[-1]).spoken == "Failed · The server refused it."


def test_a_look_that_the_model_did_not_answer_is_no_step_of_a_run_that_is_over() -> None:
    story = told()
    assert fold_all(story.records).step_reached == 6
    story.observed(7)
    assert fold_all(story.records).step_reached == 7
    story.add(ev.Stopped(reason=StopCause.HOTKEY, latched=True))
    assert fold_all(story.records).step_reached == 6


def test_what_an_earlier_run_left_open_is_over_in_the_next_one() -> None:
    story = told()
    assert fold_all(story.records).open_calls
    story.started(resumed=True)
    before = fold_all(story.records).step
    assert before is not None
    assert [call.over for call in before.calls] == [True, True]


def test_the_asked_call_is_the_questions_own() -> None:
    story = told()
    story.add(ev.Asked(question=review(6, 1, a.Click(at=SUBMIT), HIGH, dialog=True), step=6, call=1))
    view = fold_all(story.records)
    assert view.phase is Phase.REVIEWING
    assert view.asked_call is not None
    assert view.asked_call.index == 1
    assert view.asked_call.assessment == HIGH


def test_a_turn_that_is_carried_out_after_a_pause_has_its_calls_open_again() -> None:
    story = told()
    for call in (0, 1):
        story.add(
            ev.Decided(step=6, call=call, decision=DecisionKind.NOT_DONE, by=DecidedBy.POLICY, rule="paused")
        )  # fmt: skip
    assert fold_all(story.records).open_calls == ()
    story.add(ev.Paused(by=PauseCause.LEASE))
    story.add(ev.Resumed(by="guard:lease"))
    story.observed(6)
    story.add(ev.Asked(question=review(6, 0, a.Click(at=SUBMIT), LOW), step=6, call=0))
    view = fold_all(story.records)
    assert [call.index for call in view.open_calls] == [0, 1]
    assert all(call.rule == "" for call in view.open_calls)


def test_calls_left_open_are_over_with_the_next_step() -> None:
    story = told()
    story.observed(7)
    view = fold_all(story.records)
    left = [item for item in view.items if isinstance(item, Step) and item.number == 6]
    assert [call.over for call in left[0].calls] == [True, True]


def test_an_answer_to_another_question_closes_nothing() -> None:
    story = told()
    story.add(ev.Asked(question=review(6, 0, a.Click(at=SUBMIT), LOW), step=6, call=0))
    story.add(ev.Answered(question_id="other", answer="yes", by=DecidedBy.HUMAN))
    assert fold_all(story.records).question is not None
    story.add(ev.Answered(question_id="q6.0", answer="yes", by=DecidedBy.HUMAN))
    assert fold_all(story.records).question is None


def test_done_calls_leave_and_the_last_one_settles() -> None:
    story = told()
    story.done(6, 0)
    view = fold_all(story.records)
    assert [call.index for call in view.open_calls] == [1]
    story.done(6, 1)
    view = fold_all(story.records)
    assert view.open_calls == ()
    assert view.phase is Phase.SETTLING


def test_an_edited_call_shows_the_edited_action() -> None:
    story = told()
    edited = a.TypeText(text="Bus to Kraków", at=NOTES)
    story.add(
        ev.Decided(
            step=6, call=0, decision=DecisionKind.MODIFY, by=DecidedBy.HUMAN, rule="edited", action=edited,
            assessment=HIGH,
        )
    )  # fmt: skip
    view = fold_all(story.records)
    call = view.call(6, 0)
    assert call is not None
    assert call.action == edited
    assert call.control == SUBMIT_BUTTON
    entry = entry_of(view.items[-1])
    assert entry.title.startswith("Type “Bus to Kraków” into button “Submit report”")
    assert entry.badge is not None
    assert entry.badge.text == "Edited by you"


@pytest.mark.parametrize(
    ("status", "detail", "badge"),
    [
        (CallStatus.DONE, "", "Answered by you"),
        (CallStatus.DECLINED, notice(NoticeCode.OPERATOR_DECLINED_ANSWER), "Declined by you"),
        (CallStatus.DECLINED, notice(NoticeCode.NOBODY_COULD_ANSWER), "Nobody to ask"),
    ],
)
def test_the_models_question_says_who_answered_it(status: CallStatus, detail: str, badge: str) -> None:
    story = told()
    story.observed(7)
    action = a.AskOperator(question="Which folder?")
    story.proposed(7, call_of(0, action))
    approved = ev.Decided(step=7, call=0, decision=DecisionKind.APPROVE, by=DecidedBy.POLICY, rule="ordinary")
    story.add(approved)
    assert entry_of(fold_all(story.records).items[-1]).badge is None
    result = ActResult.DONE if status is CallStatus.DONE else ActResult.FAILED
    story.add(ev.Performed(step=7, call=0, result=result, status=status, detail=detail))
    shown = entry_of(fold_all(story.records).items[-1]).badge
    assert shown is not None
    assert shown.text == badge


def test_a_step_knows_the_picture_after_it() -> None:
    view = fold_all(told().records)
    steps = [item for item in view.items if isinstance(item, Step)]
    for before, after in itertools.pairwise(steps):
        assert after.observed is not None
        assert before.after == after.observed.picture
    assert steps[-1].after == ""


def test_a_stop_ends_the_question_and_is_an_entry() -> None:
    story = told()
    story.add(ev.Asked(question=review(6, 0, a.Click(at=SUBMIT), LOW), step=6, call=0))
    story.add(ev.Stopped(reason=StopCause.HOTKEY, latched=True))
    view = fold_all(story.records)
    assert (view.phase, view.question, view.open_calls) == (Phase.STOPPED, None, ())
    assert isinstance(view.items[-1], Note)
    assert view.items[-1].kind is NoteKind.STOP


def test_a_stop_is_one_row_from_the_decision_to_the_reset() -> None:
    story = told()
    before = len(fold_all(story.records).items)
    story.add(ev.Decided(step=6, call=0, decision=DecisionKind.STOP, by=DecidedBy.HUMAN, rule="stopped"))
    story.add(ev.Stopped(reason=StopCause.COMMAND, latched=True, cancelled=("Type", "Click")))
    story.add(ev.Ended(outcome=ev.EndedOutcome.STOPPED, usage=Usage()))
    story.add(ev.Reset(by="human"))
    view = fold_all(story.records)
    assert len(view.items) == before + 1
    entry = entry_of(view.items[-1])
    assert entry.title == "Stopped by the stop command"
    assert entry.detail == "2 waiting actions were dropped. The stop was reset."


def test_a_pause_is_one_row_that_says_how_it_ended() -> None:
    story = told()
    story.add(ev.Paused(by=PauseCause.LEASE))
    story.add(ev.Resumed(by="guard:lease"), after_s=2.0)
    entry = entry_of(fold_all(story.records).items[-1])
    assert (entry.title, entry.detail) == ("Paused: the console was busy", "Resumed automatically after 2.0 s")


def test_control_that_was_taken_and_given_back_is_one_row() -> None:
    story = told()
    story.add(ev.HandedOver())
    story.add(ev.HandedBack(note="Signed in."), after_s=41.0)
    entry = entry_of(fold_all(story.records).items[-1])
    assert (entry.title, entry.detail) == ("You took over", "Handed back after 41 s: Signed in.")


def test_what_was_done_in_the_preview_is_counted() -> None:
    story = told()
    story.add(ev.HandedOver())
    story.add(ev.HandedBack(by_hand=HandUse(presses=1, keys=12)), after_s=41.0)
    entry = entry_of(fold_all(story.records).items[-1])
    assert entry.detail == "1 button press, 12 keys in the preview; handed back after 41 s"


def test_a_snapshot_is_a_row_of_its_own() -> None:
    story = told()
    for act, title in (
        (SnapshotAct.TAKEN, "Snapshot of the machine taken"),
        (SnapshotAct.RESTORED, "Went back to the snapshot of the machine"),
    ):
        story.add(ev.Snapshot(act=act, name="operator-console-20261129-003412"))
        entry = entry_of(fold_all(story.records).items[-1])
        assert (entry.title, entry.detail) == (title, "operator-console-20261129-003412")


def test_the_humans_time_is_apart_from_the_machines() -> None:
    story = told()
    story.add(ev.Asked(question=review(6, 0, a.Click(at=SUBMIT), LOW), step=6, call=0), after_s=0.2)
    story.add(ev.Answered(question_id="q6.0", answer="yes", by=DecidedBy.HUMAN), after_s=41.0)
    story.done(6, 0, by=DecidedBy.HUMAN)
    entry = entry_of(fold_all(story.records).items[-1])
    assert (entry.time, entry.human) == ("1.4 s", "you 41 s")
    assert entry.spoken.endswith("1.4 s · you 41 s")


def test_ended_after_a_stop_stays_stopped_and_a_resumed_run_starts_afresh() -> None:
    from operator_console.domain.proposals import Usage

    story = told()
    story.add(ev.Stopped(reason=StopCause.HOTKEY, latched=True))
    story.add(ev.Ended(outcome=ev.EndedOutcome.STOPPED, usage=Usage()))
    assert fold_all(story.records).phase is Phase.STOPPED
    items = len(fold_all(story.records).items)
    story.started(task="And now the next one.", resumed=True)
    view = fold_all(story.records)
    assert (view.phase, view.stopped, view.ended) == (Phase.STARTING, None, None)
    assert len(view.items) == items + 1


def test_folding_one_by_one_is_folding_all() -> None:
    story = told()
    view = SessionView()
    for record in story.records:
        view = fold(view, record)
    assert view == fold_all(story.records)


def test_unchanged_steps_are_the_same_objects() -> None:
    """The timeline redraws only what changed; it knows by identity."""
    story = told()
    before = fold_all(story.records)
    after = fold(before, story.add(ev.Message(text="go on")))
    assert all(old is new for old, new in zip(before.items, after.items, strict=False))


def test_states_say_more_exactly_where_a_live_session_is() -> None:
    view = fold_all(told().records)
    until = time.monotonic() + 5
    retrying = with_state(view, st.Retrying(until_s=until, reason="busy"))
    assert retrying.phase is Phase.RETRYING
    assert retrying.retry is not None
    assert retrying.retry.until_s == until
    assert with_state(retrying, st.Thinking()).retry is None
    assert with_state(view, st.Settling()).phase is Phase.SETTLING


def test_messages_and_warnings_are_entries_of_their_own_and_a_lapse_is_a_badge() -> None:
    story = told()
    story.add(ev.Asked(question=review(6, 1, a.Click(at=SUBMIT), HIGH, dialog=True), step=6, call=1))
    story.add(ev.Answered(question_id="q6.1", answer="declined", by=DecidedBy.LAPSE))
    story.add(ev.Decided(step=6, call=1, decision=DecisionKind.DENY, by=DecidedBy.LAPSE, rule="sends-data"))
    story.add(ev.Message(text="Use the second receipt."))
    story.add(ev.Warned(title="Partly covered"))
    step, *notes = fold_all(story.records).items[-3:]
    assert [entry_of(note).title for note in notes] == ["Your message", "Partly covered"]
    badge = entry_of(step).badge
    assert badge is not None
    assert badge.text == "Not answered"


def test_the_timeline_says_how_steps_ended() -> None:
    story = told()
    story.done(6, 0)
    story.add(ev.Performed(step=6, call=1, result=ActResult.STOPPED, status=CallStatus.STOPPED, delivered=14, total=27))
    view = fold_all(story.records)
    entries = {entry.number: entry for entry in map(entry_of, view.items) if entry.number}
    assert entries["2"].detail == "“not needed”"
    assert entries["2"].badge is not None
    assert entries["2"].badge.text == "Skipped by you"
    assert entries["4"].title == "Type “248.50” into “Notes”"
    assert entries["4"].detail == "done · screen changed"
    assert entries["6"].detail == "1 done · 1 stopped after 14 of 27"


def test_a_call_that_was_not_understood_is_named() -> None:
    story = Story()
    story.started()
    story.observed(1)
    story.proposed(1, call_of(0, None))
    view = fold_all(story.records)
    assert entry_of(view.items[-1]).title == "Not understood: fly_away"


def test_taking_over_is_told_once() -> None:
    story = told()
    story.add(ev.Asked(question=review(6, 0, a.Click(at=SUBMIT), LOW), step=6, call=0))
    story.add(ev.Decided(step=6, call=0, decision=DecisionKind.TAKE_OVER, by=DecidedBy.HUMAN, rule="human"))
    story.add(ev.HandedOver())
    notes = [item.title for item in fold_all(story.records).items if isinstance(item, Note)]
    assert [title for title in notes if "took over" in title] == ["You took over"]


def test_calls_that_a_stop_left_undone_are_no_longer_called_proposed() -> None:
    story = told()
    waiting = fold_all(story.records).step
    assert waiting is not None and entry_of(waiting).detail == "both proposed"
    story.add(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
    over = fold_all(story.records).step
    assert over is not None and entry_of(over).detail == "both not done"


def test_a_saved_file_and_a_blocked_site_have_entries_of_their_own() -> None:
    saved = ev.Downloaded(
        name="report.csv", folder="/home/ada/x.downloads", url="https://ada:pw@shop.example/r", size_bytes=2_000
    )
    blocked = ev.Blocked(site="tracker.example:443", by=ev.BlockedBy.NOT_ALLOWED_SITE, count=3)
    now = "2026-01-01T00:00:00Z"
    records = (ev.Record(seq=1, time=now, event=saved), ev.Record(seq=2, time=now, event=blocked))
    first, second = fold_all(records).items
    assert isinstance(first, Note)
    assert isinstance(second, Note)
    assert (first.kind, first.title) == (NoteKind.FILE, "Saved “report.csv”")
    assert "from https://shop.example/r" in first.detail
    assert "/home/ada/x.downloads" in first.detail
    assert (second.kind, second.title) == (NoteKind.BLOCKED, "Blocked: tracker.example:443")
    assert "3 requests, none sent" in second.detail


def test_permissions_are_kept_until_they_end_and_noted() -> None:
    story = told()
    story.add(permitted(NEXT, "p1"))
    story.add(permitted(SUBMITTING, "p2"))
    story.add(ev.PermissionRevoked(permission_id="p1", by=RevokedBy.OPERATOR))
    view = fold_all(story.records)
    assert [each.permission_id for each in view.permissions] == ["p2"]
    given, _, revoked = (each for each in view.items if isinstance(each, Note) and each.kind is NoteKind.HUMAN)
    assert (given.title, given.detail) == ("Permitted by you", NEXT.sentence)
    assert (revoked.title, revoked.detail) == ("A permission was revoked by you", NEXT.what)
    story.add(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
    assert fold_all(story.records).permissions == ()


def test_what_ran_on_a_permission_says_so() -> None:
    story = told()
    story.add(
        ev.Decided(
            step=6, call=0, decision=DecisionKind.APPROVE, by=DecidedBy.POLICY, rule="permitted", permission="p1"
        )
    )
    step = fold_all(story.records).step
    assert step is not None
    badge = call_badge(step.calls[0])
    assert badge is not None
    assert badge.text == "Runs as permitted by you"
