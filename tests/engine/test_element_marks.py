"""A model that numbers elements: its marks are asked for before it is, and recorded with the picture."""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.domain.codec import decode, encode
from operator_console.domain.element_marks import ElementMark
from operator_console.domain.events import Observed
from operator_console.domain.frames import Frame, Picture
from operator_console.domain.geometry import Rect
from tests.engine.rig import click, does, rig, said

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
    assert len(marked) == 2
    for (frame, picture), seen in zip(marked, r.model.seen, strict=True):
        assert frame is seen.frame
        assert picture is seen.picture


async def test_a_model_that_numbers_nothing_has_no_marks() -> None:
    r = rig(said("Done."))
    await r.run()
    (observed,) = r.of(Observed)
    assert observed.marks == ()


async def test_a_record_of_an_older_version_has_no_marks() -> None:
    r = rig(said("Done."))
    await r.run()
    written = encode(r.of(Observed)[0])
    del written["marks"]
    assert decode(Observed, written).marks == ()
