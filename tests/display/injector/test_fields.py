"""Clicks hit their places, and text goes into the clicked field, even if the window manager passes clicks on late."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from operator_console.domain.actions import Click, TypeText
from operator_console.domain.decisions import ActResult
from operator_console.domain.geometry import NativePoint
from operator_console.domain.grants import FocusRule
from tests.display.acceptance.event_window import EventWindow
from tests.display.guard.acting import Acting, armed
from tests.display.rig import Desktop, WindowInfo, launch

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.usefixtures("one_guard")]

_HERE = Path(__file__).parent


def fields(desktop: Desktop, file: Path) -> tuple[WindowInfo, tuple[NativePoint, NativePoint]]:
    """The window, and a point in each field, right of its text, so that a click puts the caret at the end."""
    file.write_text('["", ""]', encoding="utf-8")
    args = [sys.executable, str(_HERE / "two_fields.py"), str(file)]
    window = launch(desktop, args, title="Two fields", env={"QT_QPA_PLATFORM": "xcb"}).window
    y = window.y + window.height // 2
    return window, (
        NativePoint(window.x + window.width * 9 // 20, y),
        NativePoint(window.x + window.width * 19 // 20, y),
    )


async def held(file: Path, wanted: list[str], timeout_s: float = 20.0) -> list[str]:
    """The contents of the fields once they are `wanted`, or at the end of the time limit."""
    deadline = asyncio.get_running_loop().time() + timeout_s
    while (got := written(file)) != wanted:
        if asyncio.get_running_loop().time() > deadline:
            break
        await asyncio.sleep(0.02)
    return got


def written(file: Path) -> list[str]:
    return [str(text) for text in json.loads(file.read_text(encoding="utf-8"))]


@contextmanager
def busy(processes: int) -> Iterator[None]:
    """Overload every core."""
    load = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in load:
            process.kill()
            process.wait()


@contextmanager
def frozen(desktop: Desktop) -> Iterator[None]:
    """Suspend the window manager, so that presses it receives first are not passed on."""
    assert desktop.wm is not None
    with desktop.frozen(desktop.wm.pid):
        yield


@pytest.mark.timeout(180)
async def test_forty_texts_into_two_fields_under_load(desktop: Desktop, tmp_path: Path) -> None:
    file = tmp_path / "fields.json"
    _, points = fields(desktop, file)
    wanted = ["", ""]
    async with armed(desktop) as acting:
        with busy(2 * (os.cpu_count() or 2)):
            for turn in range(40):
                text = f"{turn % 10}{'ab'[turn % 2]}"
                wanted[turn % 2] += text
                outcome = await acting.do(TypeText(text=text, at=points[turn % 2]))
                assert outcome.result is ActResult.DONE, outcome
        assert await held(file, wanted) == wanted


async def frees_the_manager(desktop: Desktop, acting: Acting, work: asyncio.Task[object]) -> None:
    """Start the work while the window manager is suspended, then resume it."""
    with frozen(desktop):
        at = desktop.pointer()
        await acting.ears.wait(lambda: desktop.pointer() != at or work.done())
        await asyncio.wait([work], timeout=0.3)
    await work


async def test_text_waits_for_a_click_that_the_window_manager_holds_back(desktop: Desktop, tmp_path: Path) -> None:
    file = tmp_path / "fields.json"
    _, points = fields(desktop, file)
    async with armed(desktop) as acting:
        assert (await acting.do(TypeText(text="one", at=points[0]))).result is ActResult.DONE
        work = asyncio.ensure_future(acting.do(TypeText(text="two", at=points[1])))
        await frees_the_manager(desktop, acting, work)
        assert work.result().result is ActResult.DONE, work.result()
        assert await held(file, ["one", "two"]) == ["one", "two"]


async def test_keys_wait_for_the_click_of_the_call_before(desktop: Desktop, tmp_path: Path) -> None:
    file = tmp_path / "fields.json"
    _, points = fields(desktop, file)

    async def both(acting: Acting) -> None:
        await acting.do(Click(at=points[1]))
        await acting.do(TypeText(text="two"), focus=FocusRule())

    async with armed(desktop) as acting:
        assert (await acting.do(TypeText(text="one", at=points[0]))).result is ActResult.DONE
        await frees_the_manager(desktop, acting, asyncio.ensure_future(both(acting)))
        assert await held(file, ["one", "two"]) == ["one", "two"]


async def test_a_click_waits_for_the_click_before(desktop: Desktop) -> None:
    window = EventWindow(desktop)
    place = window.application.now()
    points = [NativePoint(place.x + x, place.y + y) for x, y in ((20, 20), (300, 200))]

    async def both(acting: Acting) -> None:
        for point in points:
            assert (await acting.do(Click(at=point))).result is ActResult.DONE

    async with armed(desktop) as acting:
        await frees_the_manager(desktop, acting, asyncio.ensure_future(both(acting)))
        await acting.ears.wait(lambda: len(window.buttons()) >= 4)
    assert [(event.kind, event.x, event.y) for event in window.buttons()] == [
        (kind, x, y) for x, y in ((20, 20), (300, 200)) for kind in ("Press", "Release")
    ]
