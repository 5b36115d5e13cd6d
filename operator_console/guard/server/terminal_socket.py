"""The Unix socket in the run folder where terminals reach the guard: one JSON line in, one JSON line out.

Its mode is 0600 and the peer must run as the same user. There is no TCP socket.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
from collections.abc import Awaitable, Callable
from typing import Any

from operator_console.guard import latch
from operator_console.private_files import peer_is_us, short_path

_READ_S = _WRITE_S = 1.0
_LINE = 4096

Answer = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


class TerminalSocket:
    """Answers each request of a terminal with the result of a function, from creation until `close`."""

    def __init__(self, display: str, answer: Answer) -> None:
        self._answer = answer
        self._path = latch.path_of(display, f"{os.getpid()}.sock")
        draft = self._path.with_suffix(".new")
        draft.unlink(missing_ok=True)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.setblocking(False)
        before = os.umask(0o177)
        try:
            with short_path(draft) as name:
                self._socket.bind(name)
        finally:
            os.umask(before)
        self._socket.listen(8)
        # Under its name only now: a terminal removes the socket of a guard that does not listen.
        draft.replace(self._path)
        self._tasks: set[asyncio.Task[None]] = set()
        asyncio.get_running_loop().add_reader(self._socket.fileno(), self._accept)

    def close(self) -> None:
        """Close the socket and remove its file."""
        asyncio.get_running_loop().remove_reader(self._socket.fileno())
        self._socket.close()
        self._path.unlink(missing_ok=True)
        for task in self._tasks:
            task.cancel()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            connection, _ = self._socket.accept()
            connection.setblocking(False)
            if not peer_is_us(connection):
                connection.close()
                return
            task = asyncio.get_running_loop().create_task(self._serve(connection), name="terminal")
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError, ValueError, TimeoutError):
            async with asyncio.timeout(_READ_S):
                request = await self._request(connection)
            if not isinstance(request, dict):
                return
            answer = json.dumps(await self._answer(request)).encode() + b"\n"
            async with asyncio.timeout(_WRITE_S):
                await asyncio.get_running_loop().sock_sendall(connection, answer)

    async def _request(self, connection: socket.socket) -> object:
        line = b""
        while not line.endswith(b"\n") and len(line) < _LINE:
            data = await asyncio.get_running_loop().sock_recv(connection, _LINE)
            if not data:
                return None
            line += data
        return json.loads(line)
