"""Idle processes: their context switches stay the same as long as they sleep; a browser's pages are among them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from operator_console.process_activity import (
    ContextSwitches,
    context_switches,
    main_threads_sleep,
    page_processes,
    process_tree,
)


@contextmanager
def program(text: str) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen([sys.executable, "-c", text], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def fell_asleep(pid: int) -> ContextSwitches:
    deadline = time.monotonic() + 20
    while (found := context_switches(pid)) is None:
        assert time.monotonic() < deadline
        os.sched_yield()
    return found


def test_a_process_that_waits_for_input_is_idle_until_it_arrives() -> None:
    with program("import sys\nprint(flush=True)\nfor line in sys.stdin: print(flush=True)") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        before = fell_asleep(process.pid)
        assert context_switches(process.pid) == before
        process.stdin.write(b"more\n")
        process.stdin.flush()
        process.stdout.readline()
        assert fell_asleep(process.pid) != before


def test_a_process_that_runs_is_halted_or_has_ended_is_not_idle() -> None:
    with program("print(flush=True)\nwhile True: pass") as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert context_switches(process.pid) is None
        os.kill(process.pid, signal.SIGSTOP)
        os.waitid(os.P_PID, process.pid, os.WSTOPPED)
        assert context_switches(process.pid) is None
    assert context_switches(process.pid) is None


def test_a_process_tree_is_a_process_with_all_its_descendants() -> None:
    inner = "import sys; print(flush=True); sys.stdin.read()"
    with program(f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', {inner!r}]))") as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        parent.stdout.readline()
        tree = process_tree(parent.pid)
        assert tree[0] == parent.pid
        assert len(tree) == 2
        assert set(tree) < set(process_tree(os.getpid()))
        parent.stdin.close()
        assert parent.wait() == 0
    assert context_switches(tree[1]) is None


@pytest.mark.parametrize(
    ("arguments", "renders"),
    [
        (["--type=renderer", "--lang=en"], True),
        (["-contentproc", "-childID", "1", "tab"], True),
        (["/usr/lib/WebKitWebProcess", "7"], True),
        (["--type=utility"], False),
        ([], False),
    ],
)
def test_the_pages_of_a_browser_are_its_descendants_that_render(arguments: list[str], renders: bool) -> None:
    inner = "import sys; print(flush=True); sys.stdin.read()"
    command = ["-c", inner, *arguments]
    with program(f"import subprocess, sys; sys.exit(subprocess.call([sys.executable, *{command!r}]))") as browser:
        assert browser.stdout is not None
        browser.stdout.readline()
        assert page_processes(browser.pid) == (tuple(process_tree(browser.pid)[1:]) if renders else ())
        assert browser.stdin is not None
        browser.stdin.close()


def test_a_main_thread_sleeps_while_it_waits_for_input_and_not_while_it_runs() -> None:
    with program("import sys\nprint(flush=True)\nsys.stdin.readline()\nwhile True: pass") as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        fell_asleep(process.pid)
        assert main_threads_sleep((process.pid,))
        process.stdin.write(b"\n")
        process.stdin.flush()
        deadline = time.monotonic() + 20
        while main_threads_sleep((process.pid,)):
            assert time.monotonic() < deadline
        assert not main_threads_sleep((process.pid,))
    assert main_threads_sleep((process.pid,)), "it has ended, and nobody waits for it"
