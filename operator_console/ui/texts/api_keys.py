"""Texts of the key dialog."""

from __future__ import annotations

from operator_console.domain.api_keys import KeyPlace

WINDOW_TITLE = "API key — Operator console"
KEY = "API key"
GET_A_KEY = "Get a key"
SHOW = "Show"
SHOW_NAME = "Show the key"
IN_KEYRING = "Keep in the system keyring"
FOR_SESSION = "Only until the console closes"
CHECK_AND_SAVE = "Check and save"
CHECK_AND_USE = "Check and use"
ENTER_FIRST, BEING_CHECKED = "Enter a key first.", "The key is being checked."
FORGET = "Forget this key"
CANCEL = "Cancel"
CLOSE = "Close"
FORGOTTEN = "The key is forgotten."
KEPT = {
    KeyPlace.KEYRING: "A key is saved in the system keyring. A new one replaces it.",
    KeyPlace.SESSION: "A key is kept until the console closes. A new one replaces it.",
    KeyPlace.ENVIRONMENT: "The key comes from the environment. A key for the session is used instead of it.",
}
NOTES = {
    KeyPlace.KEYRING: "Saved in the system keyring, nowhere else.",
    KeyPlace.SESSION: "Held in memory, never written to a file. Enter it again after the next start.",
}


def title(model: str) -> str:
    """The heading: which model the key is for."""
    return f"API key for {model}"


def no_keyring(why: str) -> str:
    """Why the key can only be kept for the session."""
    return f"The system keyring can’t be used: {why}"


def opens(address: str) -> str:
    """What the link does."""
    return f"Opens {address} in your browser"
