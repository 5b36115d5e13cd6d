"""Assesses actions other than pointer and keyboard input.

These are launching, browsing, reading the clipboard, shell commands, file edits and the operator's own functions.
"""

from __future__ import annotations

import posixpath
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
from operator_console.domain.tools import ToolSpec
from operator_console.policy.applications import is_security_tool, is_system_tool, is_terminal, names_this_console
from operator_console.policy.carried_data import carried_findings
from operator_console.policy.commands import command_findings, submission_findings
from operator_console.policy.file_paths import file_content_findings, path_findings, script_content_findings
from operator_console.policy.findings import (
    Finding,
    PolicyContext,
    categorised,
    intent_findings,
    not_known,
    noteworthy,
    ordinary,
)
from operator_console.policy.input_places import A_DIALOG, is_file_chooser
from operator_console.policy.links import opened_address_findings
from operator_console.policy.text_content import secret_or_personal
from operator_console.policy.web_addresses import as_received, url_findings
from operator_console.policy.word_tables import tables

# Programs that end the session or the machine, or another application.
_CHANGES_SESSION = re.compile(
    r"poweroff|reboot|halt|shutdown|init|telinit|suspend|hibernate|systemctl|loginctl|xkill|kill|pkill|killall|logout|"
    r".*[-_](?:session[-_]logout|logout|session[-_]quit|session[-_]save|leave|shutdown|powermenu)|wlogout|oblogout|"
    r"lxsession-logout|gnome-session-quit|qdbus|dm-tool|i3-msg|swaymsg|xscreensaver-command|slock|i3lock|light-locker-command"
)
_INTERPRETERS = re.compile(
    r"(?:ba|z|da|fi|k|c|tc)?sh|pwsh|powershell|cmd|env|python[\d.]*|perl|ruby|node|deno|bun|php|lua[\d.]*|awk|gawk|xargs|"
    r"nohup|setsid|sudo|pkexec|doas|su|busybox|gjs|osascript|wscript|cscript|time|nice|stdbuf|timeout|xterm|at|systemd-run"
)

Effect: TypeAlias = (
    OpenBrowser | Navigate | Back | Forward | Search | Launch | QuoteClipboard | RunCommand | EditFile | CallFunction
)


def effect_findings(action: Effect, context: PolicyContext) -> tuple[Finding, ...]:
    """All findings for the action."""
    return (*intent_findings(context), *_action_findings(action, context), *_dialog_findings(action, context))


def _dialog_findings(action: Effect, context: PolicyContext) -> Iterator[Finding]:
    """A dialog of the browser itself gets the keys that were meant for its address bar, and Enter answers it."""
    dialog = context.control.dialog
    outside = dialog is not None and (not context.control.url or dialog.title == context.control.window)
    if isinstance(action, Navigate | Search) and (outside or is_file_chooser(context)):
        yield not_known(context, "unknown-focus", A_DIALOG)


def _action_findings(action: Effect, context: PolicyContext) -> Iterator[Finding]:
    match action:
        case Back() | Forward():
            yield ordinary("page-history")
        case OpenBrowser():
            yield noteworthy("launches")
        case Search(query=query):
            yield from _search_findings(query, context)
        case Navigate(url=url):
            yield from _address_findings(url, context)
        case Launch(app=app, url=url):
            yield noteworthy("launches")
            yield from _address_findings(url, context) if url.strip() else _launch_findings(app)
        case QuoteClipboard():
            yield noteworthy("clipboard")
        case RunCommand(restart=True):
            yield ordinary("restarts-shell")
        case RunCommand(command=command):
            yield from submission_findings(command)
            yield from secret_or_personal(command)
        case EditFile():
            yield from _edit_findings(action, context)
        case CallFunction(name=name, arguments_json=arguments):
            yield _call_finding(name, context.function)
            yield from secret_or_personal(arguments)
        case _:
            assert_never(action)


def _search_findings(query: str, context: PolicyContext) -> Iterator[Finding]:
    yield noteworthy("searches-web")
    for text in dict.fromkeys((query, as_received(query))):  # it may be an address
        yield from secret_or_personal(text)
    if not re.search(r"\s", query.strip().partition(":")[0]):
        yield from (finding for finding in url_findings(query, context.url) if finding.category)
    if "." in query or ":" in query:  # perhaps an address
        yield from carried_findings(query, context.met)


def _call_finding(name: str, function: ToolSpec | None) -> Finding:
    """C3 without a category, which no setting allows, but for single tools of MCP servers that the operator named.

    What a server says about its tools (read-only, idempotent) is not considered: it is a claim of another party.
    """
    if function is None or not function.server:
        return Finding(risk=RiskClass.C3, rule="own-function", values=(name,))
    if function.unasked:
        return noteworthy("mcp-tool-unasked", function.tool, function.server)
    return Finding(risk=RiskClass.C3, rule="mcp-tool", values=(function.tool, function.server))


def _address_findings(url: str, context: PolicyContext) -> Iterator[Finding]:
    yield from url_findings(url, context.url)
    yield from opened_address_findings(url)
    yield from carried_findings(url, context.met)
    # As written, and as the page receives it.
    for text in dict.fromkeys((url, as_received(url))):
        yield from secret_or_personal(text)
    if url.strip()[:5].lower() == "file:":
        yield from (found for found in path_findings(url, context.own_folders) if found.category is Category.SECURITY)


def _launch_findings(app: str) -> Iterator[Finding]:
    name = app.strip()
    if names_this_console(name):
        yield categorised(Category.SECURITY, "names-this-console")
    if is_security_tool(name, ""):
        yield categorised(Category.SECURITY, "security-tool")
    if is_system_tool(name, ""):
        yield categorised(Category.SYSTEM, "system-settings")
    program = posixpath.basename(re.split(r"\s", name, maxsplit=1)[0]).casefold()
    if _CHANGES_SESSION.fullmatch(program) or Category.SYSTEM in dict(tables().as_order(name)):
        yield categorised(Category.SYSTEM, "launches-session-program", name)
    if re.search(r"[\s;&|]", name):
        if _INTERPRETERS.fullmatch(program):
            yield from submission_findings(name)
        elif not is_terminal(name, ""):
            yield from command_findings(name)
    if name.startswith(("/", "~", ".", "$")):
        yield from path_findings(name)
    yield from secret_or_personal(name)


def _edit_findings(action: EditFile, context: PolicyContext) -> Iterator[Finding]:
    yield from path_findings(action.path, context.own_folders)
    if action.command == "view":
        yield ordinary("reads-file")
        return
    # As a command line that does the same.
    yield categorised(Category.TERMINAL, "edits-file", action.path)
    for text in action.arguments.values():
        yield from file_content_findings(text)
        yield from script_content_findings(text)
        yield from secret_or_personal(text)
