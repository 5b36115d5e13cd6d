"""What every computer keeps, the one in memory included: the same tests for all of them."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from PIL import Image

from operator_console.computers.targets import open_computer
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason
from operator_console.domain.frames import ImageNeeds, SettleReason, as_recorded
from operator_console.domain.geometry import NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.grants import ScreenCheck
from operator_console.engine.ports import Computer
from tests.display.desktop.painted import Painted
from tests.display.rig import Desktop
from tests.display.rig.lacking import EVERYTHING, lack
from tests.fakes.computer import FakeComputer

NEEDS = ImageNeeds()
BLUE, RED = (30, 40, 230), (220, 10, 20)
PLACE = (200, 150, 320, 240)
MARK = (40, 30, 60, 20)  # in the target

Paint = Callable[[], Awaitable[None]]


@asynccontextmanager
async def fake(_desktop: Desktop) -> AsyncIterator[tuple[Computer, Paint]]:
    computer = FakeComputer(Size(PLACE[2], PLACE[3]), origin=ScreenPoint(PLACE[0], PLACE[1]))
    computer.paint(Rect(0, 0, PLACE[2], PLACE[3]), BLUE)

    async def paint() -> None:
        computer.paint(Rect(*MARK), RED)

    yield computer, paint
    await computer.close()


@asynccontextmanager
async def real(desktop: Desktop, spec: str, wm_class: str = "Painted") -> AsyncIterator[tuple[Computer, Paint]]:
    with Painted(desktop, PLACE, BLUE, title="the target", wm_class=wm_class) as window:

        async def paint() -> None:
            window.recolour(RED, MARK)

        computer = await open_computer(spec, OwnWindows(), desktop.name)
        try:
            yield computer, paint
        finally:
            await computer.close()


@pytest.fixture(
    params=[
        "memory", "window", "monitor", "monitor, nothing told",
        # A viewer's window is as any window here, and what tells of paint is the last one's too.
        pytest.param("vm", marks=pytest.mark.full), pytest.param("window, no paint events", marks=pytest.mark.full),
    ]
)  # fmt: skip
async def subject(
    request: pytest.FixtureRequest, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[Computer, Paint]]:
    kind, _, lacks = request.param.partition(", ")
    if lacks:
        lack(monkeypatch, *(EVERYTHING if lacks == "nothing told" else ["paint_events"]))
    async with AsyncExitStack() as stack:
        match kind:
            case "memory":
                yield await stack.enter_async_context(fake(desktop))
            case "window":
                yield await stack.enter_async_context(real(desktop, "window:^the target$"))
            case "vm":  # a viewer that paints nothing but its machine
                yield await stack.enter_async_context(real(desktop, "vm:^the target$", "xfreerdp"))
            case _:
                yield await stack.enter_async_context(real(desktop, "monitor:1"))


def native(point: tuple[int, int], origin: ScreenPoint) -> NativePoint:
    """A point of the painted target in the frame's pixels."""
    return NativePoint(PLACE[0] + point[0] - origin.x, PLACE[1] + point[1] - origin.y)


async def test_a_frame_shows_what_is_painted_where_it_is(subject: tuple[Computer, Paint]) -> None:
    computer, paint = subject
    before = await computer.observe(NEEDS)
    corner = native((MARK[0], MARK[1]), before.geometry.origin)
    assert before.crop(Rect(corner.x, corner.y, 1, 1))[:3] == bytes(reversed(BLUE))
    await paint()
    after = await computer.observe(NEEDS)
    assert after.crop(Rect(corner.x, corner.y, 1, 1))[:3] == bytes(reversed(RED))
    assert after.crop(Rect(corner.x - 1, corner.y, 1, 1))[:3] == bytes(reversed(BLUE))
    assert before.crop(Rect(corner.x, corner.y, 1, 1))[:3] == bytes(reversed(BLUE))
    assert after.geometry.to_screen(corner) == ScreenPoint(PLACE[0] + MARK[0], PLACE[1] + MARK[1])
    assert as_recorded(after.target) == computer.target


async def test_equal_pictures_have_equal_ids_and_changes_are_told(subject: tuple[Computer, Paint]) -> None:
    computer, paint = subject
    one, two = await computer.observe(NEEDS), await computer.observe(NEEDS)
    assert one.frame_id == two.frame_id
    assert await computer.changed(two) is False
    await paint()
    three = await computer.observe(NEEDS)
    assert three.frame_id != one.frame_id
    assert await computer.changed(one) is True
    assert await computer.changed(three) is False
    assert (await computer.glimpse()).frame_id == three.frame_id


async def test_pictures_and_zooms_decode_to_the_pixels(subject: tuple[Computer, Paint]) -> None:
    computer, paint = subject
    await paint()
    frame = await computer.observe(ImageNeeds(long_edge=160))
    picture = await computer.picture(frame, ImageNeeds(long_edge=160))
    image = Image.open(io.BytesIO(picture.data))
    assert Size(*image.size) == picture.size == frame.geometry.sent
    assert max(image.size) == 160
    corner = native((MARK[0], MARK[1]), frame.geometry.origin)
    zoomed = await computer.zoom(frame, Rect(corner.x, corner.y, MARK[2], MARK[3]), NEEDS)
    assert Image.open(io.BytesIO(zoomed.data)).convert("RGB").getcolors() == [
        (zoomed.size.width * zoomed.size.height, RED)
    ]


async def test_a_still_picture_settles_and_not_sooner_than_asked(subject: tuple[Computer, Paint]) -> None:
    computer, _ = subject
    frame = await computer.observe(NEEDS)
    loop = asyncio.get_running_loop()
    start = loop.time()
    assert await computer.settle(frame, at=None, lower_s=0.2, upper_s=20.0) is SettleReason.QUIET
    assert loop.time() - start >= 0.19


async def test_preparing_and_undoing_go_together(subject: tuple[Computer, Paint]) -> None:
    computer, _ = subject
    frame = await computer.observe(NEEDS)
    await computer.prepare_input(native((5, 5), frame.geometry.origin), needs_focus=False)
    await computer.after_input()
    await computer.after_input()


async def test_it_tells_whether_a_place_still_looks_as_it_did(subject: tuple[Computer, Paint]) -> None:
    computer, paint = subject
    frame = await computer.observe(NEEDS)
    # Where the mark is painted, on a window of its own and on the monitor; and a place beside both.
    painted = (Rect(30, 20, 80, 40), Rect(PLACE[0] + 30, PLACE[1] + 20, 80, 40))
    checks = [ScreenCheck(region=each, pixels=frame.crop(each)) for each in painted]
    beside = ScreenCheck(region=Rect(120, 80, 60, 60), pixels=frame.crop(Rect(120, 80, 60, 60)))
    assert await computer.still_shows((*checks, beside))
    await paint()
    assert not await computer.still_shows(checks)
    assert await computer.still_shows((beside,))


async def test_a_closed_one_is_gone_and_closing_twice_is_once(subject: tuple[Computer, Paint]) -> None:
    computer, _ = subject
    await computer.close()
    await computer.close()
    with pytest.raises(ComputerUnavailable) as caught:
        await computer.observe(NEEDS)
    assert caught.value.reason is UnavailableReason.GONE
