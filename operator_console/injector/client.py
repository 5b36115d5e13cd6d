"""The console's client for the injector process: sends grants and awaits outcomes.

The guard starts the process. The client gets its pipe when the session is armed (`attach`) and loses it at the end
(`detach`). All methods run on the event loop of the session.
"""

from __future__ import annotations

import asyncio
import base64
import itertools
import os
import socket
from typing import Any

from operator_console.desktop.ledger import Gate, Ledger, Word
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.actions import HoldKeys, TypeText
from operator_console.domain.codec import decode, encode
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import ComputerTimedOut
from operator_console.domain.grants import Grant
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.progress import MethodCounts
from operator_console.json_lines import BrokenPipe, Unpacker, packed, receive

# Longer than the injector waits for an application that is slow to process its input.
_TIMEOUT_S = 45.0


class InjectorClient:
    """Implements the engine's Injector. One per app.

    Args:
        own: the console's own windows; sent with each grant.
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
        self._pending: dict[int, asyncio.Future[dict[str, Any]]] = {}

    @property
    def attached(self) -> bool:
        """Whether there is an injector process."""
        return self._channel is not None

    def attach(self, channel: socket.socket, ledger_fd: int, key: bytes) -> None:
        """Use a new injector process.

        Args:
            channel: its pipe.
            ledger_fd: descriptor of the ledger; it is closed here.
            key: the per-run key that grants are sealed with.
        """
        self.detach()
        channel.setblocking(False)
        self._channel, self._ledger = channel, Ledger(ledger_fd)
        os.close(ledger_fd)
        self._unpacker, self._outgoing = Unpacker(), bytearray()
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(channel.fileno(), self._readable)
        self._send({"key": base64.b64encode(key).decode()})

    def detach(self) -> None:
        """Close the pipe. Pending requests end as stopped or unknown."""
        channel, loop = self._channel, self._loop
        if channel is None or loop is None:
            return
        self._channel = None
        loop.remove_reader(channel.fileno())
        loop.remove_writer(channel.fileno())
        channel.close()
        for future in self._pending.values():
            if not future.done():
                future.set_result({"lost": True})
        self._pending.clear()

    async def perform(self, grant: Grant, secret: str = "") -> Outcome:
        """Have a grant carried out. Raises ComputerTimedOut if the injector makes no progress.

        `secret`: what is typed for the placeholder that is the whole text of the grant; it goes through the pipe alone.
        """
        timeout_s = _TIMEOUT_S
        if isinstance(grant.action, TypeText):
            timeout_s += grant.typing_delay_s
        elif isinstance(grant.action, HoldKeys):
            timeout_s += grant.action.duration_s
        answer = await self._ask({"grant": encode(grant), **({"secret": secret} if secret else {})}, timeout_s)
        if answer is None:
            return Outcome(result=ActResult.STOPPED, detail=notice(NoticeCode.INJECTOR_NOT_RUNNING))
        if "outcome" in answer:
            outcome: Outcome = decode(Outcome, answer["outcome"])
            return outcome
        return self._lost()

    async def release_all(self) -> int:
        """Release all keys and buttons that are held. Returns their number; 0 if there is no process."""
        answer = await self._ask({"release": True}, _TIMEOUT_S)
        return int(answer.get("released", 0)) if answer else 0

    def _lost(self) -> Outcome:
        """The outcome of an action during which the process ended, from what the ledger says of it."""
        ledger = self._ledger
        if ledger is None:
            return Outcome(result=ActResult.UNKNOWN, detail=notice(NoticeCode.INJECTOR_HAS_ENDED))
        stopped = Gate.STOPPED in ledger.gate
        return Outcome(
            result=ActResult.STOPPED if stopped else ActResult.UNKNOWN,
            detail=notice(NoticeCode.ACTION_STOPPED if stopped else NoticeCode.INJECTOR_ENDED_DURING_ACTION),
            method=str(MethodCounts.of(ledger.typed)),
            delivered=ledger.get(Word.DELIVERED),
            total=ledger.get(Word.TOTAL),
        )

    async def _ask(self, request: dict[str, Any], timeout_s: float) -> dict[str, Any] | None:
        if self._channel is None or self._loop is None:
            return None
        number = next(self._ids)
        future: asyncio.Future[dict[str, Any]] = self._loop.create_future()
        self._pending[number] = future
        own = {"own_pids": sorted(self._own.pids), "own_windows": sorted(self._own.window_ids)}
        try:
            self._send({"id": number, **own, **request})
            return await self._answer(future, timeout_s)
        finally:
            self._pending.pop(number, None)

    async def _answer(self, future: asyncio.Future[dict[str, Any]], timeout_s: float) -> dict[str, Any]:
        """Wait as long as the injector keeps sending events: a long text may take minutes in a slow application."""
        while True:
            before = self._event_count()
            done, _ = await asyncio.wait([future], timeout=timeout_s)
            if done:
                return future.result()
            if self._event_count() == before:
                raise ComputerTimedOut(
                    notice(NoticeCode.INJECTOR_SILENT),
                    detail=notice(NoticeCode.INJECTOR_SILENT_FOR, seconds=timeout_s),
                    remedy=notice(NoticeCode.STOP_AND_START_AGAIN),
                )

    def _event_count(self) -> int:
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
            future = self._pending.get(int(message.get("id", 0)))
            if future is not None and not future.done():
                future.set_result(message)
