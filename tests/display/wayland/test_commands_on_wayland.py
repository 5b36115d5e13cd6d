"""The command line in a Wayland session: what it offers and refuses, and sessions that `stop` ends."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from operator_console.domain.actions import Action, Press, TypeText, Wait
from operator_console.domain.codec import encode
from operator_console.domain.errors import ExitCode
from operator_console.domain.geometry import NativePoint
from tests.cli.command import operator_console
from tests.display.acceptance.harness import Console
from tests.display.rig import Desktop
from tests.display.rig.processes import Child
from tests.display.wayland.conftest import WaylandSession

PAGE = "<title>Note</title><textarea autofocus aria-label='Note' style='width: 100%; height: 500px'></textarea>"
HELD = (Press(at=NativePoint(700, 450)), Wait(duration_s=60.0))
LONG = (TypeText(text="for ever " * 1000),)


@pytest.fixture(params=["no X server", "X server"])
def session(
    wayland: WaylandSession, desktop_session: Desktop, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Programs of the test run in the Wayland session; its X windows, if any, are on an X server beside it."""
    for name, value in wayland.variables.items():
        monkeypatch.setenv(name, value)
    if request.param == "X server":
        monkeypatch.setenv("DISPLAY", desktop_session.server.name)
    yield
    operator_console("reset", "--yes")


def started(folder: Path, target: str, *actions: Action) -> Console:
    """A run in which the model takes these actions in a turn each."""
    script = folder / "script.json"
    turns = [{"calls": [{"action": encode(action)}]} for action in actions]
    script.write_text(json.dumps([*turns, {"finished": True, "narration": "done"}]))
    stdout = folder / "stdout.txt"
    words = ["Write.", "--json", "--target", target, "--provider", "scripted", "--model", str(script)]
    code = (
        "import os, sys; fd = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600); os.dup2(fd, 1);"
        "os.execv(sys.executable, [sys.executable, '-m', *sys.argv[2:]])"
    )
    command = [sys.executable, "-c", code, str(stdout), "operator_console", "run", *words, "--autonomy", "auto"]
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parents[3])}
    return Console(child=Child(command, env=environment, log=folder / "stderr.txt", cwd=folder), stdout=stdout)


def state() -> str:
    return str(json.loads(operator_console("status", "--json").out)["state"])


@pytest.mark.usefixtures("session")
def test_what_a_session_starts_is_listed_and_nothing_of_the_desktop() -> None:
    listed = operator_console("targets", "--json")
    assert listed.code == 0
    assert [each["target"] for each in json.loads(listed.out)] == ["virtual", "vnc", "browser"]
    assert "not on monitors and windows" in listed.err


@pytest.mark.usefixtures("session")
@pytest.mark.parametrize("target", ["monitor:1", pytest.param("window:Mail", marks=pytest.mark.full)])
def test_monitors_and_windows_are_refused_with_what_works(tmp_path: Path, target: str) -> None:
    run = started(tmp_path, target, *LONG)
    assert run.wait() == ExitCode.REFUSED
    said = run.child.log_text()
    assert "This is a Wayland session" in said
    assert "--target virtual" in said
    assert "--target browser" in said


@pytest.mark.usefixtures("session")
def test_doctor_says_what_works_and_that_no_keys_are_heard() -> None:
    rows = json.loads(operator_console("doctor", "--json").out)
    found = {row["name"]: row for row in rows}
    assert found["display"]["ok"]
    assert found["hotkey"]["ok"]
    assert "no stop keys are heard" in found["hotkey"]["detail"]


def test_keys_of_its_x_server_are_never_said_to_stop(wayland: WaylandSession, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", wayland.xwayland)  # and no WAYLAND_DISPLAY, as in a terminal that lost it
    rows = json.loads(operator_console("doctor", "--json").out)
    hotkey = next(row for row in rows if row["name"] == "hotkey")
    assert not hotkey["ok"]
    assert "X server of a Wayland session" in hotkey["detail"]
    assert "WAYLAND_DISPLAY" in hotkey["remedy"]


# In each run: each target, and a session with and without an X server, once.
@pytest.mark.parametrize(
    ("session", "target"),
    [
        ("no X server", "virtual"),
        ("X server", "browser"),
        pytest.param("no X server", "browser", marks=pytest.mark.full),
        pytest.param("X server", "virtual", marks=pytest.mark.full),
    ],
    indirect=["session"],
)
@pytest.mark.usefixtures("session")
def test_the_stop_command_ends_a_session_with_nothing_held_or_left(tmp_path: Path, target: str) -> None:
    page = tmp_path / "note.html"
    page.write_text(PAGE)
    in_browser = target == "browser"
    run = started(tmp_path, f"browser:{page.as_uri()}" if in_browser else target, *(LONG if in_browser else HELD))
    run.wait_event("granted" if in_browser else "performed")
    assert "stop keys are not heard. Stop with `operator-console stop` or Ctrl-C." in run.child.log_text()
    assert state() == "running"
    assert operator_console("stop").code == 0
    assert run.wait() == ExitCode.STOPPED, run.report()
    stopped = run.wait_event("stopped")
    assert stopped["latched"]
    assert stopped["released_buttons"] == (0 if in_browser else 1)
    assert state() == "stopped"
    again = started(tmp_path, target, *LONG)
    assert again.wait() == ExitCode.REFUSED
    assert operator_console("reset", "--yes").code == 0
    assert state() == "idle"
