"""A turn's calls as they are recorded, named in words, answered where they were cut off, and what ends a run.

Pure; used by loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from operator_console.domain.actions import Finish
from operator_console.domain.decisions import Assessment, DecisionKind
from operator_console.domain.events import EndedOutcome, ProposedCall, Warned
from operator_console.domain.frames import Frame
from operator_console.domain.intents import Edit, Skip, TakeOver
from operator_console.domain.proposals import Call, CallResult, CallStatus
from operator_console.engine.channel import Holding, Stopping
from operator_console.engine.wording import describe

Ending: TypeAlias = tuple[EndedOutcome, str]

NOTHING_CHANGED = "The picture did not change."


def as_recorded(calls: Sequence[Call], glances: Sequence[Assessment | None]) -> tuple[ProposedCall, ...]:
    """The calls for the record, each with the judgement at first glance."""
    return tuple(
        ProposedCall(
            index=call.index, call_id=call.call_id, name=call.name, arguments_json=call.arguments_json,
            action=call.action, error=call.error, intent=call.intent, safety=call.safety, box=call.box, note=call.note,
            assessment=glance,
        )
        for call, glance in zip(calls, glances, strict=True)
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


def came_too_late(mark: Skip | Edit) -> Warned:
    """What the operator is told of a Skip or an Edit for a call whose turn was over."""
    what = "edit" if isinstance(mark, Edit) else "skip"
    where = f"call {mark.call + 1} of step {mark.step}"
    detail = f"It was for {where}, which had been decided before it came; nothing followed from it."
    return Warned(title=f"Your {what} came too late.", detail=detail, step=mark.step)


def with_change(result: CallResult, changed: bool | None) -> CallResult:
    """The answer with what was seen of its call's effect, as a plain fact; only what was done can have one."""
    if result.status is not CallStatus.DONE:
        return result
    said = NOTHING_CHANGED if changed is False and NOTHING_CHANGED not in result.text else ""
    return replace(result, changed=changed, text=f"{result.text} {said}".strip())


def finished(result: CallResult) -> Ending | None:
    """The ending where a call was the model's own end of the task."""
    action = result.executed or result.call.action
    if not isinstance(action, Finish) or result.status is not CallStatus.DONE:
        return None
    return (EndedOutcome.FINISHED if action.success else EndedOutcome.FAILED), action.message


def pointer_of(frame: Frame) -> tuple[int, int] | None:
    """The pointer in a frame, in input units."""
    return None if frame.pointer_screen is None else (frame.pointer_screen.x, frame.pointer_screen.y)
