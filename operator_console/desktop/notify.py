"""A desktop notification over the session bus (org.freedesktop.Notifications). Called by app, from a thread.

Not a question: nothing can be answered in it, and where no bus or no notification daemon is, nothing happens.
Specification: https://specifications.freedesktop.org/notification-spec/latest/
"""

from __future__ import annotations

import logging
from html import escape

APP = "Operator console"
ICON = "operator-console"
TIMEOUT_S = 3.0
EXPIRES_MS = -1  # as the desktop has it

_log = logging.getLogger(__name__)


def notify(title: str, text: str) -> bool:
    """Show it. Blocking, some seconds at most. Returns whether a daemon took it.

    Args:
        title: one line of plain text.
        text: plain text; it may come from a model or a screen, so nothing of it is taken for markup.
    """
    # A bus that is missing, refuses or is silent is the desktop's business: the window says it all anyway.
    try:
        return _send(title, text)
    except (ImportError, OSError, KeyError, ValueError, EOFError) as error:
        _log.info("no desktop notification: %s: %s", type(error).__name__, error)
        return False


def _send(title: str, text: str) -> bool:
    from jeepney import DBusAddress, MessageType, new_method_call
    from jeepney.io.blocking import open_dbus_connection

    address = DBusAddress(
        "/org/freedesktop/Notifications",
        bus_name="org.freedesktop.Notifications",
        interface="org.freedesktop.Notifications",
    )
    hints = {"category": ("s", "im.received"), "desktop-entry": ("s", ICON)}
    actions: list[str] = []
    body = (APP, 0, ICON, title, escape(text, quote=False), actions, hints, EXPIRES_MS)
    with open_dbus_connection("SESSION") as connection:
        call = new_method_call(address, "Notify", "susssasa{sv}i", body)
        answer = connection.send_and_get_reply(call, timeout=TIMEOUT_S)
    return bool(answer.header.message_type is MessageType.method_return)
