"""Texts of the start page, and of practice."""

from __future__ import annotations

PRACTICE_HOW = "Press Start. Each step waits until you press Approve; Stop ends it at any time."


def open_recent(task: str, when: str) -> str:
    """A recent session: its task, and when it ran."""
    return f"{task} · {when}" if when else task
