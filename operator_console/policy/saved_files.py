"""Assesses saving by the file that the title of an editor names: what it holds may run later, or let somebody in."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from operator_console.domain.risk import Category
from operator_console.policy.applications import is_browser
from operator_console.policy.control_kinds import content_of, is_multi_line
from operator_console.policy.file_paths import (
    file_content_findings,
    is_shell_script,
    path_findings,
    script_content_findings,
)
from operator_console.policy.rules import Finding, PolicyContext, categorised
from operator_console.policy.startup_files import is_document

_TITLE_PARTS = re.compile(r"\s[-–—:|·]\s")
_FOLDER = re.compile(r"\(([^()]{1,400})\)\s*$")
_UNSAVED = re.compile(r"^[\s*•●+]+|[\s*•●+]+$")
_LONGEST_TITLE = 500


def saved_file_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for saving the file that the title names, whatever was typed into it."""
    if is_browser(context.app):
        return
    for name in named_files(context.title):
        yield from (found for found in path_findings(name, context.own_folders) if found.category is not None)
        if is_shell_script(name):
            yield categorised(Category.TERMINAL, "saves-script", name)
    control = context.control
    if is_multi_line(control) and not names_document(context.title):
        content = content_of(control)
        yield from file_content_findings(content)
        yield from script_content_findings(content)


def names_document(title: str) -> bool:
    """Whether a part of the title is the name of a text for people, in which a command is only told of."""
    return any(map(is_document, named_files(title)))


def named_files(title: str) -> Iterator[str]:
    """The names of files in the title of an editor, with their folder where it stands in parentheses: “*notes.txt
    (~/plans) - Editor”. Other parts of the title are among them."""
    for part in _TITLE_PARTS.split(title[:_LONGEST_TITLE]):
        folder = _FOLDER.search(part)
        name = _UNSAVED.sub("", part[: folder.start()] if folder else part).strip()
        if name:
            yield posixpath.join(folder.group(1), name) if folder else name
