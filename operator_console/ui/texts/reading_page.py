"""The texts of a session's page for reading."""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.domain.events import EndedOutcome
from operator_console.domain.risk import Autonomy
from operator_console.ui.texts.counting import counted

SKIP = "Skip to the steps"
RECORD = "Session record"
NO_TASK = "Session without a task"
TYPED = (
    "This page contains everything that was typed, passwords included unless they were masked, and pictures of the "
    "screen. Share it with care."
)
YOU = "“You” is the person who supervised the session. All times are UTC."
CONTENTS = "Contents"
OUTCOME = "Outcome"
WHOLE_TASK = "The whole task"
NO_STEPS = "The record has no steps."

# outcome

OUTCOMES = {
    EndedOutcome.FINISHED: "Finished",
    EndedOutcome.FAILED: "Failed",
    EndedOutcome.STOPPED: "Stopped",
    EndedOutcome.LIMIT: "Limit reached",
}
RUNNING = "Still running when this page was made"
INTERRUPTED = "Interrupted"
INTERRUPTED_DETAIL = "The record ends without an end of the run."

# figures

DURATION, STEPS, ACTIONS, DECISIONS = "Duration", "Steps", "Actions", "Your decisions"
TARGET, MODEL, AUTONOMY, TOKENS, COST = "Target", "Model", "Autonomy", "Tokens", "Cost"
NONE = "none"
AUTONOMIES = {
    Autonomy.OBSERVE: "Observe: nothing is sent",
    Autonomy.STEP: "Step: every action waits for you",
    Autonomy.GUARDED: "Guarded: ordinary actions run",
    Autonomy.AUTO: "Auto",
}


def also_allowed(autonomy: str, categories: str) -> str:
    """An autonomy with what else runs unasked."""
    return f"{autonomy}; also allowed: {categories}"


def machine_time(words: str) -> str:
    """The time without waits for the human and pauses."""
    return f"machine {words}"


def without_you(badge: str) -> str:
    """A badge of the timeline among the human's decisions: "approved"."""
    return badge.removesuffix(" by you").lower()


def step_limit(steps: int) -> str:
    """The most steps that a run may take."""
    return f"limit {steps}"


def runs(count: int) -> str:
    """How often the session was started and continued."""
    return counted(count, "{} run", "{} runs")


def run(number: int, count: int) -> str:
    """The heading of a run."""
    return f"Run {number} of {count}"


def profile(name: str) -> str:
    """The profile that a model is from."""
    return f"profile {name}"


# the filter

SHOW = "Show"
ALL_STEPS, BY_YOU, NOT_AS_PLANNED = "All steps", "Where you decided", "Not done, failed, stopped"
ALL_DETAILS = "All details"

# steps


def step(number: int) -> str:
    """The name of a step."""
    return f"Step {number}"


def actions(count: int) -> str:
    """The title of a step with several calls."""
    return counted(count, "{} action", "{} actions")


def action(number: int) -> str:
    """The name of a call among several of a step."""
    return f"Action {number}"


PICTURE_MISSING = "The picture is not in the record."
ACTUAL_SIZE, CLOSE = "Actual size", "Close"
LIGHTER_PICTURE = "Picture recompressed; the original is in the session file."
EDITED_FROM = "The model proposed"
MODEL_SAYS, RUNBOOK_SAYS = "The model says (not verified)", "Runbook line"
MODEL_THINKS = "Thoughts (not verified)"
INTENT = "Intent (not verified)"
REASON = "Why"
SERVICE_CHECK = "The model’s service requires your confirmation."
DETAILS = "Details"
THE_STEP = "The step"
RAW_ANSWER = "Answer of the model, as received"


def actual_size_of(number: int) -> str:
    """The name of the switch that enlarges a picture."""
    return f"Actual size of the picture of step {number}"


def picture_of(number: int, window: str, marks: Sequence[str]) -> str:
    """The picture for who cannot see it."""
    shown = f": {window}" if window else ""
    marked = f"Marked: {'; '.join(marks)}." if marks else "Nothing is marked."
    return f"Screen before step {number}{shown}. {marked}"


