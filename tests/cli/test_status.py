"""What `status` says of a display, in the words of the window."""

from __future__ import annotations

import pytest

from operator_console.cli.status import state_in_words
from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.stopping import PauseCause, WaitsFor
from operator_console.guard.latch import LatchState, LatchStatus


@pytest.mark.parametrize(
    ("state", "reason", "words"),
    [
        (LatchState.PAUSED, WaitsFor.ANSWER, "waiting for your answer"),
        (LatchState.PAUSED, WaitsFor.HAND_BACK, "you are in control"),
        (LatchState.PAUSED, PauseCause.HUMAN, "paused (by you)"),
        (LatchState.PAUSED, PauseCause.SCREEN_LOCK, "paused (the screen was locked)"),
        (LatchState.PAUSED, "of_another_version", "paused (of another version)"),
        (LatchState.RUNNING, "", "running"),
        (LatchState.STOPPED, "display_lost", "stopped (the loss of the display)"),
    ],
)
def test_the_state_and_its_time_in_words(state: LatchState, reason: str, words: str) -> None:
    status = LatchStatus(
        display=":7", state=state, reason=str(reason), since="2026-01-02T03:04:05.678Z", stop_live=True, session="s"
    )
    assert state_in_words(status).splitlines()[0] == f":7: {words} since 2026-01-02 03:04:05 UTC, session s"


@pytest.mark.parametrize(("live", "words"), [(True, "stop it with operator-console stop"), (False, "WARNING")])
def test_without_a_display_no_stop_keys_are_promised(live: bool, words: str) -> None:
    found = state_in_words(LatchStatus(display=NO_DISPLAY, state=LatchState.RUNNING, stop_live=live))
    assert found.startswith("no display: running")
    assert "hotkey" not in found
    assert words in found
