"""Assesses actions other than pointer and keyboard input.

These are launching, browsing, reading the clipboard, shell commands, file edits and the operator's own functions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TypeAlias, assert_never

from operator_console.domain.actions import (
    Back,
    CallFunction,
    EditFile,
    Forward,
    Launch,
    Navigate,
    OpenBrowser,
    QuoteClipboard,
    RunCommand,
    Search,
)
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy.applications import is_security_tool, is_system_tool, is_terminal, names_this_console
from operator_console.policy.commands import command_findings, submission_findings
from operator_console.policy.rules import Finding, PolicyContext, categorised, noteworthy, ordinary
from operator_console.policy.shared_rules import intent_findings
from operator_console.policy.web_addresses import url_findings

Effect: TypeAlias = (
    OpenBrowser | Navigate | Back | Forward | Search | Launch | QuoteClipboard | RunCommand | EditFile | CallFunction
)


def effect_findings(action: Effect, context: PolicyContext) -> tuple[Finding, ...]:
    """All findings for the action."""
    return (*intent_findings(context), *_action_findings(action, context))


def _action_findings(action: Effect, context: PolicyContext) -> Iterator[Finding]:
    match action:
        case Back() | Forward():
            yield ordinary("page-history")
        case OpenBrowser():
            yield noteworthy("launches")
        case Search(query=query):
            yield noteworthy("searches-web")
            if not re.search(r"\s", query.strip()):
                yield from (finding for finding in url_findings(query, context.url) if finding.category)
        case Navigate(url=url):
            yield from url_findings(url, context.url)
        case Launch(app=app, url=url):
            yield noteworthy("launches")
            yield from url_findings(url, context.url) if url else _launch_findings(app)
        case QuoteClipboard():
            yield noteworthy("clipboard")
        case RunCommand(command=command):
            yield from submission_findings(command)
        case EditFile():
            yield from _edit_findings(action)
        case CallFunction(name=name):
            yield Finding(risk=RiskClass.C3, rule="own-function", values=(name,))
        case _:
            assert_never(action)


def _launch_findings(app: str) -> Iterator[Finding]:
    if names_this_console(app):
        yield categorised(Category.SECURITY, "names-this-console")
    if is_security_tool(app, ""):
        yield categorised(Category.SECURITY, "security-tool")
    if is_system_tool(app, ""):
        yield categorised(Category.SYSTEM, "system-settings")
    if re.search(r"[\s;&|]", app.strip()) and not is_terminal(app, ""):
        yield from command_findings(app)


def _edit_findings(action: EditFile) -> Iterator[Finding]:
    if names_this_console(action.path):
        yield categorised(Category.SECURITY, "names-this-console")
    yield from (f for f in command_findings(action.path) if f.rule == "command-touches-keys")
    if action.command == "view":
        yield ordinary("reads-file")
        return
    yield noteworthy("overwrites")
    if action.path.startswith(("/etc", "/usr", "/boot", "/bin", "/sbin", "/lib", "/var", "/opt")):
        yield categorised(Category.SYSTEM, "system-file")
