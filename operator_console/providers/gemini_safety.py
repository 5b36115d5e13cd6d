"""Gemini's own check on a call, read leniently: whatever is not plainly an all-clear is asked or stops.

The documented form is `args.safety_decision` = {"decision", "explanation"}; on the wire it has been seen beside the
name, as JSON text, as a bare word, as an enum's repr and under the name `safety_response`. Called by `gemini_answer`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from operator_console.domain.proposals import SafetySignal

SOURCE = "gemini safety_decision"
_NAMES = ("safety_decision", "safetyDecision", "safety_response", "safetyResponse")
_CLEAR = frozenset({"allowed", "allow", "regular", "safe"})
_BLOCKED = frozenset({"blocked", "block", "deny", "denied", "forbidden"})


def read_signal(call: Mapping[str, object], arguments: Mapping[str, object]) -> SafetySignal | None:
    """The signal of a call (its wire object and its arguments), None where the service gave the all-clear."""
    for holder in (arguments, call):
        for name in _NAMES:
            if holder.get(name) is not None:
                return _signal(holder[name])
    return None


def _signal(value: object) -> SafetySignal | None:
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except ValueError:
            parsed = value
        value = parsed
    if isinstance(value, Mapping):
        stated, explanation = value.get("decision"), str(value.get("explanation") or "")
        if stated is None and not value:
            return None
        word = _word(stated) if stated is not None else "unspecified"
    else:
        word, explanation = _word(value), ""
    if word in _CLEAR:
        return None
    return SafetySignal(
        source=SOURCE, decision=word or "unspecified", explanation=explanation, blocked=word in _BLOCKED
    )


def _word(value: object) -> str:
    return str(value).rsplit(".", 1)[-1].strip().lower()
