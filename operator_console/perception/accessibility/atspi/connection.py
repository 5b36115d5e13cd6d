"""A connection to the accessibility bus that sends many calls at once and collects their replies until a deadline.

The calls of a batch are written in one go: asking one by one costs a round trip each, and an application has hundreds
of elements. An application that stops replying is skipped for some seconds, so it delays only the first query to it.

jeepney writes and parses the messages. Its own routers cost a future and a lock for each call, about twice the time of
a batch; dbus-fast parses faster but closes the connection when more calls are queued than the socket takes
(BlockingIOError, dbus-fast 5.2.0, 2,000 calls).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from enum import Enum
from itertools import count
from typing import Any, NamedTuple, TypeAlias

SILENT_S = 3.0
"""How long an application that did not reply is skipped, unless its reply comes earlier."""
_PATIENCE_S = 0.1
_CONNECT_S = 2.0


class Call(NamedTuple):
    """A method call: bus name, object path, interface, method, and arguments with their D-Bus signature."""

    owner: str
    path: str
    interface: str
    method: str
    signature: str = ""
    arguments: tuple[Any, ...] = ()


class Failure(Enum):
    """Why there is no result."""

    ERROR = "error"
    """The other side replied with an error: no such object or method."""
    NO_REPLY = "no reply"
    """No reply came before the deadline, or the application is skipped because it did not reply lately."""


Answer: TypeAlias = tuple[Any, ...] | Failure
"""The results of a method, or why there are none."""


class BusGone(Exception):
    """There is no bus at the address, or the connection was lost."""


class _Batch:
    """Calls whose replies are waited for together."""

    __slots__ = ("answers", "done", "heard", "missing", "owners")

    def __init__(self, calls: Sequence[Call]) -> None:
        self.answers: list[Answer] = [Failure.NO_REPLY] * len(calls)
        self.missing = 0
        self.done = asyncio.Event()
        self.owners: set[str] = set()
        self.heard: set[str] = set()


class BusConnection(asyncio.Protocol):
    """Open it with `connect`. Use from one event loop."""

    def __init__(self) -> None:
        from jeepney import Parser
        from jeepney.auth import Authenticator

        self._parser: Any = Parser()
        self._dialogue: Any = Authenticator()
        self._authenticated = asyncio.get_running_loop().create_future()
        self._transport: asyncio.Transport | None = None
        self._serials = count(1)
        self._waiting: dict[int, tuple[_Batch, int, str]] = {}
        self._silent_until_s: dict[str, float] = {}

    @classmethod
    async def connect(cls, address: str) -> BusConnection:
        """Connect, authenticate and register. Raises BusGone."""
        from jeepney.bus import get_bus

        connection = None
        bus = "org.freedesktop.DBus"
        hello = Call(bus, "/org/freedesktop/DBus", bus, "Hello")
        try:
            async with asyncio.timeout(_CONNECT_S):
                _, connection = await asyncio.get_running_loop().create_unix_connection(cls, get_bus(address))
                await connection._authenticated
            (answer,) = await connection.ask([hello], time.monotonic() + _CONNECT_S)
        except (OSError, ValueError, RuntimeError, TimeoutError) as error:
            if connection is not None:
                connection.close()
            raise BusGone(str(error)) from error
        if isinstance(answer, Failure):
            connection.close()
            raise BusGone("the bus does not reply")
        return connection

    @property
    def open(self) -> bool:
        """Whether the connection is open."""
        return self._transport is not None and not self._transport.is_closing()

    def silent(self, owner: str) -> bool:
        """Whether a bus name is skipped because it did not reply lately."""
        return self._silent_until_s.get(owner, 0.0) > time.monotonic()

    async def ask(self, calls: Sequence[Call], deadline_s: float) -> list[Answer]:
        """Send all calls at once and return their answers in order, at `deadline_s` (time.monotonic) at the latest.

        Raises BusGone where the connection is closed.
        """
        if self._transport is None or self._transport.is_closing():
            raise BusGone("the connection is closed")
        batch = _Batch(calls)
        serials = self._send(calls, batch)
        if not serials:
            return batch.answers
        began_s = time.monotonic()
        try:
            async with asyncio.timeout(max(0.0, deadline_s - began_s)):
                await batch.done.wait()
        except TimeoutError:
            self._note_silence(batch, time.monotonic() - began_s)
        finally:
            if batch.missing and not batch.owners - batch.heard:
                for serial in serials:
                    self._waiting.pop(serial, None)
        if not self.open and batch.missing:
            raise BusGone("the connection was lost")
        return batch.answers

    def close(self) -> None:
        """Close the connection."""
        if self._transport is not None:
            self._transport.close()

    # asyncio.Protocol

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begin to authenticate."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        transport.write(self._dialogue.data_to_send())

    def data_received(self, data: bytes) -> None:
        """Replies are kept for their batch; everything else is ignored."""
        from jeepney import HeaderFields, MessageType

        if not self._authenticated.done():
            self._authenticate(data)
            return
        self._parser.add_data(data)
        while (message := self._parser.get_next_message()) is not None:
            serial = message.header.fields.get(HeaderFields.reply_serial)
            waiting = self._waiting.pop(serial, None)
            if waiting is None:
                continue
            batch, index, owner = waiting
            returned = message.header.message_type is MessageType.method_return
            batch.answers[index] = tuple(message.body) if returned else Failure.ERROR
            batch.heard.add(owner)
            self._silent_until_s.pop(owner, None)
            batch.missing -= 1
            if not batch.missing:
                batch.done.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """End all waiting."""
        if not self._authenticated.done():
            self._authenticated.set_exception(exc or ConnectionResetError("the bus closed the connection"))
        for batch, _, _ in self._waiting.values():
            batch.done.set()
        self._waiting.clear()

    def _authenticate(self, data: bytes) -> None:
        assert self._transport is not None
        try:
            self._dialogue.feed(data)
        except ValueError as error:
            self._authenticated.set_exception(error)
            return
        if self._dialogue.authenticated:
            from jeepney.auth import BEGIN

            self._transport.write(BEGIN)
            self._authenticated.set_result(None)
        elif request := self._dialogue.data_to_send():
            self._transport.write(request)

    def _send(self, calls: Sequence[Call], batch: _Batch) -> list[int]:
        from jeepney import DBusAddress, new_method_call

        assert self._transport is not None
        out: list[bytes] = []
        serials: list[int] = []
        for index, call in enumerate(calls):
            if self.silent(call.owner):
                continue
            serial = next(self._serials)
            address = DBusAddress(call.path, call.owner, call.interface)
            message = new_method_call(address, call.method, call.signature or None, call.arguments)
            out.append(message.serialise(serial=serial))
            self._waiting[serial] = (batch, index, call.owner)
            batch.owners.add(call.owner)
            serials.append(serial)
        batch.missing = len(serials)
        self._transport.write(b"".join(out))
        return serials

    def _note_silence(self, batch: _Batch, waited_s: float) -> None:
        if waited_s >= _PATIENCE_S:
            for owner in batch.owners - batch.heard:
                self._silent_until_s[owner] = time.monotonic() + SILENT_S
