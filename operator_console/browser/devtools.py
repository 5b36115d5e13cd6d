"""A connection that speaks the DevTools protocol: typed commands, their answers, and events.

Messages are JSON objects, each ended by a NUL byte: Chromium's own format for `--remote-debugging-pipe`, which the
browser host keeps on its sockets.

Commands and their types are those of the library cdp-use; only the transport is ours, because the library knows
WebSockets alone.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, cast

if TYPE_CHECKING:
    from cdp_use.cdp.library import CDPLibrary
    from cdp_use.client import CDPClient


LIMIT_BYTES = 128 << 20
"""A message that is longer ends the connection. The picture of a large page takes some megabytes."""
_READ_BYTES = 1 << 18
EventHandler = Callable[[str, dict[str, Any], str], None]
"""Is given an event's method, its parameters, and the session it is from ("" for the browser's own)."""


class NotAMessage(ConnectionError):
    """The other end sent something that is no message, or too long a one."""


def packed(message: dict[str, Any]) -> bytes:
    """Encode one message."""
    return json.dumps(message, separators=(",", ":")).encode() + b"\0"


class Unpacker:
    """Decodes messages from a byte stream that arrives in arbitrary pieces."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []
        self._length = 0

    def feed(self, data: bytes) -> list[dict[str, Any]]:
        """Add bytes; returns the messages that are now complete. Raises NotAMessage."""
        *complete, rest = data.split(b"\0")
        messages = []
        for end in complete:
            messages.append(_decoded(b"".join((*self._pieces, end))))
            self._pieces, self._length = [], 0
        if rest:
            self._pieces.append(rest)
            self._length += len(rest)
        if self._length > LIMIT_BYTES:
            raise NotAMessage("a message is too long")
        return messages


def _decoded(body: bytes) -> dict[str, Any]:
    try:
        message = json.loads(body)
    except ValueError as error:
        raise NotAMessage(str(error)) from error
    if not isinstance(message, dict):
        raise NotAMessage("a message is no object")
    return message


class Reads(Protocol):
    """The incoming end of a stream."""

    async def read(self, n: int = -1, /) -> bytes:
        """Up to `n` bytes; b"" at the end."""
        ...


class Writes(Protocol):
    """The outgoing end of a stream."""

    def write(self, data: bytes, /) -> None:
        """Send a whole message."""
        ...

    def close(self) -> None:
        """Close it."""
        ...


class ProtocolError(RuntimeError):
    """The browser refused a command. `code` is JSON-RPC's."""

    def __init__(self, message: str, code: int = 0) -> None:
        super().__init__(message)
        self.code = code


class ConnectionLost(ConnectionError):
    """The other end has closed the connection."""


class Connection:
    """Sends commands and receives events over a pair of streams. Use it from one event loop; `close` it."""

    def __init__(
        self,
        reader: Reads,
        writer: Writes,
        on_event: EventHandler = lambda *_: None,
        on_lost: Callable[[], None] = lambda: None,
    ) -> None:
        self._reader, self._writer = reader, writer
        self._on_event, self._on_lost = on_event, on_lost
        self._ids = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._sessions: dict[int, str] = {}
        self._lost = False
        self._reading = asyncio.create_task(self._read(), name="devtools")

    @cached_property
    def send(self) -> CDPLibrary:
        """The commands by domain, as `send.Page.navigate(params, session_id)`. Raise ProtocolError, ConnectionLost.

        The first use imports the library, which takes a quarter of a second: a process that sends few commands has
        `send_raw`.
        """
        from cdp_use.cdp.library import CDPLibrary

        return CDPLibrary(cast("CDPClient", self))

    @property
    def lost(self) -> bool:
        """Whether the other end has closed it."""
        return self._lost

    def listen(self, on_event: EventHandler, on_lost: Callable[[], None]) -> None:
        """Receive events, and be told when the connection is lost, from now on."""
        self._on_event, self._on_lost = on_event, on_lost

    async def send_raw(self, method: str, params: Any | None = None, session_id: str | None = None) -> dict[str, Any]:
        """Send a command and return its result; `send` has them with their types."""
        return await self.begin(method, params, session_id)

    def begin(self, method: str, params: Any | None, session_id: str | None) -> asyncio.Future[dict[str, Any]]:
        """Send a command at once, not when the loop goes on; the future has its result. Raises ConnectionLost."""
        if self._lost:
            raise ConnectionLost("the browser is gone")
        number = next(self._ids)
        message: dict[str, Any] = {"id": number, "method": method, "params": params or {}}
        if session_id:
            message["sessionId"] = session_id
        self._writer.write(packed(message))
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        answer.add_done_callback(lambda _: self._forget(number))
        self._waiting[number] = answer
        if session_id:
            self._sessions[number] = session_id
        return answer

    def _forget(self, number: int) -> None:
        self._waiting.pop(number, None)
        self._sessions.pop(number, None)

    def end_session(self, session_id: str) -> None:
        """A session has ended: what waits for its answers raises ProtocolError, as the browser sends none."""
        for number in [number for number, of in self._sessions.items() if of == session_id]:
            if not (waiting := self._waiting[number]).done():
                waiting.set_exception(ProtocolError("the page was closed"))

    async def close(self) -> None:
        """Close it. Commands that wait raise ConnectionLost."""
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)
        self._end()
        self._writer.close()

    async def _read(self) -> None:
        unpacker = Unpacker()
        try:
            while data := await self._reader.read(_READ_BYTES):
                for message in unpacker.feed(data):
                    self._take(message)
        except OSError:
            pass
        self._end()
        self._on_lost()

    def _take(self, message: dict[str, Any]) -> None:
        if "id" not in message:
            self._on_event(str(message.get("method", "")), message.get("params", {}), message.get("sessionId", ""))
            return
        waiting = self._waiting.get(message["id"])
        if waiting is None or waiting.done():
            return
        if (error := message.get("error")) is not None:
            waiting.set_exception(ProtocolError(str(error.get("message", "")), int(error.get("code", 0))))
        else:
            waiting.set_result(message.get("result", {}))

    def _end(self) -> None:
        self._lost = True
        for waiting in self._waiting.values():
            if not waiting.done():
                waiting.set_exception(ConnectionLost("the browser is gone"))
