"""The input and the output of a rule: `PolicyContext`, what policy may know, and `Finding`, what a rule found.

Also the findings that several kinds of action have in common: of special windows, and of the model's stated intent.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from operator_console.domain.actions import Button
from operator_console.domain.decisions import Assessment, RuleFinding
from operator_console.domain.elements import UNKNOWN_CONTROL, Control
from operator_console.domain.keys import Key
from operator_console.domain.risk import Category, RiskClass
from operator_console.domain.scope import EVERYTHING, Met, Scope
from operator_console.domain.tools import ToolSpec
from operator_console.policy.applications import (
    is_money_place,
    is_security_tool,
    is_system_tool,
    names_this_console,
)
from operator_console.policy.reasons import sentences
from operator_console.policy.word_tables import tables


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyContext:
    """The context of one action.

    Attributes:
        app: name or class of the application that would receive it, "" if unknown.
        title: title of the application's window.
        url: address of the open page, "" if unknown.
        label: text at the target: under the pointer, or of the focused field.
        nearby: other texts close to the target, nearest first.
        read: whether the text at the target was read. If False, an empty `label` means unknown.
        intent: the model's stated reason, unverified; it can raise the risk class, never lower it.
        typed: text typed into the focused field since it got the focus; for a click, the field that has it before.
        typed_known: whether the field holds exactly `typed`. False after keys that insert something else: completion,
            history, paste.
        held: keys the agent already holds down.
        buttons: pointer buttons the agent already holds down.
        before: the keys that were pressed together right before, with nothing between.
        clicks: for a click or a press, how often the same control was clicked right before it, in the same turn.
        focus_moved: keys have moved the focus since the last click: Tab, or what ends what the click has opened.
        menu_open: the last input opened a menu, of which few applications tell that it has the focus.
        asks_for_line: keys have asked the desktop for a line to run, and it was neither run nor left since. Not every
            desktop tells that its line has the focus.
        escaped: in a terminal, Escape was pressed after the last line that was submitted or discarded.
        pasted: for keys and presses that may paste, the text in the clipboard; None: not known.
        pasted_files: for the same, whether files are in the clipboard.
        own_folders: this console's folders that are not named after it.
        control: the control that is hit: under the pointer, or the focused one for keys and text.
        focus_told: for keys, whether it is told that `control` has the focus; if not, it is a field that may have it.
        from_control: for a drag or a release, the control at which the button was pressed.
        chosen: what was clicked last beside menus and buttons, or had the focus when a key opened a menu: what the
            entries of a menu are about.
        function: for a call of a function, what was offered under its name; None: not known.
        scope: what the operator named for the session.
        met: what was met in the session; None: not known.
        hidden_folder: whether the window of a file manager shows a folder that is hidden, or is in a hidden one.
    """

    app: str = ""
    title: str = ""
    url: str = ""
    label: str = ""
    nearby: tuple[str, ...] = ()
    read: bool = False
    intent: str = ""
    typed: str = ""
    typed_known: bool = True
    held: tuple[Key, ...] = ()
    buttons: tuple[Button, ...] = ()
    before: tuple[Key, ...] = ()
    clicks: int = 0
    focus_moved: bool = False
    menu_open: bool = False
    asks_for_line: bool = False
    escaped: bool = False
    pasted: str | None = None
    pasted_files: bool = False
    own_folders: tuple[str, ...] = ()
    control: Control = UNKNOWN_CONTROL
    focus_told: bool = True
    from_control: Control = UNKNOWN_CONTROL
    chosen: Control = UNKNOWN_CONTROL
    function: ToolSpec | None = None
    scope: Scope = EVERYTHING
    met: Met | None = None
    hidden_folder: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of one rule.

    Attributes:
        risk: the risk class that the rule assigns.
        rule: stable name of the rule, such as "delete-by-label".
        values: what the rule quotes, such as the words that it found.
        category: the category, for C3 and C4; None at C3: asked about whatever is allowed.
    """

    risk: RiskClass
    rule: str
    values: tuple[str, ...] = ()
    category: Category | None = None


