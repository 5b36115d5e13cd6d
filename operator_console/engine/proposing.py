"""A turn's calls as they are recorded, named in words, and answered where they were cut off. Pure; used by loop."""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.domain.decisions import DecisionKind
from operator_console.domain.events import ProposedCall
from operator_console.domain.intents import TakeOver
from operator_console.domain.proposals import Call
from operator_console.engine.channel import Holding, Stopping
from operator_console.engine.wording import describe


def as_recorded(calls: Sequence[Call]) -> tuple[ProposedCall, ...]:
    """The calls for the record."""
    return tuple(
        ProposedCall(
            index=call.index, call_id=call.call_id, name=call.name, arguments_json=call.arguments_json,
            action=call.action, error=call.error, intent=call.intent, safety=call.safety, box=call.box, note=call.note,
        )
        for call in calls
    )  # fmt: skip


def in_words(calls: Sequence[Call]) -> tuple[str, ...]:
    """What the calls would have done."""
    return tuple(describe(call.action) if call.action is not None else call.name for call in calls)


def dropped(signal: Holding | Stopping) -> tuple[DecisionKind, str, str]:
    """How a call that was cut off is decided: the kind, the rule's name, the words for the model."""
    if isinstance(signal, Stopping):
        return DecisionKind.STOP, "stopped", "Stopped by the operator."
    if isinstance(signal.intent, TakeOver):
        text = "Not done: the operator took over. Look at the new picture and decide again."
        return DecisionKind.TAKE_OVER, "taken-over", text
    text = "Not done: the session was paused. Look at the new picture and decide again."
    return DecisionKind.NOT_DONE, "paused", text
