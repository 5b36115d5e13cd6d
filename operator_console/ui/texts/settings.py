"""The settings dialog."""

from __future__ import annotations

TITLE = "Settings"
APPEARANCE, HOTKEYS, SESSIONS, AUTO, FOLDERS, PRIVACY = (
    "Appearance", "Hotkeys", "Sessions", "Auto", "Folders", "Privacy",
)  # fmt: skip

THEME, CONTRAST, TEXT_SIZE = "Theme", "Contrast", "Text size"
TEXT_SIZE_NOTE = "Relative to the text size of your desktop"
REDUCE_MOTION = "Reduce motion"
MOTION_REDUCED = "Your desktop asks for reduced motion, so it is reduced anyway."
LOUPE = "Show the target of the next action enlarged"

RECORD_HINT = "Choose a field and press the keys. Backspace puts the default back."
STOP, PAUSE, APPROVE = "Stop", "Pause", "Approve"
WHILE_RECORDING = "The present keys keep working meanwhile: those of Stop stop everything."
HOTKEYS_LATER = "Hotkeys can be changed when no session runs and nothing is stopped."
ALSO_CORNERS = "A corner of the screen stops, too; that cannot be changed."
PRESS_KEYS = "Press keys…"

LEAD_TIME = "Lead time"
LEAD_TIME_NOTE = "How long the target ring shows before an action runs"
MAX_STEPS, MAX_MINUTES = "Steps", "Minutes"
LIMITS_NOTE = "The limits that a new session begins with. You are asked when one is reached."
TYPING_PACE = "Pause after each character"
PASTE = "Paste long texts that the keyboard cannot type"
PASTE_NOTE = (
    "Your clipboard is restored afterwards. Secrets are never pasted, and nothing is pasted into terminals. "
    "Leave this off for remote desktop windows: Ctrl+V would use the remote computer’s clipboard."
)
ACCESSIBILITY = "Switch accessibility on while a session runs"
ACCESSIBILITY_NOTE = "Applications then name their controls. It is put back afterwards."

AUTO_HEADING = "Auto runs these without asking"
AUTO_NOTE = "With Step and Guarded, all of them wait for you."

SESSIONS_FOLDER, LOG_FOLDER, SETTINGS_FILE = "Sessions", "Logs", "Settings file"
OPEN = "Open"
FOLDERS_NOTE = "OPERATOR_CONSOLE_HOME moves all of them. Start the console with it set to another folder."

KEPT_HEADING = "What is kept, and how long"
KEPT_TEXT = (
    "Each session is kept in one file, with its pictures and everything typed, passwords included, until you "
    "delete it. Only your user can read it. Logs hold no pictures and no keys; the oldest are deleted "
    "as new ones come. API keys are in the keyring of your desktop. "
    "The last 12 tasks are kept for the Recent menu at the task field."
)
TOLD_HEADING = "Services that you were told about"
TOLD_NONE = "None yet. Before the first session with a service, the console shows what leaves this machine."
SHOW_AGAIN = "Show again"
NEW_PROFILE_FIRST = "Save the new profile first, or choose another one."
NAME_FIRST = "Give the profile a name first."
NOTHING_TO_SAVE = "Nothing was changed."
PROVIDER_FIRST = "Choose a provider first."
CANCEL, SAVE = "Cancel", "Save"


def always_asked(names: str) -> str:
    """What Auto never runs without asking."""
    return f"Always asked: {names}, and whatever the model’s service wants confirmed."


def taken_by_window(what: str) -> str:
    """A hotkey that is a key of the window."""
    return f"This window uses it, too: {what}."


def show_again_before(service: str) -> str:
    """For a screen reader."""
    return f"Show again before the next session with {service}"
