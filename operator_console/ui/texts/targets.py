"""Texts about the target: its list, what is wrong with it, and what can be done about that."""

from __future__ import annotations

HEADINGS = {
    "virtual": "Isolated desktop",
    "browser": "Browser",
    "vm": "Virtual machines",
    "vnc": "Remote",
    "window": "Windows",
    "monitor": "Monitors",
}
"""The groups of the list, in their order, by the value of `TargetKind`."""

STATES = {"minimised": "Minimised", "other_desktop": "On another workspace", "hidden": "Hidden"}
"""Why a window cannot be seen, by its state."""

HIDDEN = {
    "minimised": "This window is minimised. Restore it to see it.",
    "other_desktop": "This window is on another workspace. Go there to see it.",
    "hidden": "This window is hidden.",
}
"""The same in sentences."""

STARTS_WITH_SESSION = "Starts with the session"
CONNECTS_WITH_SESSION = "Connects with the session"
CANNOT_START = "Cannot be started here"
VIRTUAL_TITLE = "An isolated desktop."
VIRTUAL_TEXT = (
    "It starts with the session. The agent sees and uses only this desktop, never your own. Files go in and out "
    "through its folder Shared, which lies beside the session's file."
)

HANDED_OVER = "Use the target yourself. The model sees nothing, and nothing is sent, until you hand back."

NOTHING_SENT = "Nothing is observed or sent."

LIVE, NOT_LIVE, NO_PICTURE, RECORD = "Live", "Not live", "Preview", "Record"
"""What the picture in the preview is."""

CHOOSE_ANOTHER, RESTORE, SHOW = "Choose another", "Restore the window", "Show the window"
TO_FRONT, REFRESH = "Bring to front", "Refresh targets"
REFRESH_TIP = "List the targets and their pictures anew"
LOOKING = "Looking for targets…"
NONE_CHOSEN = "No target chosen."
NONE_TITLE, NONE_TEXT = "No target available.", "Open a window or connect a monitor, then refresh the list."
CLOSED_TEXTS = {
    "window": "Choose another target, or open this one again.",
    "monitor": "It was switched off or unplugged. Choose another target, or switch it on again.",
    "virtual": "It ended with its window. Choose another target.",
}
"""What to do about a target that is no longer there, by the value of `TargetKind`; others as a window."""
COVERED = "Clicks there would not reach it."
POINT_COVERED = "The next action would not reach it."
NOT_LIVE_NOTE = "The picture is not live. Approve waits until the target can be seen."
COVERED_NOTE = "Another window covers this place. Approve waits until the target is in front."
GONE_NOTE = "The target is closed. Nothing more can be approved in this session."
NO_RECORD_PICTURE = "This record has no picture."
NO_PICTURE_YET = "There is no picture before the first step."
NOT_FORWARD = "The window could not be brought to the front."
NOT_FORWARD_TEXT = "The window manager did not give it the focus. Choose it in the taskbar."

POINT = "Point at a window"
POINT_TIP = "Choose a window by clicking it. The click is not passed on; Esc cancels."
POINTING, POINTING_TEXT = "Click the window that is to be the target.", "The click is not passed on. Esc cancels."
CANCEL = "Cancel"
END = "End the session"

FRAME = "Frame the target on the desktop"
FRAME_TIP = "While a session runs. The frame and the ring take no clicks and are never in the model’s pictures."

CHOOSE = "Choose a target"
NOT_OPEN = "The target used last is not open. Choose another one."
NONE_AVAILABLE = "No target available. Open a window or connect a monitor."
REPLACED = "The target of this session is closed."
NEW_SESSION = "Start a new session with the target that you want."
REPLACED_TEXT = f"Another window has its id now. {NEW_SESSION}"
CLOSED = {
    "window": "This target is closed. Choose another one, or open it again.",
    "monitor": "This monitor is switched off or unplugged. Choose another target, or switch it on again.",
    "virtual": "This desktop has ended. Choose another target.",
}
"""The same at the list."""
_CLOSED_TITLES = {"monitor": "off", "virtual": "ended"}


def closed_title(title: str, kind: str) -> str:
    """The title of a target that is no longer there; `kind`: the value of its `TargetKind`."""
    return f"{title} ({_CLOSED_TITLES.get(kind, 'closed')})"


def closed_text(kind: str, *, at_list: bool) -> str:
    """What to do about it."""
    texts = CLOSED if at_list else CLOSED_TEXTS
    return texts.get(kind, texts["window"])


def covered_title(name: str) -> str:
    """Which window lies over the target."""
    return f"Covered by “{name}”" if name else "Covered by another window"
