"""kill -9 of a console and what must hold after it, whatever state it was in."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Collection
from pathlib import Path
from typing import Any

from tests.display.acceptance.recorded import read_events
from tests.display.acceptance.test_stop import command, status
from tests.display.rig import Child, Desktop, wait_until
from tests.display.rig.processes import processes_with_env


def product_processes() -> set[int]:
    """Every process that this test's consoles started, and what else carries the test's mark."""
    return set(processes_with_env(f"OPERATOR_CONSOLE_TEST_MARK={os.environ['OPERATOR_CONSOLE_TEST_MARK']}"))


def kill(desktop: Desktop, console: Child, before: Collection[int]) -> None:
    """Kill it; guard and injector end by themselves, and nothing is held. In what time: tests/display/guard."""
    os.kill(console.pid, signal.SIGKILL)
    console.popen.wait()
    wait_until(lambda: product_processes() <= set(before), "guard and injector to end", interval_s=0.005)
    assert desktop.keys_down() == []
    assert desktop.buttons_down() == []


def latched(desktop: Desktop) -> str | None:
    """Why the display is stopped, as `status` says; None where it is not."""
    told = status(desktop)
    assert told["state"] in ("idle", "stopped"), told
    return str(told["reason"]) if told["state"] == "stopped" else None


def wait_recorded(record: Path, kind: str) -> None:
    """Wait until the file has an event of this kind: `--json` prints events shortly before they are durable."""
    wait_until(lambda: kind in [event["kind"] for event in read_events(record)], f"{kind} in {record.name}")


def last_kind(record: Path) -> str:
    """What the record ends with: it tells the state in which the console died."""
    return str(read_events(record)[-1]["kind"])


def told_of(desktop: Desktop, record: Path, fate: str | None, *, cut_off: bool = True) -> None:
    """The file verifies, and both `verify` and `show` name the last action and its fate (None: there was none)."""
    verdict = _json(desktop, "verify", record)
    assert (verdict["finding"], verdict["cut_off"], verdict["running"]) == ("intact", cut_off, False)
    shown = _json(desktop, "show", record)
    assert (shown["outcome"] == "cut off") is cut_off
    for found in (verdict["last_action"], shown["last_action"]):
        assert (found and found["fate"]) == fate
    for verb in ("verify", "show") if cut_off else ():
        words = command(desktop, "sessions", verb, str(record)).stdout
        assert (f": {fate}." if fate else "interrupted before any action") in words, words


def _json(desktop: Desktop, verb: str, record: Path) -> dict[str, Any]:
    answer = command(desktop, "sessions", verb, str(record), "--json")
    assert answer.returncode == 0, answer.stdout + answer.stderr
    found: dict[str, Any] = json.loads(answer.stdout)
    return found
