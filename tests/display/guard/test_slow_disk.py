"""A disk that hangs: the stop is heard, kills, releases and tells the console at once; the files follow."""

from __future__ import annotations

import asyncio
import fcntl
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.actions import KeyDown, Press
from operator_console.domain.errors import OperatorError
from operator_console.domain.geometry import NativePoint
from operator_console.domain.grants import FocusRule
from operator_console.domain.hotkeys import DEFAULT_HOTKEYS
from operator_console.domain.keys import Key
from operator_console.domain.stopping import StopCause
from operator_console.guard import latch, wire
from operator_console.guard.client import open_guard
from operator_console.guard.latch import LatchState
from operator_console.guard.launch import Launched
from operator_console.injector.client import InjectorClient
from tests.display.guard.acting import Acting, injector_pid, monitor
from tests.display.guard.test_stop import nothing_is_down
from tests.display.rig import Desktop, process_alive

_PROGRAM = Path(__file__).with_name("slow_disk_guard.py")
_ROOT = Path(__file__).parents[3]


class Disk:
    """Hangs between `stop` and `go`."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "disk"
        self.path.touch()
        self._file = self.path.open("rb")
        self._announced, self.announce_fd = os.pipe()
        os.set_blocking(self._announced, False)

    def stop(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_EX)
        self._drain()

    def go(self) -> None:
        fcntl.flock(self._file, fcntl.LOCK_UN)

    async def hangs(self) -> None:
        """Wait until the guard syncs a file."""
        loop, readable = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._announced, readable.set)
        try:
            async with asyncio.timeout(20):
                await readable.wait()
        finally:
            loop.remove_reader(self._announced)

    def close(self) -> None:
        self._file.close()
        os.close(self._announced)
        os.close(self.announce_fd)

    def _drain(self) -> None:
        try:
            while os.read(self._announced, 4096):
                continue
        except BlockingIOError:
            return


def launch_on(disk: Disk, display: str) -> Launched:
    ours, theirs = wire.pair()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, str(_PROGRAM), "--announce-fd", str(disk.announce_fd), "--disk", str(disk.path),
             "--display", display, "--line-fd", str(theirs.fileno()), "--hotkeys", *DEFAULT_HOTKEYS],
            env={**latch.child_environment(), "DISPLAY": display, "PYTHONPATH": str(_ROOT)},
            pass_fds=(theirs.fileno(), disk.announce_fd), stdin=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
    ours.setblocking(False)
    return Launched(process=process, line=ours)


@asynccontextmanager
async def guarded_on(disk: Disk, desktop: Desktop) -> AsyncIterator[Acting]:
    """A guard that writes to `disk`; nothing armed yet."""
    injector = InjectorClient(OwnWindows())
    guard = await open_guard(desktop.name, injector, launched=launch_on(disk, desktop.name))
    acting = Acting(desktop=desktop, guard=guard, injector=injector, target=monitor(desktop))
    guard.subscribe(acting.ears)
    try:
        yield acting
    finally:
        disk.go()
        await guard.close()


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    made = Disk(tmp_path)
    yield made
    made.close()


async def settled(acting: Acting) -> None:
    """Wait until the guard has written what it had to, and given up the lock."""
    await acting.ears.wait(lambda: not latch.locked(acting.desktop.name))


async def test_a_stop_kills_releases_and_tells_while_its_latch_write_hangs(desktop: Desktop, disk: Disk) -> None:
    async with guarded_on(disk, desktop) as acting:
        await acting.guard.arm(session="s", target=acting.target)
        await acting.do(Press(at=NativePoint(400, 400)))
        await acting.do(KeyDown(key=Key("shift")), focus=FocusRule())
        injector = injector_pid(desktop)
        disk.stop()
        stopping = asyncio.create_task(acting.guard.stop(StopCause.BUTTON, "by hand"))
        report = await acting.ears.stopped()
        await disk.hangs()
        assert (report.reason, report.released_keys, report.released_buttons) == (StopCause.BUTTON, 1, 1)
        await acting.ears.wait(lambda: not process_alive(injector))
        nothing_is_down(desktop)
        assert acting.guard.running
        status = await asyncio.to_thread(latch.read_status, desktop.name)
        assert (status.state, status.reason) == (LatchState.STOPPED, "button")
        await stopping  # answered all the same
        disk.go()
        await settled(acting)
        status = latch.read_file(desktop.name)
        assert (status.state, status.reason, status.detail) == (LatchState.STOPPED, "button", "by hand")


async def test_the_chord_is_heard_while_a_write_hangs_and_older_writes_do_not_delay_its_own(
    desktop: Desktop, disk: Disk
) -> None:
    async with guarded_on(disk, desktop) as acting:
        await acting.guard.arm(session="s", target=acting.target)
        disk.stop()
        for open_ in (False, True, False, True):
            await acting.guard.set_gate(open_=open_)
        await disk.hangs()
        await asyncio.to_thread(desktop.xdo, "key", "ctrl+alt+x")
        assert (await acting.ears.stopped()).reason is StopCause.HOTKEY
        disk.go()
        await settled(acting)
        assert latch.read_file(desktop.name).reason == "hotkey"


async def test_a_terminals_stop_and_reset_hold_on_a_slow_disk(desktop: Desktop, disk: Disk) -> None:
    async with guarded_on(disk, desktop) as acting:
        await acting.guard.arm(session="s", target=acting.target)
        disk.stop()
        stopping = asyncio.create_task(asyncio.to_thread(latch.request_stop, desktop.name))
        assert (await acting.ears.stopped()).reason is StopCause.COMMAND
        await disk.hangs()
        found = await stopping  # this process's own disk is not slow
        assert [(each.state, each.reason) for each in found] == [(LatchState.STOPPED, "command")]
        assert latch.read_file(desktop.name).reason == "command"
        resetting = asyncio.create_task(asyncio.to_thread(latch.reset, desktop.name))
        await acting.ears.wait(lambda: acting.guard.status.state is LatchState.IDLE)
        disk.go()
        assert (await resetting).state is LatchState.IDLE
        assert latch.read_file(desktop.name).state is LatchState.IDLE
        await acting.guard.arm(session="again", target=acting.target)
        await acting.guard.disarm()


async def test_arming_is_answered_when_armed_is_on_the_disk(desktop: Desktop, disk: Disk) -> None:
    async with guarded_on(disk, desktop) as acting:
        disk.stop()
        arming = asyncio.create_task(acting.guard.arm(session="s", target=acting.target))
        await disk.hangs()
        assert (await acting.guard.prove()).live  # its loop turns
        assert not arming.done()
        assert not latch.path_of(desktop.name, "latch.json").exists()
        disk.go()
        await arming
        assert latch.read_file(desktop.name).state is LatchState.RUNNING
        await acting.guard.disarm()
        assert latch.read_file(desktop.name).state is LatchState.IDLE


async def test_a_stop_while_armed_is_being_written_stands(desktop: Desktop, disk: Disk) -> None:
    async with guarded_on(disk, desktop) as acting:
        disk.stop()
        arming = asyncio.create_task(acting.guard.arm(session="s", target=acting.target))
        await disk.hangs()
        await asyncio.to_thread(desktop.xdo, "key", "ctrl+alt+x")
        assert (await acting.ears.stopped()).reason is StopCause.HOTKEY
        disk.go()
        with pytest.raises(OperatorError, match="Stopped while starting"):
            await arming
        assert latch.read_file(desktop.name).reason == "hotkey"
        assert not latch.locked(desktop.name)


async def test_a_start_called_off_while_armed_is_being_written_leaves_nothing(desktop: Desktop, disk: Disk) -> None:
    async with guarded_on(disk, desktop) as acting:
        disk.stop()
        arming = asyncio.create_task(acting.guard.arm(session="s", target=acting.target))
        await disk.hangs()
        arming.cancel()
        await asyncio.wait([arming])
        disk.go()
        await acting.guard.disarm()
        assert latch.read_file(desktop.name).state is LatchState.IDLE
        assert not latch.locked(desktop.name)


async def test_a_guard_that_ends_waits_for_its_latch(desktop: Desktop, disk: Disk) -> None:
    async with guarded_on(disk, desktop) as acting:
        await acting.guard.arm(session="s", target=acting.target)
        process = acting.guard._process
        assert process is not None
        disk.stop()
        os.kill(process.pid, signal.SIGTERM)
        assert (await acting.ears.stopped()).reason is StopCause.GUARD_DIED
        await disk.hangs()
        disk.go()
        await asyncio.to_thread(process.wait)
        assert latch.read_file(desktop.name).detail == "The guard was told to end."
