"""An isolated desktop ends with the program that started it, however that ends."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.display.rig import wait_until

_STARTS = """
import asyncio, sys
from operator_console.desktop.x11.virtual_desktop import VirtualDesktop
from operator_console.domain.geometry import Size

async def main():
    desktop = await VirtualDesktop.start(Size(320, 320))
    print(*(process.pid for process in desktop._processes), flush=True)
    sys.stdin.read()
    await desktop.close()

asyncio.run(main())
"""


def _runs(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_it_ends_when_the_program_is_killed() -> None:
    program = subprocess.Popen(
        [sys.executable, "-c", _STARTS], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with program:
        assert program.stdout is not None
        pids = [int(word) for word in program.stdout.readline().split()]
        assert len(pids) >= 2
        assert all(map(_runs, pids))
        program.kill()
        program.wait()
    wait_until(lambda: not any(map(_runs, pids)), "server, window manager and keeper to end")
