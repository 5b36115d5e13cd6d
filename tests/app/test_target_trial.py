"""What the Test of a target says about what came of it. tests/display/acceptance has it on real targets."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from operator_console.app.target_trial import LONG, MOTIONS, WORD, TargetTest, request_of_test
from operator_console.domain.actions import Action, Click, Move, TypeText
from operator_console.domain.codec import canonical
from operator_console.domain.decisions import ActResult
from operator_console.domain.errors import OperatorError
from operator_console.domain.events import Performed, Record, Stopped
from operator_console.domain.geometry import Rect, ScreenPoint, Size
from operator_console.domain.proposals import Call, CallResult, CallStatus, Observation
from operator_console.domain.stopping import StopCause
from operator_console.domain.target_tests import TargetReport, Tried
from operator_console.practice.mark_readings import COLOURS, Seen
from operator_console.settings.file_locations import find_paths
from tests.fakes.computer import FakeComputer

PLACES = ((60, 60), (300, 60), (180, 140))
NOTHING = Seen(hits={})
EXACT = dict.fromkeys(range(3), (0, 0))


def marked(shown: int = 3) -> FakeComputer:
    computer = FakeComputer(Size(400, 220))
    for (x, y), colour in list(zip(PLACES, COLOURS, strict=True))[:shown]:
        rgb = (colour >> 16, colour >> 8 & 0xFF, colour & 0xFF)
        computer.paint(Rect(x - 20, y - 1, 41, 3), rgb)
        computer.paint(Rect(x - 1, y - 20, 3, 41), rgb)
    return computer


def observed(computer: FakeComputer, *results: CallResult) -> Observation:
    async def look() -> Observation:
        frame = await computer.glimpse()
        return Observation(frame=frame, picture=None, results=results)  # type: ignore[arg-type]

    return asyncio.run(look())


def declined(action: Action) -> CallResult:
    call = Call(index=0, name=action.kind, action=action, arguments_json=canonical(action).decode())
    return CallResult(call=call, status=CallStatus.DECLINED, text="The person said no.")


async def nothing_seen() -> Seen:
    return NOTHING


def said(test: TargetTest) -> list[tuple[str, Tried, float | None]]:
    return [(line.name, line.outcome, line.error_px) for line in test.lines]


def test_marks_are_pressed_where_the_picture_shows_them_and_the_error_is_told() -> None:
    test, computer = TargetTest(nothing_seen, in_pictures=False), marked()
    next(test.course)
    pressed = test.course.send((observed(computer), NOTHING))
    assert [(each.at.x, each.at.y) for each in pressed if isinstance(each, Click) and each.at] == list(PLACES)
    typed = test.course.send((observed(computer), Seen(hits={0: (0, 0), 1: (1, 0), 2: (3, 4)})))
    assert typed == (TypeText(text=WORD),)
    assert test.course.send((observed(computer), Seen(hits=EXACT, text=WORD, length=len(WORD)))) == (
        TypeText(text=LONG),
    )
    assert said(test) == [
        ("Mark 1", Tried.OK, 0.0), ("Mark 2", Tried.OK, 1.0), ("Mark 3", Tried.NOT_OK, 5.0), ("Word", Tried.OK, None),
    ]  # fmt: skip
    assert all(line.remedy for line in test.lines if line.outcome is Tried.NOT_OK)


def test_a_mark_that_is_covered_and_a_press_that_did_not_arrive_are_told_apart() -> None:
    test, computer = TargetTest(nothing_seen, in_pictures=False), marked(2)
    next(test.course)
    pressed = test.course.send((observed(computer), NOTHING))
    assert len(pressed) == 2
    test.course.send((observed(computer, declined(pressed[0])), Seen(hits={1: (0, 0)})))
    assert said(test) == [("Mark 1", Tried.NOT_OK, None), ("Mark 2", Tried.OK, 0.0), ("Mark 3", Tried.NOT_OK, None)]
    assert test.lines[0].remedy == "The person said no."
    assert test.lines[2].said == "It is not in the picture."


def test_another_word_than_the_typed_one_is_told() -> None:
    test, computer = TargetTest(nothing_seen, in_pictures=False), marked()
    next(test.course)
    for seen in (NOTHING, Seen(hits=EXACT), Seen(hits=EXACT, text="Harvest §2", length=10)):
        test.course.send((observed(computer), seen))
    assert (test.lines[-1].outcome, test.lines[-1].said) == (
        Tried.NOT_OK, "“Harvest §2” arrived in place of “Harvest 42”.",
    )  # fmt: skip


def test_without_marks_the_pointer_is_moved_only_and_read_back() -> None:
    test, computer = TargetTest(None, in_pictures=False), FakeComputer(Size(400, 200))
    next(test.course)
    actions: list[Action] = []
    turn = test.course.send((observed(computer), NOTHING))
    while len(turn) == 1:
        (move,) = turn
        assert isinstance(move, Move)
        actions.append(move)
        computer.pointer = ScreenPoint(move.at.x + (len(actions) == 3), move.at.y + 5 * (len(actions) == 4))
        turn = test.course.send((observed(computer), NOTHING))
    assert len(turn) == MOTIONS
    assert all(isinstance(each, Move) for each in turn)
    assert said(test) == [
        ("Place 1", Tried.OK, 0.0), ("Place 2", Tried.OK, 1.0), ("Place 3", Tried.NOT_OK, 5.0),
        ("Word", Tried.NOT_TRIED, None),
    ]  # fmt: skip


STOPPED = Stopped(reason=StopCause.COMMAND, latched=True, press_to_last_event_ms=3.0)


def after_stop(*readings: Seen, stopped: Stopped | None = STOPPED) -> TargetTest:
    """A Test that has asked for its stop; what its marks tell in turn after it."""
    left = list(readings)

    async def look() -> Seen:
        return left.pop(0)

    test = TargetTest(look, in_pictures=False)
    test.asked = True
    if stopped is not None:
        test.on_record(Record(seq=1, time="", event=stopped))
    asyncio.run(test.tell_stop(FakeComputer()))
    return test


def field(length: int, held: int = 0) -> Seen:
    return Seen(hits=EXACT, length=len(WORD) + length, held=held)


def test_a_stop_is_proven_by_what_arrived_and_what_is_held() -> None:
    (line,) = after_stop(field(30), field(30)).lines
    assert (line.outcome, line.late_ms) == (Tried.OK, 3.0)
    assert "30 of 6600 characters" in line.said


@pytest.mark.parametrize(
    ("readings", "stopped", "words"),
    [
        ((field(30), field(31)), STOPPED, "arrived after the stop"),
        ((field(30, held=1), field(30, held=1)), STOPPED, "still held"),
        ((field(len(LONG)), field(len(LONG))), STOPPED, "before the stop"),
        ((field(30), field(30)), replace(STOPPED, press_to_last_event_ms=400.0), "400 ms after the stop"),
        ((), None, "before the stop"),
    ],
    ids=["leaks", "holds", "comes too late", "is slow", "does not come"],
)
def test_a_stop_that_leaks_or_holds_or_comes_too_late_is_no_stop(
    readings: tuple[Seen, ...], stopped: Stopped | None, words: str
) -> None:
    test = after_stop(*readings, stopped=stopped)
    (line,) = test.lines
    assert line.outcome is Tried.NOT_OK
    assert words in line.said
    assert line.remedy
    assert not TargetReport(title="", stopped=True, lines=tuple(test.lines)).ok


def test_motions_are_stopped_once_some_were_made() -> None:
    test = TargetTest(None, in_pictures=False)
    next(test.course)
    computer = FakeComputer(Size(400, 200))
    for _ in range(5):
        test.course.send((observed(computer), NOTHING))

    async def work() -> None:
        ready = asyncio.ensure_future(test.until_stop())
        for number in range(3):
            await asyncio.sleep(0)
            assert not ready.done()
            done = Performed(step=5, call=number, result=ActResult.DONE, status=CallStatus.DONE)
            test.on_record(Record(seq=number + 1, time="", event=done))
        await ready

    asyncio.run(work())


def test_a_browser_shows_the_page_of_the_marks_and_an_open_one_stays_where_it_is() -> None:
    assert request_of_test("browser:example.org", find_paths()).target.startswith("browser:data:text/html")
    joined = "browser:cdp=http://127.0.0.1:9222"
    assert request_of_test(joined, find_paths()).target == joined
    with pytest.raises(OperatorError):
        request_of_test("nonsense", find_paths())
