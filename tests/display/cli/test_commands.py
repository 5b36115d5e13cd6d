"""`targets`, `doctor`, `status` and `run` from a terminal, on a display with a window on it."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from operator_console.domain.actions import Finish, Wait
from operator_console.domain.codec import encode
from operator_console.settings.file_locations import find_paths
from tests.cli.command import Result, operator_console
from tests.cli.command import command as in_this_process
from tests.display.rig import Desktop

Command = Callable[..., Result]


@pytest.fixture
def command(desktop: Desktop) -> Command:
    """The command line, in a terminal of that desktop."""

    def run(*words: str, stdin: str = "") -> Result:
        return operator_console(*words, stdin=stdin, DISPLAY=desktop.name)

    return run


def state(desktop: Desktop) -> str:
    return str(json.loads(in_this_process("status", "--json", DISPLAY=desktop.name).out)["state"])


def test_targets_lists_the_monitor_first(command: Command) -> None:
    result = command("targets", "--json")
    assert result.code == 0
    first = json.loads(result.out)[0]
    assert (first["target"], first["kind"]) == ("monitor:1", "monitor")
    assert first["rect"]["width"] > 0
    assert command("targets").out.startswith("monitor:1")


def test_doctor_finds_display_and_hotkey(command: Command) -> None:
    result = command("doctor", "--json")
    checks = {check["name"]: check for check in json.loads(result.out)}
    assert checks["display"]["ok"], checks["display"]
    assert checks["hotkey"]["ok"], checks["hotkey"]
    assert "cannot be told from programs'" in checks["hotkey"]["detail"]  # XTEST is the only input of this display
    assert checks["sandbox"]["ok"], checks["sandbox"]
    assert checks["virtual"]["ok"], checks["virtual"]
    assert (checks["mcp"]["ok"], checks["mcp"]["detail"]) == (True, "No MCP servers are enabled.")
    assert result.code == 0


def test_a_stopped_display_is_said_and_refuses_until_somebody_resets(
    command: Command, desktop: Desktop, tmp_path: Path
) -> None:
    """A run after it prints a line a step, and is resumed in its record."""
    here = partial(in_this_process, DISPLAY=desktop.name)  # what is refused starts nothing
    assert command("stop").code == 0
    try:
        assert state(desktop) == "stopped"
        result = command("doctor", "--json")
        checks = {check["name"]: check for check in json.loads(result.out)}
        assert "stopped" in checks["hotkey"]["detail"]
        assert result.code == 1
        refused = here("run", "task", "--provider", "runbook")
        assert refused.code == 5
        assert "reset" in refused.err
        gone = here("run", "task", "--provider", "runbook", "--target", "window:No such window")
        assert (gone.code, "The display is stopped" in gone.err) == (5, True), gone.err
        assert not list(find_paths().sessions.glob("*.ocsession"))
    finally:
        assert command("reset", "--yes").code == 0
    assert state(desktop) == "idle"
    script, record = tmp_path / "turns.json", tmp_path / "new.ocsession"
    wait, finish = Wait(duration_s=0.01), Finish(message="That is all.")
    script.write_text(json.dumps([{"calls": [{"action": encode(action)}]} for action in (wait, finish)]))
    words = ("run", "Look", "--model", str(script), "--session", str(record))
    result = command(*words)
    assert (result.code, result.err.count("Finished after")) == (0, 1), result.err
    assert len(result.out.splitlines()) == 2, result.out
    assert in_this_process("sessions", "verify", str(record)).code == 0
    assert here(*words).code == 2

    resumed = command("run", "Look again", "--model", str(script), "--resume", str(record), "--json")
    events = [json.loads(line) for line in resumed.out.splitlines()]
    assert resumed.code == 0
    assert (events[0]["kind"], events[0]["resumed"]) == ("session_started", True)
    assert (events[-1]["kind"], events[-1]["outcome"]) == ("ended", "finished")
    assert [event["seq"] for event in events] == list(range(events[0]["seq"], events[-1]["seq"] + 1))
    assert in_this_process("sessions", "verify", str(record)).code == 0
    assert state(desktop) == "idle"
