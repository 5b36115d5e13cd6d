"""Classes clicks, presses and drags by what is at their target. Pure; called by assess."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from operator_console.domain.actions import Button, Click, Drag, Press, Release
from operator_console.domain.risk import Category
from operator_console.policy.context import PolicyContext
from operator_console.policy.findings import Finding, grave, noteworthy, ordinary
from operator_console.policy.places import is_file_manager, is_terminal, names_this_console
from operator_console.policy.surroundings import (
    confirming_findings,
    intent_findings,
    place_findings,
    submitting_findings,
    unread_finding,
)
from operator_console.policy.words import tables

Pressing: TypeAlias = Click | Press | Release | Drag

# Longer than any control's text: a paragraph. Only consent is looked for in those (its check boxes carry sentences).
PARAGRAPH = 90


def pointing_findings(action: Pressing, context: PolicyContext) -> tuple[Finding, ...]:
    """Everything the rules find about a press of a button at a target, or about the release that completes one."""
    found = [*place_findings(context), *intent_findings(context)]
    if isinstance(action, Drag):
        found += _dragging(context)
    elif action.button is Button.RIGHT:
        found.append(ordinary("opens-menu", "A right click opens a menu."))
    else:
        found += _pressing(action, context)
    unknown = not context.label and action.button is not Button.RIGHT and not isinstance(action, Release)
    if unknown and not any(finding.category for finding in found):
        found.append(unread_finding())
    found.append(ordinary("ordinary-pointing", "An ordinary press of a button."))
    return tuple(found)


def _pressing(action: Click | Press | Release, context: PolicyContext) -> Iterator[Finding]:
    if action.button is Button.MIDDLE and is_terminal(context.app, context.title):
        yield grave(Category.TERMINAL, "pastes-into-terminal", "A middle click pastes; a pasted line end runs it.")
    elif action.button is Button.MIDDLE:
        yield noteworthy("middle-click", "A middle click may paste or open a new tab.")
    if names_this_console(context.label):
        yield grave(Category.SECURITY, "names-this-console", "The target names this console.")
    if tables().is_exactly("safe", context.label):
        return
    yield from label_findings(context)
    if isinstance(action, Click) and action.count > 1 and is_file_manager(context.app):
        yield noteworthy("opens-file", "A double click opens or starts a file.")


def label_findings(context: PolicyContext) -> Iterator[Finding]:
    """What the target's own text says."""
    label = context.label
    paragraph = len(label) > PARAGRAPH
    for category, words in tables().in_label(label):
        if not paragraph or category is Category.LEGAL:
            yield grave(category, f"{category.value}-by-label", f"The target says “{words}”.")
    if paragraph:
        return
    if tables().is_exactly("confirm", label):
        yield from confirming_findings(context)
    if tables().is_exactly("confirm", label) or tables().has("submit", label):
        yield from submitting_findings(context)
    if tables().has("closing", label):
        yield noteworthy("closes", "It closes something.")
    if tables().has("overwriting", label):
        yield noteworthy("overwrites", "It replaces something that is there.")


def _dragging(context: PolicyContext) -> Iterator[Finding]:
    for category, words in tables().in_label(" \n ".join((context.label, *context.nearby))):
        yield grave(category, f"{category.value}-by-drag", f"The drag touches “{words}”.")
    if is_file_manager(context.app):
        yield noteworthy("moves-files", "A drag in a file manager moves files.")
