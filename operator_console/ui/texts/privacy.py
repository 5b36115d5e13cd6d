"""Texts about what leaves this machine."""

from __future__ import annotations

TITLE = "What leaves this machine"
WINDOW_TITLE = "What leaves this machine — Operator console"
NOTHING = "Nothing is sent to a service."
WHEN = "When"
WHEN_TEXT = "With every step, from Start until the session ends. Nothing is sent while you are in control."
STAYS = "What stays here"
STAYS_TEXT = (
    "The record of the session, with its pictures and everything typed. It holds no API key, and is not sent anywhere."
)
ADVICE = "Before you start"
ADVICE_TEXT = "Close what the service must not see, or choose one window or an isolated desktop as the target."
AGAIN = "You find this again below the model, under “What leaves this machine”."
START = "Start the session"
CANCEL = "Cancel"


def about(model: str) -> str:
    """Which model the sheet is about."""
    return f"Read this once before the first session with {model}."