def same_picture(number: int, run: int | None) -> str:
    """A picture that an earlier step has; `run`: whose step that is, None if of the same run."""
    return f"Same picture as step {number}{f' of run {run}' if run is not None else ''}."


def whole_text(characters: int) -> str:
    """A long text that was typed or run."""
    return counted(characters, "Full text, {} character", "Full text, {:,} characters")


def rest_left_out(characters: int) -> str:
    """Where a text was cut."""
    return counted(
        characters, "… {:,} more character is in the session file.", "… {:,} more characters are in the session file."
    )


def retried(count: int) -> str:
    """Requests to the model that were repeated."""
    return counted(count, "The request was repeated once.", "The request was repeated {} times.")


def retry(attempt: int, of: int, wait_s: float, reason: str) -> str:
    """One repeated request."""
    return f"{attempt} of {of}, after {wait_s:.0f} s: {reason}"


# facts in the details

CALL, ARGUMENTS, NOT_UNDERSTOOD, ASSUMED = "Call", "Arguments", "Not understood", "Assumed"
PLACE = "Where"
RISK, RULE, REASONS, SERVICE_SAYS = "Class", "Rule", "Reasons", "The model’s service"
DECISION, ANSWERED_AFTER, FEEDBACK, LEAD = "Decision", "Answered after", "Your note", "Shown before it ran"
RESULT, METHOD, SENT, TOOK = "Result", "Method", "Sent", "Carried out in"
TIMES, WINDOW, ADDRESS, PICTURE, DIGEST = "Times", "Window", "Address", "Picture sent", "SHA-256 of it"
REQUEST, RAW_DIGEST = "Request", "SHA-256 of the answer"
SHARES = ("thinking", "deciding", "acting", "settling")


def share(name: str, time: str) -> str:
    """What a part of a step's time went to."""
    return f"{name} {time}"


def answered_in(time: str) -> str:
    """How long the model took."""
    return f"answered in {time}"


def of_target(width: int, height: int) -> str:
    """The size of a target whose picture was sent smaller."""
    return f"of a target of {width} × {height}"


def risk(name: str, word: str, categories: str) -> str:
    """The class of an action."""
    return f"{name}, {word}: {categories}" if categories else f"{name}, {word}"


def decided_by_rule(badge: str, rule: str) -> str:
    """A decision and the rule it follows."""
    return f"{badge} ({rule})" if rule else badge


def sent_of(delivered: int, total: int) -> str:
    """How much of an action was sent."""
    return f"{delivered:,} of {total:,}"


# stops

WAS_DOING, DROPPED, RELEASED, LAST_EVENT, NEW_SESSIONS = (
    "It was doing", "Dropped", "Released", "Last press or motion", "New sessions",
)  # fmt: skip
LATCHED = "blocked until a person resets the stop"
NOT_LATCHED = "not blocked"
NOTHING_SENT = "nothing was being sent"


def released(keys: int, buttons: int) -> str:
    """What was held when it stopped."""
    return f"{counted(keys, '{} key', '{} keys')}, {counted(buttons, '{} button', '{} buttons')}"


def after_ms(value: float) -> str:
    """How long after the stop."""
    return f"{value:.0f} ms after the stop"


# other events


def unknown(count: int) -> str:
    """Events that only a newer version knows."""
    return counted(
        count,
        "{} event of a kind that this version does not know",
        "{} events of kinds that this version does not know",
    )


# integrity

INTEGRITY = "Integrity of the record"
INTACT = "Intact: unchanged since it was recorded on this computer."
ELSEWHERE = "Consistent, but recorded on another computer or by another user."
DAMAGED = "Damaged: changed or incomplete. Do not rely on this page."
INTACT_BRIEF, ELSEWHERE_BRIEF, DAMAGED_BRIEF = "Intact", "Recorded elsewhere", "Damaged"
SESSION_ID, LAST_HASH, CHECKED = "Session", "Hash of the last event", "Checked"


def extent(events: int, blobs: int) -> str:
    """What was checked."""
    kept = counted(blobs, "{:,} picture or answer", "{:,} pictures and answers")
    return f"{counted(events, '{:,} event', '{:,} events')}, {kept}"


def made_by(version: str) -> str:
    """The program that made the page."""
    return f"Made by Operator console {version}".rstrip()
