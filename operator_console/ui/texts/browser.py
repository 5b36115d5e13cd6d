"""Texts about a managed browser: its set-up, its page, and what the page asks."""

from __future__ import annotations

from collections.abc import Sequence

# set-up


def those_of_settings(sites: Sequence[str]) -> str:
    """What is in force while none is written."""
    return f"As in the settings: {', '.join(sites)}"


def titled(address: str) -> str:
    """The title of the chosen browser."""
    return f"Browser · {address}" if address else "Browser"


# the page


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
