"""Reading in steps, with an engine that counts: what is read again, what comes from the caches, and their bounds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import Rect
from operator_console.perception.changed_areas import TILE, areas_to_read, changed_tiles, overlaps_changed
from operator_console.perception.ocr.worker import PictureReader
from operator_console.perception.text_lines import Pixels

PAPER = 200


@dataclass
class CountingEngine:
    """Finds striped blocks of 40 x 12 pixels and reads each as the number in the colour of its first pixel."""

    detected_pixels: int = 0
    recognised: int = 0

    def detect(self, image: Pixels) -> list[Rect]:
        self.detected_pixels += image.shape[0] * image.shape[1]
        found = []
        for y, x in np.argwhere(image[..., 2] == 1).tolist():
            found.append(Rect(x - 4, y - 6, 48, 24).intersect(Rect(0, 0, image.shape[1], image.shape[0])))
        return found

    def recognise(self, crop: Pixels) -> tuple[str, float]:
        self.recognised += 1
        return f"t{int(crop[crop[..., 2] == 1][0][0])}", 0.99


def screen(blocks: dict[tuple[int, int], int], width: int = 640, height: int = 700) -> Pixels:
    """A plain picture with blocks; each value is the number of a block."""
    image = np.full((height, width, 4), PAPER, dtype=np.uint8)
    for (x, y), name in blocks.items():
        for stripe in range(x, x + 40, 5):
            image[y : y + 12, stripe : stripe + 3, :3] = 0
        image[y, x, :3] = (name, 0, 1)
    return image


def read(reading: PictureReader, image: Pixels, *, whole: bool = True) -> tuple[tuple[TextBox, ...], int]:
    """The result and the number of steps."""
    generator, steps = reading.steps(image, whole=whole), 0
    while True:
        try:
            next(generator)
            steps += 1
        except StopIteration as done:
            return done.value, steps


FIRST = {(20, 20): 1, (300, 250): 2, (20, 600): 3}


def test_a_frame_is_read_in_steps_and_in_order() -> None:
    boxes, steps = read(PictureReader(CountingEngine()), screen(FIRST))
    assert [box.text for box in boxes] == ["t1", "t2", "t3"]
    assert boxes[1].box == Rect(300, 250, 38, 12)
    assert steps >= 5


def test_a_line_between_two_bands_is_read_once() -> None:
    for y in range(236, 276, 3):
        boxes, _ = read(PictureReader(CountingEngine()), screen({(20, y): 7}))
        assert [(box.text, box.box) for box in boxes] == [("t7", Rect(20, y, 38, 12))]


def test_the_same_picture_is_not_read_again() -> None:
    engine = CountingEngine()
    reading = PictureReader(engine)
    read(reading, screen(FIRST))
    before = engine.detected_pixels
    boxes, steps = read(reading, screen(FIRST))
    assert (len(boxes), steps, engine.detected_pixels) == (3, 0, before)


def test_only_what_changed_is_read_again() -> None:
    engine = CountingEngine()
    reading = PictureReader(engine)
    read(reading, screen(FIRST))
    detected, recognised = engine.detected_pixels, engine.recognised
    boxes, _ = read(reading, screen({**FIRST, (300, 250): 9}))
    assert [box.text for box in boxes] == ["t1", "t9", "t3"]
    assert engine.recognised == recognised + 1
    assert engine.detected_pixels - detected < detected / 10


def test_a_removed_text_is_dropped_and_a_moved_one_is_found() -> None:
    reading = PictureReader(CountingEngine())
    read(reading, screen(FIRST))
    boxes, _ = read(reading, screen({(20, 20): 1, (330, 258): 2}))
    assert [(box.text, box.box.x, box.box.y) for box in boxes] == [("t1", 20, 20), ("t2", 330, 258)]


def test_segments_with_equal_pixels_are_recognised_once() -> None:
    engine = CountingEngine()
    read(PictureReader(engine), screen({(20, 20): 5, (20, 120): 5, (300, 400): 5}))
    assert engine.recognised == 1


def test_a_crop_is_not_cached_as_a_frame() -> None:
    engine = CountingEngine()
    reading = PictureReader(engine)
    read(reading, screen(FIRST), whole=False)
    before = engine.detected_pixels
    read(reading, screen(FIRST))
    assert engine.detected_pixels > before


def test_the_frame_cache_is_bounded() -> None:
    reading = PictureReader(CountingEngine())
    for name in range(2, 40):
        read(reading, screen({(20, 20): name}))
    assert len(reading._frames) == 3


@settings(max_examples=60, deadline=None)
@given(
    st.dictionaries(
        st.tuples(st.integers(0, 7).map(lambda c: 10 + 70 * c), st.integers(0, 9).map(lambda r: 10 + 60 * r)),
        st.integers(2, 200),
        max_size=12,
    ),
    st.dictionaries(
        st.tuples(st.integers(0, 7).map(lambda c: 10 + 70 * c), st.integers(0, 9).map(lambda r: 10 + 60 * r)),
        st.integers(2, 200),
        max_size=12,
    ),
)
def test_reading_only_the_changes_gives_the_same_as_reading_everything(
    first: dict[tuple[int, int], int], second: dict[tuple[int, int], int]
) -> None:
    reading = PictureReader(CountingEngine())
    read(reading, screen(first))
    again, _ = read(reading, screen(second))
    fresh, _ = read(PictureReader(CountingEngine()), screen(second))
    assert again == fresh


def test_changed_tiles_and_the_areas_around_them() -> None:
    before = screen({})
    after = before.copy()
    after[100, 50] = 0
    tiles = changed_tiles(before, after)
    assert tiles.sum() == 1
    assert overlaps_changed(Rect(40, 90, 20, 20), tiles)
    assert not overlaps_changed(Rect(200, 90, 20, 20), tiles)
    (area,) = areas_to_read(tiles, [TextBox(text="x", box=Rect(30, 98, 200, 12))], 640, 700)
    assert area.contains(50, 100)
    assert area.x <= 30
    assert area.right >= 230
    assert areas_to_read(changed_tiles(before, before), [], 640, 700) == []
    assert tiles.shape == (-(-700 // TILE), 640 // TILE)
