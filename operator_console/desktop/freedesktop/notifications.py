"""Shows a desktop notification over the session bus (org.freedesktop.Notifications).

It has no actions. Without a bus or notification service, nothing happens.
Specification: https://specifications.freedesktop.org/notification-spec/latest/
"""

from __future__ import annotations

import logging
from html import escape

from operator_console.desktop.freedesktop import bus

APP = "Operator console"
ICON = "operator-console"
TIMEOUT_S = 3.0
EXPIRES_MS = -1  # the desktop's default

_SERVICE, _PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"

_log = logging.getLogger(__name__)


def notify(title: str, text: str) -> bool:
    """Show a notification; whether a service accepted it. Blocks for up to 3 s.

    Args:
        title: one line of plain text.
        text: plain text. It may come from a model or a screen, so markup is escaped.
    """
    hints = {"category": ("s", "im.received"), "desktop-entry": ("s", ICON)}
    actions: list[str] = []
    body = (APP, 0, ICON, title, escape(text, quote=False), actions, hints, EXPIRES_MS)
    connection = bus.connect("session")
    taken = None
    if connection is not None:
        with connection:
            taken = bus.call(
                connection, _SERVICE, _PATH, _SERVICE, "Notify", "susssasa{sv}i", body, timeout_s=TIMEOUT_S
            )
    if taken is None:
        _log.info("no desktop notification: no service accepted it")
    return taken is not None
