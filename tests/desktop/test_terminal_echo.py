"""Whether a terminal asks for a password: by its line discipline, and only where it is one terminal."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from operator_console.desktop.terminal_echo import asks_silently

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

_TERMINAL = """
import os, pty, signal, sys, time
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # nohup ignores it, and the terminals would outlive this process
for command in sys.argv[1:]:
    pid, _ = pty.fork()
    if pid == 0:
        os.execvp(sys.executable, [sys.executable, "-c", command])
print("up", flush=True)
time.sleep(60)
"""
ASKS = "import getpass; getpass.getpass()"
SHOWS = "input()"
EDITS = "import sys, time, tty; tty.setraw(0); time.sleep(60)"  # as readline does


@contextmanager
def terminal(*commands: str) -> Iterator[int]:
    with subprocess.Popen([sys.executable, "-c", _TERMINAL, *commands], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process.pid
        finally:
            process.kill()


def soon(condition: Callable[[], bool]) -> bool:
    deadline = time.monotonic() + 10
    while not (found := condition()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found


def test_a_prompt_without_echo_is_known() -> None:
    with terminal(ASKS) as pid:
        assert soon(lambda: asks_silently(pid))


@pytest.mark.parametrize("commands", [(SHOWS,), (EDITS,), (ASKS, SHOWS), (ASKS, ASKS)])
def test_anything_else_is_not(commands: tuple[str, ...]) -> None:
    with terminal(*commands) as pid:
        time.sleep(1)
        assert not asks_silently(pid)


def test_a_process_that_is_gone_asks_for_nothing() -> None:
    assert not asks_silently(2**22 + 1)
