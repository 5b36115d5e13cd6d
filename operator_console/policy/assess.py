"""Assigns an action a risk class C0-C4, with categories and named reasons.

Pure and deterministic: the same action and context always give the same assessment. An action that the operator
edited is assessed again.
"""

from __future__ import annotations

from operator_console.domain.actions import (
    Action,
    AskModel,
    AskOperator,
    Back,
    CallFunction,
    Chord,
    Click,
    CloseTab,
    CursorPosition,
    Drag,
    EditFile,
    Finish,
    Forward,
    HoldKeys,
    KeyDown,
    KeyUp,
    Launch,
    Move,
    Navigate,
    OpenBrowser,
    Press,
    QuoteClipboard,
    QuoteText,
    ReadPage,
    Release,
    RunCommand,
    Screenshot,
    Scroll,
    Search,
    SwitchTab,
    TypeText,
    UseElement,
    Wait,
    Zoom,
    tab_keys,
)
from operator_console.domain.decisions import Assessment
from operator_console.domain.elements import UNKNOWN_CONTROL
from operator_console.policy.effects import effect_findings
from operator_console.policy.key_presses import chord_findings
from operator_console.policy.pointing import pointing_findings, used_element_findings
from operator_console.policy.rules import Finding, PolicyContext, combine, observation, ordinary
from operator_console.policy.typed_text import typed_findings


def assess(action: Action, context: PolicyContext) -> Assessment:
    """Assess `action`: its risk class, and all categories and reasons that apply, highest risk first."""
    control = context.control if context.control != UNKNOWN_CONTROL else None
    found = _findings(action, context)
    if not context.focus_told:
        found += (ordinary("focus-not-told"),)
    return combine(found, label=context.label, control=control)


def _findings(action: Action, context: PolicyContext) -> tuple[Finding, ...]:
    match action:
        case Move() | KeyUp() | Scroll() | QuoteText(auto_scroll=True):
            return (ordinary("ordinary-input"),)
        case (
            Wait() | Screenshot() | Zoom() | CursorPosition() | QuoteText() | ReadPage()
            | AskModel() | AskOperator() | Finish()
        ):  # fmt: skip
            return (observation(),)
        case Click() | Press() | Release() | Drag():
            return pointing_findings(action, context)
        case UseElement():
            return used_element_findings(action, context)
        case TypeText():
            return typed_findings(action, context)
        case Chord(keys=keys) | HoldKeys(keys=keys):
            return chord_findings(keys, context)
        case KeyDown(key=key):
            return chord_findings((key,), context)
        case SwitchTab() | CloseTab():
            return chord_findings(tab_keys(action), context)
        case OpenBrowser() | Navigate() | Back() | Forward() | Search() | Launch() | QuoteClipboard():
            return effect_findings(action, context)
        case RunCommand() | EditFile() | CallFunction():
            return effect_findings(action, context)
