"""Whether an application that answers no ping has read what it was sent: its process sleeps, and goes on sleeping.

Reads /proc, touches nothing. A process that the X server has written to is runnable from that moment until it has
worked off all of it; one that sleeps on through further answers of the server has nothing left to read. Called by
barriers.py, and for all of an application's processes by clipboard_holder.py.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

Sleep = tuple[tuple[str, ...], ...]
"""Of each thread: its name in /proc and how often it has given up the processor."""

_COUNTS = ("voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")


def sleep_of(pid: int) -> Sleep | None:
    """How a process sleeps now; the same again later means that no thread of it ran meanwhile. None where one runs,
    or it cannot be told."""
    try:
        threads = sorted(Path(f"/proc/{pid}/task").iterdir())
        found = tuple((thread.name, *_counts((thread / "status").read_text(encoding="ascii", errors="replace")))
                      for thread in threads)  # fmt: skip
    except OSError:
        return None
    return found if found and all(len(thread) > 1 for thread in found) else None


def family_of(pid: int) -> list[int]:
    """A process and all that descend from it: browsers have others draw and edit their pages."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdecimal():
            continue
        with suppress(OSError):  # it has ended
            # After the name, which may hold anything: the state, the parent.
            parent = int((entry / "stat").read_bytes().rpartition(b")")[2].split()[1])
            children.setdefault(parent, []).append(int(entry.name))
    found = [pid]
    for each in found:
        found += children.get(each, [])
    return found


def _counts(status: str) -> tuple[str, ...]:
    """The switches of a sleeping thread; () of one that runs."""
    fields = dict(line.split(":", 1) for line in status.splitlines() if ":" in line)
    asleep = fields.get("State", "").strip().startswith("S")
    return tuple(fields[name].strip() for name in _COUNTS if name in fields) if asleep else ()
