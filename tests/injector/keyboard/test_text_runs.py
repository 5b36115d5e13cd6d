"""How a text is split into runs, and which route each run takes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.injector.keyboard.text_runs import Route, Run, commit_runs, paste_runs

HAN = "".join(chr(0x4E00 + i) for i in range(100))
ROOM = 50


def in_layout(character: str) -> bool:
    return character <= "\x7f"


def assignable(characters: set[str]) -> bool:
    return len(characters) <= ROOM


def runs(text: str) -> list[Run]:
    return paste_runs(text, in_layout=in_layout, assignable=assignable)


def keys(text: str) -> Run:
    return Run(text=text, route=Route.KEYS)


def pasted(text: str) -> Run:
    return Run(text=text, route=Route.PASTE)


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
    assert not any(run.route is Route.PASTE and {"\n", "\t"} & set(run.text) for run in found)
    assert all(run.text for run in found)
    assert not any(one.route is other.route is Route.KEYS for one, other in pairwise(found))


@given(st.text())
def test_an_input_method_gets_all_but_the_keys_of_lines_and_cells(text: str) -> None:
    found = commit_runs(text)
    assert "".join(run.text for run in found) == text
    for run in found:
        assert all((character in "\n\t") is (run.route is Route.KEYS) for character in run.text)
    assert all(before.route is not after.route for before, after in pairwise(found))
