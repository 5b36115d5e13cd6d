"""Texts of the help window."""

from __future__ import annotations

from operator_console.ui.texts.counting import counted

WINDOW_TITLE = "Help — Operator console"
SEARCH = "Search the help"
CONTENTS = "Contents"
PAGE = "Help page"
BACK, FORWARD = "Back", "Forward"
BACK_TIP, FORWARD_TIP = "Back (Alt+Left)", "Forward (Alt+Right)"
NO_EARLIER, NO_LATER = "There is no page before this one.", "There is no page after this one."
NOT_FOUND = "No page has these words. Try fewer, or one word only."


def found(number: int) -> str:
    """How many places a search found."""
    return counted(number, "{} place", "{} places")


def page_not_found(name: str) -> str:
    """A link leads nowhere."""
    return f"There is no help page “{name}”."
