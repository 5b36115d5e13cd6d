"""Which way which stretch of a text goes, and how the record says what went by which method."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.injector.keyboard.typist import Method, Run, Tally, Way, commits_of, runs_of

HAN = "".join(chr(0x4E00 + i) for i in range(100))
ROOM = 50


def carried(character: str) -> bool:
    return character <= "\x7f"


def lendable(characters: set[str]) -> bool:
    return len(characters) <= ROOM


def runs(text: str) -> list[Run]:
    return runs_of(text, carried=carried, lendable=lendable)


def keys(text: str) -> Run:
    return Run(text=text, way=Way.KEYS)


def pasted(text: str) -> Run:
    return Run(text=text, way=Way.PASTE)


def test_long_lines_are_pasted_but_for_their_first_character_and_what_is_between_them_is_typed() -> None:
    assert runs(f"Title\n{HAN}\n\t你好\n{HAN}{'a' * 500}") == [
        keys("Title\n" + HAN[0]),
        pasted(HAN[1:]),
        keys("\n\t你好\n" + HAN[0]),
        pasted(HAN[1:] + "a" * 500),
    ]


def test_a_very_long_line_is_pasted_in_pieces_that_are_fetched_at_once() -> None:
    found = runs(HAN * 500)
    assert [len(run.text) for run in found] == [1, 20_000, 20_000, 9_999]
    assert all(len(run.text.encode()) < 1 << 17 for run in found)


@pytest.mark.parametrize(
    "text", ["", "short " + HAN, "only the keyboard's own characters " * 100, (HAN[:ROOM] + "a") * 100]
)
def test_what_is_short_or_fits_the_keys_goes_by_keys(text: str) -> None:
    assert runs(text) == ([keys(text)] if text else [])


@given(st.text(alphabet="a\n\t" + HAN, max_size=600))
def test_nothing_is_lost_and_no_line_end_is_pasted(text: str) -> None:
    found = runs(text)
    assert "".join(run.text for run in found) == text
    assert not any(run.way is Way.PASTE and {"\n", "\t"} & set(run.text) for run in found)
    assert all(run.text for run in found)
    assert not any(one.way is other.way is Way.KEYS for one, other in pairwise(found))


def test_the_record_names_one_method_alone_and_of_several_how_many_characters_went_by_each() -> None:
    tally = Tally()
    assert str(tally) == ""
    tally[Method.LENT] += 20
    assert str(tally) == "temporary mapping"
    tally[Method.MAPPED] += 980
    assert str(tally) == "mapped keys 980, temporary mapping 20"
    assert Tally.of((980, 20, 0, 0)) == tally


@given(st.text())
def test_an_input_method_gets_all_but_the_keys_of_lines_and_cells(text: str) -> None:
    found = commits_of(text)
    assert "".join(run.text for run in found) == text
    for run in found:
        assert all((character in "\n\t") is (run.way is Way.KEYS) for character in run.text)
    assert all(before.way is not after.way for before, after in pairwise(found))
