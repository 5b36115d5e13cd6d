"""The texts of the sessions library and of exports."""

from __future__ import annotations

from datetime import datetime, timedelta

from operator_console.ui.texts.counting import counted

TITLE = "Sessions"
CONTAINS_EVERYTHING = "These files contain everything typed, passwords included."
FILE_CONTAINS_EVERYTHING = "This file contains everything typed, passwords included."
CANNOT_BE_READ = "Cannot be read"
RENAME_TITLE, RENAME_LABEL, RENAME_SAVE, CANCEL = "Rename session", "Name", "Rename", "Cancel"
EXPORT_FORMATS = {
    "Web page to read or print (*.html)": ".html",
    "Events as JSON lines (*.jsonl)": ".jsonl",
    "Archive with page, pictures, events and session file (*.zip)": ".zip",
}
RUNS = "A session is running."
OPEN_WHEN_ENDED = "You can open a record when it has ended."

OUTCOMES = {
    "finished": "Finished",
    "failed": "Failed",
    "stopped": "Stopped",
    "limit": "Limit reached",
    "interrupted": "Interrupted",
    "running": "Running",
    "unreadable": CANNOT_BE_READ,
}


def kept(name: str, folder: str, task: str) -> str:
    """Where the record of an interrupted session lies."""
    words = f"Its record is kept as “{name}” in {folder}."
    return f"{words} Task: {task}" if task else words


def found(shown: int, of: int) -> str:
    """How many sessions are listed."""
    if shown == of:
        return counted(of, "{} session", "{} sessions")
    return f"{shown} of {counted(of, '{} session', '{} sessions')}"


def when_words(began: datetime | None, now: datetime) -> str:
    """Today 14:05, Yesterday 9:30, or the date and time, in the zone of `now`; "" for None."""
    if began is None:
        return ""
    local = began.astimezone(now.tzinfo)
    days = {now.date(): "Today", now.date() - timedelta(days=1): "Yesterday"}
    return f"{days.get(local.date()) or local.strftime('%Y-%m-%d')} {local.strftime('%H:%M')}"


def export_progress(done: int, of: int) -> str:
    """How many steps are written; "" while that is not known."""
    return f"{done} of {counted(of, '{} step', '{} steps')}" if of else ""


def verified(events: int, pictures: int) -> str:
    """What was checked."""
    stored = counted(pictures, "{} picture or answer", "{} pictures and answers")
    return f"{counted(events, '{} event', '{} events')}, {stored}"


INTACT = "Intact: unchanged since it was recorded here"
DAMAGED = "Damaged: changed or incomplete"
RECORDED_ELSEWHERE = "Consistent, but recorded on another computer or by another user"
