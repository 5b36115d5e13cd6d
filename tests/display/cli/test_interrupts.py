"""Ending a run from outside: SIGTERM in order, `stop` at once and latched; and the record says which."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from operator_console.domain.actions import Wait
from operator_console.domain.codec import encode
from tests.cli.command import ROOT, operator_console
from tests.display.rig import Desktop


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "turns.json"
    path.write_text(json.dumps([{"calls": [{"action": encode(Wait(duration_s=30))}]}] * 20))
    return path


@contextmanager
def running(desktop: Desktop, script: Path, record: Path) -> Iterator[subprocess.Popen[str]]:
    """A run that would go on for long; given back once it has proposed something."""
    words = ("run", "Wait", "--model", str(script), "--session", str(record), "--json")
    with subprocess.Popen(
        [sys.executable, "-m", "operator_console", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env={**os.environ, "DISPLAY": desktop.name},
        start_new_session=True,
    ) as process:
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if json.loads(line)["kind"] == "proposed":
                    break
            yield process
        finally:
            if process.poll() is None:
                process.kill()


def end(process: subprocess.Popen[str]) -> list[dict[str, object]]:
    """Its last events."""
    out, err = process.communicate(timeout=60)
    assert "Traceback" not in err, err
    return [json.loads(line) for line in out.splitlines()]


def test_a_signal_ends_the_run_in_order(desktop: Desktop, script: Path, tmp_path: Path) -> None:
    """Ctrl-C: tests/display/acceptance/test_stop.py."""
    record = tmp_path / "new.ocsession"
    with running(desktop, script, record) as process:
        process.terminate()
        events = end(process)
    assert process.returncode == 3
    stopped = next(event for event in events if event["kind"] == "stopped")
    assert (stopped["reason"], stopped["latched"]) == ("interrupt", False)
    assert (events[-1]["kind"], events[-1]["outcome"]) == ("ended", "stopped")
    assert operator_console("sessions", "verify", str(record)).code == 0
    status = json.loads(operator_console("status", "--json", DISPLAY=desktop.name).out)
    assert status["state"] == "idle"


def test_the_stop_command_stops_and_latches(desktop: Desktop, script: Path, tmp_path: Path) -> None:
    record = tmp_path / "new.ocsession"
    with running(desktop, script, record) as process:
        status = json.loads(operator_console("status", "--json", DISPLAY=desktop.name).out)
        assert (status["state"], status["stop_live"]) == ("running", True)
        assert operator_console("stop", DISPLAY=desktop.name).code == 0
        events = end(process)
    try:
        assert process.returncode == 3
        stopped = next(event for event in events if event["kind"] == "stopped")
        assert (stopped["reason"], stopped["latched"]) == ("command", True)
        status = json.loads(operator_console("status", "--json", DISPLAY=desktop.name).out)
        assert (status["state"], status["reason"]) == ("stopped", "command")
        assert operator_console("sessions", "verify", str(record)).code == 0
    finally:
        assert operator_console("reset", "--yes", DISPLAY=desktop.name).code == 0
