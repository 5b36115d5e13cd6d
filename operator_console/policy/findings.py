"""One thing that a rule found, how several become an Assessment, and how long texts are searched. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from operator_console.domain.decisions import Assessment
from operator_console.domain.risk import Category, RiskClass


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """`rule` is a stable name ("deletes-by-label"), `reason` a sentence for the operator."""

    risk: RiskClass
    rule: str
    reason: str
    category: Category | None = None


def looks() -> Finding:
    """It sends nothing."""
    return Finding(risk=RiskClass.C0, rule="looks-only", reason="Looks only; nothing is sent.")


def ordinary(rule: str, reason: str) -> Finding:
    """C1."""
    return Finding(risk=RiskClass.C1, rule=rule, reason=reason)


def noteworthy(rule: str, reason: str) -> Finding:
    """C2: worth seeing."""
    return Finding(risk=RiskClass.C2, rule=rule, reason=reason)


def grave(category: Category, rule: str, reason: str) -> Finding:
    """C3 or C4, as the category has it."""
    return Finding(risk=category.risk, rule=rule, reason=reason, category=category)


WINDOW = 16_384
OVERLAP = 2_048
"""Characters. What a rule looks for in a text is shorter than the overlap."""


def windows(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of overlapping windows: a single search of a megabyte would hold the interpreter lock too long."""
    start = 0
    while True:
        end = min(len(text), start + WINDOW)
        yield start, end
        if end == len(text):
            return
        start = end - OVERLAP


def search(pattern: re.Pattern[str], text: str) -> bool:
    """Whether the pattern is found in any window."""
    return any(pattern.search(text, start, end) for start, end in windows(text))


def matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The pattern's matches; one that the end of a window may have cut off is left to the next window."""
    for start, end in windows(text):
        for match in pattern.finditer(text, start, end):
            if match.end() < end or end == len(text):
                yield match


def combine(findings: Iterable[Finding], *, label: str = "") -> Assessment:
    """The strongest finding gives class and rule; all give reasons; every category found stays named.

    Nothing found is no rule: C3 without a category, which is asked whatever the autonomy.
    """
    ordered = sorted(findings, key=lambda finding: -finding.risk)
    if not ordered:
        return Assessment(risk=RiskClass.C3, reasons=("No rule knows this action.",), rule="no-rule", label=label)
    return Assessment(
        risk=ordered[0].risk,
        categories=tuple(dict.fromkeys(f.category for f in ordered if f.category is not None)),
        reasons=tuple(dict.fromkeys(f.reason for f in ordered)),
        rule=ordered[0].rule,
        label=label,
    )
