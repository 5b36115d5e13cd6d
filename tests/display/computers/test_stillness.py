"""Stillness by what is painted, or by looking again where nobody tells: still, late, noisy, a film, cancelled, lost."""

from __future__ import annotations

import asyncio
import queue
import sys
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager

import pytest

from operator_console.computers import model_image, prepared_pictures, stillness
from operator_console.computers.frame_building import fingerprint
from operator_console.computers.stillness import FIRST_CHANGE_S, STILL_FOR_S
from operator_console.computers.targets import open_computer
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.errors import ComputerUnavailable
from operator_console.domain.frames import Frame, ImageNeeds, Picture, SettleReason, WindowTarget
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.engine.ports import Computer
from tests.display.desktop.painted import Painted
from tests.display.rig import Desktop, launch, launch_mousepad, launch_xterm
from tests.display.rig.lacking import EVERYTHING, lack

NEEDS = ImageNeeds()
BLUE, RED, GREEN = (30, 40, 230), (220, 10, 20), (10, 200, 30)
LONG_S = 30.0


@pytest.fixture
def window(desktop: Desktop) -> Iterator[Painted]:
    with Painted(desktop, (200, 150, 400, 300), BLUE, title="target") as window:
        yield window


@pytest.fixture(
    params=[
        pytest.param(("window:target",), id="window"),
        # The contract tests settle on a monitor and without paint events in every run.
        pytest.param(("monitor:1",), id="monitor", marks=pytest.mark.full),
        pytest.param(("window:target", "paint_events"), id="window-no-paint-events", marks=pytest.mark.full),
        pytest.param(("monitor:1", *EVERYTHING), id="monitor-nothing-told", marks=pytest.mark.full),
    ],
)
async def computer(
    request: pytest.FixtureRequest, desktop: Desktop, window: Painted, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Computer]:
    spec, *lacks = request.param
    lack(monkeypatch, *lacks)
    computer = await open_computer(spec, OwnWindows(), desktop.name)
    yield computer
    await computer.close()


@contextmanager
def painting(window: Painted, part: tuple[int, int, int, int], every_s: float) -> Iterator[threading.Event]:
    """Paints a part in changing colours, from a thread, until the block ends; the event is set once it began."""
    over, began = threading.Event(), threading.Event()

    def paint() -> None:
        turn = 0
        while not over.wait(every_s):
            turn += 1
            window.recolour((turn * 37 % 256, 90, 60), part)
            began.set()

    thread = threading.Thread(target=paint)
    thread.start()
    try:
        yield began
    finally:
        over.set()
        thread.join()


def elapsed(start: float) -> float:
    return asyncio.get_running_loop().time() - start


async def test_a_late_repaint_within_the_lower_bound_is_waited_for(computer: Computer, window: Painted) -> None:
    before = await computer.observe(NEEDS)
    start = asyncio.get_running_loop().time()
    asyncio.get_running_loop().call_later(0.3, window.recolour, RED, (0, 0, 200, 200))
    assert await computer.settle(before, at=None, lower_s=0.5, upper_s=LONG_S) is SettleReason.QUIET
    assert elapsed(start) >= 0.3 + STILL_FOR_S
    assert await computer.changed(before) is True


async def test_changes_one_after_another_are_waited_out(
    computer: Computer, window: Painted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stillness, "STILL_FOR_S", 0.8)  # longer than a busy machine keeps this painter from painting
    before = await computer.observe(NEEDS)
    loop = asyncio.get_running_loop()
    # Each next part is painted when the one before was, closer together than the picture needs to count as quiet.
    places = iter([(x, 0, 150, 200) for x in range(0, 250, 10)])

    def paint_on() -> None:
        place = next(places, None)
        if place is not None:
            window.recolour(RED if place[0] % 20 else GREEN, place)
            loop.call_later(STILL_FOR_S / 4, paint_on)

    paint_on()
    assert await computer.settle(before, at=None, lower_s=0.0, upper_s=LONG_S) is SettleReason.QUIET
    assert next(places, None) is None
    frame = await computer.observe(NEEDS)
    x, y = 200 + 240 + 149 - frame.geometry.origin.x, 150 + 199 - frame.geometry.origin.y
    assert frame.crop(Rect(x, y, 1, 1))[:3] == bytes(reversed(GREEN))


