"""What a session says in its record is there as codes and values too: no sentence of ours without."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from dataclasses import replace

from operator_console.domain.actions import (
    AskModel,
    AskOperator,
    Back,
    Choice,
    CursorPosition,
    Finish,
    KeyDown,
    Launch,
    Navigate,
    QuestionKind,
    QuoteText,
    TypeText,
    Wait,
    Zoom,
)
from operator_console.domain.codec import decode, encode
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import (
    ComputerRejected,
    ComputerUnavailable,
    ProviderMalformed,
    ProviderTransient,
    RejectedReason,
    UnavailableReason,
)
from operator_console.domain.events import (
    Decided,
    EndedOutcome,
    Event,
    Performed,
    Proposed,
    Record,
    Stopped,
    StoppedAction,
)
from operator_console.domain.frames import WindowInfo
from operator_console.domain.geometry import Rect
from operator_console.domain.intents import Answer, Pause, Resume, Skip
from operator_console.domain.keys import Key
from operator_console.domain.message_texts import lines, notice, notices_of, render
from operator_console.domain.notices import Notice, NoticeCode
from operator_console.domain.proposals import Proposal
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.stopping import StopCause
from operator_console.engine.action_wording import cancelled_words, describe, in_flight_words
from operator_console.engine.questions import SAFETY_QUESTION_LAPSES_AFTER_S
from operator_console.engine.session_context import Options
from tests.engine.rig import Gate, Rig, call, click, does, flagged, quiet, rig, said

BY_OTHERS = frozenset({"sure?", "Which one?", "Done.", "no such function"})
"""Texts of the model, of the service and of the operator in these sessions."""


def stored(record: Record) -> Event:
    """The event as a reader of the file gets it."""
    event: Event = decode(Event, json.loads(json.dumps(encode(record.event))))
    return event


def texts(owner: object) -> Iterator[tuple[str, tuple[Notice, ...]]]:
    """Every text of the record's own fields that this program may have written, with its notices."""
    assert dataclasses.is_dataclass(owner)
    names = {field.name for field in dataclasses.fields(owner)}
    for name in sorted(names):
        if f"{name}_notices" in names:
            yield getattr(owner, name), getattr(owner, f"{name}_notices")
        for part in _parts(getattr(owner, name)):
            yield from texts(part)


def _parts(value: object) -> Iterator[object]:
    if isinstance(value, tuple):
        for each in value:
            yield from _parts(each)
    elif dataclasses.is_dataclass(value) and not isinstance(value, Notice):
        yield value


def require_coded(r: Rig) -> set[str]:
    """Every sentence of ours in the record equals what its codes and values render; the codes, nested ones too."""
    found: set[str] = set()

    def add(notices: tuple[Notice, ...]) -> None:
        for each in notices:
            found.add(str(each.code))
            for value in each.values.values():
                if isinstance(value, tuple):
                    add(value)

    for observation in r.model.seen:
        for result in observation.results:
            assert not result.text or result.text in BY_OTHERS or notices_of(result.text), result.text
    for record in r.journal.records:
        for text, notices in texts(stored(record)):
            if text and text not in BY_OTHERS:
                assert notices, f"{record.event.kind}: {text!r} has no code"
                assert render(notices) == text
                add(notices)
    return found


async def answer(r: Rig, text: str | None) -> None:
    assert r.session.question is not None
    await r.post(Answer(question_id=r.session.question.question_id, answer=text))
    await r.settled()


async def test_what_a_provider_says_about_its_calls_and_at_the_end_has_codes() -> None:
    missing = notice(NoticeCode.ARGUMENT_MISSING, argument="x")
    unclear = replace(call(None), error=missing)
    assumed = replace(call(Wait(duration_s=1)), note=notice(NoticeCode.BY_DEFAULT, effects="{x}"))
    which = AskOperator(
        question=notice(NoticeCode.WHICH_ONE_IS_MEANT, name="“A”", count=2), answer=QuestionKind.CHOOSE,
        choices=(Choice(label=notice(NoticeCode.CONTROL_AT, control="“A”", x=1, y=2)),),
    )  # fmt: skip
    done = Finish(message=notice(NoticeCode.RUNBOOK_DONE, count=2))
    r = rig(
        Proposal(calls=(unclear,)), Proposal(calls=(assumed,), narration=lines([missing, missing])), does(which),
        does(done),
    )  # fmt: skip
    await r.start()
    while r.session.question is None:
        await r.clock.advance(r.clock.deadlines()[0])
    await answer(r, "0")
    ended = await r.end()
    assert require_coded(r) == {
        "argument_missing", "by_default", "lines", "waited", "which_one_is_meant", "control_at", "runbook_done",
    }  # fmt: skip
    assert ended.message == "All 2 written steps of the runbook are done."
    assert r.model.seen[1].results[0].text == "Argument 'x' is missing."


