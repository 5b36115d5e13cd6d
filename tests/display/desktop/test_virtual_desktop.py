"""An isolated desktop ends with the program that started it, however that ends, and leaves nothing of its home."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from operator_console.desktop.values import DesktopPlan
from operator_console.desktop.x11 import desktop_sandbox
from operator_console.desktop.x11.virtual_desktop import SHARED_LINK, VirtualDesktop
from operator_console.domain.errors import OperatorError
from operator_console.domain.geometry import Size
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from tests.display.desktop.started_programs import run_on
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


SANDBOXED = pytest.mark.parametrize(
    "sandboxed",
    [
        pytest.param(True, id="in a sandbox"),
        # In each run: what a program without one reaches, in test_reach_of_isolated_programs.py.
        pytest.param(False, id="without a sandbox", marks=pytest.mark.full),
    ],
)


async def started(plan: DesktopPlan, monkeypatch: pytest.MonkeyPatch, *, sandboxed: bool = True) -> VirtualDesktop:
    if not sandboxed:
        monkeypatch.setattr(desktop_sandbox, "sandbox_trouble", lambda: "There is none here.")
    return await VirtualDesktop.start(Size(320, 320), plan)


@SANDBOXED
async def test_files_go_in_and_out_through_the_shared_folder(
    sandboxed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = tmp_path / "session.files"
    shared.mkdir()
    (shared / "in.txt").write_text("from me")
    desktop = await started(DesktopPlan(shared=shared), monkeypatch, sandboxed=sandboxed)
    try:
        copying = f"cat ~/{SHARED_LINK}/in.txt; echo saved > ~/{SHARED_LINK}/out.txt"
        assert await asyncio.to_thread(run_on, desktop, ["sh", "-c", copying]) == "from me"
    finally:
        await desktop.close()
    assert (shared / "out.txt").read_text() == "saved\n"


async def test_a_shared_folder_that_was_not_used_does_not_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desktop = await started(DesktopPlan(shared=tmp_path / "session.files"), monkeypatch)
    await desktop.close()
    assert not (tmp_path / "session.files").exists()


@SANDBOXED
async def test_a_kept_home_is_opened_again_with_the_shared_folder_of_the_new_session(
    sandboxed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    output = ""
    for session in ("first", "second"):
        plan = DesktopPlan(home=tmp_path / "homes" / "work", shared=tmp_path / session)
        desktop = await started(plan, monkeypatch, sandboxed=sandboxed)
        try:
            noting = f"echo {session} >> ~/note; echo {session} > ~/{SHARED_LINK}/out; cat ~/note"
            output = await asyncio.to_thread(run_on, desktop, ["sh", "-c", noting])
        finally:
            await desktop.close()
    assert output == "first\nsecond\n"
    assert [(tmp_path / session / "out").read_text() for session in ("first", "second")] == ["first\n", "second\n"]


async def test_a_kept_home_belongs_to_one_desktop_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plan = DesktopPlan(home=tmp_path / "work")
    desktop = await started(plan, monkeypatch)
    try:
        with pytest.raises(OperatorError) as caught:
            await started(plan, monkeypatch)
        assert caught.value.title == notice(NoticeCode.KEPT_HOME_IN_USE, name="work")
    finally:
        await desktop.close()
    assert (tmp_path / "work").exists()


async def test_without_network_there_is_only_the_loopback(monkeypatch: pytest.MonkeyPatch) -> None:
    interfaces = {}
    for network in (True, False):
        desktop = await started(DesktopPlan(network=network), monkeypatch)
        try:
            listed = await asyncio.to_thread(run_on, desktop, ["cat", "/proc/net/dev"])
            assert list(desktop.programs.problems) == []
        finally:
            await desktop.close()
        interfaces[network] = {line.partition(":")[0].strip() for line in listed.splitlines() if ":" in line}
    assert interfaces == {True: {"lo", "tap0"}, False: {"lo"}}


async def test_where_there_is_no_sandbox_the_network_is_not_cut_off_and_nothing_starts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with pytest.raises(OperatorError) as caught:
        await started(DesktopPlan(network=False), monkeypatch, sandboxed=False)
    assert caught.value.title == notice(NoticeCode.NETWORK_NOT_CUT_OFF)


async def test_where_the_network_cannot_be_connected_there_is_none_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(desktop_sandbox, "network_command", lambda *_: ["false"])
    desktop = await started(DesktopPlan(), monkeypatch)
    try:
        assert "tap0" not in await asyncio.to_thread(run_on, desktop, ["cat", "/proc/net/dev"])
        (problem,) = desktop.programs.problems
    finally:
        await desktop.close()
    assert problem.title == notice(NoticeCode.SANDBOX_WITHOUT_NETWORK)


@SANDBOXED
async def test_what_was_started_ends_with_it(sandboxed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Several, which end one by one while the others are being ended."""
    desktop = await started(DesktopPlan(), monkeypatch, sandboxed=sandboxed)
    reader, writer = os.pipe()
    with os.fdopen(reader) as output:
        for _ in range(200):
            desktop.programs.start(["sh", "-c", "echo runs; exec sleep 600"], output=writer, errors=writer)
        os.close(writer)
        assert [output.readline() for _ in range(200)] == ["runs\n"] * 200
        await desktop.close()
        assert await asyncio.to_thread(output.read) == "", "nobody holds the other end any more"


async def test_what_is_started_on_it_has_a_private_home_that_goes_with_it() -> None:
    desktop = await VirtualDesktop.start(Size(320, 320))
    try:
        assert [desktop.home.stat().st_mode & 0o777, desktop.home.parent.stat().st_mode & 0o777] == [0o700, 0o700]
        (desktop.home / "report.txt").write_text("saved by an application")
    finally:
        await desktop.close()
    assert not desktop.home.parent.exists()
