"""The smallest possible way to the desktop's message bus: connect or None, one call, wait for one signal.

jeepney speaks the protocol (keyring brings it along); where it or the bus is missing, everything here says None and
the callers say so in words.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

CALL_TIMEOUT_S = 2.0
_SYSTEM_BUS = "unix:path=/run/dbus/system_bus_socket"


def connect(bus: str, environ: Mapping[str, str] = os.environ) -> Any | None:
    """A connection to the "session" or "system" bus, None where there is none (a server, a container)."""
    if bus == "session" and not environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return None
    address = (
        environ["DBUS_SESSION_BUS_ADDRESS"] if bus == "session" else environ.get("DBUS_SYSTEM_BUS_ADDRESS", _SYSTEM_BUS)
    )
    try:
        from jeepney.io.blocking import open_dbus_connection
    except ImportError:
        return None
    try:
        return open_dbus_connection(address)
    except (OSError, ValueError, RuntimeError, EOFError):
        return None


def call(
    connection: Any,
    service: str,
    path: str,
    interface: str,
    method: str,
    signature: str = "",
    body: tuple[Any, ...] = (),
) -> tuple[Any, ...] | None:
    """A method's results, None where it was refused or nobody answered in time."""
    from jeepney import DBusAddress, MessageType, new_method_call

    message = new_method_call(DBusAddress(path, service, interface), method, signature or None, body)
    try:
        reply = connection.send_and_get_reply(message, timeout=CALL_TIMEOUT_S)
    except (OSError, TimeoutError, ValueError, EOFError):
        return None
    return tuple(reply.body) if reply.header.message_type is MessageType.method_return else None
