"""`run --target vnc:…`, the whole program: by Gemini over its strict server, by a runbook, encrypted, and refused."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from operator_console.domain.errors import ExitCode
from tests.display.acceptance.event_window import ButtonEvent, EventWindow
from tests.display.acceptance.harness import MODEL, final, grid, insistent, performed, start_console, start_run, turn
from tests.display.acceptance.terminal import TerminalConsole
from tests.display.rig import Desktop, launch, launch_mousepad, wait_until
from tests.display.rig.vnc_servers import make_certificate, resize_sway, wayvnc, with_users
from tests.display.vnc.machine import SECRET, Machine, free_port
from tests.servers.gemini_server import GeminiServerThread
from tests.servers.scripted_server import Seen

USER = "annamaria"
NOTE = "Meeting at 10:30, room B-7; bring 3 copies."


@pytest.mark.full
def test_gemini_writes_a_note_on_the_machine(desktop: Desktop, machine: Machine, tmp_path: Path) -> None:
    """In each run: a runbook below, and what is typed in vnc/test_input.py."""
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


@pytest.mark.full
def test_a_runbook_fills_in_a_form_on_the_machine(desktop: Desktop, machine: Machine, tmp_path: Path) -> None:
    """In each run: the same in a viewer in vm/test_sessions.py, and a click by a run that is interrupted, below."""
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


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("wrong-one", "did not accept the password"),
        pytest.param("", "asks for a password", marks=pytest.mark.full),
    ],
)
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


@pytest.mark.full
def test_a_user_logs_in_to_a_wayland_machine_and_works_there_encrypted(desktop: Desktop, tmp_path: Path) -> None:
    """The machine is resized meanwhile. In each run: the login in rfb/test_login.py, input on such a machine in
    test_other_servers.py, a resize in test_looking.py."""
    folder, note, record = tmp_path / "machine", tmp_path / "note.txt", tmp_path / "one.ocsession"
    folder.mkdir()
    certificate = make_certificate(folder)
    with wayvnc(folder, with_users(certificate, USER, SECRET)) as server:
        assert server.display is not None
        there = Desktop.start(server.display, folder, wm=False)
        launch_mousepad(there, note)
        target = f"vnc:127.0.0.1:{server.port}"
        sizes: list[tuple[int, int]] = []

        def click(seen: Seen) -> dict[str, Any]:
            sizes.append(Image.open(io.BytesIO(seen.png)).size)
            return turn(("click", {"x": 500, "y": 500}))

        def click_after_a_resize(seen: Seen) -> dict[str, Any]:
            resize_sway(server, 800, 600)
            return click(seen)

        turns = insistent(
            click_after_a_resize, click, turn(("type", {"text": NOTE})), turn(("hotkey", {"keys": ["ctrl", "s"]})),
            final("It is written."),
        )  # fmt: skip
        known = {"OPERATOR_CONSOLE_VNC_USER": USER, "OPERATOR_CONSOLE_VNC_PASSWORD": SECRET}
        with GeminiServerThread(turns, api_key="test-key") as model:
            refused = start_run(desktop, tmp_path, model.url, "--target", target, **known)
            assert refused.wait() == ExitCode.REFUSED
            assert certificate.fingerprint in refused.child.log_text()
            trusted = start_console(desktop, tmp_path, "targets", "key", target, "--trust", certificate.fingerprint)
            assert trusted.wait() == ExitCode.FINISHED, trusted.child.log_text()
            options = ("--target", target, "--session", str(record))
            console = start_run(desktop, tmp_path, model.url, *options, **known)
            assert console.wait() == ExitCode.FINISHED, console.report()
            assert model.violations == []
        wait_until(lambda: note.exists() and note.stat().st_size, "the note to be saved")
        there.close()
    assert note.read_text("utf-8").removesuffix("\n") == NOTE
    assert sizes[0] == server.display.size
    assert sizes[-1] == (800, 600)
    for secret in (SECRET, USER):
        assert secret not in console.stdout.read_text("utf-8") + console.child.log_text()
        assert secret.encode() not in record.read_bytes()


@pytest.mark.full
def test_a_wrong_user_is_refused_with_the_remedy(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: the same of a password above, and users in rfb/test_login.py."""
    folder = tmp_path / "machine"
    folder.mkdir()
    certificate = make_certificate(folder)
    with wayvnc(folder, with_users(certificate, USER, SECRET)) as server:
        target = f"vnc:127.0.0.1:{server.port}"
        assert (
            start_console(desktop, tmp_path, "targets", "key", target, "--trust", certificate.fingerprint).wait() == 0
        )
        for user, said in (("", "asks for a user and a password"), ("other", "did not accept the user")):
            console = start_console(
                desktop, tmp_path, "run", 'click "OK"', "--provider", "runbook", "--target", target,
                OPERATOR_CONSOLE_VNC_USER=user, OPERATOR_CONSOLE_VNC_PASSWORD=SECRET,
            )  # fmt: skip
            assert console.wait() == ExitCode.REFUSED
            assert said in console.child.log_text()
            assert f"operator-console targets key {target} --user NAME" in console.child.log_text()


@pytest.mark.full
def test_a_machine_that_is_killed_pauses_the_run_and_it_goes_on_once_it_is_there_again(
    desktop: Desktop, machine: Machine, tmp_path: Path
) -> None:
    """In each run: test_stop.py and test_looking.py."""
    window = EventWindow(machine.desktop)
    place = window.application.now()
    click = turn(("click", grid((place.x + 123, place.y + 45), machine.size)))
    # The second answer is given up with the pause, and is asked for again.
    turns = insistent(click, {**click, "delay_s": 3.0}, click, final())
    with (
        GeminiServerThread(turns, api_key="test-key") as server,
        TerminalConsole(desktop, tmp_path, server.url, [
            "run", "Do it.", "--json", "--model", MODEL, "--autonomy", "auto", "--target",
            f"vnc:127.0.0.1:{machine.port}",
        ]) as console,
    ):  # fmt: skip
        console.wait_event("settled")
        wait_until(server.waiting.is_set, "the second request")
        machine.stop()
        machine.start()
        again = EventWindow(machine.desktop)
        assert console.say_until_end("yes", 60.0) == ExitCode.FINISHED, console.report()
    (paused,) = [event for event in console.events() if event["kind"] == "paused" and event["by"] == "target"]
    assert "The connection to the machine is lost" in paused["detail"]
    assert again.buttons() == [ButtonEvent("Press", 123, 45, 1), ButtonEvent("Release", 123, 45, 1)]
