"""Assesses Enter in a field by the button that it presses: the default one of the form, whatever the field is for.

Where the form's default is not told, Enter may press any button there, and those count whose words, on a button, say
what they carry out. What a text beside a field says counts if it is an order in so many words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from operator_console.domain.elements import Control, ControlSource, Role, TextKnowledge
from operator_console.domain.risk import Category, RiskClass
from operator_console.policy.applications import is_browser
from operator_console.policy.control_kinds import word_count
from operator_console.policy.control_presses import press_findings
from operator_console.policy.findings import Finding, PolicyContext
from operator_console.policy.word_tables import tables

_NEAREST = 6  # texts
_MOST_WORDS = 4  # of a text that may be a button
_FORMS_CARRY_OUT = frozenset((
    Category.PAY, Category.SEND, Category.POST, Category.LEGAL, Category.SECURITY, Category.CREDENTIALS,
))  # fmt: skip

_NOT_SAID = (None, Category.UNKNOWN)


def form_findings(context: PolicyContext) -> Iterator[Finding]:
    """Findings for Enter in a field with one line that is not one to search in."""
    submits = context.control.submits
    if submits:
        certain = knows_default(context.control)
        for name in submits:
            yield from (found for found in _pressed(context, name) if certain or found.category not in _NOT_SAID)
    elif is_browser(context.app) and context.control.dialog is None:
        for text in filter(_is_order, context.nearby[:_NEAREST]):
            yield from (found for found in _pressed(context, text) if found.category in _FORMS_CARRY_OUT)


def knows_default(control: Control) -> bool:
    """Whether it is known which button Enter presses there."""
    return len(control.submits) == 1


def _pressed(context: PolicyContext, name: str) -> Iterator[Finding]:
    """What a press on the button with this name is asked about."""
    field = context.control
    button = Control(
        source=ControlSource.ACCESSIBLE, knowledge=TextKnowledge.READ, role=Role.BUTTON, name=name, text=name,
        group=field.group, dialog=field.dialog, app=field.app, window=field.window, url=field.url,
    )  # fmt: skip
    own = (field.name, field.label)
    nearby = tuple(dict.fromkeys(text for text in (*own, *context.nearby) if text and text != name))
    pressed = replace(context, control=button, label=name, read=True, nearby=nearby)
    return (found for found in press_findings(pressed) if found.risk >= RiskClass.C3)


def _is_order(text: str) -> bool:
    """Whether a text beside a field says what a button carries out, in a few words of which a verb is the first."""
    if not 0 < word_count(text) <= _MOST_WORDS or text.rstrip().endswith((":", "?", ".", "…")):
        return False
    named = {category for category, _ in (*tables().as_order(text), *tables().in_button(text))}
    return bool(named & _FORMS_CARRY_OUT) and not tables().in_field(text)
