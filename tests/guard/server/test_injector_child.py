"""An injector that does not start, and a guard without a display or without a console."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from operator_console.domain.frames import TargetKind
from operator_console.guard.launch import launch
from operator_console.guard.server.injector_child import ActedOn, ChildFailed, InjectorChild


def children() -> set[int]:
    """This process's children, zombies included."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == os.getpid():
            found.add(int(stat.parent.name))
    return found


async def test_an_injector_that_does_not_start_is_reaped(monkeypatch: pytest.MonkeyPatch) -> None:
    before = children()
    monkeypatch.setattr(sys, "executable", "/bin/false")
    fd = os.open("/dev/null", os.O_RDWR)
    try:
        with pytest.raises(ChildFailed):
            await InjectorChild.start(ActedOn(kind=TargetKind.MONITOR, display=":0"), fd)
    finally:
        os.close(fd)
    assert children() <= before


def test_a_guard_without_display_and_console_ends_without_a_traceback() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    command = [sys.executable, "-m", "operator_console.guard", "--display", ":7777", "--line-fd", str(theirs.fileno())]
    ours.close()
    with theirs:
        done = subprocess.run(command, pass_fds=(theirs.fileno(),), capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr, done.stderr


def test_a_launched_guard_that_is_abandoned_ends() -> None:
    launched = launch(":7777", ("<ctrl>+<alt>+x", "<ctrl>+<alt>+p", "<ctrl>+<alt>+<enter>"))
    launched.abandon()
    assert launched.process.returncode is not None
