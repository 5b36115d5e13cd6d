"""The texts of the sessions library and of exports."""

from __future__ import annotations

from datetime import datetime, timedelta

from operator_console.ui.texts.counting import counted

TITLE = "Sessions"
SEARCH = "Search sessions"
SEARCH_HINT = "Search task, model, result or file"
SORT = "Sort by"
CONTAINS_EVERYTHING = "These files contain everything typed, passwords included."
FILE_CONTAINS_EVERYTHING = "This file contains everything typed, passwords included."
READING = "Reading the sessions…"
OPEN, EXPORT, VERIFY, RENAME, DELETE = "Open", "Export…", "Verify", "Rename…", "Delete…"
OTHER_FILE, CLOSE = "Open a file…", "Close"
COPY_PATH = "Copy file path"
NO_SESSIONS = "No sessions yet"
NO_SESSIONS_DETAIL = "Each run is kept here with its pictures, steps and answers. Write a task and press Start."
SET_UP = "Set up a session"
NO_MATCH = "Nothing found"
CLEAR_SEARCH = "Clear the search"
NOT_READ = "The sessions cannot be listed"
TRY_AGAIN = "Try again"
NO_TASK = "(no task)"
CANNOT_BE_READ = "Cannot be read"
CHECKING = "Checking that nothing was changed…"
EXPORTING = "Exporting…"
CANCEL_EXPORT = "Cancel export"
EXPORT_CANCELLED = "Export cancelled. No file was written."
RENAME_TITLE, RENAME_LABEL, RENAME_SAVE, CANCEL = "Rename session", "Name", "Rename", "Cancel"
RENAME_DETAIL = "The name is that of the file. The record itself stays as it is."
DELETE_TITLE, DELETE_YES, DELETE_NO = "Delete this session?", "Delete", "Keep"
EXPORT_TITLE = "Export session"
OPEN_TITLE = "Open a session"
SESSION_FILES = "Sessions (*.ocsession);;All files (*)"
EXPORT_FORMATS = {
    "Web page to read or print (*.html)": ".html",
    "Events as JSON lines (*.jsonl)": ".jsonl",
    "Archive with page, pictures, events and session file (*.zip)": ".zip",
}
OPEN_PAGE, SHOW_FOLDER = "Open page", "Show folder"
RUNS = "A session is running."
OPEN_WHEN_ENDED = "You can open a record when it has ended."
PRACTISE_WHEN_ENDED = "You can practise when it has ended."
EXPORT_WHEN_ENDED = "You can export it when it has ended."
NOTHING_TO_EXPORT = "There is no session to export."
CHOOSE_ONE = "Open one of the sessions first."
CHOOSE_FIRST = "Choose a session in the list first."
UNREADABLE = "This file cannot be read as a session."
VERIFY_TIP = "Check that nothing was changed"
STILL_RUNNING = "This session is still running."

OUTCOMES = {
    "finished": "Finished",
    "failed": "Failed",
    "stopped": "Stopped",
    "limit": "Limit reached",
    "interrupted": "Interrupted",
    "running": "Running",
    "unreadable": CANNOT_BE_READ,
}


INTERRUPTED = "The last session was interrupted."
OPEN_RECORD = "Open record"


def kept(name: str, folder: str, task: str) -> str:
    """Where the record of an interrupted session lies."""
    words = f"Its record is kept as “{name}” in {folder}."
    return f"{words} Task: {task}" if task else words


def found(shown: int, of: int) -> str:
    """How many sessions are listed."""
    if shown == of:
        return counted(of, "{} session", "{} sessions")
    return f"{shown} of {counted(of, '{} session', '{} sessions')}"


def nothing_matches(search: str) -> str:
    """The empty list's text while a search hides everything."""
    return f"No session contains “{search}”."


def steps_words(steps: int) -> str:
    """12 steps."""
    return counted(steps, "{} step", "{} steps")


def when_words(began: datetime | None, now: datetime) -> str:
    """Today 14:05, Yesterday 9:30, or the date and time, in the zone of `now`; "" for None."""
    if began is None:
        return ""
    local = began.astimezone(now.tzinfo)
    days = {now.date(): "Today", now.date() - timedelta(days=1): "Yesterday"}
    return f"{days.get(local.date()) or local.strftime('%Y-%m-%d')} {local.strftime('%H:%M')}"


def delete_detail(title: str, size: str) -> str:
    """What a deletion removes."""
    return (
        f"“{title}” ({size}). The file with its pictures and everything typed is removed from this computer, "
        "and so is what a browser of the session saved beside it. "
        "You cannot undo this."
    )


def deleted(title: str, size: str) -> str:
    """A session was deleted."""
    return f"Deleted “{title}”: {size} freed."


def renamed(name: str) -> str:
    """A session was renamed."""
    return f"Renamed to “{name}”."


def export_progress(done: int, of: int) -> str:
    """How many steps are written; "" while that is not known."""
    return f"{done} of {counted(of, '{} step', '{} steps')}" if of else ""


def exported(name: str, folder: str) -> str:
    """A session was exported."""
    return f"Exported to “{name}” in {folder}."


def verified(events: int, pictures: int) -> str:
    """What was checked."""
    stored = counted(pictures, "{} picture or answer", "{} pictures and answers")
    return f"{counted(events, '{} event', '{} events')}, {stored}"


INTACT = "Intact: unchanged since it was recorded here"
DAMAGED = "Damaged: changed or incomplete"
RECORDED_ELSEWHERE = "Consistent, but recorded on another computer or by another user"


def dropped_not_sessions(count: int) -> str:
    """Several files that are no sessions were dropped on the window."""
    return f"None of these {count} files is a session."


DROP_ONE = "Drop a file whose name ends in .ocsession."


def dropped_several(count: int) -> str:
    """Several sessions were dropped on the window, which shows one."""
    return f"One session can be shown at a time, and {count} were dropped."


DROPPED_SEVERAL_DETAIL = "Drop one of them."
