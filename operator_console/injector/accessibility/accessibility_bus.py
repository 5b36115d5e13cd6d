"""A blocking connection to the accessibility bus. Each call has a deadline, because applications hang."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from operator_console.desktop.freedesktop import bus as message_bus
from operator_console.desktop.x11.display import Display

SERVICE = ("org.a11y.Bus", "/org/a11y/bus")
_BUS = ("org.freedesktop.DBus", "/org/freedesktop/DBus")
_GONE = frozenset(
    f"org.freedesktop.DBus.Error.{name}"
    for name in ("NoReply", "Disconnected", "TimedOut", "Timeout", "ServiceUnknown")
)
"""Errors by which the bus answers for an application that has gone or does not reply."""


class NoReply(Exception):
    """The application did not reply in time, or has gone."""


class NoBus(Exception):
    """There is no accessibility bus for this display."""


class Ref(NamedTuple):
    """An element: the bus name of its application and its path there."""

    owner: str
    path: str


class Call(NamedTuple):
    """A method call on an element."""

    ref: Ref
    interface: str
    method: str
    signature: str = ""
    arguments: tuple[Any, ...] = ()


class AccessibilityBus:
    """The bus of one display, connected at the first call, and again after it was lost.

    Args:
        display: the display.
        only: the address of the only bus to use. Without, it is found by the display, which any program on it can
            change, or the session.
    """

    def __init__(self, display: Display, only: str = "") -> None:
        self._display = display
        self._only = only
        self._connection: Any = None

    def process_of(self, ref: Ref, deadline_s: float) -> int | None:
        """The process of an element's application; None if it has gone. Raises NoBus, NoReply."""
        name = "GetConnectionUnixProcessID"
        (answer,) = self.ask([Call(Ref(*_BUS), "org.freedesktop.DBus", name, "s", (ref.owner,))], deadline_s)
        return None if answer is None else int(answer[0])

    def ask(self, calls: Sequence[Call], deadline_s: float) -> list[tuple[Any, ...] | None]:
        """The results of calls that are sent at once, in order; None for each that was answered with an error.

        Raises:
            NoBus: there is no bus.
            NoReply: `deadline_s` (time.monotonic) passed before all were answered, or the application has gone.
        """
        return self._replies(self._sent(calls), deadline_s)

    def act(self, call: Call, deadline_s: float, send: Callable[[Callable[[], bool]], bool]) -> tuple[Any, ...] | None:
        """The result of one call that acts; None if it was answered with an error.

        Args:
            call: the call.
            deadline_s: as in `ask`.
            send: is given the function that sends the call, and decides whether it may.

        Raises:
            NoBus: nothing was sent.
            NoReply: it was sent, and nothing is known of it.
        """
        serials: list[int] = []

        def sent() -> bool:
            serials.extend(self._sent([call]))
            return True

        send(sent)
        return self._replies(serials, deadline_s)[0]

    def close(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with contextlib.suppress(OSError):
                connection.close()

    def _sent(self, calls: Sequence[Call]) -> list[int]:
        from jeepney import DBusAddress, new_method_call

        if self._connection is None:
            self._connection = self._open()
        connection = self._connection
        serials: list[int] = []
        try:
            for call in calls:
                serial = next(connection.outgoing_serial)
                address = DBusAddress(call.ref.path, call.ref.owner, call.interface)
                message = new_method_call(address, call.method, call.signature or None, call.arguments)
                connection.send(message, serial=serial)
                serials.append(serial)
        except (OSError, ValueError) as error:
            self.close()
            raise NoBus(str(error)) from error
        return serials

    def _replies(self, serials: Sequence[int], deadline_s: float) -> list[tuple[Any, ...] | None]:
        from jeepney import HeaderFields, MessageType

        places = {serial: place for place, serial in enumerate(serials)}
        answers: list[tuple[Any, ...] | None] = [None] * len(serials)
        while places:
            try:
                message = self._connection.receive(timeout=max(0.0, deadline_s - time.monotonic()))
            except TimeoutError as error:
                raise NoReply from error
            except (OSError, ValueError, EOFError) as error:
                self.close()
                raise NoReply from error
            fields = message.header.fields
            place = places.pop(fields.get(HeaderFields.reply_serial), None)
            if place is None:
                continue
            if message.header.message_type is MessageType.method_return:
                answers[place] = tuple(message.body)
            elif fields.get(HeaderFields.error_name) in _GONE:
                raise NoReply
        return answers

    def _open(self) -> Any:
        """A new connection. Raises NoBus."""
        for address in filter(None, self._addresses()):
            if (connection := message_bus.connect_to(address)) is not None:
                return connection
        raise NoBus("there is no accessibility bus")

    def _addresses(self) -> Iterator[str]:
        if self._only:
            yield self._only
            return
        found = self._display.text(self._display.ask(self._display.root, "AT_SPI_BUS"))
        yield found.decode("utf-8", "replace").rstrip("\0")
        yield os.environ.get("AT_SPI_BUS_ADDRESS", "")
        session = message_bus.connect("session")
        if session is not None:
            with session:
                told = message_bus.call(session, *SERVICE, "org.a11y.Bus", "GetAddress")
            yield str(told[0]) if told else ""
