"""The practice window under xdotool: everything done to it stands in its file, and nothing else does."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import Frame
from operator_console.domain.geometry import NativePoint
from operator_console.perception.picture_reader import OcrReader
from operator_console.practice.event_log import (
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
from operator_console.practice.launcher import RunningPractice, start_practice
from operator_console.providers.runbook.text_matching import find
from tests.display.practice.conftest import Start
from tests.display.practice.player import Player
from tests.display.rig import AccessibleDesktop, Desktop, process_alive, wait_until


def events(window: RunningPractice, kind: type[PracticeEvent]) -> list[PracticeEvent]:
    return [event for event in read_log(window.log) if isinstance(event, kind)]


def waited(window: RunningPractice, condition: Callable[[list[PracticeEvent]], bool], what: str) -> None:
    wait_until(lambda: condition(read_log(window.log)), what)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """xdotool at what can be read in one window."""

    desktop: Desktop
    frame: Frame
    places: dict[str, tuple[int, int]]

    @classmethod
    async def over(cls, desktop: Desktop, window: RunningPractice, reader: OcrReader) -> Hand:
        """Read the window as it stands; fields go by their labels."""
        frame = await Player(desktop=desktop, xid=window.ready.window_id).settled()
        boxes = await reader.read(frame)
        places = {box.text: box.box.centre for box in boxes}
        for label in ("Plant", "Room", "Notes"):
            field = reader.field(frame, find(boxes, label)[0].box)
            assert field is not None
            places[label] = field.centre
        return cls(desktop=desktop, frame=frame, places=places)

    def screen(self, name: str) -> tuple[str, str]:
        at = self.frame.geometry.to_screen(NativePoint(*self.places[name]))
        return str(at.x), str(at.y)

    def click(self, name: str, button: int = 1, times: int = 1) -> None:
        repeat = ("--repeat", str(times), "--delay", "30")
        self.desktop.xdo("mousemove", *self.screen(name), "click", *repeat, str(button))

    def drag(self, start: str, end: str) -> None:
        self.desktop.xdo("mousemove", *self.screen(start), "mousedown", "1")
        self.desktop.xdo("mousemove_relative", "8", "0", "mousemove", *self.screen(end), "mouseup", "1")


async def test_it_says_when_it_is_there(desktop: Desktop, practice: Start) -> None:
    window = await practice()
    (ready,) = read_log(window.log)
    assert ready == window.ready
    shown = desktop.window(window.ready.window_id)
    assert (shown.pid, shown.title) == (window.ready.pid, "Plant diary")
    assert (shown.width, shown.height) == (window.ready.width, window.ready.height)
    assert window.target == f"window:{shown.xid:#x}"
    assert window.ready.pid != os.getpid()


@pytest.mark.parametrize("scale", [1.25, pytest.param(1, marks=pytest.mark.full)])
async def test_everything_done_to_it_is_written_down(
    desktop: Desktop, practice: Start, reader: OcrReader, scale: float
) -> None:
    window = await practice(scale=scale)
    hand = await Hand.over(desktop, window, reader)
    hand.click("Plant")
    desktop.xdo("type", "--delay", "5", "Moss")
    hand.click("Notes")
    desktop.xdo("type", "--delay", "5", "a b")
    hand.click("May")
    waited(window, lambda log: Chosen(item="May", how="selected") in log, "May to be selected")
    hand.click("May", button=3)
    hand.click("May", button=5, times=2)
    hand.drag("Little", "Plenty")
    hand.drag("Root", "Leaf")
    # Qt may handle a shortcut before the mouse events that it has read with it.
    waited(window, lambda log: any(isinstance(event, Drawn) for event in log), "the stroke")
    desktop.xdo("key", "ctrl+s")
    hand.click("Save")
    waited(window, lambda log: len([event for event in log if isinstance(event, Saved)]) == 2, "two savings")
    typed = [event for event in events(window, Typed) if isinstance(event, Typed)]
    assert [event.text for event in typed if event.field == "Plant"] == ["M", "Mo", "Mos", "Moss"]
    assert typed[-1] == Typed(field="Notes", text="a b")
    assert Chosen(item="May", how="pinned") in events(window, Chosen)
    assert events(window, Scrolled)[-1] == Scrolled(first="July")
    assert events(window, Slid) == [Slid(value=100)]
    assert [(event.start, event.end) for event in read_log(window.log) if isinstance(event, Drawn)] == [
        ("Root", "Leaf")
    ], read_log(window.log)
    assert events(window, Clicked) == [Clicked(button="Save")]
    saved = Saved(by="Ctrl+S", plant="Moss", room="", notes="a b", month="May", water=100, strokes=1)
    assert events(window, Saved)[0] == saved


async def test_a_press_is_noted_once_at_its_very_pixel(desktop: Desktop, practice: Start, reader: OcrReader) -> None:
    window = await practice(scale=1.25)
    hand = await Hand.over(desktop, window, reader)
    for at in ("Plant", "Plant diary", "Save", "Little", "Root", "May"):
        before = len(events(window, Pressed))
        x, y = (int(v) for v in hand.screen(at))
        hand.click(at)
        wait_until(lambda n=before: len(events(window, Pressed)) > n, f"the press at {at}")  # type: ignore[misc]
        (press,) = events(window, Pressed)[before:]
        assert isinstance(press, Pressed)
        place = desktop.window(window.ready.window_id)
        assert abs(press.x - (x - place.x)) <= 1
        assert abs(press.y - (y - place.y)) <= 1


async def test_a_double_click_stars_and_clear_wipes(desktop: Desktop, practice: Start, reader: OcrReader) -> None:
    window = await practice()
    hand = await Hand.over(desktop, window, reader)
    hand.click("May", times=2)
    waited(window, lambda log: Chosen(item="May", how="starred") in log, "the star")
    hand.click("Plant")
    desktop.xdo("type", "x")
    hand.click("Clear")
    waited(window, lambda log: Typed(field="Plant", text="") in log, "the field to be wiped")


async def test_it_ends_with_whoever_started_it(desktop: Desktop, tmp_path: Path) -> None:
    code = (
        "import asyncio, pathlib, sys\n"
        "from operator_console.practice.launcher import start_practice\n"
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


async def test_everything_in_it_has_a_name_and_a_role(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    """What the practice runbook names; by another accessibility client than the console's."""
    tree = accessible_desktop.tree
    window = await start_practice(tmp_path / "p.jsonl", env=accessible_desktop.env)
    try:
        pid = window.ready.pid
        for name, role in (
            ("Save", "push button"), ("Clear", "push button"), ("Plant", "text"), ("Room", "text"), ("Notes", "text"),
            ("February", "list item"), ("Little", "label"), ("Plenty", "label"), ("Root", "label"), ("Leaf", "label"),
            ("Plant diary", "label"), ("Nothing saved yet", "label"),
        ):  # fmt: skip
            node = tree.wait(name, role, pid=pid)
            assert node.extents is not None
            assert min(node.extents[2:]) > 0, node
        assert tree.wait("Plant", "text", pid=pid).labelled_by == ("Plant",)
        assert tree.wait("Notes", "text", pid=pid).labelled_by == ("Notes",)
    finally:
        await window.stop()


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
    assert b"Cannot write the practice log" in errors
    assert b"Traceback" not in errors
