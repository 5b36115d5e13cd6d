"""kill -9 of the console: the record opens and verifies, nothing is held, nothing lives on, and the latch names it."""

from __future__ import annotations

import json
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

from operator_console.journal.write import SessionJournal
from operator_console.private_files import short_path
from operator_console.settings.file_locations import find_paths
from tests.display.acceptance.deaths import kill, last_kind, latched, product_processes, told_of, wait_recorded
from tests.display.acceptance.harness import final, start_run, turn
from tests.display.acceptance.test_stop import LONG_TEXT
from tests.display.rig import Desktop, launch_xterm, wait_until
from tests.journal.samples import write_session
from tests.servers.gemini_server import GeminiServerThread


def test_the_console_killed_while_acting(desktop: Desktop, tmp_path: Path) -> None:
    """What else it could be doing makes no difference to guard and record: tests/display/guard, tests/journal."""
    launch_xterm(desktop)
    record = tmp_path / "killed.ocsession"
    before = product_processes()
    turns = [turn(("type", {"text": LONG_TEXT})), final()]
    with GeminiServerThread(turns, api_key="test-key") as server:
        console = start_run(desktop, tmp_path, server.url, "--session", str(record))
        console.wait_event("granted")
        wait_recorded(record, "granted")
        kill(desktop, console.child, before)
    assert last_kind(record) == "granted"
    assert latched(desktop) == "console_died"
    told_of(desktop, record, "unknown")


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
    """Whether the only guard there is says that a session can act. Its latch file says so before it is ready."""
    sockets = list(find_paths().run.glob("*.sock"))
    if len(sockets) != 1:
        return False
    with short_path(sockets[0]) as name, socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as line:
        line.connect(name)
        line.sendall(b'{"do": "status"}\n')
        return str(json.loads(line.makefile("rb").readline())["state"]) == "running"
