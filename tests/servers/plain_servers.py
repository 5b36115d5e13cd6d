"""Loopback servers that speak no dialect: one that answers all requests alike, and proxies that write them down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
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


@asynccontextmanager
async def refusing_proxy(status: str) -> AsyncIterator[Heard]:
    """Makes no connection; it answers with this status ("407 Proxy Authentication Required")."""
    heard = Heard(0)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heard.requests.append((await reader.readline()).decode("latin-1").rsplit(" ", 1)[0])
        writer.write(f"HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".encode())
        writer.close()

    async with _listening(connected) as heard.port:
        yield heard


@asynccontextmanager
async def socks_proxy(to_port: int, *, reply: int = 0, login: str = "") -> AsyncIterator[Heard]:
    """A SOCKS 5 proxy (RFC 1928, 1929) that connects to a port of this computer, whatever it is asked for.

    Args:
        to_port: where it connects to.
        reply: 0, or why it makes no connection.
        login: "user:password" that it asks for; "" for none.
    """
    heard = Heard(0)

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while piece := await reader.read(65_536):
            writer.write(piece)
        writer.close()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        _, methods = await reader.readexactly(2)
        await reader.readexactly(methods)
        writer.write(b"\x05\x02" if login else b"\x05\x00")
        if login:
            _, size = await reader.readexactly(2)
            user = await reader.readexactly(size)
            password = await reader.readexactly((await reader.readexactly(1))[0])
            right = user + b":" + password == login.encode()
            writer.write(b"\x01\x00" if right else b"\x01\x01")
            if not right:
                writer.close()
                return
        *_, size = await reader.readexactly(5)
        heard.requests.append((await reader.readexactly(size)).decode())
        await reader.readexactly(2)
        writer.write(bytes((5, reply, 0, 1, 127, 0, 0, 1, 0, 0)))
        if reply:
            writer.close()
            return
        there, back = await asyncio.open_connection("127.0.0.1", to_port)
        await asyncio.gather(copy(reader, back), copy(there, writer))

    async with _listening(connected) as heard.port:
        yield heard


@asynccontextmanager
async def _listening(
    serve: Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]],
) -> AsyncIterator[int]:
    """The port where each connection is served; in the end none is left."""
    under_way: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        under_way[task] = writer
        with suppress(asyncio.IncompleteReadError, ConnectionError):
            await serve(reader, writer)
        writer.close()
        del under_way[task]

    async with await asyncio.start_server(connected, "127.0.0.1", 0) as server:
        yield server.sockets[0].getsockname()[1]
        for writer in under_way.values():
            writer.transport.abort()
        await asyncio.gather(*under_way)
