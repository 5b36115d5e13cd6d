"""The lease's arithmetic and the corners' bookkeeping."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from operator_console.guard.listener.corners import Corners
from operator_console.guard.server.lease import Lease, Verdict, answer_to

TWO = Corners([(0, 0, 100, 50), (100, 0, 80, 50)])


def test_silence_pauses_then_stops() -> None:
    lease = Lease(10.0)
    assert [lease.verdict(t) for t in (10.0, 10.49, 10.5, 11.99, 12.0)] == [
        Verdict.GOOD, Verdict.GOOD, Verdict.PAUSE, Verdict.PAUSE, Verdict.STOP,
    ]  # fmt: skip


def test_an_answer_renews_to_the_time_of_its_question_once() -> None:
    lease = Lease(0.0)
    early, late = lease.ask(0.1), lease.ask(1.0)
    assert lease.answered(answer_to(late))
    assert lease.renewed_s == 1.0
    assert not lease.answered(answer_to(late)), "replayed"
    assert lease.answered(answer_to(early))
    assert lease.renewed_s == 1.0, "an old answer must not turn time back"


@given(st.integers(min_value=0, max_value=2**64 - 1))
def test_only_the_right_answer_renews(answer: int) -> None:
    lease = Lease(0.0)
    challenge = lease.ask(1.0)
    assert lease.answered(answer) == (answer == answer_to(challenge))


def test_each_corner_of_each_monitor_is_one() -> None:
    assert TWO.places == {(0, 0), (99, 0), (0, 49), (99, 49), (100, 0), (179, 0), (100, 49), (179, 49)}
    assert TWO.struck((179, 49), (0, 0), 0) == "the bottom-right corner of monitor 2"
    assert TWO.struck((98, 0), (0, 0), 0) == ""


def test_an_announced_corner_is_excused_until_it_was_left() -> None:
    corners = Corners([(0, 0, 100, 50)])
    assert corners.struck((0, 0), (0, 0), 1) == ""
    assert corners.struck((0, 0), (0, 0), 1) == "", "moving on the spot"
    assert corners.struck((99, 0), (0, 0), 1) != "", "another corner than announced"
    corners = Corners([(0, 0, 100, 50)])
    assert corners.struck((0, 0), (0, 0), 1) == ""
    assert corners.struck(None, (0, 0), 1) == ""
    assert corners.struck((0, 0), (0, 0), 1) == "the top-left corner of monitor 1", "a person came back"
    assert corners.struck((0, 0), (0, 0), 2) == "", "announced again"


def test_corners_follow_the_monitors_and_what_was_announced_stays_so() -> None:
    corners = Corners([(0, 0, 100, 50)])
    assert corners.struck((0, 0), (0, 0), 1) == ""
    corners.follow([(0, 0, 80, 60)])
    assert corners.places == {(0, 0), (79, 0), (0, 59), (79, 59)}
    assert corners.struck((0, 0), (0, 0), 1) == ""
    assert corners.struck((99, 49), (0, 0), 1) == "", "no corner any more"
    assert corners.struck((79, 59), (0, 0), 1) == "the bottom-right corner of monitor 1"


def test_leaving_before_arriving_does_not_use_up_the_announcement() -> None:
    corners = Corners([(0, 0, 100, 50)])
    assert corners.struck(None, (0, 0), 1) == ""
    assert corners.struck((0, 0), (0, 0), 1) == ""