async def test_the_closing_words_of_a_provider_have_a_code() -> None:
    r = rig(said(notice(NoticeCode.SCRIPT_ENDED)))
    assert (await r.run()).message == "The script has ended."
    assert require_coded(r) == {"script_ended"}


async def test_retries_an_unreadable_answer_calls_without_input_and_a_declined_question() -> None:
    looking = does(Wait(duration_s=2), QuoteText(region=Rect(0, 0, 9, 9), variable="x"))
    r = rig(
        ProviderTransient(notice(NoticeCode.SERVICE_UNAVAILABLE, service="Gemini"), retry_after_s=5),
        ProviderMalformed(notice(NoticeCode.MODEL_ANSWER_UNREADABLE)),
        looking, does(Zoom(region=Rect(9000, 0, 5, 5))), does(CursorPosition()),
        does(AskModel(prompt="?", variable="y")),
        said("Which one?", finished=False), said("Done.", finished=True),
    )  # fmt: skip
    await r.start()
    while r.session.question is None:
        await r.clock.advance(r.clock.deadlines()[0])
    await answer(r, None)
    await r.end()
    assert require_coded(r) == {
        "service_unavailable", "answer_unreadable_to_model", "waited", "reading_unavailable", "region_outside_picture",
        "pointer_not_on_picture", "asking_model_unavailable", "no_answer_given",
    }  # fmt: skip


async def test_denials_and_the_limit_of_steps_ask_whether_to_continue() -> None:
    request = SessionRequest(task="do it", max_steps=4)
    r = rig(
        *[flagged(click())] * 3, does(click()), said("Done."),
        request=request, options=Options(name="test", continue_question=True),
    )  # fmt: skip
    await r.start()
    for reply in (None, None, None, "yes"):
        await answer(r, reply)
    while r.session.question is None:
        await r.clock.advance(r.clock.deadlines()[0])
    await answer(r, None)
    assert (await r.end()).outcome is EndedOutcome.LIMIT
    assert require_coded(r) == {
        "allow_action", "calls_declined_in_a_row", "continue_question", "step_limit_reached",
    }  # fmt: skip


async def test_a_question_that_lapses_and_a_call_that_the_service_forbids() -> None:
    r = rig(flagged(click()), flagged(click(), blocked=True), said("Done."))
    await r.start()
    await r.clock.advance(SAFETY_QUESTION_LAPSES_AFTER_S)
    await r.post(Resume())
    await r.settled()
    await r.post(Resume())
    await r.end()
    assert [type(each).__name__ for each in r.events].count("Paused") == 2
    assert require_coded(r) == {"allow_action", "safety_question_lapsed"}


async def test_a_pause_releases_keys_and_a_resume_needs_a_working_stop() -> None:
    gate = Gate(said("Done."))
    r = rig(does(KeyDown(key=Key("shift"))), gate)
    await r.start()
    await r.settled()
    r.session.post(Skip(step=1, call=0))
    await r.post(Pause())
    r.guard.lose_stop(notice(NoticeCode.FIRST_LISTENER_ENDED))
    await r.post(Resume())
    r.guard.find_stop()
    gate.open()
    await r.post(Resume())
    await r.end()
    assert require_coded(r) == {
        "input_released", "stop_not_working", "first_listener_ended", "stop_needed_to_resume", "skip_too_late",
        "too_late_for_call",
    }  # fmt: skip


