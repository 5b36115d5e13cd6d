"""MCP servers, bash and the text editor in a `run` with a real guard, on a display."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path

import pytest

from operator_console.domain.actions import Action, CallFunction, EditFile, Finish, RunCommand
from operator_console.domain.codec import encode
from operator_console.settings.file_locations import find_paths
from tests.cli.command import ROOT, operator_console
from tests.display.rig import Desktop

SERVER = Path(__file__).parents[2] / "servers" / "mcp_server.py"


@pytest.fixture
def servers() -> None:
    """Servers of the settings: one of the registry, one that hangs, one that does not start."""
    paths = find_paths()
    paths.settings.parent.mkdir(parents=True, exist_ok=True)
    python = json.dumps(sys.executable)
    paths.settings.write_text(
        f"""
        [mcp]
        enabled = ["time", "absent"]
        [mcp.servers.time]
        command = {python}
        args = ["-m", "mcp_server_time", "--local-timezone", "UTC"]
        unasked = ["convert_time"]
        [mcp.servers.test]
        command = {python}
        args = [{json.dumps(str(SERVER))}]
        unasked = ["hangs"]
        [mcp.servers.absent]
        command = "no-such-program"
        """
    )


def scripted(folder: Path, *actions: Action) -> Path:
    script = folder / "turns.json"
    script.write_text(json.dumps([{"calls": [{"action": encode(action)}]} for action in actions]))
    return script


def test_a_run_uses_them_and_tells_what_it_lacks(desktop: Desktop, servers: None, tmp_path: Path) -> None:
    arguments = {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}
    script = scripted(
        tmp_path,
        CallFunction(name="time__convert_time", arguments_json=json.dumps(arguments)),
        RunCommand(command="printf 'one\\ntwo\\n' > note; id -u"),
        EditFile(command="str_replace", path="note", arguments={"old_str": "two", "new_str": "2"}),
        CallFunction(name="time__get_current_time", arguments_json='{"timezone": "UTC"}'),
        Finish(message="That is all."),
    )
    work = tmp_path / "work"
    work.mkdir()
    result = operator_console(
        "run", "Convert", "--model", str(script), "--autonomy", "auto", "--allow", "terminal", "--answer", "deny",
        "--sandbox", "bash", "--sandbox", "editor", "--folder", str(work), "--json", DISPLAY=desktop.name,
    )  # fmt: skip
    events = [json.loads(line) for line in result.out.splitlines()]
    assert result.code == 0, result.err
    performed = [event for event in events if event["kind"] == "performed" and event.get("grant_id")]
    assert [event["result"] for event in performed] == ["done"] * 3
    assert "Asia/Tokyo" in performed[0]["detail"]
    assert "1000 exit code 0" in performed[1]["detail"]
    assert (work / "note").read_text() == "one\n2\n"
    (warned,) = [event for event in events if event["kind"] == "warned" and event["title"] != "The disk is slow."]
    assert "absent" in warned["title"]
    (denied,) = [event for event in events if event["kind"] == "decided" and event["decision"] == "deny"]
    assert (denied["by"], denied["assessment"]["rule"]) == ("nobody", "mcp-tool")


@pytest.mark.full
def test_a_stop_kills_a_server_in_the_middle_of_a_call(desktop: Desktop, servers: None, tmp_path: Path) -> None:
    """In each run: tests/tools/test_mcp_servers.py and tests/engine/test_mcp_servers.py."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    script = scripted(tmp_path, CallFunction(name="test__hangs", arguments_json=json.dumps({"pipe": str(pipe)})))
    words = ("run", "Wait", "--model", str(script), "--mcp", "test")
    running = subprocess.Popen(
        [sys.executable, "-m", "operator_console", *words], cwd=ROOT, env={**os.environ, "DISPLAY": desktop.name},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        server = os.pidfd_open(int(pipe.read_text()))
        assert operator_console("stop", DISPLAY=desktop.name).code == 0
        assert select.select([server], [], [], 30)[0], "the server lives"
        os.close(server)
        assert running.wait(timeout=30) == 3
    finally:
        running.kill()
        running.wait()
        assert operator_console("reset", "--yes", DISPLAY=desktop.name).code == 0


@pytest.mark.full
def test_mcp_list_check_and_key(servers: None) -> None:
    """In each run: tests/cli/test_mcp.py."""
    listed = operator_console("mcp").out
    assert "time        enabled" in listed
    assert "test        not enabled" in listed
    checked = operator_console("mcp", "check", "time")
    assert (checked.code, checked.out.splitlines()) == (0, [
        "get_current_time (offered as time__get_current_time)",
        "convert_time (offered as time__convert_time, runs without a question)",
    ])  # fmt: skip
    absent = operator_console("mcp", "check", "absent")
    assert absent.code == 5
    assert "no program 'no-such-program'" in absent.err
    assert operator_console("mcp", "check", "nobody").code == 2
