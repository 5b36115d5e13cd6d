"""For every action, role and kind of held key or button the table says which rule answers."""

from __future__ import annotations

import pytest

from operator_console.domain.actions import Action, Click, KeyDown, Press, Release, UseElement
from operator_console.domain.elements import Role
from operator_console.policy import assess
from tests.policy.which_rule_answers import EXAMPLES, TABLE, Held, kinds, place, section

_ROWS = {part.partition("\n")[0]: part for part in TABLE.read_text().split("== ")[1:]}


def test_every_kind_of_action_has_a_section() -> None:
    assert sorted(kinds()) == sorted(each.kind for each in EXAMPLES) == sorted(_ROWS)


@pytest.mark.parametrize("action", EXAMPLES, ids=lambda action: action.kind)
def test_the_rules_that_answer_are_those_of_the_table(action: Action) -> None:
    assert section(action).rstrip() == f"== {_ROWS[action.kind].rstrip()}"


@pytest.mark.parametrize("kind", [Click, Press, Release, UseElement, KeyDown])
def test_holding_something_never_lowers_a_class(kind: type) -> None:
    action = next(each for each in EXAMPLES if isinstance(each, kind))
    for role in Role:
        free = assess(action, place(role, Held.NOTHING)).risk
        assert all(assess(action, place(role, held)).risk >= free for held in Held if held is not Held.BUTTON), role
