"""Output never blocks, survives a reader that stalls or closes, and has one line per step."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import time
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import TextIO

import pytest

from operator_console.cli.event_lines import EventLines
from operator_console.cli.output import Output
from operator_console.cli.sessions import replay
from operator_console.cli.terminal import AnswerMode, RunOptions, Terminal
from operator_console.domain.actions import Finish, Wait
from operator_console.domain.decisions import ActResult, DecidedBy, DecisionKind
from operator_console.domain.elements import Control, ControlSource, Role, TextKnowledge
from operator_console.domain.events import (
    Answered,
    Decided,
    Ended,
    EndedOutcome,
    Event,
    HandedOver,
    Message,
    Paused,
    Performed,
    Proposed,
    ProposedCall,
    Record,
    Resumed,
    Retrying,
    Settled,
    Stopped,
)
from operator_console.domain.frames import SettleReason
from operator_console.domain.intents import Intent, Stop
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import Notice, NoticeCode
from operator_console.domain.prices import Money
from operator_console.domain.proposals import CallStatus, Usage
from operator_console.domain.stopping import PauseCause, StopCause
from operator_console.journal.record_json import record_to_object
from tests.journal import samples
from tests.journal.conftest import Place


def recorded(*events: Event) -> list[Record]:
    return [
        Record(seq=number, time="2026-01-01T00:00:00.000000Z", event=event) for number, event in enumerate(events, 1)
    ]


def printed(*events: Event) -> tuple[list[str], list[str]]:
    """The lines for stdout and for stderr."""
    lines = EventLines()
    found = [line for record in recorded(*events) for line in lines.feed(record)]
    return [line.text for line in found if line.step], [line.text for line in found if not line.step]


def performed(call: int, status: CallStatus, **more: object) -> Performed:
    return Performed(step=1, call=call, result=ActResult.DONE, status=status, **more)  # type: ignore[arg-type]


def test_each_step_is_one_line() -> None:
    events = [samples.started(), *samples.step_events(1, "ab"), *samples.step_events(2, "ab"), samples.ended()]
    steps, notices = printed(*events)
    assert len(steps) == 2
    assert steps[0].startswith("   1  Click")
    assert steps[0].count("(done)") == 2
    assert "\x1b" not in steps[0]
    assert "\u202e" not in steps[0]
    assert notices[0].startswith("Working on “Write a note”")
    assert notices[-1].startswith("Finished after 2 steps")


@pytest.mark.parametrize(("success", "word"), [(True, "Finish"), (False, "Failed")])
def test_the_line_of_the_last_step_is_never_failed_and_done(*, success: bool, word: str) -> None:
    call = ProposedCall(index=0, name="done", action=Finish(message="It is.", success=success))
    proposed = Proposed(step=1, calls=(call,), usage=Usage())
    steps, _ = printed(samples.started(), proposed, performed(0, CallStatus.DONE), samples.ended())
    assert steps == [f"   1  {word}  0.0 s"]


def test_the_line_of_a_step_names_each_call_that_did_not_change_the_screen() -> None:
    settled = [
        Settled(step=1, call=call, reason=SettleReason.QUIET, waited_s=0.1, changed=changed)
        for call, changed in enumerate((False, True))
    ]
    events = [event for event in samples.step_events(1, "ab") if not isinstance(event, Settled)]
    after_first = next(place for place, event in enumerate(events) if isinstance(event, Performed)) + 1
    steps, _ = printed(*events[:after_first], settled[0], *events[after_first:], settled[1], samples.ended())
    assert len(steps) == 1
    assert steps[0].count("(done, screen unchanged)") == 1
    assert steps[0].count("(done)") == 1


@pytest.mark.parametrize(
    ("control", "line"),
    [
        (
            Control(source=ControlSource.ACCESSIBLE, role=Role.BUTTON, name="Save", window="Plant diary"),
            "Click button “Save” in “Plant diary” (done)",
        ),
        (
            Control(knowledge=TextKnowledge.UNREADABLE, window="Чат"),
            "Click at 10, 20 in “Чат”: The control is unknown (done)",
        ),
    ],
)
def test_the_line_of_a_step_names_the_control_and_the_window_that_were_hit(control: Control, line: str) -> None:
    events = [
        replace(event, assessment=replace(event.assessment, control=control))
        if isinstance(event, Decided) and event.assessment is not None
        else event
        for event in samples.step_events(1, "ab")
    ]
    (step,), _ = printed(*events, samples.ended())
    assert step.startswith(f"   1  {line}")


def test_a_skipped_call_shows_who_skipped_it_and_why() -> None:
    decided = Decided(
        step=1, call=0, decision=DecisionKind.SKIP, by=DecidedBy.HUMAN, rule="skipped", feedback="not that one"
    )
    events = (
        samples.proposed(1),
        decided,
        performed(0, CallStatus.SKIPPED),
        performed(1, CallStatus.NOT_DONE, detail="the one before was skipped"),
        samples.ended(),
    )
    (line,), _ = printed(*events)
    assert "(skipped by you: “not that one”)" in line
    assert "(not done: the one before was skipped)" in line


def test_a_stop_by_a_programs_keys_says_so_in_a_sentence_of_its_own() -> None:
    detail = notice(NoticeCode.STOP_KEYS_FROM_PROGRAM)
    _, (said,) = printed(Stopped(reason=StopCause.HOTKEY, latched=False, detail=detail))
    assert said == f"Stopped by hotkey. {detail}"


def test_a_stop_shows_what_it_interrupted() -> None:
    stopped = Stopped(reason=StopCause.HOTKEY, latched=True, in_flight="Type “abc”", delivered=17, total=5000)
    steps, notices = printed(samples.proposed(1), stopped)
    assert len(steps) == 1
    assert "Stopped by hotkey" in notices[0]
    assert "17 of 5000" in notices[0]
    assert "operator-console reset" in notices[0]


@pytest.mark.parametrize(
    ("event", "why"),
    [
        (HandedOver(), "you took over"),
        (Paused(by=PauseCause.HUMAN), "the session was paused"),
        (Stopped(reason=StopCause.BUTTON, latched=True), "the session was stopped"),
    ],
)
def test_a_withdrawn_question_says_why(event: Event, why: str) -> None:
    withdrawn = Answered(question_id="q", answer="withdrawn", by=DecidedBy.NOBODY)
    _, notices = printed(withdrawn, event, event)
    assert notices[0] == f"Question withdrawn: {why}."
    assert len(notices) == 3


def test_a_pause_that_ends_by_itself_is_resumed_automatically() -> None:
    _, notices = printed(Resumed(by="guard:lease"), Resumed(by="human"))
    assert notices == ["Resumed automatically.", "Resumed by you."]


def test_the_end_tells_tokens_by_kind_and_the_cost() -> None:
    usage = Usage(input_tokens=8_000, cached_tokens=5_000, output_tokens=900, thought_tokens=100)
    cost = Money(amount=Decimal("0.0421"), currency="EUR")
    ended = Ended(outcome=EndedOutcome.FINISHED, message="Done.", steps=4, usage=usage, cost=cost, elapsed_s=65)
    said = (
        "Finished after 4 steps in 1:05, 9.0 k tokens (8.0 k in: 5.0 k cached; 900 out, 100 thinking), 0.042 EUR. Done."
    )
    assert printed(ended)[1] == [said]
    unknown = replace(ended, usage=Usage(), cost=None, unreported_steps=4)
    told = "Finished after 4 steps in 1:05. The service did not report the tokens of 4 steps. Done."
    assert printed(unknown)[1] == [told]
    assert printed(replace(unknown, unreported_steps=0))[1] == ["Finished after 4 steps in 1:05. Done."]


def test_a_retry_says_when() -> None:
    _, notices = printed(Retrying(step=1, attempt=1, of=5, wait_s=1.2, reason="The service is busy."))
    assert notices == ["Retrying in 2 s (1 of 5): The service is busy."]


def test_a_wait_says_what_for() -> None:
    action, note = Wait(duration_s=1.297), "“Amount” is not on the screen yet; still looking, up to 10 s."
    call = ProposedCall(index=0, call_id="c", name="wait", arguments_json="{}", action=action, note=note)
    steps, _ = printed(replace(samples.proposed(1), calls=(call,)), performed(0, CallStatus.DONE), samples.ended())
    assert "Wait 1.3 s: “Amount” is not on the screen yet; still looking, up to 10 s (done)" in steps[0]


def test_what_is_said_about_a_call_is_worded_from_its_notices() -> None:
    call = ProposedCall(
        index=0, name="click", action=None, error="Words of another version.",
        error_notices=(Notice(code=NoticeCode.ARGUMENT_MISSING, values={"argument": "{x}"}),),
    )  # fmt: skip
    steps, _ = printed(replace(samples.proposed(1), calls=(call,)), samples.ended())
    assert "not understood: click (Argument '{x}' is missing.)" in steps[0]


def test_a_turn_without_calls_is_also_a_line() -> None:
    spoke = Proposed(step=1, calls=(), narration="Nothing to do\x1b[2J.", finished=True, usage=Usage())
    (line,), _ = printed(spoke, samples.ended())
    assert "says “Nothing to do" in line
    assert "\x1b" not in line


def test_a_pause_shows_its_cause() -> None:
    _, (notice,) = printed(Paused(by=PauseCause.SCREEN_LOCK))
    assert notice == "Paused: the screen was locked."


class Pipe:
    """A pipe whose reading end the test controls."""

    def __init__(self) -> None:
        self.reader, writer = os.pipe()
        self.stream: TextIO = os.fdopen(writer, "w", encoding="utf-8")

    def fill(self) -> int:
        """Write until the pipe is full. Returns the number of bytes written."""
        descriptor = self.stream.fileno()
        flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_NONBLOCK)
        count = 0
        try:
            while True:
                count += os.write(descriptor, b"x" * 4096)
        except BlockingIOError:
            fcntl.fcntl(descriptor, fcntl.F_SETFL, flags)
        return count

    def read(self, count: int) -> bytes:
        data = b""
        while len(data) < count and (part := os.read(self.reader, count - len(data))):
            data += part
        return data

    def close_reader(self) -> None:
        os.close(self.reader)
        self.reader = -1

    def close(self) -> None:
        if self.reader >= 0:
            os.close(self.reader)
        self.stream.close()


@pytest.fixture
def pipes() -> Iterator[tuple[Pipe, Pipe]]:
    both = Pipe(), Pipe()
    yield both
    for pipe in both:
        pipe.close()


def test_a_stalled_reader_neither_blocks_nor_loses_output(pipes: tuple[Pipe, Pipe]) -> None:
    out, err = pipes
    filled = out.fill()
    output = Output(out.stream, err.stream, lambda: None)
    for number in range(1_000):
        output.say(f"line {number}")  # would block here
    assert out.read(filled) == b"x" * filled
    expected = "".join(f"line {number}\n" for number in range(1_000)).encode()
    assert out.read(len(expected)) == expected
    output.close()


async def test_json_is_one_object_per_event(pipes: tuple[Pipe, Pipe]) -> None:
    out, err = pipes
    records = recorded(samples.started(), *samples.step_events(1, "ab"), Message(text="\ud800"), samples.ended())
    terminal = Terminal(RunOptions(json=True, answer=AnswerMode.DENY), stdout=out.stream, stderr=err.stream)
    for record in records:
        terminal.on_record(record)
    await terminal.close()
    lines = os.read(out.reader, 1_000_000).decode("ascii").splitlines()
    assert [json.loads(line) for line in lines] == [record_to_object(record) for record in records]


async def test_a_closed_output_ends_the_run(pipes: tuple[Pipe, Pipe]) -> None:
    out, err = pipes
    out.close_reader()
    posted: asyncio.Queue[Intent] = asyncio.Queue()
    terminal = Terminal(RunOptions(answer=AnswerMode.DENY), stdout=out.stream, stderr=err.stream)
    terminal.attach(posted.put_nowait)
    for record in recorded(*samples.step_events(1, "ab"), *samples.step_events(2, "ab"), samples.ended()):
        terminal.on_record(record)
    async with asyncio.timeout(20):
        intent = await posted.get()
    assert isinstance(intent, Stop)
    assert intent.reason is StopCause.INTERRUPT
    await terminal.close()
    assert posted.empty()


async def test_replay_keeps_the_original_pace_times_the_speed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(file=tmp_path / "one.ocsession", anchors=tmp_path / "anchors")
    with place.create() as journal:
        began_s = time.monotonic()
        samples.write_session(journal)
        took_s = time.monotonic() - began_s
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr("asyncio.sleep", sleep)
    await replay(place.file, speed=0.5, json=False)
    assert 0 < sum(waits) <= 2 * took_s + 0.1
    waits.clear()
    await replay(place.file, speed=0, json=False)
    assert waits == []
