"""`targets snapshot` and `targets restore`: by the machine's settings, never without a yes, and not under a session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from operator_console.domain.errors import ExitCode
from operator_console.guard import latch
from operator_console.guard.latch import LatchState, LatchStatus
from operator_console.settings.file_locations import find_paths
from tests.cli.command import Result, command
from tests.qmp.conftest import place, qemu
from tests.servers.qmp_server import QmpServer

__all__ = ["place", "qemu"]


@pytest.fixture(autouse=True)
def at_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPERATOR_CONSOLE_HOME", str(tmp_path))


def act(verb: str, machine: str, *words: str, stdin: str = "") -> Result:
    return command("targets", verb, machine, *words, stdin=stdin)


def set_up(qemu: QmpServer, *machines: str) -> None:
    file = find_paths().settings
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"[machines.{json.dumps(each)}]\nqmp = {json.dumps(qemu.path)}\n" for each in machines))


@pytest.mark.parametrize("written", ["vnc:build-7", "vm:debian"])
def test_one_is_taken_and_gone_back_to(qemu: QmpServer, written: str) -> None:
    set_up(qemu, "vnc:build-7:5900", "vm:debian")
    taken = act("snapshot", written)
    assert taken.code == ExitCode.FINISHED, taken.err
    (name,) = qemu.disks[0].snapshots
    assert name in taken.out
    back = act("restore", written, "--yes")
    assert back.code == ExitCode.FINISHED, back.err
    assert name in back.out
    assert qemu.commands == ["snapshot-save", "job-dismiss", "snapshot-load", "job-dismiss"]


@pytest.mark.parametrize(("answer", "code"), [("yes\n", ExitCode.FINISHED), ("y\n", ExitCode.FAILED), ("", 1)])
def test_going_back_says_what_is_lost_and_asks(qemu: QmpServer, answer: str, code: int) -> None:
    set_up(qemu, "vm:debian")
    act("snapshot", "vm:debian")
    back = act("restore", "vm:debian", stdin=answer)
    assert back.code == code
    assert "is lost" in back.err
    assert ("snapshot-load" in qemu.commands) is (code == ExitCode.FINISHED)


def test_where_there_is_none_nothing_is_asked(qemu: QmpServer) -> None:
    set_up(qemu, "vm:debian")
    back = act("restore", "vm:debian")
    assert back.code == ExitCode.REFUSED
    assert "no snapshot that this console has taken" in back.err


@pytest.mark.parametrize(
    ("written", "code", "said"),
    [
        ("vm:other", ExitCode.REFUSED, "No QMP socket is set for vm:other"),
        ("monitor:1", ExitCode.USAGE, "is no machine"),
        ("vm:", ExitCode.USAGE, "is no machine"),
        ("vnc:a b", ExitCode.USAGE, "no address"),
    ],
)
def test_what_is_no_machine_or_has_no_socket_is_told(qemu: QmpServer, written: str, code: int, said: str) -> None:
    set_up(qemu, "vm:debian")
    for verb in ("snapshot", "restore"):
        done = act(verb, written)
        assert done.code == code
        assert said in done.err
    assert qemu.told == []


def test_while_a_session_acts_nothing_is_done(qemu: QmpServer, monkeypatch: pytest.MonkeyPatch) -> None:
    set_up(qemu, "vm:debian")
    state = LatchState.RUNNING
    monkeypatch.setattr(latch, "read_status", lambda display: LatchStatus(display=display, state=state))
    done = act("snapshot", "vm:debian")
    assert done.code == ExitCode.REFUSED
    assert "Pause or stop it first." in done.err
    assert qemu.told == []
    state = LatchState.PAUSED
    assert act("snapshot", "vm:debian").code == ExitCode.FINISHED
