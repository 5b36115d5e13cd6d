"""Which motions into a corner are a stop, and which were announced by the injector."""

from __future__ import annotations

from operator_console.guard.corners import Corners

TWO = Corners([(0, 0, 100, 50), (100, 0, 80, 50)])


def test_each_corner_of_each_monitor_counts() -> None:
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
