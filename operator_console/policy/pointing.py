"""Assesses clicks, presses and drags by the text at their target."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from operator_console.domain.actions import Button, Click, Drag, Press, Release
from operator_console.domain.risk import Category
from operator_console.policy.applications import is_file_manager, is_terminal, names_this_console
from operator_console.policy.rules import Finding, PolicyContext, categorised, noteworthy, ordinary
from operator_console.policy.shared_rules import (
    confirm_findings,
    intent_findings,
    submit_findings,
    unread_finding,
    window_findings,
)
from operator_console.policy.word_tables import tables

Pressing: TypeAlias = Click | Press | Release | Drag

# Characters. A longer text is a paragraph rather than a control; it is searched only for consent, because the check
# boxes of consent forms are labelled with whole sentences.
PARAGRAPH = 90


def pointing_findings(action: Pressing, context: PolicyContext) -> tuple[Finding, ...]:
    """All findings for a button pressed at the target, or for the release that completes a click."""
    found = [*window_findings(context), *intent_findings(context)]
    if isinstance(action, Drag):
        found += _drag_findings(context)
    elif action.button is Button.RIGHT:
        found.append(ordinary("opens-menu"))
    else:
        found += _press_findings(action, context)
    unknown = not context.label and action.button is not Button.RIGHT and not isinstance(action, Release)
    if unknown and not any(finding.category for finding in found):
        found.append(unread_finding())
    found.append(ordinary("ordinary-pointing"))
    return tuple(found)


def _press_findings(action: Click | Press | Release, context: PolicyContext) -> Iterator[Finding]:
    if action.button is Button.MIDDLE and is_terminal(context.app, context.title):
        yield categorised(Category.TERMINAL, "pastes-into-terminal")
    elif action.button is Button.MIDDLE:
        yield noteworthy("middle-click")
    if names_this_console(context.label):
        yield categorised(Category.SECURITY, "names-this-console")
    if tables().is_exactly("safe", context.label):
        return
    yield from label_findings(context)
    if isinstance(action, Click) and action.count > 1 and is_file_manager(context.app):
        yield noteworthy("opens-file")


def label_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for the text of the target itself."""
    label = context.label
    paragraph = len(label) > PARAGRAPH
    for category, words in tables().in_label(label):
        if not paragraph or category is Category.LEGAL:
            yield categorised(category, f"{category.value}-by-label", words)
    if paragraph:
        return
    if tables().is_exactly("confirm", label):
        yield from confirm_findings(context)
    if tables().is_exactly("confirm", label) or tables().has("submit", label):
        yield from submit_findings(context)
    if tables().has("closing", label):
        yield noteworthy("closes")
    if tables().has("overwriting", label):
        yield noteworthy("overwrites")


def _drag_findings(context: PolicyContext) -> Iterator[Finding]:
    for category, words in tables().in_label(" \n ".join((context.label, *context.nearby))):
        yield categorised(category, f"{category.value}-by-drag", words)
    if any(tables().is_exactly("trash", text) for text in (context.label, *context.nearby)):
        yield categorised(Category.DELETE, "drops-on-trash")
    if is_file_manager(context.app):
        yield noteworthy("moves-files")
