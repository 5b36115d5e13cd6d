"""Calls applications over the sockets that they offer for it, past the message bus, as libatspi does.

The bus copies every message twice, with two changes of process; a window takes a thousand. GTK 3, Chromium and Firefox
offer a socket, GTK 4 and Qt do not: they are called over the bus, and so is an application whose socket another process
holds. Source: at-spi2-core, xml/Application.xml, GetApplicationBusAddress.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from contextlib import suppress

from operator_console.perception.accessibility.atspi.connection import Answer, BusConnection, BusGone, Call, Failure
from operator_console.perception.accessibility.atspi.replies import Signal
from operator_console.perception.accessibility.atspi.vocabulary import APPLICATION

_BUS = "org.freedesktop.DBus"
_ROOT = "/org/a11y/atspi/accessible/root"
_DIAL_S = 1.0


class DirectCalls:
    """Asks as a `BusConnection` does. The socket of an application is connected after it first replied."""

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
