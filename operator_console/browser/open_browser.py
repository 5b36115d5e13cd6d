"""Joins a browser that is open, by its debugging address.

Any program on this computer can use such an address; the browser's own pipe, which a browser of the console's has, is
closed to others.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import urllib.request
from urllib.parse import urlsplit, urlunsplit

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from operator_console.browser.devtools import LIMIT_BYTES

_WITHIN_S = 5.0


class NotABrowser(OSError):
    """Nothing at the address speaks the DevTools protocol."""


async def join(address: str) -> tuple[Incoming, Outgoing]:
    """Connect to the browser at `http://host:port`, or at its `ws://` address. Raises NotABrowser."""
    try:
        async with asyncio.timeout(_WITHIN_S):
            where = address if address.startswith(("ws:", "wss:")) else await asyncio.to_thread(_web_socket, address)
            # Chromium refuses an Origin; a proxy has no business with an address on this computer.
            socket = await connect(where, max_size=LIMIT_BYTES, origin=None, proxy=None, compression=None)
    except (OSError, ValueError, KeyError, TimeoutError, WebSocketException) as error:
        raise NotABrowser(f"{address}: {str(error) or type(error).__name__}") from error
    return Incoming(socket), Outgoing(socket)


def _web_socket(address: str) -> str:
    parts = urlsplit(address)
    if parts.scheme not in ("http", "https"):
        raise ValueError(f"{parts.scheme or 'no scheme'} is not http")
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(urlunsplit((parts.scheme, parts.netloc, "/json/version", "", "")), timeout=_WITHIN_S) as answer:
        return str(json.load(answer)["webSocketDebuggerUrl"])


class Incoming:
    """Reads the messages of a WebSocket as the bytes that a pipe would give."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def read(self, _: int = -1) -> bytes:
        """The next message with its NUL byte; b"" once it is closed."""
        try:
            message = await self._socket.recv(decode=False)
        except ConnectionClosed:
            return b""
        return message + b"\0"


class Outgoing:
    """Writes messages, each with its NUL byte as for a pipe, to a WebSocket."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._messages: asyncio.Queue[bytes | None] = asyncio.Queue()
        self._sending = asyncio.create_task(self._send(), name="devtools socket")

    def write(self, data: bytes) -> None:
        """Send one message."""
        self._messages.put_nowait(data[:-1])

    def close(self) -> None:
        """Close the WebSocket once what was written is sent; the browser stays."""
        self._messages.put_nowait(None)

    async def closed(self) -> None:
        """Once it is closed."""
        await self._sending

    async def _send(self) -> None:
        with contextlib.suppress(ConnectionClosed):
            while (message := await self._messages.get()) is not None:
                await self._socket.send(message, text=True)
        await self._socket.close()
