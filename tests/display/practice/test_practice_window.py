"""The practice window under xdotool: everything done to it stands in its file, and nothing else does."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from operator_console.domain.errors import OperatorError
from operator_console.practice.log import (
    Chosen,
    Clicked,
    Drawn,
    PracticeEvent,
    Pressed,
    Saved,
    Scrolled,
    Slid,
    Typed,
    read_log,
)
from operator_console.practice.run_support import RunningPractice, start_practice
from tests.display.practice.conftest import Start
from tests.display.rig import Desktop, process_alive, wait_until

# Logical places inside the window (which is laid out by Qt: the tests only need to hit).
PLANT, NOTES, MAY, ROOT, LEAF = (250, 106), (200, 250), (440, 245), (460, 453), (720, 368)
LITTLE, PLENTY, SAVE, CLEAR = (56, 352), (346, 352), (704, 545), (598, 545)


def events(window: RunningPractice, kind: type[PracticeEvent]) -> list[PracticeEvent]:
    return [event for event in read_log(window.log) if isinstance(event, kind)]


def waited(window: RunningPractice, condition: Callable[[list[PracticeEvent]], bool], what: str) -> None:
    wait_until(lambda: condition(read_log(window.log)), what)


class Hand:
    """xdotool at places inside one window."""

    def __init__(self, desktop: Desktop, window: RunningPractice) -> None:
        self._desktop = desktop
        place = desktop.window(window.ready.window_id)
        self._origin, self._scale = (place.x, place.y), window.ready.scale

    def screen(self, at: tuple[int, int]) -> tuple[str, str]:
        return tuple(str(o + round(v * self._scale)) for o, v in zip(self._origin, at, strict=True))  # type: ignore[return-value]

    def click(self, at: tuple[int, int], button: int = 1, times: int = 1) -> None:
        self._desktop.xdo("mousemove", *self.screen(at), "click", "--repeat", str(times), "--delay", "30", str(button))

    def drag(self, start: tuple[int, int], end: tuple[int, int]) -> None:
        middle = ((start[0] + end[0]) // 2, (start[1] + end[1]) // 2)
        self._desktop.xdo("mousemove", *self.screen(start), "mousedown", "1")
        self._desktop.xdo("mousemove", *self.screen(middle), "mousemove", *self.screen(end), "mouseup", "1")


async def test_it_says_when_it_is_there(desktop: Desktop, practice: Start) -> None:
    window = await practice()
    (ready,) = read_log(window.log)
    assert ready == window.ready
    shown = desktop.window(window.ready.window_id)
    assert (shown.pid, shown.title) == (window.ready.pid, "Plant diary")
    assert (shown.width, shown.height) == (window.ready.width, window.ready.height)
    assert window.target == f"window:{shown.xid:#x}"
    assert window.ready.pid != os.getpid()


@pytest.mark.parametrize("scale", [1, 1.25])
async def test_everything_done_to_it_is_written_down(desktop: Desktop, practice: Start, scale: float) -> None:
    window = await practice(scale=scale)
    hand = Hand(desktop, window)
    hand.click(PLANT)
    desktop.xdo("type", "--delay", "5", "Moss")
    hand.click(NOTES)
    desktop.xdo("type", "--delay", "5", "a b")
    hand.click(MAY)
    waited(window, lambda log: Chosen(item="May", how="selected") in log, "May to be selected")
    hand.click(MAY, button=3)
    hand.click(MAY, button=5, times=2)
    hand.drag(LITTLE, PLENTY)
    hand.drag(ROOT, LEAF)
    desktop.xdo("key", "ctrl+s")
    hand.click(SAVE)
    waited(window, lambda log: len([event for event in log if isinstance(event, Saved)]) == 2, "two savings")
    typed = [event for event in events(window, Typed) if isinstance(event, Typed)]
    assert [event.text for event in typed if event.field == "Plant"] == ["M", "Mo", "Mos", "Moss"]
    assert typed[-1] == Typed(field="Notes", text="a b")
    assert Chosen(item="May", how="pinned") in events(window, Chosen)
    assert events(window, Scrolled)[-1] == Scrolled(first="July")
    assert events(window, Slid) == [Slid(value=100)]
    (drawn,) = events(window, Drawn)
    assert isinstance(drawn, Drawn)
    assert (drawn.start, drawn.end) == ("Root", "Leaf")
    assert events(window, Clicked) == [Clicked(button="Save")]
    saved = Saved(by="Ctrl+S", plant="Moss", room="", notes="a b", month="May", water=100, strokes=1)
    assert events(window, Saved)[0] == saved


async def test_a_press_is_noted_once_at_its_very_pixel(desktop: Desktop, practice: Start) -> None:
    window = await practice(scale=1.25)
    hand = Hand(desktop, window)
    for at in (PLANT, (5, 5), SAVE, LITTLE, ROOT, MAY):
        before = len(events(window, Pressed))
        x, y = (int(v) for v in hand.screen(at))
        hand.click(at)
        wait_until(lambda n=before: len(events(window, Pressed)) > n, f"the press at {at}")  # type: ignore[misc]
        (press,) = events(window, Pressed)[before:]
        assert isinstance(press, Pressed)
        place = desktop.window(window.ready.window_id)
        assert abs(press.x - (x - place.x)) <= 1
        assert abs(press.y - (y - place.y)) <= 1


async def test_a_double_click_stars_and_clear_wipes(desktop: Desktop, practice: Start) -> None:
    window = await practice()
    hand = Hand(desktop, window)
    hand.click(MAY, times=2)
    waited(window, lambda log: Chosen(item="May", how="starred") in log, "the star")
    hand.click(PLANT)
    desktop.xdo("type", "x")
    hand.click(CLEAR)
    waited(window, lambda log: Typed(field="Plant", text="") in log, "the field to be wiped")


async def test_it_ends_with_whoever_started_it(desktop: Desktop, tmp_path: Path) -> None:
    code = (
        "import asyncio, pathlib, sys\n"
        "from operator_console.practice.run_support import start_practice\n"
        "async def main():\n"
        "    window = await start_practice(pathlib.Path(sys.argv[1]))\n"
        "    print(window.ready.pid, flush=True)\n"
        "    await asyncio.sleep(600)\n"
        "asyncio.run(main())\n"
    )
    env = {**os.environ, **desktop.env}
    env.pop("QT_QPA_PLATFORM", None)
    parent = await asyncio.create_subprocess_exec(
        sys.executable, "-c", code, str(tmp_path / "p.jsonl"), stdout=subprocess.PIPE, env=env
    )
    try:
        assert parent.stdout is not None
        pid = int(await parent.stdout.readline())
        assert process_alive(pid)
    finally:
        parent.send_signal(signal.SIGKILL)
        await parent.wait()
    wait_until(lambda: not process_alive(pid), "the practice window's process to end")


async def test_without_a_display_it_says_so(tmp_path: Path) -> None:
    env = {**os.environ, "DISPLAY": ":no-such", "QT_QPA_PLATFORM": "xcb"}
    with pytest.raises(OperatorError) as caught:
        await start_practice(tmp_path / "p.jsonl", env=env)
    assert caught.value.title == "The practice window did not open."
    assert caught.value.remedy


async def test_a_log_that_cannot_be_written_ends_it(tmp_path: Path) -> None:
    arguments = [sys.executable, "-m", "operator_console.practice", "--log", str(tmp_path / "no" / "p.jsonl")]
    process = await asyncio.create_subprocess_exec(*arguments, stderr=subprocess.PIPE)
    _, errors = await process.communicate()
    assert process.returncode == 2
    assert b"cannot be written" in errors
    assert b"Traceback" not in errors
