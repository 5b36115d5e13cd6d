"""Fixtures for trials with programs that the test command does not install: see README.md."""

from __future__ import annotations

from tests.display.conftest import (
    accessible_desktop,
    accessible_session,
    desktop,
    desktop_session,
    event_classes_of_each_connection,
    xephyr_desktop,
    xephyr_session,
)

__all__ = [
    "accessible_desktop", "accessible_session", "desktop", "desktop_session", "event_classes_of_each_connection",
    "xephyr_desktop", "xephyr_session",
]  # fmt: skip
