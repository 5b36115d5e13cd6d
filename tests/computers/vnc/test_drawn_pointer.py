"""A pointer that has moved is told from what an input changed."""

from __future__ import annotations

import numpy as np

from operator_console.computers.vnc.computer import pointer_moved
from operator_console.domain.geometry import NativePoint, Size

SIZE = Size(200, 160)
START, END = NativePoint(50, 40), NativePoint(140, 100)


def screen(pointer: NativePoint | None = None, *, box: bool = False) -> bytes:
    """A grey screen with an arrow, and with a box around END."""
    rows = np.full((SIZE.height, SIZE.width, 4), 200, dtype=np.uint8)
    if box:
        rows[END.y - 6 : END.y + 7, END.x - 6 : END.x + 7] = 30
    if pointer is not None:
        for step in range(12):
            rows[pointer.y + step, pointer.x : pointer.x + step + 1] = 0
    return rows.tobytes()


def test_a_motion_alone_is_told_with_the_areas_around_both_ends() -> None:
    areas = pointer_moved(screen(START), screen(END), SIZE, START, END)
    assert [area.contains(at.x, at.y) for area, at in zip(areas, (START, END), strict=True)] == [True, True]


def test_a_box_under_the_pointer_that_changes_is_a_change() -> None:
    assert pointer_moved(screen(START), screen(END, box=True), SIZE, START, END) == ()


def test_a_change_without_a_pointer_is_a_change() -> None:
    assert pointer_moved(screen(), screen(box=True), SIZE, START, END) == ()


def test_at_the_edges_and_in_one_place_nothing_fails() -> None:
    corner, far = NativePoint(0, 0), NativePoint(SIZE.width - 1, SIZE.height - 1)
    assert len(pointer_moved(screen(), screen(), SIZE, corner, far)) == 2
    assert pointer_moved(screen(), screen(), SIZE, corner, corner) == ()
