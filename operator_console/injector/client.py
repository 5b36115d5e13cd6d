"""The console's end of the pipe to the acting child: sends grants, awaits outcomes. Sends no input itself.

The guard makes the child; guard.client hands this class its pipe on arming (`attach`) and takes it away at the end
(`detach`). Lives on the loop that runs the session; engine knows it as its Injector.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import os
import socket
from typing import Any

from operator_console.desktop.ledger import Gate, Ledger, Word
from operator_console.desktop.own_windows import OwnWindows
from operator_console.domain.actions import HoldKeys, TypeText
from operator_console.domain.codec import decode, encode
from operator_console.domain.decisions import ActResult, Grant, Outcome
from operator_console.domain.errors import ComputerTimedOut
from operator_console.injector.keyboard.typist import Tally
from operator_console.injector.wire import BrokenPipe, Unpacker, packed, receive

# Longer than the child waits for an application that is slow to read (barriers.py).
_PATIENCE_S = 45.0


class InjectorClient:
    """One per app; attached while a session is armed.

    Args:
        own: which windows are the console's, told to the child with each grant.
    """

    def __init__(self, own: OwnWindows | None = None) -> None:
        self._own = own or OwnWindows()
        self._own.add(pids=(os.getpid(),))
        self._channel: socket.socket | None = None
        self._ledger: Ledger | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._unpacker = Unpacker()
        self._outgoing = bytearray()
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}

    @property
    def attached(self) -> bool:
        """Whether there is a child to ask."""
        return self._channel is not None

    def attach(self, channel: socket.socket, ledger_fd: int, key: bytes) -> None:
        """A new child: its pipe, the ledger (a descriptor that this takes over), the per-run key. On the loop."""
        self.detach()
        channel.setblocking(False)
        self._channel, self._ledger = channel, Ledger(ledger_fd)
        os.close(ledger_fd)
        self._unpacker, self._outgoing = Unpacker(), bytearray()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(channel.fileno(), self._readable)
        self._send({"key": base64.b64encode(key).decode()})

    def detach(self) -> None:
        """The child is gone or going: whatever waits ends as stopped or unknown."""
        channel, loop = self._channel, self._loop
        if channel is None or loop is None:
            return
        self._channel = None
        loop.remove_reader(channel.fileno())
        loop.remove_writer(channel.fileno())
        channel.close()
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_result({"lost": True})
        self._waiting.clear()

    async def perform(self, grant: Grant) -> Outcome:
        """As engine's Injector."""
        patience = _PATIENCE_S
        if isinstance(grant.action, TypeText):
            patience += grant.typing_delay_s
        elif isinstance(grant.action, HoldKeys):
            patience += grant.action.duration_s
        answer = await self._ask({"grant": encode(grant)}, patience)
        if answer is None:
            return Outcome(result=ActResult.STOPPED, detail="The injector is not running; nothing was sent.")
        if "outcome" in answer:
            outcome: Outcome = decode(Outcome, answer["outcome"])
            return outcome
        return self._lost()

    async def release_all(self) -> int:
        """Release what the agent holds; 0 where there is no child (the guard has released it then)."""
        answer = await self._ask({"release": True}, _PATIENCE_S)
        return int(answer.get("released", 0)) if answer else 0

    def _lost(self) -> Outcome:
        """The child died: by a stop (the ledger says so), else nobody knows how far it got."""
        ledger = self._ledger
        if ledger is None:
            return Outcome(result=ActResult.UNKNOWN, detail="The injector is gone.")
        stopped = Gate.STOPPED in ledger.gate
        return Outcome(
            result=ActResult.STOPPED if stopped else ActResult.UNKNOWN,
            detail="Stopped." if stopped else "The injector ended while it acted.",
            method=str(Tally.of(ledger.typed)),
            delivered=ledger.get(Word.DELIVERED),
            total=ledger.get(Word.TOTAL),
        )

    async def _ask(self, request: dict[str, Any], patience_s: float) -> dict[str, Any] | None:
        if self._channel is None or self._loop is None:
            return None
        number = next(self._ids)
        future: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        self._waiting[number] = future
        own = {"own_pids": sorted(self._own.pids), "own_windows": sorted(self._own.window_ids)}
        try:
            self._send({"id": number, **own, **request})
            return await self._answer(future, patience_s)
        finally:
            self._waiting.pop(number, None)

    async def _answer(self, future: asyncio.Future[dict[str, Any]], patience_s: float) -> dict[str, Any]:
        """Wait as long as the child gets on: a long text into a slow application takes its time."""
        while True:
            before = self._events()
            done, _ = await asyncio.wait([future], timeout=patience_s)
            if done:
                return future.result()
            if self._events() == before:
                raise ComputerTimedOut(
                    "The injector does not answer",
                    detail=f"Nothing for {patience_s:.0f} s; whether the action happened is unknown.",
                    remedy="Stop, look at the screen, and start again.",
                )

    def _events(self) -> int:
        return 0 if self._ledger is None else self._ledger.get(Word.EVENTS)

    def _send(self, message: dict[str, Any]) -> None:
        self._outgoing += packed(message)
        self._writable()

    def _writable(self) -> None:
        channel, loop = self._channel, self._loop
        if channel is None or loop is None:
            return
        try:
            while self._outgoing:
                sent = channel.send(self._outgoing)
                del self._outgoing[:sent]
        except (BlockingIOError, InterruptedError):
            loop.add_writer(channel.fileno(), self._writable)
            return
        except OSError:
            self.detach()
            return
        loop.remove_writer(channel.fileno())

    def _readable(self) -> None:
        if self._channel is None:
            return
        try:
            messages = receive(self._channel, self._unpacker)
        except BrokenPipe:
            self.detach()
            return
        for message in messages:
            waiting = self._waiting.get(int(message.get("id", 0)))
            if waiting is not None and not waiting.done():
                waiting.set_result(message)
