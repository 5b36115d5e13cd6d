"""The list that shares its parts behaves as a tuple."""

from __future__ import annotations

import pytest

from operator_console.ui.view.chunked_list import CHUNK, ChunkedList


def test_it_reads_as_the_entries_that_were_appended() -> None:
    made: ChunkedList[int] = ChunkedList()
    for number in range(3 * CHUNK + 5):
        made = made.appended(number)
    plain = tuple(range(3 * CHUNK + 5))
    assert tuple(made) == plain
    assert tuple(reversed(made)) == plain[::-1]
    assert (made[0], made[-1], made[CHUNK], made[-3:]) == (0, plain[-1], CHUNK, plain[-3:])
    assert made == ChunkedList(plain)
    with pytest.raises(IndexError):
        made[len(plain)]


def test_a_change_leaves_the_list_before_it_as_it_was() -> None:
    before = ChunkedList(list(range(2 * CHUNK)))
    after = before.changed(CHUNK + 1, -1)
    assert (before[CHUNK + 1], after[CHUNK + 1]) == (CHUNK + 1, -1)
    assert len(before) == len(after)


@pytest.mark.parametrize("place", [0, 1, CHUNK - 1, CHUNK, 2 * CHUNK + 3])
def test_it_tells_how_much_of_another_list_is_the_same(place: int) -> None:
    before = ChunkedList([object() for _ in range(2 * CHUNK + 4)])
    assert before.same_until(before) == len(before)
    assert before.same_until(before.changed(place, object())) == place
    assert before.same_until(before.appended(object())) == len(before)
