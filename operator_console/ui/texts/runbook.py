"""Texts of the task field while a runbook is written or runs."""

from __future__ import annotations

OPEN, OPEN_NAME = "Open…", "Open a runbook file"
SAVE, SAVE_NAME = "Save…", "Save the runbook as a file"
HELP, HELP_NAME = "Help", "Help on runbooks"
FILES = "Runbooks (*.runbook *.txt);;All files (*)"
SUFFIX = "runbook"
DEFAULT_NAME = "steps.runbook"
PLACEHOLDER = 'One step a line, for example:\nclick button "Save"\nexpect "Saved once"'
MORE_STEPS = "Steps to play next"
NOT_READ = "The file cannot be opened as a runbook."
NOT_SAVED = "The runbook was not saved."
NOT_TEXT = "It is not UTF-8 text."
CHOOSE_OTHER = "Choose another file."
CHOOSE_OTHER_PLACE = "Choose another folder or name."


def too_large(most_kb: int) -> str:
    """Why a file is not opened."""
    return f"It is larger than {most_kb} kB."


def saved(name: str) -> str:
    """A runbook was saved."""
    return f"Saved as {name}."


def file(name: str) -> str:
    """A task that names a runbook's file."""
    return f"Runbook {name}"


def running(line: int, words: str) -> str:
    """The line of the runbook that runs."""
    return f"Line {line}: {words}"
