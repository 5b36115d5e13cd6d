"""kill -9 of each process in each phase of a run: documented exit code, nothing held, no traceback, the right latch."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path

import pytest

from tests.display.acceptance.deaths import latched
from tests.display.acceptance.test_stop import command
from tests.display.acceptance.trials import PHASES, PROCESSES, trial
from tests.display.rig import Desktop

FINISHED, STOPPED, REFUSED = 0, 3, 5


def fates(name: str, phase: str) -> set[tuple[int, str | None]]:
    """The exit codes that a run may have, each with why the display is stopped after it."""
    if phase == "stopped":
        return {(-signal.SIGKILL, "command"), (STOPPED, "command")}
    if name == "console":
        return {(-signal.SIGKILL, None if phase == "starting" else "console_died")}
    if name == "guard":
        return {(REFUSED, None)} if phase == "starting" else {(STOPPED, "guard_died")}
    if name == "injector" and phase == "starting":
        return {(REFUSED, None), (FINISHED, None)}  # before and after it was ready
    return {(FINISHED, None)}


@pytest.mark.full
@pytest.mark.timeout(240)
@pytest.mark.parametrize("phase", PHASES)
@pytest.mark.parametrize("name", PROCESSES)
def test_a_process_killed_in_a_phase(desktop: Desktop, tmp_path: Path, name: str, phase: str) -> None:
    with trial(desktop, tmp_path, phase) as run:
        run.reach(phase)
        victim = run.process(name) if phase == "stopped" else run.wait_process(name)
        with contextlib.suppress(ProcessLookupError):  # a stop ends them anyway
            if victim is not None:
                os.kill(victim, signal.SIGKILL)
        found = run.end(), run.judge()
    assert found in fates(name, phase)
    if found[1] is not None:
        assert command(desktop, "reset", "--yes").returncode == 0
    assert latched(desktop) is None
