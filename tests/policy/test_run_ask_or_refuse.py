"""Verdicts for every risk class and autonomy level."""

from __future__ import annotations

import itertools

import pytest

from operator_console.domain.actions import Click
from operator_console.domain.decisions import Assessment, Surface
from operator_console.domain.elements import Role
from operator_console.domain.geometry import NativePoint
from operator_console.domain.proposals import SafetySignal
from operator_console.domain.risk import ALWAYS_ASKED, Autonomy, Category, RiskClass
from operator_console.policy import VerdictKind, assess, verdict
from tests.policy.control_examples import control, on

CHECK = SafetySignal(source="x", decision="require_confirmation")
RUN, CARD, DIALOG, REFUSE = "run", "card", "dialog", "refuse"


def outcome(
    risk: RiskClass, autonomy: Autonomy, *, allow: tuple[Category, ...] = (), safety: SafetySignal | None = None,
    categories: tuple[Category, ...] = (), rule: str = "some-rule",
) -> str:  # fmt: skip
    found = verdict(Assessment(risk=risk, categories=categories, rule=rule), autonomy, allow, safety)
    assert found.rule
    assert (found.surface is None) is (found.kind is not VerdictKind.ASK)
    return found.surface.value if found.surface is not None else found.kind.value


@pytest.mark.parametrize(
    ("autonomy", "expected"),
    [
        (Autonomy.OBSERVE, (RUN, REFUSE, REFUSE, REFUSE, REFUSE)),
        (Autonomy.STEP, (RUN, CARD, CARD, DIALOG, DIALOG)),
        (Autonomy.GUARDED, (RUN, RUN, RUN, DIALOG, DIALOG)),
        (Autonomy.AUTO, (RUN, RUN, RUN, DIALOG, DIALOG)),
    ],
)
def test_each_risk_class_at_each_autonomy_level(autonomy: Autonomy, expected: tuple[str, ...]) -> None:
    assert tuple(outcome(risk, autonomy) for risk in RiskClass) == expected


@pytest.mark.parametrize("category", list(Category))
def test_the_allow_list_applies_only_in_auto_and_only_to_c3(category: Category) -> None:
    everything = tuple(Category)
    for autonomy in (Autonomy.STEP, Autonomy.GUARDED):
        assert outcome(category.risk, autonomy, allow=everything, categories=(category,)) == DIALOG
    expected = DIALOG if category in ALWAYS_ASKED else RUN
    assert outcome(category.risk, Autonomy.AUTO, allow=everything, categories=(category,)) == expected
    others = tuple(c for c in Category if c is not category)
    assert outcome(category.risk, Autonomy.AUTO, allow=others, categories=(category,)) == DIALOG


def test_auto_runs_what_words_take_for_a_category_that_is_allowed() -> None:
    """A key that lets somebody in is C4; the tables know the words for publishing only."""
    button = on(control(Role.BUTTON, "Add deploy key"), app="Chromium", title="Settings")
    found = assess(Click(at=NativePoint(1, 1)), button)
    assert verdict(found, Autonomy.AUTO, (Category.POST,), None).kind is VerdictKind.RUN
    assert verdict(found, Autonomy.AUTO, (), None).kind is VerdictKind.ASK


def test_every_category_of_an_action_must_be_allowed() -> None:
    both = (Category.TERMINAL, Category.DELETE)
    assert outcome(RiskClass.C3, Autonomy.AUTO, allow=(Category.TERMINAL,), categories=both) == DIALOG
    assert outcome(RiskClass.C3, Autonomy.AUTO, allow=both, categories=both) == RUN


def test_an_action_without_a_rule_is_asked_about() -> None:
    assert outcome(RiskClass.C3, Autonomy.AUTO, allow=tuple(Category)) == DIALOG
    assert outcome(RiskClass.C1, Autonomy.AUTO, rule="") == CARD
    assert outcome(RiskClass.C2, Autonomy.GUARDED, rule="") == CARD


@pytest.mark.parametrize(("risk", "autonomy"), list(itertools.product(RiskClass, Autonomy)))
def test_a_providers_check_always_asks_and_its_block_always_refuses(risk: RiskClass, autonomy: Autonomy) -> None:
    refused = autonomy is Autonomy.OBSERVE and risk > RiskClass.C0
    found = outcome(risk, autonomy, allow=tuple(Category), categories=(Category.SEND,), safety=CHECK)
    assert found == (REFUSE if refused else DIALOG)
    blocked = SafetySignal(source="x", decision="blocked", blocked=True)
    assert outcome(risk, autonomy, safety=blocked) == REFUSE


def test_c4_asks_in_the_dialog() -> None:
    assert verdict(Assessment(risk=RiskClass.C4, rule="r"), Autonomy.GUARDED, (), None).surface is Surface.DIALOG
