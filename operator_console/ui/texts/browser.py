"""Texts about a managed browser: its set-up, its page, and what the page asks."""

from __future__ import annotations

from collections.abc import Sequence

# set-up

ADDRESS = "Begins with"
ADDRESS_HINT = "example.org, or empty"
PLACE = "Shown"
IN_WINDOW, WITHOUT_WINDOW = "In a window of its own", "Without a window"
PLACE_TIP = "Without a window, the page is seen and used in the preview only. Without a display, there is no window."
SITES = "May reach"
SITES_TIP = (
    "One site a line: example.org, *.example.org for its subdomains, or either with a port. All else is blocked. "
    "Sites that the settings block stay blocked."
)
EVERY_SITE = "Every site that is not blocked"
TITLE = "A browser of its own."
_TEXT = "It starts with the session, with a fresh profile: without your logins, history and extensions."


def those_of_settings(sites: Sequence[str]) -> str:
    """What is in force while none is written."""
    return f"As in the settings: {', '.join(sites)}"


def starts_with(address: str) -> str:
    """What will be started; `address`: as written, "" for an empty page."""
    return f"{_TEXT} It begins with {address}." if address else f"{_TEXT} It begins with an empty page."


def titled(address: str) -> str:
    """The title of the chosen browser."""
    return f"Browser · {address}" if address else "Browser"


# the page

TABS, ADDRESS_NAME = "Tabs", "Address of the page"
NO_ADDRESS = "Empty page"
EMPTY_TAB = "New tab"
TAB_TIP = "Pause or take over to choose a tab yourself"

DIALOG = "The page waits"


def tab(number: int, title: str, address: str, *, shown_now: bool) -> str:
    """A tab in a list of facts."""
    return f"{number}. {title} — {address}{' (shown)' if shown_now else ''}"


_ASKS = {
    "alert": "The page says",
    "confirm": "The page asks to confirm",
    "prompt": "The page asks for an answer",
    "leave": "The page asks whether to leave it",
    "sign_in": "The page asks to sign in",
    "choose_file": "The page asks for a file",
}


def asks(kind: str, message: str) -> str:
    """What the page waits with; `kind`: the value of its `DialogKind`, `message`: its own words, on one line."""
    return f"{_ASKS[kind]}: “{message}”" if message else _ASKS[kind]
