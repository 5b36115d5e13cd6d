"""What the window says while a session waits, was stopped, or is over: the way on, and the buttons for it."""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.domain.stopping import PauseCause, WaitsFor

PAUSE_WORDS: dict[PauseCause, str] = {
    PauseCause.HUMAN: "by you",
    PauseCause.HOTKEY: "by hotkey",
    PauseCause.SCREEN_LOCK: "the screen was locked",
    PauseCause.LEASE: "the console was busy",
    PauseCause.STOP_NOT_LIVE: "the stop is not ready",
    PauseCause.SUSPEND: "the computer was suspended",
    PauseCause.LAPSED_QUESTION: "a question was not answered",
    PauseCause.PROVIDER_BLOCKED: "the model’s service blocked this",
    PauseCause.TARGET: "the target cannot be seen",
    PauseCause.LIMIT: "a limit was reached",
    PauseCause.RECORD: "the record cannot be written",
}
WAITING_WORDS: dict[WaitsFor, str] = {
    WaitsFor.ANSWER: "Waiting for your answer",
    WaitsFor.HAND_BACK: "You are in control",
}

PAUSE_WAYS_ON: dict[PauseCause, str] = {
    PauseCause.HUMAN: "",
    PauseCause.HOTKEY: "",
    PauseCause.SCREEN_LOCK: "Unlock the screen first.",
    PauseCause.LEASE: "It resumes by itself once the console responds again.",
    PauseCause.STOP_NOT_LIVE: "It cannot resume before the stop is ready again; the line below says when it is.",
    PauseCause.SUSPEND: "",
    PauseCause.LAPSED_QUESTION: "The question counts as denied.",
    PauseCause.PROVIDER_BLOCKED: "Send the model a message, or take over and do this part yourself.",
    PauseCause.TARGET: "Bring the target back first.",
    PauseCause.LIMIT: "",
    PauseCause.RECORD: "Free some space on the disk first.",
}
"""What to do before Resume; "" where nothing is needed."""

IN_CONTROL = "The model sees nothing, and nothing is sent. Hand back when you are done; a note helps the model."
HAND_BACK_WHEN_DONE = "Hand back when you are done."
WAITING_FOR_DISK = "Waiting for the disk: nothing more runs until the record is written. Stop still works."
RETRIED = "It is retried automatically; Stop ends the wait."
SETUP_CHANGED = "The set-up is another one than was shown when you pressed Start. Check it, then press Start again."
SETUP_PARTS = {
    "target": "the target", "target_title": "the target’s title", "model_title": "the model",
    "autonomy": "the autonomy", "max_steps": "the limit of steps", "max_minutes": "the limit of minutes",
}  # fmt: skip
"""The parts of a remembered set-up, by name."""


def setup_changed(parts: Sequence[str]) -> str:
    """Why a start that was pressed early began nothing; `parts`: what differs, names of `SETUP_PARTS`."""
    named = [SETUP_PARTS[part] for part in parts if part != "target_title" or "target" not in parts]
    return f"{SETUP_CHANGED} Different: {', '.join(named)}." if named else SETUP_CHANGED


STARTING = "Preparing the stop and looking at the target. Nothing is sent yet."
OBSERVING = "Looking at the screen. The next action appears here."
STEP_OVER = "This step is over. The screen is looked at next."
SETTLING = "The action was performed. Waiting until the screen stands still."
THINKING = "The model was shown the screen and has not answered yet. You can send it a message meanwhile."


STOP_NOT_READY_WHY = "Nothing can start until the stop is ready."
"""Why Start and Continue are disabled: in short, and in full."""
IS_STARTING, IS_STOPPED = "The session is starting.", "The session is stopped."

TRY_NOW = "Try now"
STOP_RECEIPT = "Stop receipt"
ENTER_KEY = "Enter key…"
CHANGE_SETUP = "Change the set-up"
CHOOSE_TARGET = "Choose another target"
CHANGE_TASK = "Change the task"
ANSWER, DONE = "Answer", "Done"
OPEN_LOGS = "Open the log folder"


ELSEWHERE_STOP = "Stop stops it. You can start a session here when it has ended."


def elsewhere_detail(pid: int, paused: bool, since: str, record: str) -> str:
    """Which process runs it, since when, and its record; `since`: as shown, "" where unknown."""
    who = f"process {pid}" if pid else ""
    when = f"{'waiting' if paused else 'working'} since {since}" if since else ""
    parts = ", ".join(part for part in (who, when, f"record {record}" if record else "") if part)
    return f"{parts[:1].upper()}{parts[1:]}. {ELSEWHERE_STOP}" if parts else ELSEWHERE_STOP
