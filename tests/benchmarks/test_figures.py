"""The statistics and the table that the benchmarks share; that every name has its measure."""

from __future__ import annotations

import importlib

import pytest

from tests.benchmarks.__main__ import NAMES
from tests.benchmarks.figures import Row, Samples, in_turn, ratio_row, table


def test_percentiles_are_by_nearest_rank() -> None:
    hundred = Samples.of([float(n) for n in range(100, 0, -1)])
    assert (hundred.n, hundred.median, hundred.max) == (100, 50.5, 100)
    assert [hundred.at(share) for share in (0.01, 0.5, 0.95, 0.99, 1.0)] == [1, 50, 95, 99, 100]
    assert Samples.of([3.0]).at(0.99) == 3
    assert Samples.of([1.0, 2.0, 3.0]).at(0.99) == 3


def test_what_is_compared_takes_turns_and_the_first_changes() -> None:
    order: list[str] = []
    took = in_turn({"a": lambda: order.append("a"), "b": lambda: order.append("b")}, 3, warm=1)
    assert "".join(order) == "abbaabba"
    assert {name: samples.n for name, samples in took.items()} == {"a": 3, "b": 3}


def test_a_ratio_is_held_to_its_bar() -> None:
    ours, theirs = Samples.of([3.0, 3.0, 9.0]), Samples.of([1.0, 1.0, 1.0])
    assert ratio_row("x", ours, theirs, 3.0, beside="y").met is True
    assert ratio_row("x", ours, theirs, 2.9, beside="y").met is False
    assert ratio_row("x", ours, theirs, None, beside="y").met is None


def test_the_table_says_what_was_missed_and_why() -> None:
    rows = [
        Row(what="one", n=1000, seen="5 ms", bar="<= 4 ms", met=False, note="Because."),
        Row(what="two", n=1, seen=""),
    ]
    lines = table(rows).splitlines()
    assert lines[2] == "| one (1) | 1,000 | 5 ms |  |  | <= 4 ms | **no** |"
    assert lines[3] == "| two | 1 |  |  |  |  |  |"
    assert lines[-1] == "(1) Because."


@pytest.mark.parametrize("name", NAMES)
def test_every_name_has_its_measure(name: str) -> None:
    assert callable(importlib.import_module(f"tests.benchmarks.{name}").measure)
