"""Rules that several sorts of action share: the console's own window, system and security tools, the model's intent,
what pressing Enter or a plain OK stands for. Pure; called by pointing, typed and chords."""

from __future__ import annotations

from collections.abc import Iterator

from operator_console.domain.risk import Category
from operator_console.policy.context import PolicyContext
from operator_console.policy.findings import Finding, grave, noteworthy
from operator_console.policy.places import (
    is_dialog_title,
    is_messenger,
    is_security_tool,
    is_system_tool,
    names_this_console,
)
from operator_console.policy.words import tables


def place_findings(context: PolicyContext) -> Iterator[Finding]:
    """What the place alone makes of any click, key or text."""
    if context.own_window or names_this_console(context.app):
        yield grave(Category.SECURITY, "own-window", "It would act on the console itself.")
    if is_security_tool(context.app, context.title):
        yield grave(Category.SECURITY, "security-tool", "This window guards keys, passwords or permissions.")
    elif is_system_tool(context.app, context.title):
        yield grave(Category.SYSTEM, "system-settings", "This window changes settings of the system.")


def intent_findings(context: PolicyContext) -> Iterator[Finding]:
    """What the model itself says it is about to do; this can only add."""
    for category, words in tables().in_words(context.intent):
        yield grave(category, f"{category.value}-by-intent", f"The model's intent says “{words}”.")


def confirming_findings(context: PolicyContext) -> Iterator[Finding]:
    """What a plain OK, Yes, Submit or Enter stands for, told by the question around it."""
    asked = [context.title] if is_dialog_title(context.title, context.app) else []
    for category, words in tables().in_words(" \n ".join((*asked, *context.nearby))):
        yield grave(category, f"{category.value}-by-question", f"It would confirm “{words}”.")


def submitting_findings(context: PolicyContext) -> Iterator[Finding]:
    """The Submit rule: `send` or `post` where target, title or intent names a recipient or a publication."""
    said = " \n ".join((context.label, context.title, context.intent))
    if tables().has("publication", said):
        yield grave(Category.POST, "submit-publishes", "What is submitted here is published.")
    elif tables().has("recipient", said) or is_messenger(context.app, context.title):
        yield grave(Category.SEND, "submit-sends", "What is submitted here goes to a recipient.")


def enter_findings(context: PolicyContext) -> Iterator[Finding]:
    """What Enter does outside a terminal."""
    yield from submitting_findings(context)
    if is_dialog_title(context.title, context.app):
        for category, words in tables().in_words(context.title):
            yield grave(category, f"{category.value}-by-title", f"Enter answers “{words}” in this window.")
    for category, words in tables().in_field(context.label):
        if category is Category.CREDENTIALS:
            yield grave(Category.LOGIN, "login-by-enter", f"Enter in “{words}” signs in.")
    for category, words in tables().in_label(context.label):
        yield grave(category, f"{category.value}-by-label", f"The control with the focus says “{words}”.")


def is_question(context: PolicyContext) -> bool:
    """A window that asks something: one letter may answer it."""
    return context.title.rstrip().endswith(("?", "？"))


def unread_finding() -> Finding:
    """A click on something whose text is not known."""
    return noteworthy("unread-target", "What it says at the target could not be read.")
