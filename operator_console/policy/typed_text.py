"""Assesses typed text by its content and by the window and field that receive it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from operator_console.domain.actions import TypeText
from operator_console.policy.applications import is_browser, is_code_editor, is_terminal
from operator_console.policy.commands import command_findings, submission_findings
from operator_console.policy.personal_data import personal_data
from operator_console.policy.rules import Finding, PolicyContext, categorised, noteworthy, ordinary
from operator_console.policy.shared_rules import enter_findings, intent_findings, is_question, window_findings
from operator_console.policy.web_addresses import url_findings
from operator_console.policy.word_tables import tables


def typed_findings(action: TypeText, context: PolicyContext) -> tuple[Finding, ...]:
    """All findings for typed text."""
    found = [*window_findings(context), *intent_findings(context), *_content_findings(action.text, context)]
    submits = action.submit or "\n" in action.text or "\r" in action.text
    if is_terminal(context.app, context.title):
        found += _terminal_findings(action, context, submits=submits)
    else:
        found += _other_findings(action, context, submits=submits)
    found.append(ordinary("ordinary-typing"))
    return tuple(found)


def _other_findings(action: TypeText, context: PolicyContext, *, submits: bool) -> Iterator[Finding]:
    if submits or action.text == " " or (len(action.text) == 1 and is_question(context)):
        yield from enter_findings(context)
    if not submits:
        return
    whole = ("" if action.clear else context.typed) + action.text
    if is_browser(context.app) and not re.search(r"\s", whole.strip()):
        # It may be the address bar. A word in a search field has no scheme and no program file extension.
        yield from (finding for finding in url_findings(whole, context.url) if finding.category)
    if is_code_editor(context.app):
        yield noteworthy("editor-may-run-it")
        if action.submit:
            yield from command_findings(whole)


def _terminal_findings(action: TypeText, context: PolicyContext, *, submits: bool) -> Iterator[Finding]:
    before = "" if action.clear else context.typed
    if submits:
        yield from submission_findings(before + action.text)
        return
    yield noteworthy("text-into-terminal")
    # Checked before Enter is pressed: another program could press it.
    yield from (f for f in command_findings(before + action.text) if f.rule == "names-this-console")


def _content_findings(text: str, context: PolicyContext) -> Iterator[Finding]:
    for category, what in personal_data(text):
        yield categorised(category, f"{category.value}-by-content", what)
    if not text.strip():
        return
    field = context.label or next(iter(context.nearby), "")
    for category, words in tables().in_field(field):
        yield categorised(category, f"{category.value}-by-field", words)
