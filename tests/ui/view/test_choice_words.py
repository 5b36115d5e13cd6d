"""What sets choices apart comes first."""

from __future__ import annotations

import pytest

from operator_console.ui.view.choice_words import told_apart


@pytest.mark.parametrize(
    ("labels", "own", "common"),
    [
        (("Save (top)", "Save (bottom)"), ["(top)", "(bottom)"], "Save"),
        (
            ("button “Open file” near “A”, at 1, 2", "button “Open file” near “B”, at 3, 4"),
            ["near “A”, at 1, 2", "near “B”, at 3, 4"], "button “Open file”",
        ),
        (("link “Open file”", "link “Open folder”"), ["“Open file”", "“Open folder”"], "link"),
        (("“Open file”, at 1, 2", "“Open file”, at 3, 4"), ["at 1, 2", "at 3, 4"], "“Open file”"),
        (("a", "b"), ["a", "b"], ""),
        (("the same", "the same"), ["the same", "the same"], ""),
        (("Name", "Name, again"), ["Name", "Name, again"], ""),
        (("only one",), ["only one"], ""),
        ((), [], ""),
    ],
)  # fmt: skip
def test_they_are_told_apart(labels: tuple[str, ...], own: list[str], common: str) -> None:
    words = told_apart(labels)
    assert [each.own for each in words] == own
    assert all(each.common == common for each in words)
