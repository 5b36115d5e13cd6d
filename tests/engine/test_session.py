"""A session from start to end: order of events, answers to every call, batches, endings."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Chord, CursorPosition, Finish, Screenshot, TypeText, Wait, Zoom
from operator_console.domain.decisions import ActResult, DecidedBy, DecisionKind, Outcome
from operator_console.domain.errors import (
    ComputerRejected,
    ComputerUnavailable,
    OperatorError,
    RecordError,
    RejectedReason,
    TaskMistake,
    UnavailableReason,
)
from operator_console.domain.events import (
    Decided,
    EndedOutcome,
    Granted,
    Message,
    Observed,
    Performed,
    Proposed,
    Record,
    SessionStarted,
    Settled,
)
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.grants import Grant
from operator_console.domain.intents import Say
from operator_console.domain.keys import Key
from operator_console.domain.proposals import CallStatus
from operator_console.domain.risk import Autonomy
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.states import Ended as EndedState
from operator_console.engine.action_wording import describe
from operator_console.engine.session_context import Options
from operator_console.engine.turn.call_results import NOTHING_CHANGED
from tests.engine.rig import Model, click, does, rig, said


async def test_one_step_in_order_and_every_event_durable_before_it_is_published() -> None:
    r = rig(does(click()), said("all done"))
    ended = await r.run()
    assert ended.outcome is EndedOutcome.FINISHED
    assert ended.message == "all done"
    assert r.kinds == [
        "session_started", "observed", "proposed", "decided", "granted", "performed", "settled",
        "observed", "proposed", "ended",
    ]  # fmt: skip
    assert r.watcher.records == r.journal.records
    assert r.injector.actions == [click()]
    assert r.session.state == EndedState(outcome=EndedOutcome.FINISHED)
    assert r.journal.closed
    assert r.guard.calls[-1] == "disarm"


async def test_the_intent_is_written_before_the_act() -> None:
    r = rig(does(click()))
    kinds_when_acting: list[list[str]] = []
    r.injector.on_act = lambda _action: kinds_when_acting.append(list(r.kinds))
    await r.run()
    assert kinds_when_acting[0][-1] == "granted"


async def test_an_act_whose_intent_cannot_be_written_does_not_happen() -> None:
    r = rig(does(click()), options=Options(answerable=False, continue_question=True))
    r.journal.failing = lambda event: RecordError("The disk is full.") if isinstance(event, Granted) else None
    ended = await r.run()
    assert ended.outcome is EndedOutcome.FAILED
    assert "disk is full" in ended.message
    assert r.injector.grants == []
    assert r.guard.calls[-1] == "disarm"


async def test_every_call_of_a_batch_is_answered_in_order_and_the_first_failure_ends_it() -> None:
    def answer(grant: Grant) -> Outcome | None:
        covered = grant.action == click(120, 100)
        return Outcome(result=ActResult.FAILED, detail="covered by “X”", reason="covered") if covered else None

    r = rig(does(click(), click(120, 100), click(130, 100), Screenshot()))
    r.injector.answer = answer
    await r.run()
    results = r.model.seen[1].results
    assert [result.status for result in results] == [
        CallStatus.DONE, CallStatus.FAILED, CallStatus.NOT_DONE, CallStatus.NOT_DONE,
    ]  # fmt: skip
    assert "covered by “X”" in results[1].text
    assert [result.call.index for result in results] == [0, 1, 2, 3]
    assert [d.decision for d in r.of(Decided)][2:4] == [DecisionKind.NOT_DONE, DecisionKind.NOT_DONE]
    assert len(r.injector.grants) == 2


async def test_a_stale_target_is_not_done_and_neither_is_what_follows() -> None:
    r = rig(does(click(), click(10, 10)))
    r.injector.answer = lambda _grant: Outcome(result=ActResult.FAILED, reason=RejectedReason.STALE.value)
    await r.run()
    assert [result.status for result in r.model.seen[1].results] == [CallStatus.NOT_DONE, CallStatus.NOT_DONE]
    assert "no longer what you saw" in r.model.seen[1].results[0].text


async def test_an_unknown_call_is_a_structured_answer() -> None:
    r = rig(does(None, click()))
    ended = await r.run()
    assert ended.outcome is EndedOutcome.FINISHED
    first, second = r.model.seen[1].results
    assert (first.status, first.text) == (CallStatus.NOT_UNDERSTOOD, "no such function")
    assert second.status is CallStatus.NOT_DONE
    assert r.injector.grants == []


async def test_what_sends_nothing_needs_no_grant() -> None:
    r = rig(does(Screenshot(), Wait(duration_s=2.0), Zoom(region=Rect(0, 0, 50, 50)), CursorPosition()))
    r.computer.pointer = None
    await r.run()
    results = r.model.seen[1].results
    assert [result.status for result in results] == [*[CallStatus.DONE] * 3, CallStatus.FAILED]
    assert results[2].picture is not None
    assert results[2].picture.size.width >= 50
    assert r.of(Granted) == []
    assert len(r.of(Performed)) == 4


async def test_the_grant_holds_the_crop_of_the_frame_that_the_model_saw() -> None:
    r = rig(does(click(100, 100)))
    r.computer.paint(Rect(90, 90, 20, 20), (255, 0, 0))
    await r.run()
    (check,) = r.injector.grants[0].checks
    assert check.region == Rect(52, 52, 96, 96)
    middle = (48 * 96 + 48) * 4
    assert check.pixels[middle : middle + 3] == b"\x00\x00\xff"


async def test_keys_have_a_focus_rule_and_no_crop() -> None:
    r = rig(does(Chord(keys=(Key("tab"),))))
    await r.run()
    assert r.injector.grants[0].checks == ()
    assert r.injector.grants[0].focus is not None
    assert r.computer.prepared[0].needs_focus


async def test_the_agents_own_pointer_is_restored_not_the_humans() -> None:
    r = rig(does(click(40, 30)), does(TypeText(text="a")))
    await r.run()
    assert r.injector.grants[1].pointer == (40, 30)


async def test_a_refused_preparation_sends_nothing_and_names_the_holder() -> None:
    r = rig(does(TypeText(text="hello")))
    r.computer.refuse_next_input(ComputerRejected("“Mail” has the focus.", reason=RejectedReason.NO_FOCUS))
    await r.run()
    result = r.model.seen[1].results[0]
    assert result.status is CallStatus.FAILED
    assert "Mail" in result.text
    assert r.of(Granted) == []
    assert r.computer.released == 1


async def test_finish_ends_with_its_own_word() -> None:
    for success, outcome in ((True, EndedOutcome.FINISHED), (False, EndedOutcome.FAILED)):
        r = rig(does(Finish(message="that was it", success=success)))
        ended = await r.run()
        assert (ended.outcome, ended.message) == (outcome, "that was it")


async def test_observing_answers_not_done_and_sends_nothing() -> None:
    r = rig(does(click(), Screenshot()), does(Screenshot()), autonomy=Autonomy.OBSERVE)
    await r.run()
    assert r.model.seen[1].results[0].status is CallStatus.OBSERVING
    assert "observing only" in r.model.seen[1].results[0].text
    assert r.injector.grants == []
    assert r.model.seen[2].results[0].status is CallStatus.DONE


async def test_the_model_is_told_that_nothing_changed() -> None:
    r = rig(does(click()), does(click()))
    acts: list[int] = []

    def paint(_action: object) -> None:
        acts.append(1)
        if len(acts) == 2:
            r.computer.paint(Rect(0, 0, 200, 200), (1, 2, 3))

    r.injector.on_act = paint
    await r.run()
    assert NOTHING_CHANGED in r.model.seen[1].results[0].text
    assert NOTHING_CHANGED not in r.model.seen[2].results[0].text


async def test_refused_before_it_began_writes_no_file() -> None:
    r = rig()
    r.guard.press_stop()
    with pytest.raises(OperatorError):
        await r.session.run()
    assert r.opened == []

    r = rig()
    gone = ComputerUnavailable("The window is gone.", reason=UnavailableReason.GONE)
    r.computer.fail_next_observe(gone)
    with pytest.raises(ComputerUnavailable):
        await r.session.run()
    assert r.opened == []
    assert r.guard.calls == ["arm", "disarm"]


async def test_a_task_that_the_provider_cannot_read_is_refused_before_the_file_is_opened() -> None:
    r = rig()
    r.model.mistake = TaskMistake("The runbook has a mistake in line 1, column 1.", line=1)
    with pytest.raises(TaskMistake):
        await r.session.run()
    assert r.opened == []
    assert r.guard.calls == ["arm", "disarm"]


async def test_a_target_that_vanishes_ends_the_run_with_its_words() -> None:
    r = rig(does(click()))
    r.injector.on_act = lambda _a: r.computer.fail_next_observe(
        ComputerUnavailable("The window was closed.", reason=UnavailableReason.GONE)
    )
    ended = await r.run()
    assert ended.outcome is EndedOutcome.FAILED
    assert "The window was closed." in ended.message


async def test_words_said_as_the_record_begins_are_recorded_once() -> None:
    r = rig(does(click()))
    seen = r.watcher.on_record

    def say(record: Record) -> None:
        if isinstance(record.event, SessionStarted):
            r.session.post(Say(text="hello"))
        seen(record)

    r.watcher.on_record = say  # type: ignore[method-assign]
    await r.run()
    assert [message.text for message in r.of(Message)] == ["hello"]
    assert r.model.seen[0].messages == ("hello",)


async def test_an_audience_that_fails_changes_nothing() -> None:
    r = rig(does(click()))
    r.watcher.on_record = lambda record: 1 / 0  # type: ignore[method-assign,assignment]
    assert (await r.run()).outcome is EndedOutcome.FINISHED
    assert r.injector.actions == [click()]


async def test_events_carry_what_the_contract_names() -> None:
    r = rig(does(click()))
    await r.run()
    assert r.of(SessionStarted)[0].provider == "played"
    assert [o.step for o in r.of(Observed)] == [1, 2]
    assert [p.step for p in r.of(Proposed)] == [1, 2]
    decided = r.of(Decided)[0]
    assert (decided.step, decided.call, decided.by) == (1, 0, DecidedBy.POLICY)
    assert decided.assessment is not None
    assert r.of(Performed)[0].grant_id == r.of(Granted)[0].grant_id == r.injector.grants[0].grant_id
    assert r.of(Settled)[0].step == 1
    assert set(r.journal.blobs) >= {r.of(Observed)[0].picture, r.of(Proposed)[0].raw}


def test_descriptions_name_the_whole_action() -> None:
    text = TypeText(text="x" * 500, at=NativePoint(3, 4), clear=True, submit=True)
    assert "300 more" in describe(text)
    assert "3, 4" in describe(text)
    assert "Enter" in describe(text)


class NamesFile(Model):
    """A provider whose task names a file."""

    task_text = "press Enter\n"


async def test_the_record_says_what_the_file_says_that_the_task_names() -> None:
    r = rig(model=NamesFile(), request=SessionRequest(task="@steps.txt"))
    await r.run()
    (started,) = r.of(SessionStarted)
    assert (started.task, started.task_text, started.written) == ("@steps.txt", "press Enter\n", "press Enter\n")
    r = rig(request=SessionRequest(task="do it"))
    await r.run()
    (started,) = r.of(SessionStarted)
    assert (started.task_text, started.written) == ("", "do it")
