"""What is said on the preview about a target, and the one step that is offered."""

from __future__ import annotations

from dataclasses import replace

import pytest

from operator_console.domain import actions as a
from operator_console.domain.element_uses import ElementIdentity, ElementUse
from operator_console.domain.elements import Role
from operator_console.domain.errors import ComputerUnavailable, ConsoleError, UnavailableReason
from operator_console.domain.frames import Frame, StackedWindow, TargetKind, WindowInfo
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.ui.backend import TargetChoice
from operator_console.ui.view.session_view import Phase
from operator_console.ui.view.target_words import (
    TargetStep,
    choice_note,
    covered_note,
    covering_window,
    trouble_note,
    used_in_preview,
)
from tests.display.ui.scene import desktop_image, frame_of
from tests.fakes.targets import target_of

BUTTON = ElementIdentity(
    element_id=":1.2/a", pid=5, role=Role.BUTTON, role_name="push button", name="Submit", extents=Rect(0, 0, 9, 9)
)


@pytest.mark.parametrize(
    ("reason", "idle", "active"),
    [
        (UnavailableReason.GONE, TargetStep.CHOOSE, TargetStep.END),
        (UnavailableReason.MINIMISED, TargetStep.RESTORE, TargetStep.RESTORE),
        (UnavailableReason.HIDDEN, TargetStep.SHOW, TargetStep.SHOW),
        (UnavailableReason.NO_DISPLAY, TargetStep.REFRESH, TargetStep.REFRESH),
    ],
)
def test_each_trouble_has_its_one_step(reason: UnavailableReason, idle: TargetStep, active: TargetStep) -> None:
    error = ComputerUnavailable("It cannot be seen.", reason=reason)
    assert (trouble_note(error, Phase.ENDED).step, trouble_note(error, Phase.REVIEWING).step) == (idle, active)
    assert trouble_note(ConsoleError("The preview stopped."), Phase.REVIEWING).step is TargetStep.REFRESH


def test_only_a_window_is_offered_to_be_shown() -> None:
    off = ComputerUnavailable("Monitor 2 is gone.", reason=UnavailableReason.HIDDEN, remedy="Switch it on again.")
    for kind in (TargetKind.WINDOW, TargetKind.VM):
        assert trouble_note(off, Phase.REVIEWING, kind).step is TargetStep.SHOW
    note = trouble_note(off, Phase.REVIEWING, TargetKind.MONITOR)
    assert (note.step, note.text) == (TargetStep.REFRESH, "Switch it on again.")


def test_who_takes_over_uses_what_stands_on_the_desk_there_and_everything_else_in_the_preview() -> None:
    in_preview = {kind for kind in TargetKind if used_in_preview(target_of(kind))}
    assert in_preview == {TargetKind.VIRTUAL, TargetKind.VNC, TargetKind.BROWSER}


def test_only_a_window_is_closed_and_opened_again() -> None:
    for kind, way in ((TargetKind.WINDOW, "open this one again"), (TargetKind.MONITOR, "switch it on again")):
        note = choice_note(TargetChoice(spec="x", title="X", kind=kind, closed=True), looking=False, some=True)
        assert note is not None
        assert way in note.text
    ended = TargetChoice(spec="x", title="X", kind=TargetKind.VIRTUAL, closed=True)
    note = choice_note(ended, looking=False, some=True)
    assert note is not None
    assert "again" not in note.text


def test_a_target_that_is_gone_while_it_is_handed_over_leaves_hand_back_alone() -> None:
    error = ComputerUnavailable("It is gone.", reason=UnavailableReason.GONE)
    assert trouble_note(error, Phase.HANDED_OVER).step is TargetStep.NONE


def test_what_is_chosen_and_has_no_picture_is_explained() -> None:
    window = TargetChoice(spec="window:0x1", title="Notes")
    assert choice_note(window, looking=False, some=True) is None
    closed = choice_note(replace(window, closed=True), looking=False, some=True)
    assert closed is not None
    assert closed.step is TargetStep.CHOOSE
    virtual = TargetChoice(spec="virtual", title="Virtual desktop", kind=TargetKind.VIRTUAL)
    starts = choice_note(virtual, looking=False, some=True)
    missing = choice_note(replace(virtual, trouble="It needs Xvfb. Install it."), looking=False, some=True)
    assert starts is not None
    assert missing is not None
    assert "starts with the session" in starts.text
    assert missing.text == "It needs Xvfb. Install it."
    none = choice_note(None, looking=False, some=False)
    assert none is not None
    assert none.step is TargetStep.REFRESH


def covered(*parts: Rect) -> Frame:
    """A frame of 100 by 80 pixels with a window over these parts of it."""
    over = WindowInfo(window_id=9, title="Calculator", app="", pid=1, rect=parts[0])
    frame = frame_of(desktop_image(100, 80, 30))
    at = frame.geometry.origin
    moved = tuple(part.moved(at.x, at.y) for part in parts)
    return replace(frame, covering=(StackedWindow(info=over, parts=moved),))


def test_a_covered_target_is_said_where_most_of_it_or_the_next_point_is_hidden() -> None:
    assert covered_note(None, None) is None
    assert covered_note(covered(Rect(0, 0, 30, 30)), None) is None
    mostly = covered_note(covered(Rect(0, 0, 100, 50)), None)
    assert mostly is not None
    assert mostly.step is TargetStep.FRONT
    corner = covered(Rect(0, 0, 30, 30))
    assert covered_note(corner, a.Click(at=NativePoint(60, 60))) is None
    point = covered_note(corner, a.Click(at=NativePoint(10, 10)))
    assert point is not None
    assert point.text == "The next action would not reach it."


@pytest.mark.parametrize(
    ("action", "kept_away"),
    [
        (a.TypeText(text="Fern", at=NativePoint(10, 10)), True),
        (a.Drag(path=(NativePoint(60, 60), NativePoint(10, 10))), True),
        (a.Drag(path=(NativePoint(60, 60), NativePoint(10, 10), NativePoint(70, 60))), False),
        (a.TypeText(text="Fern"), False),
        (a.Zoom(region=Rect(0, 0, 20, 20)), False),
        (a.UseElement(use=ElementUse.PRESS, element=BUTTON, at=NativePoint(10, 10)), False),
    ],
)
def test_only_an_action_whose_pointer_meets_another_window_is_kept_from_the_target(
    action: a.Action, kept_away: bool
) -> None:
    over = covering_window(covered(Rect(0, 0, 30, 30)), action)
    assert (over is not None and over.title == "Calculator") is kept_away
    assert covering_window(None, action) is None
