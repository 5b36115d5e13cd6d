"""A guard that died is said at once, and replaced: by itself, or by the reset where it died under a session."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from operator_console.app.backend import Backend
from operator_console.app.services import Services, open_services, our_windows
from operator_console.domain.errors import ConsoleError, OperatorError, TaskMistake
from operator_console.domain.events import Record
from operator_console.domain.frames import Frame, MonitorTarget, TargetRef
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.states import State
from operator_console.domain.stopping import StopCause
from operator_console.guard.latch import LatchState
from operator_console.ui.backend import GuardStatus
from tests.display.rig import Desktop
from tests.display.rig.processes import processes_with_env


@pytest.fixture
async def services(desktop: Desktop) -> AsyncIterator[Services]:
    async with open_services(desktop.name, our_windows()) as opened:
        yield opened


def live(backend: Backend) -> bool:
    """Asked anew each time."""
    return backend.guard.liveness.live


async def test_a_guard_that_dies_while_nothing_runs_is_replaced_by_itself(services: Services) -> None:
    backend = Backend(services)
    try:
        assert live(backend)
        told: list[GuardStatus] = []
        backend.subscribe_guard(told.append)
        kill_guard()
        await until(lambda: told and told[-1].liveness.live)
        assert services.guard.running
        dead = [status for status in told if not status.liveness.live]
        assert dead[0].liveness.detail == "The guard ended. It is being restarted."
        assert all(status.latch is None for status in told)
    finally:
        await backend.close()


async def test_a_guard_that_dies_under_a_session_is_a_stop_and_is_replaced_on_reset(services: Services) -> None:
    backend = Backend(services)
    try:
        await services.guard.arm(session="s", target=monitor_of(services))
        kill_guard()
        await until(lambda: backend.guard.latch is not None)
        latch = backend.guard.latch
        assert latch is not None
        assert latch.reason is StopCause.GUARD_DIED
        assert not live(backend)
        assert "Reset restarts it" in backend.guard.liveness.detail
        assert not services.guard.running
        await backend.reset()
        assert live(backend)
        assert backend.guard.latch is None
        assert services.guard.status.state is LatchState.IDLE
        await services.guard.arm(session="again", target=monitor_of(services))
        await services.guard.disarm()
    finally:
        await backend.close()


async def test_a_start_while_latched_names_the_latch_before_a_target_that_is_gone(services: Services) -> None:
    backend = Backend(services)
    request = SessionRequest(task="press Enter", target="window:No such window", provider="runbook")
    try:
        await backend.stop()
        with pytest.raises(OperatorError, match="The display is stopped"):
            await backend.start(request, Nobody())
        await backend.reset()
        with pytest.raises(ConsoleError, match="No window fits"):
            await backend.start(request, Nobody())
    finally:
        await backend.close()


async def test_a_runbook_that_cannot_be_read_is_refused_with_its_line_before_anything_opens(services: Services) -> None:
    backend = Backend(services)
    request = SessionRequest(task='click "OK"\nplease pay the bill', target="window:No such window", provider="runbook")
    try:
        with pytest.raises(TaskMistake) as refused:
            await backend.start(request, Nobody())
        assert refused.value.line == 2
        assert list(services.paths.sessions.iterdir()) == []
    finally:
        await backend.close()


class Nobody:
    """An audience."""

    def on_record(self, record: Record) -> None:
        raise AssertionError(record)

    def on_state(self, state: State) -> None:
        raise AssertionError(state)

    def on_frame(self, frame: Frame) -> None:
        raise AssertionError(frame)


async def until(condition: Callable[[], object]) -> None:
    """On the loop that hears the guard."""
    async with asyncio.timeout(30):
        while not condition():  # noqa: ASYNC110  conditions of several kinds, no event for all
            await asyncio.sleep(0.01)


def monitor_of(services: Services) -> TargetRef:
    """What it works."""
    return MonitorTarget(spec="monitor:1", title="Monitor 1", display=services.display)


def kill_guard() -> None:
    """The one this test started."""
    mark = f"OPERATOR_CONSOLE_TEST_MARK={os.environ['OPERATOR_CONSOLE_TEST_MARK']}"
    [guard] = [pid for pid in processes_with_env(mark) if _is_guard(pid)]
    os.kill(guard, signal.SIGKILL)


def _is_guard(pid: int) -> bool:
    return b"operator_console.guard" in Path(f"/proc/{pid}/cmdline").read_bytes()
