"""Connections to the accessibility bus and to applications: many calls at once, their replies until a deadline.

The calls of a batch are written in one go: asking one by one costs a round trip each, and an application has hundreds
of elements. An application that stops replying is skipped for some seconds, so it delays only the first query to it.

jeepney writes the messages; of calls that differ in their object only, it writes one. Its own routers cost a
future and a lock for each call, about twice the time of a batch; dbus-fast parses faster but closes the connection when
more calls are queued than the socket takes (BlockingIOError, dbus-fast 5.2.0, 2,000 calls).
"""

from __future__ import annotations

import asyncio
import socket
import struct
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from enum import Enum
from itertools import count
from typing import Any, NamedTuple, Protocol, TypeAlias

from operator_console.perception.accessibility.atspi.replies import Replies, Signal
from operator_console.perception.accessibility.atspi.vocabulary import APPLICATION

SILENT_S = 3.0
"""How long an application that did not reply is skipped, unless its reply comes earlier."""
_PATIENCE_S = 0.1
_CONNECT_S = 2.0
_MOST_ALIKE = 1_000
_SERIAL_AT, _PATH_AT = 8, 24
"""Where the serial stands in a message, and the object's path in one that jeepney wrote: it is the first field."""


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


class Bus(Protocol):
    """Asks applications."""

    async def ask(self, calls: Sequence[Call], deadline_s: float) -> list[Answer]:
        """The answers to calls in order, at `deadline_s` (time.monotonic) at the latest. Raises BusGone."""
        ...

    def silent(self, owner: str) -> bool:
        """Whether a bus name is skipped because it did not reply lately."""
        ...

    def listen(self, heard: Callable[[Signal], None]) -> None:
        """Call this for each signal; applications send those that the bus was asked for."""
        ...


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
        from jeepney.auth import Authenticator

        self._replies = Replies()
        self._dialogue: Any = Authenticator()
        self._authenticated = asyncio.get_running_loop().create_future()
        self._transport: asyncio.Transport | None = None
        self._serials = count(1)
        self._waiting: dict[int, tuple[_Batch, int, str]] = {}
        self._silent_until_s: dict[str, float] = {}
        self._late: dict[str, int] = {}
        self._alike: dict[tuple[object, ...], bytes] = {}
        self._listeners: list[Callable[[Signal], None]] = []

    @classmethod
    async def connect(cls, address: str) -> BusConnection:
        """Connect, authenticate and register. Raises BusGone."""
        connection = await cls.to_application(address)
        bus = "org.freedesktop.DBus"
        hello = Call(bus, "/org/freedesktop/DBus", bus, "Hello")
        (answer,) = await connection.ask([hello], time.monotonic() + _CONNECT_S)
        if isinstance(answer, Failure):
            connection.close()
            raise BusGone("the bus does not reply")
        return connection

    @classmethod
    async def to_application(cls, address: str) -> BusConnection:
        """Connect to an application's own socket and authenticate. Raises BusGone."""
        from jeepney.bus import get_bus

        connection = None
        try:
            async with asyncio.timeout(_CONNECT_S):
                _, connection = await asyncio.get_running_loop().create_unix_connection(cls, get_bus(address))
                await connection._authenticated
        except (OSError, ValueError, RuntimeError, TimeoutError) as error:
            if connection is not None:
                connection.close()
            raise BusGone(str(error)) from error
        return connection

    @property
    def open(self) -> bool:
        """Whether the connection is open."""
        return self._transport is not None and not self._transport.is_closing()

    @property
    def peer_pid(self) -> int | None:
        """The process that listens at the other end; None where that is not known."""
        if self._transport is None:
            return None
        end: socket.socket = self._transport.get_extra_info("socket")
        pid, _, _ = struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))
        return int(pid) or None

    def silent(self, owner: str) -> bool:
        """Whether a bus name is skipped because it did not reply lately."""
        return self._silent_until_s.get(owner, 0.0) > time.monotonic()

    def listen(self, heard: Callable[[Signal], None]) -> None:
        """Call this for each signal; applications send those that the bus was asked for."""
        self._listeners.append(heard)

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
            if batch.missing:
                self._wait_no_longer(batch, serials)
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
        """Replies are kept for their batch, signals handed to those who listen; everything else is ignored."""
        if not self._authenticated.done():
            self._authenticate(data)
            return
        for message in self._replies.feed(data, signals=bool(self._listeners)):
            if isinstance(message, Signal):
                for heard in self._listeners:
                    heard(message)
                continue
            waiting = self._waiting.pop(message.call, None)
            if waiting is None:
                self._came_late(message.call)
                continue
            batch, index, owner = waiting
            batch.answers[index] = message.results if message.results is not None else Failure.ERROR
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
        assert self._transport is not None
        out: list[bytes] = []
        serials: list[int] = []
        for index, call in enumerate(calls):
            if self.silent(call.owner):
                continue
            serial = next(self._serials)
            out.append(_written(call, serial, self._alike))
            self._waiting[serial] = (batch, index, call.owner)
            batch.owners.add(call.owner)
            serials.append(serial)
        batch.missing = len(serials)
        self._transport.write(b"".join(out))
        return serials

    def _wait_no_longer(self, batch: _Batch, serials: Sequence[int]) -> None:
        """Forget what was not answered. Of an owner that said nothing, one call is kept: its reply ends the silence."""
        for serial in reversed(serials):
            waiting = self._waiting.pop(serial, None)
            if waiting is not None and (owner := waiting[2]) not in batch.heard:
                self._late[owner] = serial

    def _came_late(self, serial: int) -> None:
        """A reply that is no longer waited for: who sent it replies again."""
        for owner in [owner for owner, late in self._late.items() if late == serial]:
            del self._late[owner]
            self._silent_until_s.pop(owner, None)

    def _note_silence(self, batch: _Batch, waited_s: float) -> None:
        if waited_s >= _PATIENCE_S:
            for owner in batch.owners - batch.heard:
                self._silent_until_s[owner] = time.monotonic() + SILENT_S


