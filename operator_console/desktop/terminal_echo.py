"""Whether a terminal is asking for a password: the program in it has switched the echo off and reads whole lines.

Linux only: from the pseudo-terminals that the descendants of a terminal's process have as their standard input. A line
editor (readline) has the echo off too, but reads single characters.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path


def asks_silently(pid: int) -> bool:
    """Whether the only terminal of a terminal's process reads a line without echo; False where that is not known, or
    where it shows several terminals. Blocks for some milliseconds."""
    if sys.platform != "linux":
        return False
    import termios

    terminals = {terminal for child in _descendants(pid) if (terminal := _terminal_of(child))}
    if len(terminals) != 1:
        return False
    try:
        descriptor = os.open(terminals.pop(), os.O_RDONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        local = termios.tcgetattr(descriptor)[3]
    except termios.error:
        return False
    finally:
        os.close(descriptor)
    return not local & termios.ECHO and bool(local & termios.ICANON)


def _descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except (OSError, ValueError, IndexError):
                continue
            children.setdefault(parent, []).append(int(entry.name))
    found, left = list[int](), [pid]
    while left:
        below = children.get(left.pop(), [])
        found += below
        left += below
    return found


def _terminal_of(pid: int) -> str:
    """The pseudo-terminal that is a process's standard input; "" for none."""
    try:
        path = str(Path(f"/proc/{pid}/fd/0").readlink())
    except OSError:
        return ""
    return path if path.startswith("/dev/pts/") else ""
