"""Rules that apply to several kinds of action.

They cover the console's own windows, system and security tools, the model's stated intent, and what Enter or a
plain OK would confirm or submit.
"""

from __future__ import annotations

from collections.abc import Iterator

from operator_console.domain.risk import Category
from operator_console.policy.applications import (
    is_dialog_title,
    is_messenger,
    is_security_tool,
    is_system_tool,
    names_this_console,
)
from operator_console.policy.rules import Finding, PolicyContext, categorised, noteworthy
from operator_console.policy.word_tables import tables


def window_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings that follow from the target window alone, whatever the input."""
    if names_this_console(context.app):
        yield categorised(Category.SECURITY, "own-window")
    if is_security_tool(context.app, context.title):
        yield categorised(Category.SECURITY, "security-tool")
    elif is_system_tool(context.app, context.title):
        yield categorised(Category.SYSTEM, "system-settings")


def intent_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for the model's stated intent. They can raise the risk class, never lower it."""
    for category, words in tables().in_text(context.intent):
        yield categorised(category, f"{category.value}-by-intent", words)


def confirm_findings(context: PolicyContext) -> Iterator[Finding]:
    """What a plain OK, Yes or Submit confirms, according to the title and the texts nearby."""
    asked = [context.title] if is_dialog_title(context.title, context.app) else []
    for category, words in tables().in_text(" \n ".join((*asked, *context.nearby))):
        yield categorised(category, f"{category.value}-by-question", words)


def submit_findings(context: PolicyContext) -> Iterator[Finding]:
    """`send` or `post` if the target, the title or the intent names a recipient or a publication."""
    said = " \n ".join((context.label, context.title, context.intent))
    if tables().has("publication", said):
        yield categorised(Category.POST, "submit-publishes")
    elif tables().has("recipient", said) or is_messenger(context.app, context.title):
        yield categorised(Category.SEND, "submit-sends")


def enter_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for Enter outside a terminal."""
    yield from submit_findings(context)
    if is_dialog_title(context.title, context.app):
        for category, words in tables().in_text(context.title):
            yield categorised(category, f"{category.value}-by-title", words)
    for category, words in tables().in_field(context.label):
        if category is Category.CREDENTIALS:
            yield categorised(Category.LOGIN, "login-by-enter", words)
    for category, words in tables().in_label(context.label):
        yield categorised(category, f"{category.value}-by-label", words)


def is_question(context: PolicyContext) -> bool:
    """Whether the window asks a question, which a single letter can answer."""
    return context.title.rstrip().endswith(("?", "？"))


def unread_finding() -> Finding:
    """The finding for a click where no text was read."""
    return noteworthy("unread-target")
