"""Classes typed text by where it goes and what it holds. Pure; called by assess."""

from __future__ import annotations

import re
from collections.abc import Iterator

from operator_console.domain.actions import TypeText
from operator_console.policy.commands import command_findings, submission_findings
from operator_console.policy.context import PolicyContext
from operator_console.policy.effects import url_findings
from operator_console.policy.findings import Finding, grave, noteworthy, ordinary
from operator_console.policy.personal import personal_data
from operator_console.policy.places import is_browser, is_code_editor, is_terminal
from operator_console.policy.surroundings import enter_findings, intent_findings, is_question, place_findings
from operator_console.policy.words import tables


def typed_findings(action: TypeText, context: PolicyContext) -> tuple[Finding, ...]:
    """Everything the rules find about text that is typed."""
    found = [*place_findings(context), *intent_findings(context), *_content(action.text, context)]
    submits = action.submit or "\n" in action.text or "\r" in action.text
    if is_terminal(context.app, context.title):
        found += _into_terminal(action, context, submits=submits)
    else:
        found += _elsewhere(action, context, submits=submits)
    found.append(ordinary("ordinary-typing", "Ordinary typing."))
    return tuple(found)


def _elsewhere(action: TypeText, context: PolicyContext, *, submits: bool) -> Iterator[Finding]:
    if submits or action.text == " " or (len(action.text) == 1 and is_question(context)):
        yield from enter_findings(context)
    if not submits:
        return
    whole = ("" if action.clear else context.typed) + action.text
    if is_browser(context.app) and not re.search(r"\s", whole.strip()):
        # The address bar; a word in a search field has no scheme and names no program.
        yield from (finding for finding in url_findings(whole, context.url) if finding.category)
    if is_code_editor(context.app):
        yield noteworthy("editor-may-run-it", "An editor may hold a terminal; a submitted line may run.")
        if action.submit:
            yield from command_findings(whole)


def _into_terminal(action: TypeText, context: PolicyContext, *, submits: bool) -> Iterator[Finding]:
    before = "" if action.clear else context.typed
    if submits:
        yield from submission_findings(before + action.text)
        return
    yield noteworthy("text-into-terminal", "Text is put into a terminal.")
    # Waiting for Enter would be too late for what is always asked: another program may press it.
    yield from (f for f in command_findings(before + action.text) if f.rule == "names-this-console")


def _content(text: str, context: PolicyContext) -> Iterator[Finding]:
    for category, what in personal_data(text):
        yield grave(category, f"{category.value}-by-content", f"The text holds what looks like {what}.")
    if not text.strip():
        return
    field = context.label or next(iter(context.nearby), "")
    for category, words in tables().in_field(field):
        yield grave(category, f"{category.value}-by-field", f"The field is “{words}”.")
