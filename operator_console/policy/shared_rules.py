"""Rules that apply to several kinds of action: special windows, and the model's stated intent."""

from __future__ import annotations

from collections.abc import Iterator

from operator_console.domain.risk import Category
from operator_console.policy.applications import is_security_tool, is_system_tool, names_this_console
from operator_console.policy.rules import Finding, PolicyContext, categorised, named_by
from operator_console.policy.word_tables import tables


def window_findings(context: PolicyContext, *, acts: bool = True) -> Iterator[Finding]:
    """Findings that follow from the target window alone; `acts` is False for input that only looks around or declines
    there."""
    if names_this_console(context.app):
        yield categorised(Category.SECURITY, "own-window")
    if not acts:
        return
    if is_security_tool(context.app, context.title):
        yield categorised(Category.SECURITY, "security-tool")
    elif is_system_tool(context.app, context.title):
        yield categorised(Category.SYSTEM, "system-settings")


def intent_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for the model's stated intent. They can raise the risk class, never lower it."""
    return named_by("intent", tables().in_text(context.intent))
