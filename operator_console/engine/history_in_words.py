"""Summarises a record for the model when a session is resumed, and finds an action whose outcome is unknown.

Pure functions. The text goes to the model once, at the start of the resumed run.
"""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.domain.decisions import ActResult, DecisionKind
from operator_console.domain.events import (
    Answered,
    Asked,
    Decided,
    Ended,
    Granted,
    HandedBack,
    Message,
    Performed,
    Proposed,
    Record,
    SessionStarted,
    Snapshot,
    Stopped,
)
from operator_console.domain.snapshots import SnapshotAct
from operator_console.engine.action_wording import describe, shortened

LINES = 120
_REFUSED = frozenset((DecisionKind.SKIP, DecisionKind.DENY))


def unknown_action(records: Sequence[Record]) -> Granted | None:
    """The last granted action whose outcome was not recorded or is unknown; None where all are known."""
    open_: dict[str, Granted] = {}
    for record in records:
        match record.event:
            case Granted(grant_id=grant_id) as granted:
                open_[grant_id] = granted
            case Performed(grant_id=grant_id, result=result) if result is not ActResult.UNKNOWN:
                open_.pop(grant_id, None)
            case SessionStarted():
                open_.clear()  # the later run was told about it then
            case _:
                pass
    return next(reversed(open_.values()), None) if open_ else None


def unknown_in_words(granted: Granted | None) -> str:
    """What the model is told about an action of unknown outcome; "" for none."""
    if granted is None:
        return ""
    return (
        f"It is not known whether this last action happened: {describe(granted.action)}. "
        "Look at the picture to find out; do not simply repeat it."
    )


def history_of(records: Sequence[Record]) -> str:
    """What happened so far, for the model: tasks, actions and their outcomes, the operator's messages.

    The newest `LINES` lines; a first line says how many earlier ones are left out.
    """
    lines = [line for record in records if (line := _line(record.event))]
    if not lines:
        return ""
    dropped = len(lines) - LINES
    kept = [f"({dropped} earlier lines are left out.)", *lines[-LINES:]] if dropped > 0 else lines
    return "This session continues an earlier one. What happened so far:\n" + "\n".join(kept)


def _line(event: object) -> str:
    match event:
        case SessionStarted(task=task, resumed=resumed):
            return f"{'Then the task was' if resumed else 'The task was'}: {shortened(task, 500)}"
        case Proposed(narration=narration) if narration.strip():
            return f"You said: {shortened(narration.strip())}"
        case Granted(action=action, step=step):
            return f"Step {step}: {describe(action)}"
        case Performed(grant_id=grant_id, result=result, detail=detail) if grant_id:
            return f"  -> {result.value}{f': {shortened(detail)}' if detail else ''}"
        case Decided(decision=decision, by=by, step=step, feedback=feedback) if decision in _REFUSED:
            said = f", saying: {shortened(feedback)}" if feedback else ""
            return f"Step {step}: a call was answered “{decision.value}” by {by.value}{said}"
        case Message(text=text, by="operator"):
            return f"The operator said: {shortened(text)}"
        case _:
            return _ending(event)


def _ending(event: object) -> str:
    match event:
        case Asked(question=question) if question.about == "model":
            return f"You asked: {shortened(question.text)}"
        case Answered(answer=answer, step=step) if step is not None and answer not in ("yes", "declined"):
            return f"The operator answered: {shortened(answer)}"
        case HandedBack(note=note):
            return f"The operator used the desktop and handed it back{f': {shortened(note)}' if note else '.'}"
        case Snapshot(act=SnapshotAct.RESTORED):
            return "The operator set the machine back to a snapshot: what was done on it since is gone."
        case Stopped(reason=reason):
            return f"The run was stopped ({reason.value})."
        case Ended(outcome=outcome, message=message):
            return f"The run ended: {outcome.value}{f' ({shortened(message)})' if message else ''}"
        case _:
            return ""
