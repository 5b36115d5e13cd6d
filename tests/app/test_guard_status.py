"""What the window is told about a stop that does not work."""

from __future__ import annotations

from unittest.mock import MagicMock

import pytest

from operator_console.app.guard_status import GuardView
from operator_console.domain.stopping import StopCause, StopLiveness
from operator_console.guard.latch import LatchState, LatchStatus
from operator_console.ui.backend import Elsewhere

DEAF = StopLiveness(live=False, detail="One listener has ended.")


@pytest.mark.parametrize(
    ("running", "state", "reason", "said"),
    [
        (True, LatchState.IDLE, "", "One listener has ended. The stop is tested again every 5 seconds."),
        (True, LatchState.STOPPED, StopCause.HOTKEY.value, "One listener has ended."),
        (False, LatchState.IDLE, "", "One listener has ended. It is being restarted."),
        (False, LatchState.STOPPED, StopCause.GUARD_DIED.value, "One listener has ended. Reset restarts it."),
    ],
)
async def test_a_stop_that_is_not_live_says_what_happens_next(
    running: bool, state: LatchState, reason: str, said: str
) -> None:
    services = MagicMock()
    services.guard.running, services.guard.liveness = running, DEAF
    services.guard.status = LatchStatus(display=":7", state=state, reason=reason)
    services.guard.elsewhere = None
    view = GuardView(services)
    try:
        assert view.status.liveness.detail == said
    finally:
        await view.close()


async def test_a_session_of_a_terminal_is_told_with_its_process_and_its_record() -> None:
    services = MagicMock()
    services.guard.running, services.guard.liveness = True, StopLiveness(live=True)
    services.guard.status = LatchStatus(display=":7", state=LatchState.IDLE)
    services.guard.elsewhere = LatchStatus(
        display=":7", state=LatchState.PAUSED, since="2026-01-01T00:00:00Z", session="/home/a/b.ocsession", pid=3,
        console_pid=2,
    )  # fmt: skip
    view = GuardView(services)
    try:
        since = "2026-01-01T00:00:00Z"
        assert view.status.elsewhere == Elsewhere(pid=2, since=since, paused=True, record="b.ocsession")
    finally:
        await view.close()