def _written(call: Call, serial: int, alike: dict[tuple[object, ...], bytes]) -> bytes:
    """The message of a call. `alike` keeps messages for calls that are equal but for the path, which is as long.

    Putting in a path takes a fifteenth of the time of writing a message.
    """
    path = call.path.encode()
    end = _PATH_AT + len(path)
    simple = all(isinstance(each, int | str) for each in call.arguments)
    key = (call.owner, len(path), call.interface, call.method, call.signature, *call.arguments) if simple else ()
    message = alike.get(key)
    if message is None:
        from jeepney import DBusAddress, new_method_call

        address = DBusAddress(call.path, call.owner, call.interface)
        made = new_method_call(address, call.method, call.signature or None, call.arguments)
        first: bytes = made.serialise(serial=serial)
        if simple and first[_PATH_AT:end] == path:
            if len(alike) >= _MOST_ALIKE:
                alike.clear()
            alike[key] = first
        return first
    number = serial.to_bytes(4, "little")  # jeepney writes little-endian messages
    return b"".join((message[:_SERIAL_AT], number, message[_SERIAL_AT + 4 : _PATH_AT], path, message[end:]))


_BUS = "org.freedesktop.DBus"
_ROOT = "/org/a11y/atspi/accessible/root"
_DIAL_S = 1.0


class DirectCalls:
    """Asks as a `BusConnection` does, over the sockets that applications offer for it, as libatspi does.

    The bus copies every message twice, with two changes of process; a window takes a thousand. GTK 3, Chromium and
    Firefox offer a socket, GTK 4 and Qt do not: they are called over the bus, and so is an application whose socket
    another process holds. A socket is connected after its application first replied. Source: at-spi2-core,
    xml/Application.xml, GetApplicationBusAddress.
    """

    def __init__(self, bus: BusConnection) -> None:
        self._bus = bus
        self._direct: dict[str, BusConnection | None] = {}
        self._dialling: set[asyncio.Task[None]] = set()

    def silent(self, owner: str) -> bool:
        """Whether an application is skipped because it did not reply lately."""
        return self._bus.silent(owner) or self._way_to(owner).silent(owner)

    def listen(self, heard: Callable[[Signal], None]) -> None:
        """Call this for each signal; applications send them over the bus."""
        self._bus.listen(heard)

    async def ask(self, calls: Sequence[Call], deadline_s: float) -> list[Answer]:
        """The answers in order, at `deadline_s` (time.monotonic) at the latest. Raises BusGone."""
        ways: dict[BusConnection, list[int]] = {}
        for index, call in enumerate(calls):
            ways.setdefault(self._way_to(call.owner), []).append(index)
        found = await asyncio.gather(
            *(self._ask(way, [calls[index] for index in indices], deadline_s) for way, indices in ways.items())
        )
        answers: list[Answer] = [Failure.NO_REPLY] * len(calls)
        for indices, part in zip(ways.values(), found, strict=True):
            for index, answer in zip(indices, part, strict=True):
                answers[index] = answer
        for call, answer in zip(calls, answers, strict=True):
            if call.owner not in self._direct and call.owner.startswith(":") and answer is not Failure.NO_REPLY:
                self._direct[call.owner] = None
                task = asyncio.get_running_loop().create_task(self._dial(call.owner))
                self._dialling.add(task)
                task.add_done_callback(self._dialling.discard)
        return answers

    def close(self) -> None:
        """Close the connections past the bus."""
        for task in self._dialling:
            task.cancel()
        for way in self._direct.values():
            if way is not None:
                way.close()

    def _way_to(self, owner: str) -> BusConnection:
        way = self._direct.get(owner)
        return way if way is not None and way.open else self._bus

    async def _ask(self, way: BusConnection, calls: Sequence[Call], deadline_s: float) -> list[Answer]:
        try:
            return await way.ask(calls, deadline_s)
        except BusGone:
            if way is self._bus:
                raise
            return [Failure.NO_REPLY] * len(calls)  # from now on over the bus

    async def _dial(self, owner: str) -> None:
        where = Call(owner, _ROOT, APPLICATION, "GetApplicationBusAddress")
        whose = Call(_BUS, "/org/freedesktop/DBus", _BUS, "GetConnectionUnixProcessID", "s", (owner,))
        with suppress(BusGone):
            address, pid = await self._bus.ask([where, whose], time.monotonic() + _DIAL_S)
            if isinstance(address, Failure) or isinstance(pid, Failure) or not address or not address[0]:
                return
            way = await BusConnection.to_application(str(address[0]))
            if way.peer_pid == pid[0]:
                self._direct[owner] = way
            else:
                way.close()
