"""Tells from /proc what a process and its threads are doing."""

from __future__ import annotations

import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

ContextSwitches = tuple[tuple[str, ...], ...]
"""For each thread of a process: its id and its voluntary and involuntary context switches."""

_COUNTS = ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")


def context_switches(pid: int) -> ContextSwitches | None:
    """The counts of a process whose threads all sleep; the same value later means that no thread ran in between.

    None if a thread is running, or the process cannot be read.
    """
    try:
        threads = sorted(Path(f"/proc/{pid}/task").iterdir())
        found = tuple((thread.name, *_counts((thread / "status").read_text(encoding="ascii", errors="replace")))
                      for thread in threads)  # fmt: skip
    except OSError:
        return None
    return found if found and all(len(thread) > 1 for thread in found) else None


def process_tree(pid: int) -> list[int]:
    """A process and all its descendants. Browsers render and edit pages in child processes."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        with suppress(OSError):  # the process has ended
            # The state and the parent follow the name, which may contain spaces and parentheses.
            parent = int((entry / "stat").read_bytes().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found


def _counts(status: str) -> tuple[str, ...]:
    """The context switches of a sleeping thread; () if it is running."""
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    asleep = fields.get("State", "").strip().startswith("S")
    return tuple(fields[name].strip() for name in _COUNTS if name in fields) if asleep else ()


_PAGE_PROCESSES = (b"--type=renderer", b"-contentproc", b"WebKitWebProcess")
"""In the command line of a process that renders pages: Chromium and Qt WebEngine, Firefox, WebKitGTK."""
_SLEEP_S = 0.004


def page_processes(pid: int) -> tuple[int, ...]:
    """The descendants of a process that render and edit a browser's pages."""
    return tuple(each for each in process_tree(pid)[1:] if any(mark in _command_line(each) for mark in _PAGE_PROCESSES))


def main_threads_sleep(pids: Iterable[int]) -> bool:
    """Watch for 4 ms; whether the main threads of these processes slept all the time. Ended processes do not count."""
    before = {pid: _main_thread(pid) for pid in pids}
    if () in before.values():
        return False
    time.sleep(_SLEEP_S)
    return all(_main_thread(pid) in (counts, None) for pid, counts in before.items())


def main_threads_rest(pids: Iterable[int]) -> bool:
    """Whether the main threads of these processes sleep now. Ended processes do not count."""
    return all(_main_thread(pid) != () for pid in pids)


def _command_line(pid: int) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def _main_thread(pid: int) -> tuple[str, ...] | None:
    """The main thread's context switches; () if it is running, None if the process has ended."""
    try:
        return _counts(Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace"))
    except OSError:
        return None
