"""The recent tasks at the task field, and the icon in the panel."""

from __future__ import annotations

RECENT = "Recent"
RECENT_NAME = "Recent tasks"
RECENT_TIP = "Tasks of earlier sessions; Ctrl+Z brings back what was written"
SHOW_WINDOW = "Show the window"
STOP = "Stop"


def state(words: str) -> str:
    """The tooltip of the icon."""
    return f"Operator console: {words}"
