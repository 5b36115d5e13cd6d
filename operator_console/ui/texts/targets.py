"""Texts about the target: its list, what is wrong with it, and what can be done about that."""

from __future__ import annotations

HEADINGS = {
    "virtual": "Isolated desktop",
    "browser": "Browser",
    "vnc": "VNC",
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
CANNOT_START = "Cannot be started here"
VIRTUAL_TITLE = "An isolated desktop."
VIRTUAL_TEXT = (
    "It starts with the session, with no window open. The agent sees and uses only this desktop, never your own."
)

CHOOSE = "Choose a target"
NOT_OPEN = "The target used last is not open. Choose another one."
NONE_AVAILABLE = "No target available. Open a window or connect a monitor."
CLOSED = "This target is closed. Choose another one, or open it again."


def closed_title(title: str) -> str:
    """The title of a target that has closed."""
    return f"{title} (closed)"
