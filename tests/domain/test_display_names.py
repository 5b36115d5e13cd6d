"""One spelling for each display, and file names that lead to it and nowhere else."""

from __future__ import annotations

import pytest

from operator_console.domain.display_names import display_key, display_of, normal_display


@pytest.mark.parametrize(
    ("given", "normal"), [(":9.0", ":9"), ("unix:9", ":9"), ("host:10.1", "host:10"), (":0", ":0")]
)
def test_a_display_has_one_spelling(given: str, normal: str) -> None:
    assert normal_display(given) == normal
    assert display_of(display_key(given)) == normal
    assert "/" not in display_key("../../etc:1")
