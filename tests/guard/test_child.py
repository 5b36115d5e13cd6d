"""A child that does not come up, and a guard that nobody hears."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from operator_console.guard.child import Child, ChildFailed
from operator_console.guard.launching import launch


def children() -> set[int]:
    """Processes of this one that were not waited for, dead ones included."""
    found = set()
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(fields[1]) == os.getpid():
            found.add(int(stat.parent.name))
    return found


async def test_a_child_that_does_not_come_up_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    before = children()
    monkeypatch.setattr(sys, "executable", "/bin/false")
    fd = os.open("/dev/null", os.O_RDWR)
    try:
        with pytest.raises(ChildFailed):
            await Child.start(":0", fd)
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
