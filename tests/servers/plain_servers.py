"""Loopback servers that speak no dialect: one that answers all requests alike, and a proxy that writes them down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web


@dataclass(slots=True)
class Heard:
    """What a server on 127.0.0.1 and, where `hosts` has it, [::1] was asked.

    Attributes:
        port: The same for all addresses.
        requests: Method and target of each request; of a proxy as in the request line ("CONNECT host:443").
        bodies: Of the requests.
    """

    port: int
    requests: list[str] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)


@asynccontextmanager
async def answering(
    status: int, body: str = "{}", *, kind: str = "application/json", location: str = "", ipv6: bool = False
) -> AsyncIterator[Heard]:
    """Answers everything with this."""
    heard = Heard(0)

    async def answer(request: web.Request) -> web.Response:
        heard.requests.append(f"{request.method} {request.path}")
        heard.bodies.append(await request.read())
        headers = {"Location": location} if location else {}
        return web.Response(status=status, text=body, content_type=kind, headers=headers)

    app = web.Application(client_max_size=100_000_000)
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app, handler_cancellation=True)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        heard.port = runner.addresses[0][1]
        if ipv6:
            await web.TCPSite(runner, "::1", heard.port).start()
        yield heard
    finally:
        await runner.cleanup()


@asynccontextmanager
async def logging_proxy() -> AsyncIterator[Heard]:
    """Writes down the first line of each request, and forwards none."""
    heard = Heard(0)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        line = (await reader.readline()).decode("latin-1").rsplit(" ", 1)[0]
        if line:
            heard.requests.append(line)
            writer.write(b"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    heard.port = server.sockets[0].getsockname()[1]
    async with server:
        yield heard
