"""Texts of the start page, and of practice."""

from __future__ import annotations

PAGE_NAME = "Start page"
TITLE = "What would you like to do first?"
SUBTITLE = "Or set up a task of your own on the left."
CLOSE = "Show the preview"
CLOSE_TIP = "Shows the live picture of the target. The start page stays in the menu."

PRACTICE_TITLE = "Practice"
PRACTICE_TEXT = (
    "Approve the first steps in a practice window. Takes two minutes, needs no key, and sends nothing anywhere."
)
PRACTICE = "Practice"
PRACTICE_OPENING = "Opening…"
PRACTICE_OPENS = "The practice window is being opened."
PRACTICE_AGAIN = "Practice again"
PRACTICE_END = "End practice"
PRACTICE_OPEN_TEXT = "The practice window is open. Press Start on the left to run its steps, or end practice."

MODEL_TITLE = "Use a model"
ENTER_KEY = "Enter a key…"
WRITE_TASK = "Write a task"
GET_KEY = "Get a key"

SESSION_TITLE = "Look at a session"
SESSION_TEXT = "Go through a recorded session step by step."
SESSION_NONE = "No sessions yet. A file from somebody else can be opened, too."
OPEN_SESSION = "Open a session…"

RUNNING_TITLE = "A session is running."
RUNNING_DETAIL = "You can open the start page when it has ended."

PRACTICE_READY = "Practice is ready."
PRACTICE_HOW = "Press Start. Each step waits until you press Approve; Stop ends it at any time."
IN_DESKTOP = "It runs in an isolated desktop: nothing on your screen is touched."
IN_WINDOW = "It runs in the window “Plant diary” beside this one. Leave that window open."
PRACTICE_DONE = "Practice finished."
PRACTICE_NEXT = "What next?"
PRACTICE_ENDED_EARLY = "Practice ended early."
PRACTICE_START_AGAIN = "Press Start to run it again, or go on to something else."


def needs_key(model: str) -> str:
    """A model that cannot be used yet."""
    return f"{model} works with an API key of its service. It is checked with one small request."


def has_key(model: str) -> str:
    """A model that can be used."""
    return f"{model} is ready: its key was found. Write a task and press Start."


def open_recent(task: str, when: str) -> str:
    """A recent session: its task, and when it ran."""
    return f"{task} · {when}" if when else task
