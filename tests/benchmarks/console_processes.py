"""The processes of a running console, and what each uses, as /proc tells it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_MODULES = ("guard", "injector", "perception.ocr.worker", "perception.accessibility.atspi.worker")


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Of one process.

    Attributes:
        resident_mib: memory, with all that it shares with others.
        proportional_mib: memory; what it shares counts by its share (PSS), so that the sum of several is right.
        cpu_s: since its start.
    """

    resident_mib: float
    proportional_mib: float
    cpu_s: float
    threads: int
    descriptors: int


def usage_of(pid: int) -> Usage:
    """What a process uses now."""
    status, rollup = _fields(f"/proc/{pid}/status"), _fields(f"/proc/{pid}/smaps_rollup")
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return Usage(
        resident_mib=int(status["VmRSS"].split()[0]) / 1024, proportional_mib=int(rollup["Pss"].split()[0]) / 1024,
        cpu_s=(int(stat[11]) + int(stat[12])) / os.sysconf("SC_CLK_TCK"), threads=int(status["Threads"]),
        descriptors=len(list(Path(f"/proc/{pid}/fd").iterdir())),
    )  # fmt: skip


def _fields(path: str) -> dict[str, str]:
    return dict(line.split(":", 1) for line in Path(path).read_text().splitlines() if ":" in line)


def family_of(pid: int, modules: Sequence[str] = _MODULES) -> dict[str, int]:
    """The console and what it started, by the module each runs."""
    found = {"console": pid}
    waiting = [pid]
    while waiting:
        children = Path(f"/proc/{waiting[0]}/task/{waiting[0]}/children")
        waiting.pop(0)
        for child in map(int, children.read_text().split()):
            words = Path(f"/proc/{child}/cmdline").read_text().split("\0")
            for name in modules:
                if f"operator_console.{name}" in words:
                    found[name] = child
                    waiting.append(child)
    return found


def everything_of(pid: int) -> dict[int, Usage]:
    """A process and all that it and its children started, by process id."""
    found: dict[int, Usage] = {}
    waiting = [pid]
    while waiting:
        each = waiting.pop()
        with contextlib.suppress(OSError, KeyError):  # it has just ended
            found[each] = usage_of(each)
            for task in Path(f"/proc/{each}/task").iterdir():
                waiting += map(int, (task / "children").read_text().split())
    return found
