"""Snapshots of a real machine in QEMU: taken, gone back to, and refused where its disks keep none.

The machine has no system: it boots a sector that shows each key on its screen, and switches itself off at Escape.
"""

from __future__ import annotations

import asyncio
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from operator_console.domain.errors import ComputerUnavailable, OperatorError
from operator_console.qmp.monitor import MonitoredGuest, MonitorUnusable, monitor_at
from operator_console.qmp.snapshot_jobs import find_snapshot, restore_snapshot, take_snapshot
from operator_console.rfb.screen import Screen
from operator_console.rfb.server_login import Login
from tests.display.acceptance.app_harness import App
from tests.display.rig import AccessibleDesktop, wait_until
from tests.display.rig.vnc_servers import VncServer, ask_qemu, qemu

BOOTED = (
    bytes.fromhex(
        "b401 b90726 cd10"  # hide the cursor, which blinks
        "30e4 cd16 3c1b 7406"  # wait for a key; at Escape switch off
        "b40e cd10 ebf2"  # show it, and again
        "ba0406 b80020 ef ebfe"  # 0x2000 to the port 0x604
    ).ljust(510, b"\0")
    + b"\x55\xaa"
)


@contextmanager
def machine(folder: Path, image: str = "qcow2", *options: str) -> Iterator[tuple[VncServer, str]]:
    """A machine with a disk of this format, and the path of its second monitor."""
    (folder / "boot.raw").write_bytes(BOOTED.ljust(1 << 20, b"\0"))
    disk = folder / f"disk.{image}"
    subprocess.run(
        ["qemu-img", "convert", "-f", "raw", "-O", image, folder / "boot.raw", disk], check=True, capture_output=True
    )
    with tempfile.TemporaryDirectory() as short:
        path = f"{short}/q"
        monitor = ("-qmp", f"unix:{path},server=on,wait=off")
        with qemu(folder, options=(*monitor, "-drive", f"file={disk},format={image},if=ide", *options)) as server:
            yield server, path


async def picture(server: VncServer) -> bytes:
    screen = await Screen.connect(Login(host="127.0.0.1", port=server.port))
    try:
        pixels, _, _ = await screen.picture(10)
        return bytes(pixels)
    finally:
        await screen.close()


async def picture_that(server: VncServer, fits: Callable[[bytes], bool]) -> bytes:
    """The screen once it fits: QEMU draws what is in its memory some time later."""
    async with asyncio.timeout(20):
        while not fits(now := await picture(server)):
            pass
    return now


def shown(server: VncServer) -> str:
    """The text on its screen, out of its memory."""
    said = str(ask_qemu(server, "human-monitor-command", **{"command-line": "xp /2000hx 0xb8000"}))
    words = [int(word, 16) for line in said.splitlines() for word in line.partition(":")[2].split()]
    return "".join(chr(word & 0xFF) for word in words).replace("\0", " ").rstrip()


def press(server: VncServer, key: str) -> None:
    ask_qemu(server, "send-key", keys=[{"type": "qcode", "data": key}])


def type_key(server: VncServer, key: str) -> None:
    """Returns once it is shown."""
    text = shown(server) + key
    press(server, key)
    wait_until(lambda: shown(server) == text, f"{key} to be shown")


def boot(server: VncServer) -> None:
    """Returns once its sector waits for keys."""
    wait_until(lambda: "Booting from Hard Disk" in shown(server), "its system to start", timeout_s=60)
    press(server, "x")
    wait_until(lambda: shown(server).endswith("x"), "a key to be shown")


async def test_the_screen_is_as_before_and_the_machine_goes_on_from_there(tmp_path: Path) -> None:
    with machine(tmp_path) as (server, path):
        await asyncio.to_thread(boot, server)
        assert await find_snapshot(path) is None
        before = await picture(server)
        taken = await take_snapshot(path)
        assert await find_snapshot(path) == taken
        await asyncio.to_thread(type_key, server, "c")
        changed = await picture_that(server, before.__ne__)
        assert await restore_snapshot(path) == taken
        await picture_that(server, before.__eq__)
        await asyncio.to_thread(type_key, server, "c")
        await picture_that(server, changed.__eq__)


