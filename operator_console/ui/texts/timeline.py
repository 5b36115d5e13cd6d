"""The texts of the timeline: badges, notes, times and groups of waits."""

from __future__ import annotations

from collections.abc import Mapping

from operator_console.domain.decisions import DecidedBy, DecisionKind
from operator_console.domain.events import BlockedBy, EndedOutcome, Stopped
from operator_console.domain.hand_input import HandUse
from operator_console.domain.snapshot_acts import SnapshotAct
from operator_console.ui.texts.counting import counted

# steps


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

WITHDRAWN = "Withdrawn"
NOT_ANSWERED_BADGE = "Not answered"
RUNS_UNASKED = "Runs unasked"

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


# notes

SNAPSHOT = {
    SnapshotAct.TAKEN: "Snapshot of the machine taken",
    SnapshotAct.RESTORED: "Went back to the snapshot of the machine",
}
OUTCOMES = {
    EndedOutcome.FINISHED: "Finished",
    EndedOutcome.FAILED: "Failed",
    EndedOutcome.STOPPED: "Ended after a stop",
    EndedOutcome.LIMIT: "Limit reached",
}


def handed_back(used: HandUse) -> str:
    """The operator is done, and how much was done in the preview."""
    parts = [
        counted(number, one, many)
        for number, one, many in (
            (used.presses, "{} button press", "{} button presses"),
            (used.keys, "{} key", "{} keys"),
            (used.texts, "{} pasted or composed text", "{} pasted or composed texts"),
        )
        if number
    ]
    return f"{', '.join(parts)} in the preview; handed back" if parts else "Handed back"


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


def lasted(words: str, value: float | None) -> str:
    """An end with how long it took: "Resumed by you after 12 s"."""
    return f"{words} after {seconds(value)}" if value is not None else words


def joined(*sentences: str) -> str:
    """Sentences one after another; each but the last ends in a full stop."""
    said = [sentence for sentence in sentences if sentence]
    return " ".join(s if s[-1] in ".!?…" or s is said[-1] else f"{s}." for s in said)


def stop_detail(event: Stopped) -> str:
    """What a stop did, in a few sentences."""
    dropped = len(event.cancelled_actions) or len(event.cancelled)
    interrupted = "One action was interrupted." if event.in_flight or event.in_flight_action else ""
    cancelled = (
        counted(dropped, "{} waiting action was dropped.", "{} waiting actions were dropped.") if dropped else ""
    )
    return joined(event.detail, interrupted, cancelled)


# counts


def line_of(number: int, lines: int | None, waits: int) -> str:
    """How far a runbook is. `lines`: None where not known; `waits`: steps that only looked for something."""
    at = f"line {number}" if lines is None else f"line {number} of {lines}"
    return f"{at} · {counted(waits, '{} wait', '{} waits')}" if waits else at
