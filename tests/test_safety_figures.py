"""The table of safety figures in help is the one that the command prints."""

from __future__ import annotations

import subprocess
from typing import Any

import pytest

from tests import safety_figures
from tests.benchmarks.figures import Row


def test_help_has_the_table_of_the_command() -> None:
    page = safety_figures.PAGE.read_text(encoding="utf-8")
    assert safety_figures.written(page) == page, f"run {safety_figures.COMMAND} --write"


def test_what_is_computed_each_time_meets_its_bar() -> None:
    missed = [row.what for row in (safety_figures.words(), *safety_figures.examples()) if not row.met]
    assert missed == []


def test_a_page_without_the_table_is_refused() -> None:
    with pytest.raises(ValueError, match="0 tables"):
        safety_figures.written("# Safety\n")


def test_what_was_recorded_is_measured_by_name_and_dated() -> None:
    kept = safety_figures.recorded()
    assert set(kept) <= {each.name for each in safety_figures.MEASURED}
    assert all(record["on"] and record["where"] for record in kept.values())


@pytest.mark.parametrize("code", [0, 1, 5])
def test_a_figure_of_a_test_is_met_where_its_long_version_passes(monkeypatch: pytest.MonkeyPatch, code: int) -> None:
    ran: list[list[str]] = []

    def run(words: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        ran.append(words)
        return subprocess.CompletedProcess(words, code)

    monkeypatch.setattr(subprocess, "run", run)
    held = Row(what="tries", n=9, seen="0", bar="0", met=True)
    (found,) = safety_figures.of_test("tests/some.py -k name", held)
    assert (found.seen, found.met) == (("0", True) if code == 0 else ("the test fails", False))
    assert (found.what, found.n, found.bar) == ("tries", 9, "0")
    assert "--full" in ran[0]
    assert ran[0][-3:] == ["tests/some.py", "-k", "name"]


def test_the_strength_of_the_weakest_module_counts() -> None:
    said = """Of 2 modules; minutes.

module                                              branches  changes  noticed  equivalent    score
operator_console/guard/latch.py                       97.0 %      120      100          10   90.9 %
operator_console/domain/consent.py                   100.0 %       20       17           0   85.0 %
"""
    covered, mutation = safety_figures.strength_rows(said)
    assert (covered.n, covered.seen, covered.met) == (2, "97.0 %", True)
    assert (mutation.seen, mutation.met) == ("85.0 %", False)
    with pytest.raises(ValueError, match="minutes"):
        safety_figures.strength_rows("Of 2 modules; minutes.")
