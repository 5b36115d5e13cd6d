"""Refusing an action in words: what everything raises that looks before it acts. Values only."""

from __future__ import annotations

from operator_console.desktop.values import Window
from operator_console.domain.errors import RejectedReason


class Refused(Exception):
    """Nothing (more) was sent; `reason` and the text say why."""

    def __init__(self, reason: RejectedReason, text: str) -> None:
        super().__init__(text)
        self.reason = reason


def named(window: Window | None) -> str:
    """A window for people."""
    if window is None:
        return "the desktop"
    title = window.title or window.app
    return f"“{title}”" if title else f"window 0x{window.window_id:x}"
