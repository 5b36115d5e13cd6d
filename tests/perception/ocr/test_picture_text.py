"""Reading a picture with an engine that counts: tiles, segments, pieces near a point, and the cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from operator_console.domain.geometry import Rect
from operator_console.perception.ocr.picture_text import A, B, PictureReader, PictureText
from operator_console.perception.text_lines import Pixels
from tests.perception.ocr.counting import CountingEngine, screen

FIRST = {(20, 20): 1, (300, 250): 2, (20, 600): 3}


def read(reading: PictureReader, image: Pixels) -> tuple[PictureText, int]:
    """The result and the number of steps."""
    generator, steps = reading.steps(image), 0
    while True:
        try:
            next(generator)
            steps += 1
        except StopIteration as done:
            return done.value, steps


def one_by_one(work: Callable[[A], B], on: Sequence[A], /) -> Sequence[B]:
    return [*map(work, on)]


def test_a_picture_is_read_in_steps_and_in_order() -> None:
    found, steps = read(PictureReader(CountingEngine()), screen(FIRST))
    assert [box.text for box in found.boxes] == ["t1", "t2", "t3"]
    assert found.boxes[1].box == Rect(300, 250, 38, 12)
    assert steps >= 5


def test_a_line_between_two_tiles_is_read_once() -> None:
    for y in range(140, 200, 3):
        found, _ = read(PictureReader(CountingEngine()), screen({(20, y): 7}))
        assert [(box.text, box.box) for box in found.boxes] == [("t7", Rect(20, y, 38, 12))]
    for x in range(560, 660, 7):
        found, _ = read(PictureReader(CountingEngine()), screen({(x, 30): 7}, width=900))
        assert [(box.text, box.box) for box in found.boxes] == [("t7", Rect(x, 30, 38, 12))]


def test_segments_with_equal_pixels_are_recognised_once() -> None:
    engine = CountingEngine()
    read(PictureReader(engine), screen({(20, 20): 5, (20, 120): 5, (300, 400): 5}))
    assert engine.recognised == 1


def test_near_a_rectangle_only_its_texts_and_the_nearest_others_are_recognised() -> None:
    engine = CountingEngine()
    blocks = {(20 + 120 * (n % 5), 20 + 60 * (n // 5)): n + 1 for n in range(15)}
    found = PictureReader(engine).near(screen(blocks, height=200), Rect(255, 75, 60, 30), 2, one_by_one)
    assert "t8" in [box.text for box in found.boxes]
    assert len(found.boxes) == 3
    assert engine.recognised == 3


def test_of_a_great_many_texts_some_stay_unread_and_are_named() -> None:
    blocks = {(10 + 60 * (n % 10), 16 + 30 * (n // 10)): n + 1 for n in range(60)}
    found = PictureReader(CountingEngine()).near(screen(blocks, height=220), Rect(0, 0, 640, 220), 0, one_by_one)
    assert (len(found.boxes), len(found.unreadable)) == (32, 28)


def test_what_the_engine_reads_with_little_confidence_is_unreadable_and_no_text() -> None:
    engine = CountingEngine(confidence=0.4)
    found, _ = read(PictureReader(engine), screen({(20, 20): 1}))
    assert found == PictureText(unreadable=(Rect(20, 20, 38, 12),))
