"""Classes what is no plain input: launching, browsing, the clipboard, shell commands, file edits, own functions.

Pure; called by assess.
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
from operator_console.policy.commands import command_findings, submission_findings
from operator_console.policy.context import PolicyContext
from operator_console.policy.findings import Finding, grave, noteworthy, ordinary
from operator_console.policy.places import is_security_tool, is_system_tool, is_terminal, names_this_console
from operator_console.policy.surroundings import intent_findings

Effect: TypeAlias = (
    OpenBrowser | Navigate | Back | Forward | Search | Launch | QuoteClipboard | RunCommand | EditFile | CallFunction
)

_SCHEME = re.compile(r"^\s*([a-z][a-z0-9+.\-]*):", re.IGNORECASE)
_HOST = re.compile(r"^\s*(?:[a-z][a-z0-9+.\-]*:)?//([^/?#\\]*)", re.IGNORECASE)
_PROGRAM = re.compile(
    r"\.(exe|msi|dmg|pkg|deb|rpm|sh|bash|ps1|bat|cmd|appimage|jar|run|apk|vbs|scr|com)(?=$|[?#])", re.IGNORECASE
)
_WEB = frozenset(("http", "https", "about"))


def effect_findings(action: Effect, context: PolicyContext) -> tuple[Finding, ...]:
    """Everything the rules find about an effect."""
    return (*intent_findings(context), *_own(action, context))


def _own(action: Effect, context: PolicyContext) -> Iterator[Finding]:
    match action:
        case Back() | Forward():
            yield ordinary("page-history", "One page back or forward.")
        case OpenBrowser():
            yield noteworthy("launches", "Starts the browser.")
        case Search(query=query):
            yield noteworthy("new-site", "Opens a search.")
            if not re.search(r"\s", query.strip()):
                yield from (finding for finding in url_findings(query, context.url) if finding.category)
        case Navigate(url=url):
            yield from url_findings(url, context.url)
        case Launch(app=app, url=url):
            yield noteworthy("launches", "Starts an application.")
            yield from url_findings(url, context.url) if url else _starting(app)
        case QuoteClipboard():
            yield noteworthy("clipboard", "Reads the clipboard.")
        case RunCommand(command=command):
            yield from submission_findings(command)
        case EditFile():
            yield from _editing(action)
        case CallFunction(name=name):
            reason = f"Calls the operator's function {name}; what it does is not known here."
            yield Finding(risk=RiskClass.C3, rule="own-function", reason=reason)
        case _:
            assert_never(action)


def _starting(app: str) -> Iterator[Finding]:
    if names_this_console(app):
        yield grave(Category.SECURITY, "names-this-console", "It would start this console again.")
    if is_security_tool(app, ""):
        yield grave(Category.SECURITY, "security-tool", "It guards keys, passwords or permissions.")
    if is_system_tool(app, ""):
        yield grave(Category.SYSTEM, "system-settings", "It changes settings of the system.")
    if re.search(r"[\s;&|]", app.strip()) and not is_terminal(app, ""):
        yield from command_findings(app)


def url_findings(url: str, current: str) -> Iterator[Finding]:
    """A page to go to, against the page that is open."""
    scheme = _scheme(url)
    if scheme in ("javascript", "data", "vbscript", "blob"):
        yield grave(Category.SECURITY, "script-address", f"A {scheme}: address runs code in the page.")
    elif scheme == "file":
        yield noteworthy("local-file", "Opens a file of this machine.")
    elif scheme in ("mailto", "sms", "tel"):
        yield grave(Category.SEND, "message-address", f"A {scheme}: address starts a message.")
    elif scheme not in _WEB:
        yield grave(Category.DOWNLOAD_RUN, "foreign-address", f"A {scheme}: address may start another program.")
    if _PROGRAM.search(_after_host(url)):
        yield grave(Category.DOWNLOAD_RUN, "downloads-program", "The address is a program's.")
    host = site(url)
    if host and host == site(current):
        yield ordinary("same-site", "Another page of the same site.")
    else:
        yield noteworthy("new-site", f"Goes to {host or url.strip()[:80]}.")


def site(url: str) -> str:
    """The host a browser would go to: without user names and ports, lower case, no trailing dot; "" for none."""
    match = _HOST.match(url) or _HOST.match("//" + url.strip())
    if match is None or _scheme(url) not in _WEB:
        return ""
    host = match.group(1).rpartition("@")[2]
    return re.sub(r":\d*$", "", host).rstrip(".").casefold()


def _after_host(url: str) -> str:
    # A host may end like a program (example.com); only what comes after it names a file.
    return re.sub(r"^\s*(?:[a-z][a-z0-9+.\-]*:)?(?://)?[^/?#]*", "", url.strip(), count=1, flags=re.IGNORECASE)


def _scheme(url: str) -> str:
    match = _SCHEME.match(url)
    # "localhost:8000" and "example.org:80/x" are hosts with ports, not schemes.
    if match is None or re.match(r"^\s*[\w.\-]+:\d+(?:$|[/?#])", url):
        return "https"
    return match.group(1).casefold()


def _editing(action: EditFile) -> Iterator[Finding]:
    if names_this_console(action.path):
        yield grave(Category.SECURITY, "names-this-console", "The path is the console's own.")
    yield from (f for f in command_findings(action.path) if f.rule == "command-touches-keys")
    if action.command == "view":
        yield ordinary("reads-file", "Reads a file.")
        return
    yield noteworthy("overwrites", "Changes a file.")
    if action.path.startswith(("/etc", "/usr", "/boot", "/bin", "/sbin", "/lib", "/var", "/opt")):
        yield grave(Category.SYSTEM, "system-file", "The file belongs to the system.")
