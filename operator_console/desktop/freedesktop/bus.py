"""Connections to the session and system message bus, calls on them and their signals, by jeepney.

If jeepney or the bus is missing, or no reply comes in time, the result is None, not an error.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

CALL_TIMEOUT_S = 2.0
_SYSTEM_BUS = "unix:path=/run/dbus/system_bus_socket"


def connect(bus: str, environ: Mapping[str, str] = os.environ) -> Any | None:
    """A connection to the "session" or "system" bus, None if there is none (a server, a container)."""
    if bus == "session" and not environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return None
    address = (
        environ["DBUS_SESSION_BUS_ADDRESS"] if bus == "session" else environ.get("DBUS_SYSTEM_BUS_ADDRESS", _SYSTEM_BUS)
    )
    return connect_to(address)


def connect_to(address: str) -> Any | None:
    """A connection to the bus at an address, None if there is none."""
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
    *,
    timeout_s: float = CALL_TIMEOUT_S,
) -> tuple[Any, ...] | None:
    """The results of a method, None if it failed or no reply came in time."""
    from jeepney import DBusAddress, MessageType, new_method_call

    message = new_method_call(DBusAddress(path, service, interface), method, signature or None, body)
    try:
        reply = connection.send_and_get_reply(message, timeout=timeout_s)
    except (OSError, TimeoutError, ValueError, EOFError):
        return None
    return tuple(reply.body) if reply.header.message_type is MessageType.method_return else None


def subscribe(connection: Any, **rule: str) -> Any | None:
    """Have the bus send the signals that match (`path`, `interface`, `member`); the rule, None if no reply came."""
    from jeepney import MatchRule
    from jeepney.bus_messages import message_bus

    match = MatchRule(type="signal", **rule)
    try:
        connection.send_and_get_reply(message_bus.AddMatch(match), timeout=CALL_TIMEOUT_S)
    except (OSError, TimeoutError, EOFError):
        return None
    return match