@pytest.mark.full
async def test_only_the_consoles_own_is_replaced(tmp_path: Path) -> None:
    """In each run: tests/qmp/test_snapshot_jobs.py."""
    with machine(tmp_path) as (server, path):
        node = (await asyncio.to_thread(ask_qemu, server, "query-block"))[0]["inserted"]["node-name"]
        job = {"job-id": "person", "tag": "before update", "vmstate": node, "devices": [node]}
        await asyncio.to_thread(ask_qemu, server, "snapshot-save", **job)
        await take_snapshot(path)
        second = await take_snapshot(path)
        disk = (await asyncio.to_thread(ask_qemu, server, "query-block"))[0]["inserted"]["image"]
        assert {each["name"] for each in disk["snapshots"]} == {"before update", second.name}


@pytest.mark.full
async def test_a_machine_that_switched_itself_off_is_told_and_runs_again_after_going_back(tmp_path: Path) -> None:
    """In each run: tests/qmp/test_guest_state.py."""
    with machine(tmp_path, "qcow2", "-no-shutdown") as (server, path):
        guest = MonitoredGuest(path, "The guest")
        await asyncio.to_thread(boot, server)
        before = await picture(server)
        await take_snapshot(path)
        await guest.require_running()
        await asyncio.to_thread(ask_qemu, server, "stop")
        with pytest.raises(ComputerUnavailable, match=r"The guest is paused\."):
            await guest.require_running()
        await asyncio.to_thread(ask_qemu, server, "cont")
        await asyncio.to_thread(press, server, "esc")

        def off() -> bool:
            return bool(ask_qemu(server, "query-status")["status"] == "shutdown")

        await asyncio.to_thread(wait_until, off, "it to switch itself off")
        with pytest.raises(ComputerUnavailable, match=r"The guest is shut down\."):
            await guest.require_running()
        await restore_snapshot(path)
        await guest.require_running()
        await picture_that(server, before.__eq__)


async def test_a_pointer_that_takes_steps_is_refused_by_its_monitor(tmp_path: Path) -> None:
    with machine(tmp_path) as (_, path), pytest.raises(OperatorError, match="steps of the pointer"):
        await MonitoredGuest(path, "The guest").check(pointer=True)


@pytest.mark.full
async def test_a_disk_that_keeps_no_snapshots_and_a_machine_without_one_are_told(tmp_path: Path) -> None:
    """In each run: tests/qmp/test_snapshot_jobs.py."""
    with machine(tmp_path, "raw") as (_, path):
        for act in (take_snapshot, restore_snapshot):
            with pytest.raises(OperatorError, match="cannot keep snapshots: ide0-hd0"):
                await act(path)
    with machine(tmp_path, "qcow2", "-snapshot") as (_, path):
        taken = await take_snapshot(path)
        assert await find_snapshot(path) == taken
    with (
        tempfile.TemporaryDirectory() as short,
        qemu(tmp_path, options=("-qmp", f"unix:{short}/q,server=on,wait=off")),
        pytest.raises(OperatorError, match="no disk"),
    ):
        await take_snapshot(f"{short}/q")


@pytest.mark.full
async def test_a_monitor_that_another_program_uses_is_told_as_taken(tmp_path: Path) -> None:
    """In each run: tests/qmp/test_monitor.py."""
    with machine(tmp_path) as (_, path):
        async with monitor_at(path):
            with pytest.raises(MonitorUnusable, match="another program"):
                await find_snapshot(path)
        assert await find_snapshot(path) is None


@pytest.mark.full
def test_the_buttons_in_the_window_take_one_and_go_back_to_it(
    accessible_desktop: AccessibleDesktop, tmp_path: Path
) -> None:
    """In each run: tests/app/test_machine_snapshots.py and tests/ui/test_machines.py."""
    with machine(tmp_path) as (server, path):
        boot(server)
        app = App(accessible_desktop, tmp_path)
        app.set_up("VNC machine")
        app.focus("Address of the machine")
        app.desktop.xdo("type", f"127.0.0.1:{server.port}")
        app.press("Machine settings…")
        app.fill("Socket of QEMU’s monitor (QMP)", path)
        app.press("Save")
        app.press("Take snapshot")
        app.wait_text("Snapshot taken")
        before = shown(server)
        type_key(server, "c")
        app.press("Go back to snapshot")
        app.wait_text("What happened on the machine since is lost")
        assert shown(server) == f"{before}c"
        app.press("Go back")
        app.wait_text("The machine is back at the snapshot")
        assert shown(server) == before
        assert app.close() == 0
        assert path in next(app.home.rglob("settings.toml")).read_text("utf-8")
