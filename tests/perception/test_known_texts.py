"""What is known of a changing screen: only what changed is unread, and nothing false is kept."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import Rect, Size
from operator_console.perception.known_texts import TILE, KnownTexts, areas_of, tile_digests
from operator_console.perception.ocr.picture_text import PictureReader
from operator_console.perception.text_lines import Pixels, reading_order
from tests.perception.ocr.counting import CountingEngine, screen

SIZE = Size(640, 700)
FIRST = {(20, 20): 1, (300, 250): 2, (20, 600): 3}


def read(known: KnownTexts, engine: CountingEngine, image: Pixels) -> list[Rect]:
    """Read what is unread, with a margin; the areas."""
    areas = known.unread(image)
    for area in areas:
        grown = Rect(area.x - 48, area.y - 32, area.width + 96, area.height + 64).intersect(Rect(0, 0, 640, 700))
        steps = PictureReader(engine).steps(image[grown.y : grown.bottom, grown.x : grown.right])
        while True:
            try:
                next(steps)
            except StopIteration as done:
                boxes = [
                    TextBox(text=box.text, box=moved, confidence=box.confidence)
                    for box in done.value.boxes
                    if not (moved := box.box.moved(grown.x, grown.y)).intersect(area).empty
                ]
                known.add(image, area, boxes, [])
                break
    return areas


def texts(known: KnownTexts) -> list[tuple[str, Rect]]:
    return [(box.text, box.box) for box in reading_order(known.boxes)]


def test_all_of_a_new_picture_is_unread_and_nothing_of_the_same_one() -> None:
    known, image = KnownTexts(SIZE), screen(FIRST)
    assert known.unread(image) == [Rect(0, 0, 640, 700)]
    read(known, CountingEngine(), image)
    assert known.unread(image.copy()) == []
    assert known.covers(image, Rect(0, 0, 640, 700))


def test_only_what_changed_is_read_again() -> None:
    known, engine = KnownTexts(SIZE), CountingEngine()
    read(known, engine, screen(FIRST))
    detected, recognised = engine.detected_pixels, engine.recognised
    (area,) = read(known, engine, screen({**FIRST, (300, 250): 9}))
    assert [text for text, _ in texts(known)] == ["t1", "t9", "t3"]
    assert area.width * area.height < 640 * 700 / 50
    assert engine.recognised == recognised + 1
    assert engine.detected_pixels - detected < detected / 10


def test_a_blinking_caret_costs_one_tile_beside_the_text_and_leaves_the_others_known() -> None:
    known, image = KnownTexts(SIZE), screen(FIRST)
    read(known, CountingEngine(), image)
    caret = image.copy()
    caret[250:262, 345] = 0
    (area,) = known.unread(caret)
    assert Rect(0, 200, 640, 100).intersect(area) == area
    assert known.covers(caret, Rect(0, 0, 640, 200))
    assert not known.covers(caret, Rect(300, 250, 40, 10))
    assert [text for text, _ in texts(known)] == ["t1", "t3"]


def test_what_was_read_before_reading_was_cancelled_stays_known() -> None:
    known, image = KnownTexts(SIZE), screen(FIRST)
    known.unread(image)
    known.add(image, Rect(0, 0, 640, 128), [TextBox(text="t1", box=Rect(20, 20, 38, 12))], [])
    assert known.covers(image, Rect(10, 10, 200, 80))
    assert known.unread(image) == [Rect(0, 128, 640, 700 - 128)]


def test_an_unreadable_place_is_forgotten_when_it_changes() -> None:
    known, image = KnownTexts(SIZE), screen(FIRST)
    known.add(image, Rect(0, 0, 640, 700), [], [Rect(20, 20, 38, 12)])
    known.unread(screen({(300, 250): 2}))
    assert known.unreadable == []


CELLS = st.dictionaries(
    st.tuples(st.integers(0, 7).map(lambda c: 10 + 70 * c), st.integers(0, 9).map(lambda r: 10 + 60 * r)),
    st.integers(2, 200),
    max_size=12,
)


@given(CELLS, CELLS)
def test_reading_only_the_changes_gives_the_same_as_reading_everything(
    first: dict[tuple[int, int], int], second: dict[tuple[int, int], int]
) -> None:
    known, anew = KnownTexts(SIZE), KnownTexts(SIZE)
    read(known, CountingEngine(), screen(first))
    read(known, CountingEngine(), screen(second))
    read(anew, CountingEngine(), screen(second))
    assert texts(known) == texts(anew)


def test_tile_digests_differ_exactly_where_the_pixels_do() -> None:
    before = screen({}, width=650, height=707)
    after = before.copy()
    after[100, 50, 0] ^= 1
    after[706, 649, 1] ^= 1
    differ = np.argwhere(tile_digests(before) != tile_digests(after)).tolist()
    assert differ == [[100 // TILE, 50 // TILE], [706 // TILE, 649 // TILE]]


def test_areas_cover_all_marked_tiles_and_do_not_overlap() -> None:
    tiles = np.zeros((44, 40), dtype=np.bool_)
    tiles[3, 5:9] = tiles[4, 6] = tiles[30, 38:40] = True
    areas = areas_of(tiles, 630, 700)
    assert len(areas) == 2
    for row, column in np.argwhere(tiles).tolist():
        assert sum(area.contains(column * TILE, row * TILE) for area in areas) == 1
    assert all(area.right <= 630 and area.bottom <= 700 for area in areas)
