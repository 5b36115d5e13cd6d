"""Every rule has a sentence, and sentences show what the rule quotes."""

from __future__ import annotations

import ast
import re

import pytest

from operator_console.domain.actions import TypeText
from operator_console.domain.category_names import category_name
from operator_console.domain.decisions import Assessment, RuleFinding
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy import PolicyContext, assess
from operator_console.policy.reasons import EFFECT_OUT_OF_SCOPE, LONGEST_VALUE, reason
from tests.architecture.source import modules, tree_of
from tests.policy.examples import EXAMPLES

_RULE = re.compile(r"[a-z]+(-[a-z]+)+")


def _rules() -> set[str]:
    """The first text among the arguments of each call that makes a finding."""
    makers = {"ordinary", "noteworthy", "categorised", "Finding"}
    found: set[str] = set()
    for module in modules("policy"):
        for node in ast.walk(tree_of(module)):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in makers:
                texts = [*node.args, *(word.value for word in node.keywords if word.arg == "rule")]
                found |= {
                    text.value for text in texts if isinstance(text, ast.Constant) and isinstance(text.value, str)
                }
    return found


@pytest.mark.parametrize("rule", sorted(rule for rule in _rules() if _RULE.fullmatch(rule)))
def test_every_rule_has_a_sentence(rule: str) -> None:
    assert reason(rule, ("this", "that")).endswith((".", "?", "this", "that"))


@pytest.mark.parametrize("category", Category)
def test_an_effect_out_of_scope_is_named_as_it_is_in_the_scope(category: Category) -> None:
    named = f"“{category_name(category)}” is not among the kinds of effect of this session."
    assert reason(EFFECT_OUT_OF_SCOPE, (category.value,)) == named


def test_reasons_are_the_sentences_of_the_findings() -> None:
    for example in EXAMPLES:
        found = assess(example.action, example.context)
        assert found.findings[0].rule == found.rule
        assert found.findings[0].risk is found.risk
        more = [each for each in found.findings if not each.rule.startswith("ordinary-")]
        sentences = [reason(each.rule, each.values) for each in more or found.findings]
        assert tuple(dict.fromkeys(sentences)) == found.reasons


def test_a_finding_holds_what_the_rule_quotes_and_no_wording() -> None:
    found = assess(TypeText(text="rm -rf build", submit=True), PolicyContext(app="xterm"))
    assert found.findings[0] == RuleFinding(
        risk=RiskClass.C3, rule="terminal-command", category=Category.TERMINAL, values=("rm -rf build",)
    )


def test_an_assessment_without_findings_is_that_of_an_older_record() -> None:
    assert Assessment(risk=RiskClass.C1).findings == ()


def test_braces_and_long_values_are_shown_as_text() -> None:
    assert "{x} {0}" in reason("terminal-command", ("{x} {0}",))
    command = "echo " + "a" * LONGEST_VALUE
    assert reason("terminal-command", (command,)).endswith("(5 more characters)")