def observation() -> Finding:
    """C0: the action sends no input."""
    return Finding(risk=RiskClass.C0, rule="looks-only")


def ordinary(rule: str, *values: str) -> Finding:
    """C1: no risk worth showing."""
    return Finding(risk=RiskClass.C1, rule=rule, values=values)


def noteworthy(rule: str, *values: str) -> Finding:
    """C2: runs without a question, but is highlighted."""
    return Finding(risk=RiskClass.C2, rule=rule, values=values)


def categorised(category: Category, rule: str, *values: str) -> Finding:
    """C3 or C4, depending on the category."""
    return Finding(risk=category.risk, rule=rule, values=values, category=category)


def not_known(context: PolicyContext, rule: str, *values: str) -> Finding:
    """C3: it could act, and what it would do is not known. In a bank and on a payment page no permission covers that:
    what is not known there may pay."""
    pays = is_money_place(context.app, context.title, context.url)
    return Finding(risk=RiskClass.C3, rule=rule, values=values, category=None if pays else Category.UNKNOWN)


def named_by(source: str, named: Iterable[tuple[Category, str]]) -> Iterator[Finding]:
    """C3 or C4 for each category that words name; `source` is what the words are of, as in "delete-by-label"."""
    return (categorised(category, f"{category.value}-by-{source}", words) for category, words in named)


WINDOW = 16_384
OVERLAP = 2_048
"""Characters. What a rule looks for in a text is shorter than the overlap."""


def windows(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of overlapping windows: a single search of a megabyte would hold the interpreter lock too long."""
    start = 0
    while True:
        end = min(len(text), start + WINDOW)
        yield start, end
        if end == len(text):
            return
        start = end - OVERLAP


def search(pattern: re.Pattern[str], text: str) -> bool:
    """Whether the pattern is found in any window."""
    return any(pattern.search(text, start, end) for start, end in windows(text))


def matches(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """The pattern's matches; one that the end of a window may have cut off is left to the next window."""
    for start, end in windows(text):
        for match in pattern.finditer(text, start, end):
            if match.end() < end or end == len(text):
                yield match


def combine(findings: Iterable[Finding], *, label: str = "", control: Control | None = None) -> Assessment:
    """Combine findings into one assessment.

    The finding with the highest risk sets the class and the rule; the reasons and categories of all are kept. No
    findings give C3 without a category, which is asked about at every autonomy level.
    """
    ordered = sorted(findings, key=lambda finding: -finding.risk) or [Finding(risk=RiskClass.C3, rule="no-rule")]
    named = tuple(dict.fromkeys(f.category for f in ordered if f.category is not None))
    known = tuple(category for category in named if category is not Category.UNKNOWN)
    return Assessment(
        risk=ordered[0].risk,
        categories=known or named,  # where an effect is known, that there may be another says nothing more
        reasons=sentences(ordered),
        rule=ordered[0].rule,
        label=label,
        control=control,
        findings=tuple(
            dict.fromkeys(RuleFinding(risk=f.risk, rule=f.rule, category=f.category, values=f.values) for f in ordered)
        ),
    )


def window_findings(context: PolicyContext, *, acts: bool = True) -> Iterator[Finding]:
    """Findings that follow from the target window alone; `acts` is False for input that only looks around or declines
    there."""
    if names_this_console(context.app):
        yield categorised(Category.SECURITY, "own-window")
    if not acts:
        return
    if is_security_tool(context.app, context.title):
        yield categorised(Category.SECURITY, "security-tool")
    elif is_system_tool(context.app, context.title):
        yield categorised(Category.SYSTEM, "system-settings")


def intent_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for the model's stated intent. They can raise the risk class, never lower it."""
    return named_by("intent", tables().in_intent(context.intent))
