"""How the record names the methods by which text was typed."""

from __future__ import annotations

from operator_console.injector.progress import Method, MethodCounts


def test_the_record_names_one_method_alone_and_of_several_how_many_characters_went_by_each() -> None:
    counts = MethodCounts()
    assert str(counts) == ""
    counts[Method.LENT] += 20
    assert str(counts) == "temporary mapping"
    counts[Method.MAPPED] += 980
    assert str(counts) == "mapped keys 980, temporary mapping 20"
    assert MethodCounts.of((980, 20, 0, 0)) == counts
