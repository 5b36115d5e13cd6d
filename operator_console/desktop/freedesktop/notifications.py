"""A desktop notification over the session bus (org.freedesktop.Notifications).

Nothing can be answered in it. Where there is no bus or no notification service, nothing happens.
Specification: https://specifications.freedesktop.org/notification-spec/latest/
"""

from __future__ import annotations

import logging
from html import escape

from operator_console.desktop.freedesktop import bus

APP = "Operator console"
ICON = "operator-console"
TIMEOUT_S = 3.0
EXPIRES_MS = -1  # as the desktop has it

_SERVICE, _PATH = "org.freedesktop.Notifications", "/org/freedesktop/Notifications"

_log = logging.getLogger(__name__)


def notify(title: str, text: str) -> bool:
    """Show it. Blocking for some seconds at most. Returns whether a service took it.

    Args:
        title: one line of plain text.
        text: plain text; it may come from a model or a screen, so nothing of it is taken for markup.
    """
    hints = {"category": ("s", "im.received"), "desktop-entry": ("s", ICON)}
    actions: list[str] = []
    body = (APP, 0, ICON, title, escape(text, quote=False), actions, hints, EXPIRES_MS)
    connection = bus.connect("session")
    taken = None
    if connection is not None:
        try:
            taken = bus.call(
                connection, _SERVICE, _PATH, _SERVICE, "Notify", "susssasa{sv}i", body, timeout_s=TIMEOUT_S
            )
        finally:
            connection.close()
    if taken is None:
        _log.info("no desktop notification: no service took it")
    return taken is not None
