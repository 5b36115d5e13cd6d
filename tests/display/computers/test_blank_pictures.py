"""What shows nothing is said and never passed on in silence: a screen that is off, black windows, plain pictures."""

from __future__ import annotations

import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from Xlib import Xatom

from operator_console.computers import target_capture
from operator_console.computers.live_preview import LiveSource
from operator_console.computers.targets import open_capture, open_computer, resolve
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.values import Grab
from operator_console.domain.errors import ComputerUnavailable, ConsoleError, UnavailableReason
from operator_console.domain.frames import Frame, ImageNeeds
from operator_console.engine.ports import Computer
from tests.display.desktop.painted import Painted
from tests.display.rig import Desktop, wait_until
from tests.display.rig.sheet import Sheet

NEEDS = ImageNeeds()
BLACK, BLUE, GREEN = (0, 0, 0), (30, 40, 230), (10, 200, 30)

Open = Callable[[str], Awaitable[Computer]]


@pytest.fixture
async def opened(desktop: Desktop) -> AsyncIterator[Open]:
    computers: list[Computer] = []

    async def open_(spec: str) -> Computer:
        computers.append(await open_computer(spec, OwnWindows(), desktop.name))
        return computers[-1]

    yield open_
    for computer in computers:
        await computer.close()


async def test_a_black_window_on_a_monitor_is_named(desktop: Desktop, opened: Open) -> None:
    computer = await opened("monitor:1")
    with Sheet(desktop, (700, 100, 300, 300)), Painted(desktop, (100, 120, 400, 300), BLACK, title="Film") as film:
        frame = await computer.observe(NEEDS)
        assert "“Film”" in frame.covered
        assert "protected, or not readable" in frame.covered
        film.recolour(GREEN, (200, 100, 1, 1))  # one pixel is enough to be a picture
        assert (await computer.observe(NEEDS)).covered == ""
        film.recolour(BLACK)
        with Painted(
            desktop, (150, 150, 50, 60), BLUE, override=True
        ):  # what lies over it might be all there is to see
            assert (await computer.observe(NEEDS)).covered == ""


async def test_small_or_bare_black_is_nothing_to_speak_of(desktop: Desktop, opened: Open) -> None:
    computer = await opened("monitor:1")
    with Sheet(desktop, (700, 100, 300, 300)), Painted(desktop, (100, 120, 63, 300), BLACK, override=True):
        assert (await computer.observe(NEEDS)).covered == ""


async def test_a_black_desktop_with_nothing_on_it_is_what_it_is(desktop: Desktop, opened: Open) -> None:
    computer = await opened("monitor:1")
    with Painted(desktop, (0, 0, 1280, 800), BLACK, title="ground", override=True) as ground:
        kind, atom = (ground.window.display.get_atom(f"_NET_WM_WINDOW_TYPE{end}") for end in ("", "_DESKTOP"))
        ground.window.change_property(kind, Xatom.ATOM, 32, [atom])
        ground.raise_()
        assert (await computer.observe(NEEDS)).covered == ""
        with Painted(desktop, (100, 100, 300, 300), BLACK, title="Film", override=True):
            with pytest.raises(ComputerUnavailable, match="nothing but black"):
                await computer.observe(NEEDS)
            with Sheet(desktop, (600, 100, 300, 300)):
                assert "Film" in (await computer.observe(NEEDS)).covered


@pytest.mark.parametrize(
    ("spec", "rect", "alone"), [("monitor:1", (0, 0, 1280, 800), True), ("window:^Film", (100, 120, 400, 300), False)]
)
async def test_black_all_over_is_refused_for_model_and_preview(
    desktop: Desktop, opened: Open, spec: str, rect: tuple[int, int, int, int], *, alone: bool
) -> None:
    with Painted(desktop, rect, BLACK, title="Film", override=alone) as film:
        computer = await opened(spec)
        with pytest.raises(ComputerUnavailable, match="nothing but black") as caught:
            await computer.observe(NEEDS)
        assert caught.value.reason is UnavailableReason.BLANK
        frames: list[Frame] = []
        lost: list[ConsoleError] = []
        own = OwnWindows()
        source = LiveSource(lambda: open_capture(resolve(spec, own, desktop.name), own))
        source.start(frames.append, lost.append)
        try:
            wait_until(lambda: lost, "the preview to say it")
            assert "nothing but black" in str(lost[0])
            assert frames == []
            film.recolour(BLUE, (10, 10, 30, 30))
            wait_until(lambda: frames, "the picture to come back")
        finally:
            source.stop()
        assert (await computer.observe(NEEDS)).covered == ""


async def test_a_screen_saver_is_named(desktop: Desktop, opened: Open) -> None:
    def xset(*args: str) -> None:
        subprocess.run(["xset", *args], env=desktop.env, check=True)

    computer = await opened("monitor:1")
    with Sheet(desktop, (100, 100, 300, 300)):
        await computer.observe(NEEDS)
        xset("s", "noblank")
        xset("s", "activate")
        try:
            with pytest.raises(ComputerUnavailable, match="The screen saver is on") as caught:
                await computer.observe(NEEDS)
            assert caught.value.reason is UnavailableReason.BLANK
        finally:
            xset("s", "reset")
            xset("s", "default")
        assert (await computer.observe(NEEDS)).covered == ""


async def test_one_plain_colour_is_waited_for_once_and_said_each_time(
    desktop: Desktop, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    wait = target_capture.TargetCapture._await_paint

    def counted(capture: target_capture.TargetCapture) -> tuple[float, Grab]:
        waits.append(time.monotonic())
        return wait(capture)

    monkeypatch.setattr(target_capture.TargetCapture, "_await_paint", counted)
    computer = await opened("monitor:1")
    assert (await computer.observe(NEEDS)).covered == ""  # a bare black desktop is what it is
    with Painted(desktop, (0, 0, 1280, 800), BLUE, override=True):
        for _ in range(2):
            assert "one colour only" in (await computer.observe(NEEDS)).covered
    assert len(waits) == 2
