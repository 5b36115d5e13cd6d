"""`run --target vnc:…`, the whole program: by Gemini over its strict server, by a runbook, and refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from operator_console.domain.errors import ExitCode
from tests.display.acceptance.harness import final, grid, insistent, performed, start_console, start_run, turn
from tests.display.rig import Desktop, launch, launch_mousepad, wait_until
from tests.display.vnc.machine import SECRET, Machine, free_port
from tests.servers.gemini_server import GeminiServerThread

NOTE = "Meeting at 10:30, room B-7; bring 3 copies."


def test_gemini_writes_a_note_on_the_machine(desktop: Desktop, machine: Machine, tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    editor = launch_mousepad(machine.desktop, file).now()
    at = (editor.x + 200, editor.y + 200)
    turns = insistent(
        turn(("click", grid(at, machine.size))),
        turn(("type", {"text": NOTE})),
        turn(("hotkey", {"keys": ["ctrl", "s"]})),
        final("It is written."),
    )
    pointer = desktop.pointer()
    with GeminiServerThread(turns, api_key="test-key") as server:
        console = start_run(desktop, tmp_path, server.url, "--target", f"vnc:127.0.0.1:{machine.port}")
        assert console.wait() == ExitCode.FINISHED, console.report()
        assert server.violations == []
    wait_until(lambda: file.exists() and file.stat().st_size, "the note to be saved")
    assert file.read_text("utf-8").removesuffix("\n") == NOTE
    assert desktop.pointer() == pointer
    assert {result for result, _ in performed(console.events())} == {"done"}


def test_a_runbook_fills_in_a_form_on_the_machine(desktop: Desktop, machine: Machine, tmp_path: Path) -> None:
    form = launch(
        machine.desktop,
        ["zenity", "--forms", "--title=Order", "--text=Order", "--add-entry=Article", "--add-entry=Amount"],
        title="Order",
    )
    steps = 'type "Lamp 4711" into "Article"\ntype "12" into "Amount"\nclick "OK"\n'
    console = start_console(
        desktop, tmp_path, "run", steps, "--provider", "runbook", "--json", "--target",
        f"vnc:127.0.0.1:{machine.port}",
    )  # fmt: skip
    assert console.wait() == ExitCode.FINISHED, console.report()
    wait_until(lambda: not form.child.running, "the form to be sent")
    assert "Lamp 4711|12" in form.child.log_text()


def test_the_password_is_taken_from_the_environment_and_is_nowhere(
    desktop: Desktop, tmp_path: Path, locked: Machine
) -> None:
    record = tmp_path / "one.ocsession"
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"finished": True, "narration": "done"}]))
    arguments = ("run", "Look.", "--provider", "scripted", "--model", str(script), "--json", "--session", str(record))
    target = ("--target", f"vnc:127.0.0.1:{locked.port}")
    console = start_console(desktop, tmp_path, *arguments, *target, OPERATOR_CONSOLE_VNC_PASSWORD=SECRET)
    assert console.wait() == ExitCode.FINISHED, console.report()
    assert SECRET not in console.stdout.read_text("utf-8") + console.child.log_text()
    assert SECRET.encode() not in record.read_bytes()


@pytest.mark.parametrize(("given", "said"), [("wrong-one", "did not accept the password"), ("", "asks for a password")])
def test_a_wrong_password_and_none_are_refused_with_the_remedy(
    desktop: Desktop, tmp_path: Path, locked: Machine, given: str, said: str
) -> None:
    console = start_console(
        desktop, tmp_path, "run", 'click "OK"', "--provider", "runbook", "--target", f"vnc:127.0.0.1:{locked.port}",
        OPERATOR_CONSOLE_VNC_PASSWORD=given,
    )  # fmt: skip
    assert console.wait() == ExitCode.REFUSED
    told = console.child.log_text()
    assert said in told
    assert f"operator-console targets key vnc:127.0.0.1:{locked.port}" in told
    assert not given or given not in told


def test_where_nothing_listens_it_is_refused(desktop: Desktop, tmp_path: Path) -> None:
    port = free_port()
    console = start_console(
        desktop, tmp_path, "run", 'click "OK"', "--provider", "runbook", "--target", f"vnc:127.0.0.1:{port}"
    )
    assert console.wait() == ExitCode.REFUSED
    assert f"127.0.0.1:{port} was not reached." in console.child.log_text()
