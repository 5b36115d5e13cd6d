"""Targets of a real desktop: listed, resolved, opened; an isolated desktop started and ended."""

from __future__ import annotations

import asyncio
import subprocess
import threading
from typing import Any

import pytest

from operator_console.computers.targets import list_targets, open_computer, resolve, snapshot
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.errors import ComputerUnavailable, ExitCode, OperatorError
from operator_console.domain.frames import ImageNeeds, TargetKind, VirtualTarget, WindowTarget
from operator_console.domain.geometry import Rect, Size
from tests.display.desktop.painted import Painted
from tests.display.rig import Desktop, launch_xterm, wait_until

BLUE, RED = (30, 40, 230), (220, 10, 20)


def test_monitors_come_first_then_windows_from_the_top_then_the_isolated_desktop(
    desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    lower = launch_xterm(desktop, title="lower")
    upper = launch_xterm(desktop, title="upper")
    with Painted(desktop, (500, 300, 100, 100), RED, title="ours") as ours:
        own = OwnWindows(window_ids=[ours.xid])
        found = list_targets(own, desktop.name)
    assert [each.ref.spec for each in found] == [
        "monitor:1", f"window:{upper.window.xid:#x}", f"window:{lower.window.xid:#x}", "virtual", "vnc", "browser",
    ]  # fmt: skip
    assert found[0].rect == Rect(0, 0, 1280, 800)
    assert found[1].ref.title == "upper"
    assert found[1].pid == upper.pid
    assert found[1].state == "shown"
    desktop.xdo("windowminimize", str(lower.window.xid))
    wait_until(lambda: list_targets(own, desktop.name)[2].state == "minimised", "it to be listed as minimised")
    assert (found[3].trouble, found[3].remedy) == ("", "")
    monkeypatch.setenv("PATH", "")
    virtual = list_targets(own, desktop.name)[3]
    assert "Xvfb" in virtual.trouble
    assert "apt-get install xvfb" in virtual.remedy


def test_a_window_is_resolved_by_title_or_id(desktop: Desktop) -> None:
    app = launch_xterm(desktop, title="Expense report")
    own = OwnWindows()
    by_title = resolve("window:^expense", own, desktop.name)
    assert by_title == resolve(f"window:{app.window.xid:#x}", own, desktop.name)
    assert isinstance(by_title, WindowTarget)
    assert by_title.window_id == app.window.xid
    assert by_title.spec == f"window:{app.window.xid:#x}"


def test_none_and_several_are_told_with_what_there_is(desktop: Desktop) -> None:
    launch_xterm(desktop, title="Report one")
    launch_xterm(desktop, title="Report two")
    for spec, words in {
        "window:report": ("2 windows fit", "Report one", "Report two", "by its id"),
        "window:nothing": ("No window fits", "Report one"),
        "window:0x12345": ("No window fits",),
        "monitor:7": ("no monitor 7", "has 1"),
    }.items():
        with pytest.raises(OperatorError) as caught:
            resolve(spec, OwnWindows(), desktop.name)
        assert caught.value.exit_code == ExitCode.REFUSED
        assert all(word in str(caught.value) for word in words), str(caught.value)


def test_a_second_monitor_has_its_own_origin(desktop: Desktop) -> None:
    try:
        for name, geometry in (("left", "640/160x800/200+0+0"), ("right", "600/160x500/120+640+120")):
            subprocess.run(["xrandr", "--setmonitor", name, geometry, "none"], env=desktop.env, check=True)
        targets = list_targets(OwnWindows(), desktop.name)
        right = next(each for each in targets if each.rect == Rect(640, 120, 600, 500))
        with Painted(desktop, (640, 120, 30, 20), BLUE, override=True):
            frame = snapshot(right.ref, OwnWindows())
        assert frame.geometry.native == Size(600, 500)
        assert (frame.geometry.origin.x, frame.geometry.origin.y) == (640, 120)
        assert frame.crop(Rect(0, 0, 1, 1))[:3] == bytes(reversed(BLUE))
        assert frame.crop(Rect(29, 19, 1, 1))[:3] == bytes(reversed(BLUE))
        assert frame.crop(Rect(30, 20, 1, 1))[:3] == b"\0\0\0"
    finally:
        for name in ("left", "right"):
            subprocess.run(["xrandr", "--delmonitor", name], env=desktop.env, check=True)


async def test_a_display_that_is_not_there_is_refused() -> None:
    with pytest.raises(ComputerUnavailable, match=":64123"):
        await open_computer("monitor:1", OwnWindows(), ":64123")


async def test_an_isolated_desktop_starts_and_ends_with_its_computer() -> None:
    computer = await open_computer("virtual:800x600", OwnWindows())
    try:
        assert computer.target.kind is TargetKind.VIRTUAL
        frame = await computer.observe(ImageNeeds())
        assert frame.geometry.native == Size(800, 600)
        assert list_targets(OwnWindows(), computer.target.display)[0].ref.spec == "monitor:1"
    finally:
        await computer.close()
    with pytest.raises(ComputerUnavailable):  # that nothing of it runs on, every test is checked for
        list_targets(OwnWindows(), computer.target.display)


async def test_the_frame_of_an_isolated_desktop_has_the_size_that_it_was_given_by_xrandr() -> None:
    computer = await open_computer("virtual:800x600", OwnWindows())
    try:
        assert isinstance(computer.target, VirtualTarget)
        xrandr = ["xrandr", "--display", computer.target.display]
        modeline = ["smaller", "24", "640", "656", "752", "800", "480", "490", "492", "525"]
        await asyncio.to_thread(subprocess.run, [*xrandr, "--newmode", *modeline], check=True)
        await asyncio.to_thread(subprocess.run, [*xrandr, "--addmode", "screen", "smaller"], check=True)
        for mode, size in (("smaller", Size(640, 480)), ("800x600", Size(800, 600))):
            await asyncio.to_thread(subprocess.run, [*xrandr, "--output", "screen", "--mode", mode], check=True)
            frame = await computer.observe(ImageNeeds())
            assert frame.geometry.native == size
            assert len(frame.crop(Rect(0, 0, size.width, size.height))) == 4 * size.width * size.height
    finally:
        await computer.close()


async def test_a_size_no_desktop_has_is_refused() -> None:
    with pytest.raises(OperatorError) as caught:
        await open_computer("virtual:5x5", OwnWindows())
    assert caught.value.exit_code == ExitCode.USAGE


@pytest.mark.parametrize(
    "begun", ["slirp4netns", *(pytest.param(each, marks=pytest.mark.full) for each in ("Xvfb", "bwrap"))]
)
async def test_cancelling_the_start_of_an_isolated_desktop_ends_what_was_started(
    begun: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    started, popen = threading.Event(), subprocess.Popen
    processes: list[subprocess.Popen[bytes]] = []

    def recorded(args: list[str], **how: Any) -> subprocess.Popen[bytes]:
        processes.append(popen(args, **how))
        if args[0] == begun:
            started.set()
        return processes[-1]

    monkeypatch.setattr(subprocess, "Popen", recorded)
    opening = asyncio.create_task(open_computer("virtual:640x480", OwnWindows()))
    assert await asyncio.to_thread(started.wait, 30)
    opening.cancel()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert [process.returncode is None for process in processes] == [False] * len(processes)
