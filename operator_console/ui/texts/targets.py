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
"""The groups of the list from the most isolated on, by the value of `TargetKind`."""


RISKS = {
    "virtual": "Mistakes stay there and in its folder Shared, but what it sends over the network is sent.",
    "browser": "What it sends, orders or deletes on a site is done there, and cannot be undone here.",
    "vm": "Mistakes stay in the machine, with what it shares with this computer. A snapshot takes them back.",
    "vnc": "What is done there is real and stays. VNC without TLS can be read and changed on the way.",
    "window": "It works in your own program on your real files, and can open others from there.",
    "monitor": "It sees all that this monitor shows, and can open, change and delete whatever you can.",
}
"""What could go wrong there, in a sentence, by the value of `TargetKind`."""

STATES = {"minimised": "Minimised", "other_desktop": "On another workspace", "hidden": "Hidden"}
"""Why a window cannot be seen, by its state."""

HIDDEN = {
    "minimised": "This window is minimised. Restore it to see it.",
    "other_desktop": "This window is on another workspace. Go there to see it.",
    "hidden": "This window is hidden.",
}
"""The same in sentences."""


CHOOSE_ANOTHER, RESTORE, SHOW = "Choose another", "Restore the window", "Show the window"
TO_FRONT, REFRESH = "Bring to front", "Refresh targets"
CLOSED_TEXTS = {
    "window": "Choose another target, or open this one again.",
    "monitor": "It was switched off or unplugged. Choose another target, or switch it on again.",
    "virtual": "It ended with its window. Choose another target.",
}
"""What to do about a target that is no longer there, by the value of `TargetKind`; others as a window."""

POINTING, POINTING_TEXT = "Click the window that is to be the target.", "The click is not passed on. Esc cancels."
CANCEL = "Cancel"
END = "End the session"


REPLACED = "The target of this session is closed."
NEW_SESSION = "Start a new session with the target that you want."
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
