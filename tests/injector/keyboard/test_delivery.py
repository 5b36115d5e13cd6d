"""A process at rest: the same before and after, as long as it sleeps."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from operator_console.injector.keyboard.delivery import Sleep, family_of, sleep_of


@contextmanager
def program(text: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def fell_asleep(pid: int) -> Sleep:
    deadline = time.monotonic() + 20
    while (found := sleep_of(pid)) is None:
        assert time.monotonic() < deadline
        os.sched_yield()
    return found


def test_who_waits_for_input_rests_until_it_comes() -> None:
    with program("import sys\nprint(flush=True)\nfor line in sys.stdin: print(flush=True)") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        before = fell_asleep(process.pid)
        assert sleep_of(process.pid) == before
        process.stdin.write(b"more\n")
        process.stdin.flush()
        process.stdout.readline()
        assert fell_asleep(process.pid) != before


def test_who_works_is_halted_or_is_gone_does_not_rest() -> None:
    with program("print(flush=True)\nwhile True: pass") as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert sleep_of(process.pid) is None
        os.kill(process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        assert sleep_of(process.pid) is None
    assert sleep_of(process.pid) is None


def test_a_family_is_a_process_with_its_children_and_theirs() -> None:
    inner = "import sys; print(flush=True); sys.stdin.read()"
    with program(f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', {inner!r}]))") as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        parent.stdout.readline()
        family = family_of(parent.pid)
        assert family[0] == parent.pid
        assert len(family) == 2
        assert set(family) < set(family_of(os.getpid()))
        parent.stdin.close()
        assert parent.wait() == 0
    assert sleep_of(family[1]) is None
