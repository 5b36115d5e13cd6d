"""An isolated desktop ends with the program that started it, however that ends, and leaves nothing of its home."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from operator_console.desktop.x11.virtual_desktop import VirtualDesktop
from operator_console.domain.geometry import Size
from tests.display.rig import wait_until

_STARTS = """
import asyncio, sys
from operator_console.desktop.x11.virtual_desktop import VirtualDesktop
from operator_console.domain.geometry import Size

async def main():
    desktop = await VirtualDesktop.start(Size(320, 320))
    print(*(process.pid for process in desktop._processes), desktop.home, flush=True)
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
        *numbers, home = program.stdout.readline().split()
        pids = [int(number) for number in numbers]
        (Path(home) / "report.txt").write_text("saved by an application")
        assert len(pids) >= 2
        assert all(map(_runs, pids))
        program.kill()
        program.wait()
    wait_until(lambda: not any(map(_runs, pids)), "server, window manager and keeper to end")
    assert not Path(home).parent.exists()


async def test_what_is_started_on_it_has_a_private_home_that_goes_with_it() -> None:
    desktop = await VirtualDesktop.start(Size(320, 320))
    try:
        assert [desktop.home.stat().st_mode & 0o777, desktop.home.parent.stat().st_mode & 0o777] == [0o700, 0o700]
        (desktop.home / "report.txt").write_text("saved by an application")
    finally:
        await desktop.close()
    assert not desktop.home.parent.exists()