async def test_the_next_picture_is_encoded_during_the_wait_and_once(
    computer: Computer, window: Painted, monkeypatch: pytest.MonkeyPatch
) -> None:
    encoded: queue.Queue[str] = queue.Queue()

    def encode(frame: Frame, needs: ImageNeeds, wanted: Callable[[], bool] = lambda: True) -> Picture:
        encoded.put(fingerprint(frame.pixels, frame.geometry.native))
        return model_image.encode(frame, needs, wanted)

    monkeypatch.setattr(prepared_pictures, "encode", encode)
    monkeypatch.setattr(stillness, "STILL_FOR_S", 0.6)  # longer than a busy machine keeps the window from painting
    before = await computer.observe(NEEDS)
    await computer.picture(before, NEEDS)
    assert encoded.get_nowait() == before.frame_id
    window.recolour(RED, (0, 0, 200, 200))
    expected: list[Frame] = []
    await computer.settle(before, at=None, lower_s=0.0, upper_s=LONG_S, expect=expected.append)
    prepared = await asyncio.to_thread(encoded.get, timeout=30.0)
    frame = await computer.observe(NEEDS)
    picture = await computer.picture(frame, NEEDS)
    assert prepared == frame.frame_id
    assert [(each.frame_id, each.geometry, each.stack, each.focus) for each in expected] == [
        (frame.frame_id, frame.geometry, frame.stack, frame.focus)
    ]
    assert before.taken_s < expected[0].taken_s < frame.taken_s
    assert await computer.picture(expected[0], NEEDS) is picture
    assert encoded.empty()
    assert picture == model_image.encode(frame, NEEDS)
    # What is painted after the wait is in the picture all the same.
    window.recolour(GREEN, (0, 0, 200, 200))
    await computer.settle(frame, at=None, lower_s=0.0, upper_s=LONG_S)
    await asyncio.to_thread(encoded.get, timeout=30.0)
    window.recolour(RED, (0, 0, 1, 1))
    last = await computer.observe(NEEDS)
    assert await computer.picture(last, NEEDS) == model_image.encode(last, NEEDS)
    x, y = 200 - last.geometry.origin.x, 150 - last.geometry.origin.y
    assert last.crop(Rect(x, y, 1, 1))[:3] == bytes(reversed(RED))


async def test_a_caret_is_not_waited_for(computer: Computer, window: Painted) -> None:
    with painting(window, (30, 30, 2, 16), 0.02) as began:
        began.wait()
        before = await computer.observe(NEEDS)
        assert await computer.settle(before, at=None, lower_s=0.1, upper_s=LONG_S) is SettleReason.QUIET


async def test_a_film_in_one_place_is_bounded_and_one_everywhere_is_said(
    computer: Computer, window: Painted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stillness, "STILL_FOR_S", 0.6)  # longer than a busy machine keeps the painter from painting
    with painting(window, (30, 30, 100, 80), 0.02) as began:
        began.wait()
        before = await computer.observe(NEEDS)
        assert await computer.settle(before, at=None, lower_s=0.1, upper_s=1.0) is SettleReason.BOUNDED
    if isinstance(computer.target, WindowTarget):
        with painting(window, (0, 0, 400, 300), 0.02) as began:
            began.wait()
            assert await computer.settle(before, at=None, lower_s=0.1, upper_s=1.0) is SettleReason.STILL_MOVING


async def test_a_window_that_is_dead_is_waited_for_less_each_time(desktop: Desktop, window: Painted) -> None:
    computer = await open_computer("monitor:1", OwnWindows(), desktop.name)
    before = await computer.observe(NEEDS)
    at = NativePoint(400 - before.geometry.origin.x, 300 - before.geometry.origin.y)
    waits = []
    for _ in range(3):
        start = asyncio.get_running_loop().time()
        assert await computer.settle(before, at=at, lower_s=0.0, upper_s=3.0) is SettleReason.QUIET
        waits.append(elapsed(start))
    assert waits[0] >= FIRST_CHANGE_S, "its effect might have been late"
    assert sum(waits) < len(waits) * FIRST_CHANGE_S
    await computer.close()


async def test_nobody_is_waited_for_on_the_bare_desktop(desktop: Desktop) -> None:
    computer = await open_computer("monitor:1", OwnWindows(), desktop.name)
    before = await computer.observe(NEEDS)
    start = asyncio.get_running_loop().time()
    assert await computer.settle(before, at=NativePoint(30, 30), lower_s=0.0, upper_s=LONG_S) is SettleReason.QUIET
    assert elapsed(start) < FIRST_CHANGE_S
    await computer.close()


async def test_an_effect_after_the_wait_is_told_once_and_only_where_none_was_seen(
    computer: Computer, window: Painted
) -> None:
    before = await computer.observe(NEEDS)
    at = NativePoint(400 - before.geometry.origin.x, 300 - before.geometry.origin.y)
    window.recolour(GREEN, (190, 140, 20, 20))  # no more than the look of what was pressed
    assert await computer.settle(before, at=at, lower_s=0.0, upper_s=3.0) is SettleReason.QUIET
    shown = await computer.observe(NEEDS)
    late = asyncio.create_task(computer.late_change(shown))
    await asyncio.sleep(0)
    window.recolour(RED)
    assert await late is True
    assert await computer.late_change(shown) is False, "asked once for an input"

    before = await computer.observe(NEEDS)
    window.recolour(BLUE)
    assert await computer.settle(before, at=at, lower_s=0.0, upper_s=LONG_S) is SettleReason.QUIET
    assert await computer.late_change(before) is False, "its effect was plain"


