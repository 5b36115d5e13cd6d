"""A slow disk under the record: the session goes on, only acts wait, the stop does not, and nothing is lost."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.display.acceptance.deaths import latched, told_of
from tests.display.acceptance.event_window import EventWindow
from tests.display.acceptance.harness import MODEL, Console, final, grid, insistent, performed, start_console, turn
from tests.display.acceptance.recorded import read_events
from tests.display.acceptance.slow_disk import SlowDisk, slow_disk
from tests.display.acceptance.test_stop import command, status
from tests.display.rig import Desktop
from tests.servers.gemini_server import GeminiServerThread

STEPS = 20
STOP_WITHIN_S = 1.0


def start(desktop: Desktop, folder: Path, url: str, disk: SlowDisk, window: EventWindow) -> tuple[Console, Path]:
    record = folder / "slow.ocsession"
    keys = {"GEMINI_API_KEY": "test-key", "GOOGLE_GEMINI_BASE_URL": url}
    options = ("--json", "--model", MODEL, "--target", f"window:{window.xid:#x}", "--session", str(record))
    return start_console(desktop, folder, "run", "Do as the script says.", *options, **keys, **disk.env), record


def clicks(count: int) -> list[dict[str, object]]:
    return [turn(("click", grid((20 + 5 * number, 20 + 5 * number), (400, 300)))) for number in range(count)]


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.timeout(300)
def test_with_every_tenth_sync_at_08_s_all_acts_happen_and_nothing_pauses(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: tests/engine/test_slow_disk.py."""
    disk = slow_disk(tmp_path, every=10, seconds=0.8)
    window = EventWindow(desktop)
    with GeminiServerThread(insistent(*clicks(STEPS), final()), api_key="test-key") as server:
        console, record = start(desktop, tmp_path, server.url, disk, window)
        assert console.wait(250) == 0, console.report()
    assert disk.delayed >= STEPS // 10
    events = console.events()
    assert [event for event in events if event["kind"] == "paused"] == []
    assert [result for result, _ in performed(events)] == ["done"] * STEPS
    assert len(window.buttons()) == 2 * STEPS
    assert read_events(record) == events
    told_of(desktop, record, "done", cut_off=False)


@pytest.mark.full
@pytest.mark.timeout(180)
def test_with_every_sync_at_3_s_acts_wait_the_status_says_why_and_stop_works_at_once(
    desktop: Desktop, tmp_path: Path
) -> None:
    """Longer than the 2 s of silence after which a console is stopped.

    In each run: tests/engine/test_slow_disk.py, and guard/test_slow_disk.py.
    """
    disk = slow_disk(tmp_path, every=1, seconds=3.0)
    window = EventWindow(desktop)
    with GeminiServerThread(insistent(*clicks(STEPS), final()), api_key="test-key") as server:
        console, record = start(desktop, tmp_path, server.url, disk, window)
        console.wait_event("performed", step=1, result="done")  # it waited, and was done
        assert console.wait_event("warned")["title"] == "The disk is slow."
        assert [event for event in console.events() if event["kind"] in ("paused", "stopped")] == []
        console.wait_event("granted", step=2)
        pressed = len(window.buttons())
        said = status(desktop)
        assert (said["state"], said["stop_live"]) == ("running", True)
        began_s = time.monotonic()
        assert command(desktop, "stop").returncode == 0
        console.wait_event("stopped", reason="command")
        took_s = time.monotonic() - began_s
        assert console.child.running  # its record is still being written
        assert console.wait(120) == 3, console.report()
    assert took_s < STOP_WITHIN_S
    assert len(window.buttons()) == pressed
    assert latched(desktop) == "command"
    assert read_events(record) == console.events()
    told_of(desktop, record, "not done", cut_off=False)  # the click that waited
