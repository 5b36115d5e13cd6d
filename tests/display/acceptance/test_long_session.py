"""Sixty steps: memory, request size, threads and file descriptors level off."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.display.acceptance.event_window import EventWindow
from tests.display.acceptance.harness import final, grid, insistent, start_run, turn
from tests.display.rig import Desktop
from tests.servers.gemini_server import GeminiServerThread
from tests.servers.scripted_server import Turn

STEPS = 60
SETTLED_AT = 30


def usage_of(pid: int) -> tuple[int, int, int]:
    """(resident KiB, threads, file descriptors) of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    fields = dict(line.split(":", 1) for line in lines if ":" in line)
    resident = int(fields["VmRSS"].split()[0])
    return resident, int(fields["Threads"]), len(list(Path(f"/proc/{pid}/fd").iterdir()))


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.timeout(400)
def test_sixty_steps_level_off(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: tests/engine/test_long_runs.py."""
    window = EventWindow(desktop)
    samples: list[tuple[int, int, int]] = []
    pids: list[int] = []

    def step(number: int) -> Turn:
        def said(_seen: object) -> dict[str, object]:
            samples.append(usage_of(pids[0]))
            return turn(("click", grid((20 + number % 300, 20 + number % 200), (400, 300))))

        return said

    with GeminiServerThread(
        insistent(*map(step, range(STEPS)), final()), api_key="test-key", keep_screenshots=3
    ) as server:
        target = f"window:{window.xid:#x}"
        console = start_run(desktop, tmp_path, server.url, "--target", target, "--max-steps", str(2 * STEPS))
        pids.append(console.child.pid)
        assert console.wait(380) == 0, console.report()
        assert server.violations == []
        sizes = [request.size for request in server.received]
    assert len(window.buttons()) == 2 * STEPS
    early, late = samples[SETTLED_AT], samples[-1]
    assert late[0] <= early[0] * 1.05 + 4096, (early, late)
    assert late[1] <= early[1]
    assert late[2] <= early[2] + 1
    # The conversation's text grows by a line a step; the pictures do not pile up.
    assert sizes[-1] <= sizes[SETTLED_AT] * 1.5 + 200 * STEPS
