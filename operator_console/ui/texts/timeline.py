"""The texts of the timeline: badges, notes, times and groups of waits."""

from __future__ import annotations

from collections.abc import Mapping

from operator_console.domain.decisions import DecidedBy, DecisionKind
from operator_console.domain.events import BlockedBy, EndedOutcome, Stopped
from operator_console.domain.snapshots import SnapshotAct
from operator_console.ui.texts.counting import counted

NAME = "Timeline"
DESCRIPTION = "Steps, messages, pauses and stops, newest first"
EMPTY = "No steps yet. Each step appears here with its picture, who decided, and what changed."

# steps

THINKING = "Looking at the screen and thinking"
FINISHED = "Finished"
EMPTY_ANSWER = "Empty answer"
IN_PROGRESS = "in progress"
INTERRUPTED = "interrupted"
NO_ACTION = "no action"


def seconds(value: float) -> str:
    """ "3.2 s", "41 s", "2 min 5 s", "1 h 4 min"."""
    if value < 9.95:
        return f"{value:.1f} s"
    whole = round(value)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min"


def your_time(value: float) -> str:
    """The time that a human took."""
    return f"you {seconds(value)}"


def paused_time(value: float) -> str:
    """The time in a pause."""
    return f"paused {seconds(value)}"


# badges

WAITING = "Waiting for you"
WITHDRAWN = "Withdrawn"
NOT_ALLOWED = "Not allowed"
NOT_ANSWERED_BADGE = "Not answered"
RUNS_UNASKED = "Runs unasked"
ANSWERED, NO_ANSWER = "Answered by you", "Declined by you"
NOBODY_TO_ASK = "Nobody to ask"
"""How a question of the model was answered."""

_YOURS = " by you"
_BY_YOU = {
    DecisionKind.APPROVE: "Approved by you",
    DecisionKind.MODIFY: "Edited by you",
    DecisionKind.SKIP: "Skipped by you",
    DecisionKind.DENY: "Denied by you",
    DecisionKind.TAKE_OVER: WITHDRAWN,
    DecisionKind.STOP: "Stopped",
    DecisionKind.NOT_DONE: "Not done",
}
_OTHERWISE = {
    DecisionKind.APPROVE: "Ran unasked",
    DecisionKind.MODIFY: "Edited",
    DecisionKind.SKIP: "Skipped",
    DecisionKind.DENY: "Denied",
    DecisionKind.TAKE_OVER: WITHDRAWN,
    DecisionKind.STOP: "Stopped",
    DecisionKind.NOT_DONE: "Not done",
}


def badge(decision: DecisionKind, by: DecidedBy | None, *, done: bool) -> str:
    """Who decided what about a call; `done`: it was carried out, or tried."""
    if by is DecidedBy.HUMAN:
        return _BY_YOU[decision]
    if decision is DecisionKind.DENY and by is DecidedBy.LAPSE:
        return NOT_ANSWERED_BADGE
    if decision is DecisionKind.DENY and by is DecidedBy.NOBODY:
        return "Denied: nobody to ask"
    return RUNS_UNASKED if decision is DecisionKind.APPROVE and not done else _OTHERWISE[decision]


def several_badges(counts: Mapping[str, int]) -> str:
    """The decisions about the calls of one step: "1 edited · 2 approved by you"."""
    yours = all(badge.endswith(_YOURS) for badge in counts)
    words = [badge.removesuffix(_YOURS) if yours else badge for badge in counts]
    parts = [f"{count} {each[:1].lower()}{each[1:]}" for each, count in zip(words, counts.values(), strict=True)]
    return " · ".join(parts) + (_YOURS if yours else "")


# waits


def waiting_for(name: str, most_s: float) -> str:
    """A runbook looks for something on the screen, named with its quotes, for so long at most."""
    return f"Waiting for {name} (up to {max(1, round(most_s))} s)"


def waits(steps: int) -> str:
    """A group of steps in a row that only waited or looked."""
    return counted(steps, "{} step that only waited or looked", "{} steps that only waited or looked")


def looks(count: int) -> str:
    """How often the screen was looked at in a group."""
    return counted(count, "looked once", "looked {} times")


OPENED, CLOSED = "open; Left closes it", "closed; Right shows each step"
"""A group's state, for a screen reader."""


# notes

TOOK_OVER = "You took over"
HANDED_OVER = "Handed over to you"
HANDED_BACK = "Handed back"
SNAPSHOT = {
    SnapshotAct.TAKEN: "Snapshot of the machine taken",
    SnapshotAct.RESTORED: "Went back to the snapshot of the machine",
}
RESET = "The stop was reset."
NOT_ANSWERED = "Not answered in time: denied"
OUTCOMES = {
    EndedOutcome.FINISHED: "Finished",
    EndedOutcome.FAILED: "Failed",
    EndedOutcome.STOPPED: "Ended after a stop",
    EndedOutcome.LIMIT: "Limit reached",
}


def downloaded(name: str) -> str:
    """A browser saved a file."""
    return f"Saved “{name}”"


def downloaded_detail(size: str, address: str, folder: str) -> str:
    """Where it is from, and where it is."""
    return f"{size} from {address}. It is in {folder}; nothing opens it."


def blocked(site: str) -> str:
    """A browser was kept from reaching a site."""
    return f"Blocked: {site}"


_BLOCKED_BY = {
    BlockedBy.BLOCKED_SITE: "The settings block this site",
    BlockedBy.NOT_ALLOWED_SITE: "This site is not among those that the session may reach",
    BlockedBy.LOCAL_ADDRESS: "Addresses of this computer and its network are blocked",
}


def blocked_detail(by: BlockedBy, count: int) -> str:
    """By which rule, and how often."""
    return f"{_BLOCKED_BY[by]}. {counted(count, '{} request, not sent', '{} requests, none sent')}."


def paused(cause: str) -> str:
    """The title of a pause; `cause` as in PAUSE_WORDS."""
    return f"Paused {cause}" if cause.startswith("by ") else f"Paused: {cause}"


def resumed(by: str) -> str:
    """How a pause ended."""
    return "Resumed by you" if by == "human" else "Resumed automatically"


def lasted(words: str, value: float | None) -> str:
    """An end with how long it took: "Resumed by you after 12 s"."""
    return f"{words} after {seconds(value)}" if value is not None else words


def joined(*sentences: str) -> str:
    """Sentences one after another; each but the last ends in a full stop."""
    said = [sentence for sentence in sentences if sentence]
    return " ".join(s if s[-1] in ".!?…" or s is said[-1] else f"{s}." for s in said)


def answered(answer: str) -> str:
    """The title of an answer to the model's question."""
    return f"You answered: {answer}"


def stop_detail(event: Stopped) -> str:
    """What a stop did, in a few sentences."""
    dropped = len(event.cancelled_actions) or len(event.cancelled)
    interrupted = "One action was interrupted." if event.in_flight or event.in_flight_action else ""
    cancelled = (
        counted(dropped, "{} waiting action was dropped.", "{} waiting actions were dropped.") if dropped else ""
    )
    return joined(event.detail, interrupted, cancelled)


# counts


def steps_of(number: int, most: int) -> str:
    """How far a session is."""
    return f"step {number} of {most}"


def line_of(number: int, lines: int | None, waits: int) -> str:
    """How far a runbook is. `lines`: None where not known; `waits`: steps that only looked for something."""
    at = f"line {number}" if lines is None else f"line {number} of {lines}"
    return f"{at} · {counted(waits, '{} wait', '{} waits')}" if waits else at
