"""A model that numbers elements: its marks are asked for before it is, and recorded with the picture."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from operator_console.domain.codec import decode, encode
from operator_console.domain.element_marks import ElementMark
from operator_console.domain.events import EndedOutcome, Observed
from operator_console.domain.frames import Frame, Picture
from operator_console.domain.geometry import Rect
from operator_console.domain.intents import Stop
from operator_console.domain.states import Observing, Settling
from operator_console.domain.stopping import StopCause
from operator_console.engine.turn.observe import MARKS_AHEAD_WITHIN_S
from tests.engine.rig import Gate, Model, Rig, Turn, click, does, quiet, rig, said

MARK = ElementMark(number=3, box=Rect(10, 20, 30, 40), tag=Rect(0, 20, 10, 10), words="button “Save”")


async def test_the_marks_are_recorded_with_each_picture_and_the_model_gets_the_same_frame() -> None:
    marked: list[tuple[Frame, Picture]] = []

    async def marks(frame: Frame, picture: Picture) -> Sequence[ElementMark]:
        marked.append((frame, picture))
        return (MARK,)

    r = rig(does(click()), said("Done."))
    r.model.marks = marks  # type: ignore[attr-defined]
    await r.run()
    assert [event.marks for event in r.of(Observed)] == [(MARK,), (MARK,)]
    asked = [shown for shown in marked if any(shown[0] is seen.frame for seen in r.model.seen)]
    for (frame, picture), seen in zip(asked, r.model.seen, strict=True):
        assert frame is seen.frame
        assert picture is seen.picture


class Marking(Model):
    """Makes no marks, and that only while `may` is set; keeps the ids of the frames."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        super().__init__(turns)
        self.may = asyncio.Event()
        self.asked: list[str] = []
        self.given_up: list[str] = []

    async def marks(self, frame: Frame, picture: Picture) -> Sequence[ElementMark]:
        self.asked.append(frame.frame_id)
        try:
            await self.may.wait()
        except asyncio.CancelledError:
            self.given_up.append(frame.frame_id)
            raise
        return ()


async def settling() -> tuple[Rig, Marking]:
    """A session in which the screen settles after a click, with marks begun."""
    gate = Gate(does(click()))
    model = Marking([gate, said("Done.")])
    r = rig(model=model)
    model.may.set()
    await r.start()
    model.may.clear()
    gate.open()
    await quiet()
    assert r.is_in(Settling)
    assert len(model.asked) == 2
    return r, model


async def test_marks_are_begun_while_the_screen_settles_and_waited_for() -> None:
    r, model = await settling()
    await r.settled()
    assert r.is_in(Observing)
    assert len(model.asked) == 2
    model.may.set()
    assert (await r.end()).outcome is EndedOutcome.FINISHED
    assert (len(set(model.asked)), len(model.asked), model.given_up) == (1, 3, [])


async def test_marks_of_a_picture_that_does_not_come_are_given_up() -> None:
    r, model = await settling()
    r.computer.paint(Rect(0, 0, 50, 50), (1, 2, 3))
    await r.settled()
    _, expected, came = model.asked
    assert model.given_up == [expected] != [came]
    model.may.set()
    assert (await r.end()).outcome is EndedOutcome.FINISHED


async def test_a_newer_expectation_replaces_the_one_before() -> None:
    r, model = await settling()
    r.computer.paint(Rect(0, 0, 50, 50), (1, 2, 3))
    assert r.computer.expect is not None
    r.computer.expect(await r.computer.glimpse())
    await quiet()
    assert model.given_up == [model.asked[1]] != [model.asked[2]]
    model.may.set()
    await r.end()
    assert model.asked[3:] == [model.asked[2]]


async def test_a_stop_gives_the_marks_up_and_none_are_begun_later() -> None:
    r, model = await settling()
    r.session.post(Stop(reason=StopCause.INTERRUPT))
    assert (await r.end()).outcome is EndedOutcome.STOPPED
    assert model.given_up == [model.asked[-1]]
    assert r.computer.expect is not None
    r.computer.expect(await r.computer.glimpse())
    await quiet()
    assert len(model.asked) == 2


async def test_none_are_begun_where_those_before_took_long() -> None:
    model = Marking([does(click()), said("Done.")])
    r = rig(model=model)
    await r.start()
    await r.clock.advance(MARKS_AHEAD_WITHIN_S)
    model.may.set()
    await r.end()
    assert len(model.asked) == 2


async def test_a_model_that_numbers_nothing_has_no_marks() -> None:
    r = rig(does(click()), said("Done."))
    await r.run()
    assert {observed.marks for observed in r.of(Observed)} == {()}


async def test_a_record_of_an_older_version_has_no_marks() -> None:
    r = rig(said("Done."))
    await r.run()
    written = encode(r.of(Observed)[0])
    del written["marks"]
    assert decode(Observed, written).marks == ()
