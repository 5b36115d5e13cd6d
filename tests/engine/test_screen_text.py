"""The text at a target: read, not read in time, and not readable are three facts."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace

import pytest

from operator_console.domain.elements import PointText, TextKnowledge
from operator_console.domain.errors import OperatorError
from operator_console.domain.frames import Frame, ImageNeeds, TextBox
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.engine.screen_text import READ_WITHIN_S, TargetReader
from tests.engine.rig import FakeClock, Words, quiet
from tests.fakes.computer import FakeComputer

SAVE = TextBox(text="Save", box=Rect(40, 40, 40, 12))
AT_SAVE = NativePoint(50, 45)


class Broken(Words):
    """A reader whose process fails."""

    async def read(self, frame: Frame, region: Rect | None = None) -> Sequence[TextBox]:
        raise OperatorError("Text on the screen cannot be read.")

    async def around(self, frame: Frame, point: NativePoint, extent: Rect | None = None) -> PointText:
        return PointText(knowledge=TextKnowledge.UNREADABLE, extent=extent)


async def frame() -> Frame:
    return await FakeComputer().observe(ImageNeeds())


def target_reader(reader: Words | None, clock: FakeClock | None = None) -> TargetReader:
    return TargetReader(reader, clock or FakeClock())


async def test_a_text_at_the_point_is_read() -> None:
    texts = target_reader(Words(("Save", SAVE.box), ("Note", Rect(40, 80, 40, 12))))
    (found,) = await texts.near(await frame(), [AT_SAVE])
    assert (found.text, found.nearby[0].text, found.knowledge) == ("Save", "Note", TextKnowledge.READ)


async def test_a_failed_read_does_not_count_as_read() -> None:
    texts, seen = target_reader(Broken()), await frame()
    await texts.begin(seen)
    await asyncio.sleep(0)
    (found,) = await texts.near(seen, [AT_SAVE])
    assert (found.text, found.knowledge) == ("", TextKnowledge.UNREADABLE)
    assert texts.at_hand(seen, [AT_SAVE])[0].knowledge is TextKnowledge.UNREADABLE
    await texts.close()


async def test_what_is_not_read_in_time_is_not_known_yet() -> None:
    clock = FakeClock()
    texts = target_reader(Words(slow=True), clock)
    waiting = asyncio.create_task(texts.near(await frame(), [AT_SAVE]))
    await quiet()
    assert not waiting.done()
    await clock.advance(READ_WITHIN_S)
    (found,) = await waiting
    assert found.knowledge is TextKnowledge.NOT_YET


async def test_without_a_reader_nothing_can_be_read() -> None:
    (found,) = await target_reader(None).near(await frame(), [AT_SAVE])
    assert found.knowledge is TextKnowledge.UNREADABLE


@pytest.mark.parametrize("reader", [None, Broken(), Words(("Note", Rect(40, 80, 40, 12)))])
async def test_what_the_computer_knows_at_the_point_needs_no_reader(reader: Words | None) -> None:
    seen = replace(await frame(), texts=(SAVE,))
    at, beside = await target_reader(reader).near(seen, [AT_SAVE, NativePoint(300, 300)])
    assert (at.text, at.knowledge) == ("Save", TextKnowledge.READ)
    works = reader is not None and not isinstance(reader, Broken)
    assert (beside.text, beside.knowledge is TextKnowledge.READ) == ("", works)


@pytest.mark.parametrize("whole", [True, False])
async def test_a_whole_frame_is_read_only_where_it_is_asked_for(whole: bool) -> None:
    words = Words(("Save", SAVE.box))
    texts, seen = target_reader(words), await frame()
    await texts.begin(seen, whole=whole)
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert words.reads == int(whole)
    known = texts.at_hand(seen, [AT_SAVE])[0]
    assert (known.text, known.knowledge is TextKnowledge.READ) == ("Save" if whole else "", whole)
    await texts.close()


async def test_the_extents_of_controls_reach_the_reader() -> None:
    texts = target_reader(Words(("Save", SAVE.box)))
    extent = Rect(20, 20, 200, 60)
    (first, second) = await texts.near(await frame(), [AT_SAVE, NativePoint(5, 5)], [extent, None])
    assert (first.extent, first.text, second.extent) == (extent, "Save", None)
