"""Whether anything shows desktop notifications here, for `doctor`. Sending one is notify.py's."""

from __future__ import annotations

import os
from collections.abc import Mapping

from operator_console.desktop import dbus
from operator_console.domain.requests import DoctorCheck

_SERVICE = "org.freedesktop.Notifications"
_PATH = "/org/freedesktop/Notifications"


def check_notifications(environ: Mapping[str, str] = os.environ) -> DoctorCheck:
    """The notification line of `doctor`; nothing is shown by it. Blocking for up to two seconds."""
    connection = dbus.connect("session", environ)
    found = None
    if connection is not None:
        try:
            found = dbus.call(connection, _SERVICE, _PATH, _SERVICE, "GetServerInformation")
        finally:
            connection.close()
    if found:
        return DoctorCheck(name="notifications", ok=True, detail=f"shown by {found[0]} {found[2]}")
    return DoctorCheck(
        name="notifications",
        ok=False,
        detail="no notification service answers; only the window and its bar say that a question waits",
        remedy="Run a notification service (dunst, the desktop's own) to be told while the console is hidden.",
    )