async def test_a_caret_elsewhere_hides_no_late_repaint(computer: Computer, window: Painted) -> None:
    before = await computer.observe(NEEDS)
    at = NativePoint(500 - before.geometry.origin.x, 400 - before.geometry.origin.y)
    wait = asyncio.create_task(computer.settle(before, at=at, lower_s=0.0, upper_s=LONG_S))
    await asyncio.sleep(0)
    window.recolour(GREEN, (30, 30, 2, 16))
    asyncio.get_running_loop().call_later(0.6, window.recolour, RED)
    assert await wait is SettleReason.QUIET
    frame = await computer.observe(NEEDS)
    assert frame.crop(Rect(at.x, at.y, 1, 1))[:3] == bytes(reversed(RED))


async def test_a_tick_box_is_an_effect_each_time(computer: Computer, window: Painted) -> None:
    for colour in (RED, GREEN, RED, GREEN, RED):
        await computer.observe(NEEDS)
        before = await computer.glimpse()
        window.recolour(colour, (40, 40, 12, 12))
        assert await computer.settle(before, at=None, lower_s=0.0, upper_s=LONG_S) is SettleReason.QUIET
        assert await computer.changed(before) is True


async def test_a_cancelled_wait_frees_the_computer_at_once(computer: Computer, window: Painted) -> None:
    before = await computer.observe(NEEDS)
    wait = asyncio.create_task(computer.settle(before, at=None, lower_s=LONG_S, upper_s=LONG_S))
    await asyncio.sleep(0)
    wait.cancel()
    with pytest.raises(asyncio.CancelledError):
        await wait
    async with asyncio.timeout(LONG_S / 2):
        await computer.observe(NEEDS)


async def test_closing_ends_a_wait(computer: Computer, window: Painted) -> None:
    before = await computer.observe(NEEDS)
    wait = asyncio.create_task(computer.settle(before, at=None, lower_s=LONG_S, upper_s=LONG_S))
    await asyncio.sleep(0)
    async with asyncio.timeout(LONG_S / 2):
        await computer.close()
        assert await wait is SettleReason.INTERRUPTED


async def test_a_window_that_goes_meanwhile_is_said(desktop: Desktop) -> None:
    with Painted(desktop, (200, 150, 400, 300), BLUE, title="target") as window:
        computer = await open_computer("window:target", OwnWindows(), desktop.name)
        before = await computer.observe(NEEDS)
        wait = asyncio.create_task(computer.settle(before, at=None, lower_s=LONG_S, upper_s=LONG_S))
        await asyncio.sleep(0)
        window.unmap()
        with pytest.raises(ComputerUnavailable):
            await wait
        await computer.close()


async def test_a_real_editors_caret_lets_it_settle_every_time(desktop: Desktop) -> None:
    launch_mousepad(desktop)
    computer = await open_computer("window:mousepad", OwnWindows(), desktop.name)
    for _ in range(5):
        before = await computer.observe(NEEDS)
        assert await computer.settle(before, at=None, lower_s=0.05, upper_s=LONG_S) is SettleReason.QUIET
    await computer.close()


@pytest.mark.parametrize("keys", [False, pytest.param(True, marks=pytest.mark.full)])
async def test_a_stopped_program_is_told_not_to_answer_at_once(desktop: Desktop, keys: bool) -> None:
    app = launch_mousepad(desktop)
    assert app.pid is not None
    computer = await open_computer(f"window:{app.window.xid:#x}", OwnWindows(), desktop.name)
    try:
        before = await computer.observe(NEEDS)
        at = None if keys else NativePoint(80, 120)
        with desktop.frozen(app.pid):
            reason = await computer.settle(before, at=at, lower_s=0.03, upper_s=LONG_S)
        assert reason is SettleReason.NOT_ANSWERING
        assert await computer.settle(before, at=at, lower_s=0.03, upper_s=LONG_S) is not SettleReason.NOT_ANSWERING
    finally:
        await computer.close()


async def test_a_program_that_cannot_be_asked_is_seen_to_be_stopped(desktop: Desktop) -> None:
    app = launch_xterm(desktop)
    assert app.pid is not None
    computer = await open_computer(f"window:{app.window.xid:#x}", OwnWindows(), desktop.name)
    try:
        before = await computer.observe(NEEDS)
        with desktop.frozen(app.pid):
            reason = await computer.settle(before, at=None, lower_s=0.03, upper_s=LONG_S)
        assert reason is SettleReason.NOT_ANSWERING
    finally:
        await computer.close()


async def test_a_program_that_hangs_is_told_not_to_answer(desktop: Desktop) -> None:
    program = (
        "import time; from PySide6.QtWidgets import QApplication, QPushButton; app = QApplication([]);"
        "b = QPushButton('Hang'); b.setWindowTitle('Hangs'); b.clicked.connect(lambda: time.sleep(6));"
        "b.show(); app.exec()"
    )
    app = launch(desktop, [sys.executable, "-c", program], title="Hangs")
    computer = await open_computer(f"window:{app.window.xid:#x}", OwnWindows(), desktop.name)
    try:
        before = await computer.observe(NEEDS)
        desktop.xdo("key", "space")
        assert await computer.settle(before, at=None, lower_s=0.03, upper_s=1.5) is SettleReason.NOT_ANSWERING
        assert await computer.settle(before, at=None, lower_s=0.03, upper_s=1.0) is not SettleReason.NOT_ANSWERING
    finally:
        await computer.close()
