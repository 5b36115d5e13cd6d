"""Decides whether an assessed action runs, needs an answer (in the card or the dialog), or is refused.

Only this module applies the autonomy level and the operator's allow list. No matching rule means ask.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from operator_console.domain.decisions import Assessment, Surface
from operator_console.domain.proposals import SafetySignal
from operator_console.domain.risk import ALWAYS_ASKED, Autonomy, Category, RiskClass


class VerdictKind(StrEnum):
    """The three outcomes."""

    RUN = "run"
    ASK = "ask"
    REFUSE = "refuse"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The outcome and the rule that led to it. `surface` is set exactly if the kind is ASK, `permission` if it would be
    but for that permission."""

    kind: VerdictKind
    rule: str
    surface: Surface | None = None
    permission: str = ""


def verdict(
    assessment: Assessment, autonomy: Autonomy, allow: Collection[Category], safety: SafetySignal | None,
    permission: str = "",
) -> Verdict:  # fmt: skip
    """Apply the autonomy level, the allow list, the provider's safety check and a permission to an assessment.

    Args:
        assessment: the risk class, categories and rule of the action.
        autonomy: the autonomy level of the session.
        allow: C3 categories that run without a question in `auto`; C4 categories have no effect here.
        safety: result of the provider's own safety check, None if it raised nothing.
        permission: the id of the operator's permission that covers it (`permission_coverage.py`), "" for none. It
            answers neither a provider's check nor a question about C4.
    """
    found = _without_permission(assessment, autonomy, allow, safety)
    if found.kind is VerdictKind.ASK and permission and safety is None and assessment.risk < RiskClass.C4:
        return Verdict(kind=VerdictKind.RUN, rule="permitted", permission=permission)
    return found


def _without_permission(
    assessment: Assessment, autonomy: Autonomy, allow: Collection[Category], safety: SafetySignal | None
) -> Verdict:
    if safety is not None and safety.blocked:
        return Verdict(kind=VerdictKind.REFUSE, rule="provider-blocked")
    if autonomy is Autonomy.OBSERVE and assessment.risk > RiskClass.C0:
        return Verdict(kind=VerdictKind.REFUSE, rule="observing-only")
    if safety is not None:
        return _ask(Surface.DIALOG, "provider-check")
    if assessment.risk >= RiskClass.C3:
        if autonomy is Autonomy.AUTO and _allowed(assessment, allow):
            return Verdict(kind=VerdictKind.RUN, rule="allowed-" + "-".join(c.value for c in assessment.categories))
        return _ask(Surface.DIALOG, assessment.rule or "no-rule")
    if assessment.risk is RiskClass.C0:
        return Verdict(kind=VerdictKind.RUN, rule=assessment.rule or "looks-only")
    return _ordinary(assessment, autonomy)


def _ordinary(assessment: Assessment, autonomy: Autonomy) -> Verdict:
    match autonomy:
        case Autonomy.OBSERVE:
            return Verdict(kind=VerdictKind.REFUSE, rule="observing-only")
        case Autonomy.STEP:
            return _ask(Surface.CARD, "step-by-step")
        case Autonomy.GUARDED | Autonomy.AUTO:
            if not assessment.rule:
                return _ask(Surface.CARD, "no-rule")
            return Verdict(kind=VerdictKind.RUN, rule=assessment.rule)
        case Autonomy.HOLD:
            return _ask(Surface.CARD, "no-rule") if not assessment.rule else _run("hold-to-run")
        case _:
            assert_never(autonomy)


def _allowed(assessment: Assessment, allow: Collection[Category]) -> bool:
    if assessment.risk is not RiskClass.C3 or not assessment.categories:
        return False
    found = {finding.category for finding in assessment.findings if finding.risk is RiskClass.C3}
    # No permission covers what is of no category: a warning, a command line that is not known, something in a bank.
    return all(category in allow and category not in ALWAYS_ASKED for category in (*assessment.categories, *found))


def _run(rule: str) -> Verdict:
    return Verdict(kind=VerdictKind.RUN, rule=rule)


def _ask(surface: Surface, rule: str) -> Verdict:
    return Verdict(kind=VerdictKind.ASK, rule=rule, surface=surface)
