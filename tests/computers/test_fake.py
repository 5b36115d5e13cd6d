"""The computer in memory shows what was painted and refuses what it was told to."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from operator_console.computers.fake import FakeComputer, InputPrepared
from operator_console.domain.errors import ComputerRejected, ComputerUnavailable, RejectedReason, UnavailableReason
from operator_console.domain.frames import ImageNeeds
from operator_console.domain.geometry import NativePoint, Rect, ScreenPoint, Size
from operator_console.engine.ports import Computer

NEEDS = ImageNeeds()


def fits_the_port(computer: FakeComputer) -> Computer:
    return computer


async def test_a_frame_shows_what_was_painted_and_stays_as_it_was() -> None:
    computer = FakeComputer(Size(20, 10), origin=ScreenPoint(-20, 5))
    computer.paint(Rect(0, 0, 2, 1), (255, 128, 1))
    frame = await computer.observe(NEEDS)
    computer.paint(Rect(0, 0, 20, 10), (0, 0, 0))
    assert frame.crop(Rect(0, 0, 1, 1)) == bytes((1, 128, 255, 0))
    assert frame.geometry.to_screen(NativePoint(0, 0)) == ScreenPoint(-20, 5)
    later = await computer.observe(NEEDS)
    assert later.frame_id != frame.frame_id
    assert await computer.changed(frame) is True


async def test_its_picture_decodes_to_the_painted_colours() -> None:
    computer = FakeComputer(Size(64, 32))
    computer.paint(Rect(10, 10, 5, 5), (200, 30, 40))
    frame = await computer.observe(NEEDS)
    picture = await computer.picture(frame, NEEDS)
    image = Image.open(io.BytesIO(picture.data))
    assert image.size == (64, 32)
    assert image.getpixel((12, 12)) == (200, 30, 40)


async def test_settling_waits_by_the_clock_it_was_given() -> None:
    waited: list[float] = []

    async def sleep(seconds: float) -> None:
        waited.append(seconds)

    computer = FakeComputer(sleep=sleep)
    frame = await computer.observe(NEEDS)
    assert await computer.settle(frame, at=None, lower_s=0.2, upper_s=3.0) is computer.settle_reason
    assert waited == [0.2]


async def test_it_notes_preparations_and_raises_what_it_was_told() -> None:
    computer = FakeComputer()
    computer.refuse_next_input(ComputerRejected("Another window has it.", reason=RejectedReason.NO_FOCUS))
    with pytest.raises(ComputerRejected):
        await computer.prepare_input(NativePoint(3, 4), needs_focus=False)
    await computer.prepare_input(None, needs_focus=True)
    await computer.after_input()
    assert computer.prepared == [
        InputPrepared(at=NativePoint(3, 4), needs_focus=False),
        InputPrepared(at=None, needs_focus=True),
    ]
    assert computer.released == 1


async def test_a_closed_one_is_gone() -> None:
    computer = FakeComputer()
    await computer.close()
    with pytest.raises(ComputerUnavailable) as caught:
        await computer.observe(NEEDS)
    assert caught.value.reason is UnavailableReason.GONE