async def test_refusals_name_the_parts_of_their_error() -> None:
    r = rig(does(click()), does(Back()), does(Launch(app="gimp")), said("Done."))
    error = ComputerRejected(
        notice(NoticeCode.TARGET_COVERED_BY, window=notice(NoticeCode.NO_WINDOW)),
        reason=RejectedReason.COVERED, remedy=notice(NoticeCode.BRING_TARGET_TO_FRONT),
    )  # fmt: skip
    r.computer.refuse_next_input(error)
    r.computer.covered = notice(NoticeCode.PART_NOT_PAINTED)
    await r.run()
    assert require_coded(r) == {
        "target_covered_by", "no_window", "bring_target_to_front", "no_browser_has_focus", "action_unavailable",
        "use_mouse_and_keyboard", "part_of_target_not_seen", "part_not_painted",
    }  # fmt: skip


async def test_a_target_that_is_gone_ends_the_run_with_the_codes_of_its_error() -> None:
    r = rig(does(click()))
    gone = ComputerUnavailable(
        notice(NoticeCode.WINDOW_GONE, window="“Notes”"), reason=UnavailableReason.GONE,
        detail=notice(NoticeCode.WINDOW_WAS_CLOSED), remedy="Verbatim advice of the system.",
    )  # fmt: skip
    r.injector.on_act = lambda _: r.computer.fail_next_observe(gone)
    ended = await r.run()
    assert require_coded(r) == {"window_gone", "window_was_closed", "verbatim"}
    assert ended.message == "“Notes” is gone. The window was closed. Verbatim advice of the system."


async def test_a_failing_model_and_an_internal_error_end_it_too() -> None:
    r = rig(*[ProviderMalformed(notice(NoticeCode.MODEL_ANSWER_UNREADABLE))] * 4)
    await r.run()
    assert require_coded(r) == {"answer_unreadable_to_model", "model_answer_unreadable"}
    r = rig(ZeroDivisionError())
    await r.run()
    assert require_coded(r) == {"internal_error"}


async def test_a_stop_in_a_corner_names_what_it_interrupted_as_data() -> None:
    r = rig(does(TypeText(text="hello"), click(), None))
    r.injector.hold()
    await r.start()
    stopped = Outcome(result=ActResult.STOPPED, detail=notice(NoticeCode.ACTION_STOPPED), delivered=2, total=5)
    r.guard.on_kill = lambda: r.injector._finish(stopped)
    corner = notice(NoticeCode.TOP_LEFT_CORNER, monitor=1)
    r.guard.press_stop(StopCause.CORNER, notice(NoticeCode.POINTER_IN_CORNER, corner=corner))
    await quiet()
    ended = await r.end()
    assert require_coded(r) == {"pointer_in_corner", "top_left_corner", "action_stopped"}
    assert [each.code for each in ended.message_notices] == [NoticeCode.POINTER_IN_CORNER]
    (stop,) = r.of(Stopped)
    assert stop.in_flight_action is not None
    assert stop.in_flight_action.action == TypeText(text="hello")
    assert stop.in_flight_action.assessment == r.of(Decided)[0].assessment
    assert stop.in_flight == in_flight_words(stop) == "type “hello”"
    first = r.of(Proposed)[0].calls[1].assessment
    assert stop.cancelled_actions == (StoppedAction(action=click(), assessment=first), StoppedAction(name="dance"))
    assert stop.cancelled == cancelled_words(stop) == ("click at 100, 100", "dance")


def test_a_stop_of_an_older_file_shows_its_descriptions() -> None:
    old = Stopped(reason=StopCause.CORNER, latched=True, in_flight="click at 1, 2", cancelled=("press Enter",))
    assert (in_flight_words(old), cancelled_words(old)) == ("click at 1, 2", ("press Enter",))


async def test_only_the_first_parts_of_an_action_are_named_as_data_too() -> None:
    r = rig(does(Navigate(url="https://example.org")), said("Done."))
    r.computer.focus = WindowInfo(window_id=5, title="Web", app="firefox", pid=1, rect=Rect(0, 0, 400, 300))
    r.injector.on_act = lambda _: r.session.post(Pause())
    await r.start()
    await r.settled()
    r.injector.on_act = lambda _: None
    await r.post(Resume())
    await r.end()
    (told,) = (each for each in r.of(Performed) if each.parts_done)
    assert "only_first_parts_done" in require_coded(r)
    assert told.detail == f"Only the first part was done: {describe(told.parts_done[0])}."
