"""Assessments of the labelled examples."""

from __future__ import annotations

import collections

import pytest

from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import assess
from tests.policy.examples import EXAMPLES, Example


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_the_risk_class_and_categories_of_an_example(example: Example) -> None:
    found = assess(example.action, example.context)
    assert found.risk is example.risk, found
    assert set(found.categories) >= example.categories, found
    assert found.rule
    assert found.reasons
    if example.risk is RiskClass.C3:
        assert found.categories or found.rule == "own-function"
    if example.risk < RiskClass.C3:
        assert not found.categories


def test_every_category_has_examples() -> None:
    counted = collections.Counter(category for example in EXAMPLES for category in example.categories)
    assert set(counted) == set(Category)
    assert len(EXAMPLES) >= 300


def test_the_same_action_and_context_give_the_same_assessment() -> None:
    for example in EXAMPLES:
        assert assess(example.action, example.context) == assess(example.action, example.context)
