"""kill -9 of the console: the record opens and verifies, nothing is held, nothing lives on, and the latch names it."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from operator_console.journal.write import SessionJournal
from operator_console.settings.paths import find_paths
from tests.display.acceptance.deaths import kill, last_kind, latched, product_processes, told_of
from tests.display.acceptance.harness import final, start_run, turn
from tests.display.acceptance.noise import noisy_desktop
from tests.display.acceptance.test_stop import LONG_TEXT
from tests.display.rig import Desktop, launch_xterm, wait_until
from tests.journal.samples import write_session
from tests.servers.gemini_server import GeminiServerThread

CLICK = turn(("click", {"x": 300, "y": 300}))  # changes nothing, which takes long to be sure of
TYPE = turn(("type", {"text": "x"}))

# What the model says; the event after which the console dies, and of which step; what became of the last action.
CASES: dict[str, tuple[list[dict[str, Any]], str, dict[str, Any], str]] = {
    "thinking": ([TYPE, {**final(), "delay_s": 60}], "observed", {"step": 2}, "done"),
    "acting": ([turn(("type", {"text": LONG_TEXT}))], "granted", {}, "unknown"),
    "settling": ([CLICK], "performed", {}, "done"),
    "retrying": ([TYPE, {"status": 503, "retry_after": 60}], "retrying", {}, "done"),
}


@pytest.mark.parametrize("moment", sorted(CASES))
def test_the_console_killed_while(moment: str, desktop: Desktop, tmp_path: Path) -> None:
    said, event, fields, fate = CASES[moment]
    launch_xterm(desktop)
    record = tmp_path / "killed.ocsession"
    before = product_processes()
    with GeminiServerThread([*said, final()], api_key="test-key") as server:
        console = start_run(desktop, tmp_path, server.url, "--session", str(record))
        console.wait_event(event, **fields)
        kill(desktop, console.child, before)
    assert last_kind(record) == event
    assert latched(desktop) == "console_died"
    told_of(desktop, record, fate)


def test_the_console_killed_while_observing(tmp_path: Path) -> None:
    """The state between a run's beginning and its first `observed`: the picture is taken and packed."""
    record = tmp_path / "killed.ocsession"
    with (
        noisy_desktop(tmp_path / "noisy") as desktop,
        GeminiServerThread([final()], api_key="test-key") as server,
    ):
        before = product_processes()
        console = start_run(desktop, tmp_path, server.url, "--session", str(record))
        console.wait_event("session_started")
        kill(desktop, console.child, before)
        assert last_kind(record) == "session_started"
        assert latched(desktop) == "console_died"
        told_of(desktop, record, None)


def test_the_console_killed_while_starting(desktop: Desktop, tmp_path: Path) -> None:
    """It could act already, and had not yet begun: the file it was to go on with is as it was."""
    record = tmp_path / "kept.ocsession"
    with SessionJournal.create(record, find_paths().anchors) as journal:
        write_session(journal)
    before = product_processes()
    with closing(sqlite3.connect(record, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")  # it cannot begin while another program holds its file
        with GeminiServerThread([final()], api_key="test-key") as server:
            console = start_run(desktop, tmp_path, server.url, "--resume", str(record))
            wait_until(lambda: console.child.checked() and armed(), "it to be armed", interval_s=0.003)
            kill(desktop, console.child, before)
    assert console.events() == []
    assert last_kind(record) == "ended"
    assert latched(desktop) == "console_died"
    told_of(desktop, record, "done", cut_off=False)


def armed() -> bool:
    """Whether the only latch file there is says that a session can act."""
    latches = list(find_paths().run.glob("*.latch.json"))
    return [json.loads(path.read_text(encoding="utf-8"))["state"] for path in latches] == ["running"]
