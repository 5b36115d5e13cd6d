"""The main menu, the window of keyboard shortcuts, and About."""

from __future__ import annotations

MENU = "Menu"
MENU_TIP = "Sessions, settings, folders, help"
START_PAGE = "Start page"
PRACTICE = "Practice"
OPEN_SESSION = "Sessions…"
EXPORT = "Export…"
SETTINGS = "Settings…"
MODEL_SETTINGS = "Model settings…"
SESSIONS_FOLDER = "Open the sessions folder"
LOG_FOLDER = "Open the log folder"
HELP = "Help"
SHORTCUTS = "Keyboard shortcuts"
ABOUT = "About"
QUIT = "Quit"
NOT_WHILE_RUNNING = "Not while a session runs"

EVERYWHERE = "Everywhere, whatever has the focus"
IN_THE_WINDOW = "In this window"
IN_A_RECORD = "While a record is open"
NOWHERE_ELSE = (
    "In a Wayland session no keys are heard outside this window. Stop with the button, or with operator-console stop."
)
STOP = "Stop everything"
PAUSE = "Pause the session"
APPROVE = "Approve the action on the card; never one that is asked in a dialog"
CORNERS = "any corner of the screen"
CORNER_STOPS = "Stop everything, with the pointer"
CHANGE_IN_SETTINGS = "The keys that work everywhere can be changed in Settings."
CHANGE_KEYS = "Change them…"
CLOSE = "Close"

ABOUT_TEXT = "Supervise a computer-use model on a real desktop: see each action before it happens, decide, stop it."
LICENCE = "Apache License 2.0"
COPY_DETAILS = "Copy details"


def version(number: str) -> str:
    """The version of this program."""
    return f"Version {number}"


def with_keys(text: str, keys: str) -> str:
    """A tooltip with the keys that do the same."""
    return f"{text} ({keys})"
