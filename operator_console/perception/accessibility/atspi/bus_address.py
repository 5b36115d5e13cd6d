"""Finds the accessibility bus, and asks the session's accessibility service (org.a11y.Bus)."""

from __future__ import annotations

import time
from collections.abc import Mapping

from operator_console.perception.accessibility.atspi.connection import BusConnection, BusGone, Call, Failure

SERVICE = ("org.a11y.Bus", "/org/a11y/bus")
_CALL_S = 2.0


async def session_bus(environ: Mapping[str, str]) -> BusConnection:
    """A connection to the session bus. Raises BusGone."""
    address = environ.get("DBUS_SESSION_BUS_ADDRESS", "")
    if not address:
        raise BusGone("there is no session bus")
    return await BusConnection.connect(address)


async def accessibility_bus(environ: Mapping[str, str]) -> str:
    """The address of the accessibility bus of this session; the service is started by asking. Raises BusGone."""
    given = environ.get("AT_SPI_BUS_ADDRESS", "")
    if given:
        return given
    bus = await session_bus(environ)
    try:
        (answer,) = await bus.ask([Call(*SERVICE, "org.a11y.Bus", "GetAddress")], time.monotonic() + _CALL_S)
    finally:
        bus.close()
    if isinstance(answer, Failure) or not answer[0]:
        raise BusGone("there is no accessibility service")
    return str(answer[0])
