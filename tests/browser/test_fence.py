"""The fence's proxy over loopback, with clients and sites that write and read bytes: what passes, what is refused."""

from __future__ import annotations

import asyncio
import base64
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import pytest

from operator_console.browser.fence.browser_arguments import OWN_CALLS_HOST
from operator_console.browser.fence.proxy import Fence
from operator_console.browser.fence.routes import Limits
from operator_console.browser.site_rules import SiteRules
from operator_console.domain.events import Blocked, BlockedBy

LOCAL = SiteRules(start="http://127.0.0.1/")
"""Reaches 127.0.0.1, and nothing else on this computer."""

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass(slots=True)
class Listener:
    """A site on loopback: how often it was connected to, and the heads of the requests that it read."""

    port: int = 0
    connections: int = 0
    heads: list[bytes] = field(default_factory=list)

    async def head(self, reader: asyncio.StreamReader) -> bytes:
        """The next request's head; raises IncompleteReadError at the end."""
        head = await reader.readuntil(b"\r\n\r\n")
        self.heads.append(head)
        return head


@asynccontextmanager
async def site(handle: Callable[[Listener], Handler], host: str = "127.0.0.1") -> AsyncIterator[Listener]:
    listener = Listener()
    tasks: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(asyncio.create_task(serve(reader, writer)))

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        listener.connections += 1
        try:
            await handle(listener)(reader, writer)
        except (OSError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(connected, host, 0)
    listener.port = server.sockets[0].getsockname()[1]
    try:
        yield listener
    finally:
        server.close()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def answering(answer: bytes, *, close: bool = False) -> Callable[[Listener], Handler]:
    """Answers each request without a body with these bytes."""

    def handler(listener: Listener) -> Handler:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while True:
                await listener.head(reader)
                writer.write(answer)
                await writer.drain()
                if close:
                    return

        return handle

    return handler


async def _echo(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Sends back what it is sent, and after the other's end "end"."""
    while data := await reader.read(1 << 16):
        writer.write(data)
        await writer.drain()
    writer.write(b"end")
    await writer.drain()


def echo(listener: Listener) -> Handler:
    return _echo


OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


@dataclass(slots=True)
class Fenced:
    """A fence that runs, and what it told."""

    address: tuple[str, int]
    blocked: list[Blocked]
    writers: list[asyncio.StreamWriter] = field(default_factory=list)

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        reader, writer = await asyncio.open_connection(*self.address)
        self.writers.append(writer)
        return reader, writer

    async def ask(self, request: str | bytes) -> bytes:
        """All bytes of the answer to one request, on a connection of its own; the fence is to close it."""
        reader, writer = await self.connect()
        writer.write(request if isinstance(request, bytes) else request.encode())
        async with asyncio.timeout(20):
            return await reader.read()

    async def get(self, url: str, method: str = "GET", more: str = "") -> bytes:
        # HTTP/1.0, so that the end of the answer is the end of the connection.
        return await self.ask(f"{method} {url} HTTP/1.0\r\n{more}\r\n")

    async def tunnel(self, target: str) -> tuple[bytes, asyncio.StreamReader, asyncio.StreamWriter]:
        """The first line of the answer to CONNECT, and the connection."""
        reader, writer = await self.connect()
        writer.write(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode())
        head = await reader.readuntil(b"\r\n\r\n")
        return head.split(b"\r\n")[0], reader, writer


@asynccontextmanager
async def fenced(rules: SiteRules = LOCAL, limits: Limits | None = None) -> AsyncIterator[Fenced]:
    told: list[Blocked] = []
    fence = Fence(rules, told.append, limits)
    host, _, port = (await fence.start()).rpartition(":")
    browser = Fenced((host, int(port)), told)
    try:
        yield browser
    finally:
        await fence.close()
        for writer in browser.writers:
            writer.transport.abort()


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Names with the addresses that they have; others have none."""
    known: dict[str, list[str]] = {}

    def look_up(host: str, port: int, *args: object, **kwargs: object) -> list[tuple[object, ...]]:
        try:
            socket.inet_pton(socket.AF_INET6 if ":" in host else socket.AF_INET, host)
        except OSError:
            if host not in known:
                raise socket.gaierror(socket.EAI_NONAME, "unknown") from None
        addresses = known.get(host, [host])
        return [(socket.AF_INET6 if ":" in each else socket.AF_INET, 1, 6, "", (each, port)) for each in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return known


def body(answer: bytes) -> str:
    return answer.partition(b"\r\n\r\n")[2].decode()


# What passes


async def test_a_request_and_its_answer_pass_without_the_headers_of_the_connection() -> None:
    given = (
        b"HTTP/1.1 201 Fine by me\r\nX-CasedName: v\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nKeep-Alive: timeout=5\r\n"
        b"Connection: keep-alive, X-Own\r\nX-Own: 1\r\nContent-Length: 2\r\n\r\nok"
    )
    async with fenced() as fence, site(answering(given)) as there:
        url = f"http://user:secret@127.0.0.1:{there.port}/a%20b?q=1&r=%FF#part"
        of_the_connection = (
            "Proxy-Connection: keep-alive\r\nConnection: X-Mine\r\nX-Mine: 1\r\nProxy-Authorization: Basic eDp5\r\n"
            "TE: trailers\r\nUpgrade: h2c\r\n"
        )
        answer = await fence.get(url, more=f"Host: wrong.example\r\nX-Kept: 1\r\n{of_the_connection}")
    assert there.heads == [
        f"GET /a%20b?q=1&r=%FF HTTP/1.1\r\nHost: 127.0.0.1:{there.port}\r\nX-Kept: 1\r\n\r\n".encode()
    ]
    head = answer.partition(b"\r\n\r\n")[0].split(b"\r\n")
    assert head[0] == b"HTTP/1.1 201 Fine by me"
    assert set(head[1:]) == {
        b"X-CasedName: v", b"Set-Cookie: a=1", b"Set-Cookie: b=2", b"Content-Length: 2", b"Connection: close",
    }  # fmt: skip
    assert body(answer) == "ok"
    assert fence.blocked == []


async def test_requests_follow_each_other_on_one_connection() -> None:
    async with fenced() as fence, site(answering(OK)) as there, site(answering(OK)) as other:
        reader, writer = await fence.connect()
        for port in (there.port, there.port, other.port):
            writer.write(f"GET http://127.0.0.1:{port}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert (await reader.readuntil(b"ok")).startswith(b"HTTP/1.1 200 OK\r\n")
    assert (there.connections, len(there.heads), other.connections) == (1, 2, 1)


async def test_requests_that_are_sent_at_once_are_answered_in_their_order() -> None:
    async with fenced() as fence, site(answering(OK)) as there:
        reader, writer = await fence.connect()
        urls = [f"http://127.0.0.1:{there.port}/{number}" for number in range(20)]
        writer.write("".join(f"GET {url} HTTP/1.1\r\nHost: x\r\n\r\n" for url in urls).encode())
        for _ in urls:
            await reader.readuntil(b"ok")
    assert [head.split()[1] for head in there.heads] == [f"/{number}".encode() for number in range(20)]


async def test_a_site_that_has_closed_its_connection_is_connected_to_again() -> None:
    async with fenced() as fence, site(answering(OK, close=True)) as there:
        reader, writer = await fence.connect()
        for _ in range(2):
            writer.write(f"GET http://127.0.0.1:{there.port}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            await reader.readuntil(b"ok")
            await fence.get("http://127.0.0.2/")  # takes longer than the end of the connection, which is under way
    assert there.connections == 2


async def test_a_site_that_closes_its_connection_instead_of_answering_again_lets_the_browser_ask_again() -> None:
    def handler(listener: Listener) -> Handler:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await listener.head(reader)
            writer.write(OK)
            await listener.head(reader)

        return handle

    async with fenced() as fence, site(handler) as there:
        reader, writer = await fence.connect()
        request = f"POST http://127.0.0.1:{there.port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n".encode()
        writer.write(request)
        await reader.readuntil(b"ok")
        writer.write(request)
        assert await ended(reader) == b""  # a browser sends it again only if no byte of an answer came


async def test_chunked_bodies_pass_both_ways_with_their_trailers() -> None:
    received: list[bytes] = []

    def handler(listener: Listener) -> Handler:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await listener.head(reader)
            while (size := int(await reader.readline(), 16)) > 0:
                received.append((await reader.readexactly(size + 2))[:-2])
            received.append(await reader.readuntil(b"\r\n\r\n"))
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X-End\r\n\r\n")
            for part in (b"first", b"second"):
                writer.write(b"%x\r\n%s\r\n" % (len(part), part))
            writer.write(b"0\r\nX-End: 1\r\n\r\n")
            await reader.read()

        return handle

    async with fenced() as fence, site(handler) as there:
        reader, writer = await fence.connect()
        writer.write(
            f"POST http://127.0.0.1:{there.port}/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n".encode()
            + b"3\r\nabc\r\n4\r\ndefg\r\n0\r\nX-Mine: 2\r\n\r\n"
        )
        answer = await reader.readuntil(b"X-End: 1\r\n\r\n")
    assert b"".join(received) == b"abcdefgX-Mine: 2\r\n\r\n"
    assert answer.partition(b"\r\n\r\n")[2] == b"5\r\nfirst\r\n6\r\nsecond\r\n0\r\nX-End: 1\r\n\r\n"


async def test_large_bodies_pass_both_ways_at_once() -> None:
    data = os.urandom(1 << 20) * 8

    def handler(listener: Listener) -> Handler:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await listener.head(reader)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(data))
            for _ in range(len(data) >> 16):  # answers while it reads: neither side may wait for the other's end
                writer.write(await reader.readexactly(1 << 16))
                await writer.drain()
            await reader.read()

        return handle

    async with fenced() as fence, site(handler) as there:
        reader, writer = await fence.connect()
        head = f"POST http://127.0.0.1:{there.port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: {len(data)}\r\n\r\n"
        writer.write(head.encode() + data)
        await reader.readuntil(b"\r\n\r\n")
        assert await reader.readexactly(len(data)) == data


@pytest.mark.parametrize(
    ("method", "given"),
    [
        ("HEAD", b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n"),
        ("GET", b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n"),
        ("GET", b"HTTP/1.1 204 No Content\r\n\r\n"),
    ],
)
async def test_an_answer_without_a_body_ends_with_its_header(method: str, given: bytes) -> None:
    async with fenced() as fence, site(answering(given)) as there:
        reader, writer = await fence.connect()
        for _ in range(2):
            writer.write(f"{method} http://127.0.0.1:{there.port}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            assert await reader.readuntil(b"\r\n\r\n") == given


async def test_an_answer_that_ends_with_its_connection_is_complete() -> None:
    async with fenced() as fence, site(answering(b"HTTP/1.0 200 OK\r\n\r\nall of it", close=True)) as there:
        assert body(await fence.get(f"http://127.0.0.1:{there.port}/")) == "all of it"


async def test_a_stream_of_events_comes_as_it_is_sent_and_ends_at_the_site_when_the_browser_leaves() -> None:
    left = asyncio.Event()

    def handler(listener: Listener) -> Handler:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await listener.head(reader)
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ndata:\r\n")
            try:
                await reader.read()
            finally:
                left.set()

        return handle

    async with fenced() as fence, site(handler) as there:
        reader, writer = await fence.connect()
        writer.write(f"GET http://127.0.0.1:{there.port}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        await reader.readuntil(b"data:")
        writer.close()
        async with asyncio.timeout(20):
            await left.wait()


async def test_an_early_answer_comes_although_the_request_is_not_read() -> None:
    def handler(listener: Listener) -> Handler:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await listener.head(reader)
            writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno")
            await writer.drain()
            await reader.read(1 << 22)

        return handle

    async with fenced() as fence, site(handler) as there:
        reader, writer = await fence.connect()
        head = f"POST http://127.0.0.1:{there.port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999\r\n\r\n"
        writer.write(head.encode() + bytes(1 << 16))
        assert b"413 Too Large" in await reader.readuntil(b"no")


async def test_the_browser_is_asked_to_go_on_if_the_site_asks() -> None:
    def handler(listener: Listener) -> Handler:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await listener.head(reader)
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            assert await reader.readexactly(3) == b"abc"
            writer.write(OK)
            await reader.read()

        return handle

    async with fenced() as fence, site(handler) as there:
        reader, writer = await fence.connect()
        head = f"POST http://127.0.0.1:{there.port}/ HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n"
        writer.write(f"{head}Expect: 100-continue\r\n\r\n".encode())
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100")
        writer.write(b"abc")
        await reader.readuntil(b"ok")


# Tunnels


async def test_a_tunnel_passes_bytes_and_the_end_of_each_side() -> None:
    async with fenced() as fence, site(echo) as there:
        first_line, reader, writer = await fence.tunnel(f"127.0.0.1:{there.port}")
        assert first_line.startswith(b"HTTP/1.1 200 ")
        writer.write(b"\x00\xff" * 1000)
        assert await reader.readexactly(2000) == b"\x00\xff" * 1000
        writer.write_eof()
        assert await reader.read() == b"end"


async def test_what_is_sent_together_with_the_request_for_a_tunnel_arrives() -> None:
    async with fenced() as fence, site(echo) as there:
        reader, writer = await fence.connect()
        writer.write(f"CONNECT 127.0.0.1:{there.port} HTTP/1.1\r\nHost: x\r\n\r\nearly".encode())
        await reader.readuntil(b"\r\n\r\n")
        assert await reader.readexactly(5) == b"early"


@pytest.mark.parametrize("who", ["browser", "site"])
async def test_a_tunnel_ends_when_either_side_has_closed_it(who: str) -> None:
    connected, ended, may_close = asyncio.Event(), asyncio.Event(), asyncio.Event()

    def handler(listener: Listener) -> Handler:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            connected.set()
            if who == "site":
                await may_close.wait()
                return
            assert await reader.read() == b""
            ended.set()
            await asyncio.Event().wait()  # leaves its side open

        return handle

    async with fenced(limits=Limits(half_closed_s=0.2)) as fence, site(handler) as there:
        _, reader, writer = await fence.tunnel(f"127.0.0.1:{there.port}")
        await connected.wait()
        async with asyncio.timeout(20):
            if who == "site":
                may_close.set()
                assert await reader.read() == b""
                writer.close()
            else:
                writer.close()
                await ended.wait()
            await until(lambda: served() == 0)


async def test_a_side_that_does_not_read_stops_the_other_from_sending() -> None:
    stopped = asyncio.Event()

    def handler(listener: Listener) -> Handler:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            for _ in range(1000):  # 250 MB; the buffers of the sockets take some
                writer.write(bytes(1 << 18))
                try:
                    await asyncio.wait_for(writer.drain(), 0.5)
                except TimeoutError:
                    stopped.set()
                    return

        return handle

    async with fenced() as fence, site(handler) as there:
        _, _, writer = await fence.tunnel(f"127.0.0.1:{there.port}")
        async with asyncio.timeout(60):
            await stopped.wait()
        writer.transport.abort()


# What is refused

RULES = [
    (SiteRules(), BlockedBy.LOCAL_ADDRESS, "is on this computer or its network"),
    (
        SiteRules(blocked=("127.0.0.1",), start="http://127.0.0.1"),
        BlockedBy.BLOCKED_SITE,
        "is one of the blocked sites",
    ),
    (SiteRules(allowed=("example.org",)), BlockedBy.NOT_ALLOWED_SITE, "is not one of the allowed sites"),
]


@pytest.mark.parametrize(("rules", "by", "words"), RULES)
@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "0x7f000001", "a@127.0.0.1", "[::ffff:127.0.0.1]"])
async def test_a_site_against_a_rule_gets_no_connection(rules: SiteRules, by: BlockedBy, words: str, host: str) -> None:
    async with fenced(rules) as fence, site(answering(OK)) as there:
        answer = await fence.get(f"http://{host}:{there.port}/secret?x=1")
        first_line, _, _ = await fence.tunnel(f"{host}:{there.port}")
    assert answer.startswith(b"HTTP/1.1 403 ")
    shown = f"127.0.0.1:{there.port}"
    assert body(answer).startswith(f"{shown} {words}")
    assert first_line.startswith(b"HTTP/1.1 403 ")
    assert there.connections == 0
    assert fence.blocked == [Blocked(site=shown, by=by), Blocked(site=shown, by=by)]


async def test_what_is_refused_is_answered_although_its_body_is_still_being_sent() -> None:
    async with fenced(SiteRules()) as fence:
        head = "POST http://127.0.0.1:9/ HTTP/1.1\r\nHost: x\r\nContent-Length: 500000\r\n\r\n"
        assert b"403" in await fence.ask(head.encode() + bytes(500000))


async def test_a_connection_goes_on_after_a_refusal() -> None:
    async with fenced() as fence, site(answering(OK)) as there:
        reader, writer = await fence.connect()
        writer.write(b"GET http://127.0.0.2:9/ HTTP/1.1\r\nHost: x\r\n\r\n")
        await reader.readuntil(b"nothing was sent there.\n")
        writer.write(f"GET http://127.0.0.1:{there.port}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        await reader.readuntil(b"ok")


@pytest.mark.parametrize(
    "addresses", [["127.0.0.1"], ["8.8.8.8", "127.0.0.1"], ["127.0.0.1", "8.8.8.8"], ["::ffff:127.0.0.1"], ["10.0.0.1"]]
)
async def test_a_name_for_a_local_address_is_refused(names: dict[str, list[str]], addresses: list[str]) -> None:
    names["rebinding.example"] = addresses
    async with fenced(SiteRules()) as fence, site(answering(OK)) as there:
        assert b"403" in await fence.get(f"http://rebinding.example:{there.port}/")
        first_line, _, _ = await fence.tunnel(f"Rebinding.Example.:{there.port}")
    assert b"403" in first_line
    assert there.connections == 0
    site_name = f"rebinding.example:{there.port}"
    assert {(each.site, each.by) for each in fence.blocked} == {(site_name, BlockedBy.LOCAL_ADDRESS)}


async def test_a_connection_is_made_to_the_address_that_was_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter(["127.0.0.1", "127.0.0.2"])
    looked_up: list[str] = []

    def look_up(host: str, port: int, *args: object, **kwargs: object) -> list[tuple[object, ...]]:
        looked_up.append(host)
        return [(socket.AF_INET, 1, 6, "", (next(answers), port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    async with fenced(SiteRules(allowed=("changing.example",))) as fence, site(answering(OK)) as there:
        assert body(await fence.get(f"http://changing.example:{there.port}/")) == "ok"
    assert looked_up == ["changing.example"]


@pytest.mark.parametrize(("addresses", "status"), [(["127.0.0.1"], b"200"), (["127.0.0.1", "8.8.8.8"], b"403")])
async def test_a_start_name_is_local_only_if_all_its_addresses_are(
    names: dict[str, list[str]], addresses: list[str], status: bytes
) -> None:
    names["app.corp.example"] = addresses
    async with fenced(SiteRules(start="http://app.corp.example/")) as fence, site(answering(OK)) as there:
        assert status in (await fence.get(f"http://app.corp.example:{there.port}/")).split(b"\r\n")[0]
        assert b"403" in await fence.get(f"http://127.0.0.1:{there.port}/")


async def test_the_next_address_of_a_site_is_tried_if_one_takes_no_connection(names: dict[str, list[str]]) -> None:
    names["two.example"] = ["127.0.0.3", "127.0.0.1"]
    async with fenced(SiteRules(allowed=("two.example",))) as fence, site(answering(OK)) as there:
        assert body(await fence.get(f"http://two.example:{there.port}/")) == "ok"


@pytest.mark.parametrize(
    ("request_line", "status"),
    [
        ("GET / HTTP/1.1", b"400"), ("GET https://127.0.0.1/ HTTP/1.1", b"400"), ("nonsense", b"400"),
        ("GET ftp://127.0.0.1/ HTTP/1.1", b"400"), ("GET http:///x HTTP/1.1", b"400"),
        ("GET http://[::1/ HTTP/1.1", b"400"), ("GET http://127.0.0.1:x/ HTTP/1.1", b"400"),
        ("CONNECT nothing HTTP/1.1", b"400"), ("CONNECT 127.0.0.1:99999 HTTP/1.1", b"400"),
        (f"GET http://127.0.0.1/{'a' * 200000} HTTP/1.1", b"431"),
    ],
)  # fmt: skip
async def test_what_is_no_request_for_the_web_is_refused(request_line: str, status: bytes) -> None:
    async with fenced(limits=Limits(header_bytes=1 << 16)) as fence:
        answer = await fence.ask(f"{request_line}\r\nHost: x\r\nConnection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 " + status)
    assert "This is no request" in body(answer)


async def test_the_browsers_own_services_are_refused_without_a_word_to_the_operator() -> None:
    async with fenced(SiteRules()) as fence:
        first_line, _, _ = await fence.tunnel(f"{OWN_CALLS_HOST}:443")
    assert b"502" in first_line
    assert fence.blocked == []


async def test_a_program_of_another_user_is_not_served(monkeypatch: pytest.MonkeyPatch) -> None:
    mine = os.geteuid()
    async with fenced() as fence, site(answering(OK)) as there:
        monkeypatch.setattr(os, "geteuid", lambda: mine + 1)
        reader, writer = await fence.connect()
        writer.write(f"GET http://127.0.0.1:{there.port}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        assert await ended(reader) == b""
        monkeypatch.setattr(os, "geteuid", lambda: mine)
        assert body(await fence.get(f"http://127.0.0.1:{there.port}/")) == "ok"
    assert there.connections == 1


async def test_no_more_connections_are_served_than_the_limit() -> None:
    async with fenced(limits=Limits(connections=3)) as fence, site(answering(OK)) as there:
        held = [await fence.connect() for _ in range(3)]
        url = f"GET http://127.0.0.1:{there.port}/ HTTP/1.1\r\nHost: x\r\n\r\n".encode()
        for reader, writer in held:
            writer.write(url)
            await reader.readuntil(b"ok")
        reader, writer = await fence.connect()
        writer.write(url)
        assert await ended(reader) == b""
        held[0][1].close()
        await until(lambda: served() == 2)
        assert body(await fence.get(f"http://127.0.0.1:{there.port}/")) == "ok"
        for _, writer in held:
            writer.close()


# Reports


async def test_a_page_that_tries_again_and_again_gives_few_reports() -> None:
    async with fenced(SiteRules()) as fence:
        reader, writer = await fence.connect()
        for _ in range(300):
            writer.write(b"GET http://127.0.0.2:9/ HTTP/1.1\r\nHost: x\r\n\r\n")
            await reader.readuntil(b"sent there.\n")
    assert len(fence.blocked) <= 10
    assert sum(each.count for each in fence.blocked) == 300
    assert {(each.site, each.by) for each in fence.blocked} == {("127.0.0.2:9", BlockedBy.LOCAL_ADDRESS)}


async def test_a_page_that_tries_very_many_sites_gives_few_reports() -> None:
    async with fenced(SiteRules(blocked=("*.blocked.example",))) as fence:
        reader, writer = await fence.connect()
        for number in range(300):
            writer.write(f"GET http://n{number}.blocked.example/ HTTP/1.1\r\nHost: x\r\n\r\n".encode())
            await reader.readuntil(b"sent there.\n")
    assert len(fence.blocked) <= 60
    assert sum(each.count for each in fence.blocked) == 300
    assert fence.blocked[-1].site == "*"


# Sites that fail


async def test_a_site_that_takes_no_connection_is_answered_for() -> None:
    async with fenced() as fence:
        with socket.create_server(("127.0.0.1", 0)) as closed:
            port = closed.getsockname()[1]
        answer = await fence.get(f"http://127.0.0.1:{port}/")
        first_line, _, _ = await fence.tunnel(f"127.0.0.1:{port}")
    assert answer.startswith(b"HTTP/1.1 502 ") and first_line.startswith(b"HTTP/1.1 502 ")
    assert body(answer) == f"No connection to 127.0.0.1:{port} could be made.\n"
    assert fence.blocked == []


async def test_a_name_that_nobody_knows_is_answered_for(names: dict[str, list[str]]) -> None:
    async with fenced(SiteRules()) as fence:
        answer = await fence.get("http://unknown.example/")
    assert answer.startswith(b"HTTP/1.1 502 ")
    assert body(answer) == "No address of unknown.example:80 was found.\n"


async def test_a_site_that_does_not_answer_in_time_is_answered_for() -> None:
    def silent(listener: Listener) -> Handler:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.read()

        return handle

    async with fenced(limits=Limits(answer_s=0.1)) as fence, site(silent) as there:
        answer = await fence.get(f"http://127.0.0.1:{there.port}/")
    assert answer.startswith(b"HTTP/1.1 504 ")
    assert body(answer) == f"127.0.0.1:{there.port} did not answer in time.\n"


@pytest.mark.parametrize(
    "given", [b"", b"SSH-2.0-x\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"a" * 70000, b"HTTP/1.1 101 Switching\r\n\r\n"]
)
async def test_a_site_whose_answer_cannot_be_read_is_answered_for(given: bytes) -> None:
    limits = Limits(header_bytes=1 << 16)
    async with fenced(limits=limits) as fence, site(answering(given, close=True)) as there:
        answer = await fence.get(f"http://127.0.0.1:{there.port}/")
    assert answer.startswith(b"HTTP/1.1 502 ")
    assert body(answer) == f"The answer of 127.0.0.1:{there.port} could not be read.\n"


@pytest.mark.parametrize(
    ("framing", "part"), [(b"Content-Length: 10", b"half"), (b"Transfer-Encoding: chunked", b"4\r\nhalf\r\n")]
)
async def test_an_answer_that_breaks_off_is_not_passed_as_complete(framing: bytes, part: bytes) -> None:
    given = b"HTTP/1.1 200 OK\r\n%s\r\n\r\n%s" % (framing, part)
    async with fenced() as fence, site(answering(given, close=True)) as there:
        answer = await fence.ask(f"GET http://127.0.0.1:{there.port}/ HTTP/1.1\r\nHost: x\r\n\r\n")
    assert answer == given


async def test_closing_the_fence_ends_all_connections() -> None:
    async with site(echo) as there:
        async with fenced() as fence:
            _, tunnel, _ = await fence.tunnel(f"127.0.0.1:{there.port}")
            idle, _ = await fence.connect()
            assert served() == 2
        assert served() == 0
        assert [await ended(reader) for reader in (tunnel, idle)] == [b"", b""]


# Through the proxy of the environment


@asynccontextmanager
async def company_proxy(answer: bytes = b"HTTP/1.1 200 Connected\r\n\r\n") -> AsyncIterator[Listener]:
    """Answers CONNECT with these bytes and echoes what follows; answers other requests with "ok"."""

    def handler(listener: Listener) -> Handler:
        async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            while (await listener.head(reader)).startswith(b"GET"):
                writer.write(OK if b" 200 " in answer else answer)
            writer.write(answer)
            if b" 200 " in answer:
                await _echo(reader, writer)

        return handle

    async with site(handler) as there:
        yield there


async def test_requests_go_through_the_proxy_of_the_environment_unresolved(
    names: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with company_proxy() as proxy, fenced(SiteRules()) as fence:
        for name in ("HTTP_PROXY", "HTTPS_PROXY"):
            monkeypatch.setenv(name, f"http://ann:s%40crt@127.0.0.1:{proxy.port}")
        assert body(await fence.get("http://far.example/path?q=1")) == "ok"
        first_line, reader, writer = await fence.tunnel("far.example:443")
        writer.write(b"hello")
        assert await reader.readexactly(5) == b"hello"
    authorization = b"Proxy-Authorization: Basic " + base64.b64encode(b"ann:s@crt")
    assert b" 200 " in first_line
    assert [head.split(b"\r\n")[0] for head in proxy.heads] == [
        b"GET http://far.example/path?q=1 HTTP/1.1", b"CONNECT far.example:443 HTTP/1.1",
    ]  # fmt: skip
    assert all(authorization in head for head in proxy.heads)


@pytest.mark.parametrize(
    ("url", "by"),
    [
        ("http://bad.example/", BlockedBy.BLOCKED_SITE), ("http://10.0.0.1/", BlockedBy.LOCAL_ADDRESS),
        ("http://localhost/", BlockedBy.LOCAL_ADDRESS), ("http://[fd00::1]/", BlockedBy.LOCAL_ADDRESS),
    ],
)  # fmt: skip
async def test_what_is_against_a_rule_does_not_reach_the_proxy_of_the_environment(
    monkeypatch: pytest.MonkeyPatch, url: str, by: BlockedBy
) -> None:
    async with company_proxy() as proxy, fenced(SiteRules(blocked=("bad.example",))) as fence:
        monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{proxy.port}")
        assert b"403" in await fence.get(url)
    assert [each.by for each in fence.blocked] == [by]
    assert proxy.connections == 0


async def test_a_site_that_needs_no_proxy_is_looked_up_and_judged(
    names: dict[str, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    names["rebinding.example"] = ["127.0.0.1"]
    async with company_proxy() as proxy, fenced(SiteRules()) as fence:
        monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{proxy.port}")
        monkeypatch.setenv("NO_PROXY", "rebinding.example")
        assert b"403" in await fence.get(f"http://rebinding.example:{proxy.port}/")
    assert proxy.connections == 0


@pytest.mark.parametrize(
    ("request_line", "site_name"),
    [("CONNECT far.example:443 HTTP/1.1", "far.example:443"), ("GET http://far.example/ HTTP/1.1", "far.example:80")],
)
@pytest.mark.parametrize(
    ("proxy_url", "words"),
    [
        ("http://127.0.0.1:{port}", "The proxy 127.0.0.1:{port} made no connection to {site}; it answered 407."),
        ("socks5://127.0.0.1:{port}", "The proxy of the environment cannot be used: 127.0.0.1:{port}."),
    ],
)
async def test_a_proxy_that_makes_no_connection_is_named(
    monkeypatch: pytest.MonkeyPatch, proxy_url: str, words: str, request_line: str, site_name: str
) -> None:
    refusal = b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
    async with company_proxy(refusal) as proxy, fenced(SiteRules()) as fence:
        monkeypatch.setenv("ALL_PROXY", proxy_url.format(port=proxy.port))
        answer = await fence.ask(f"{request_line}\r\nHost: far.example\r\nConnection: close\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 502 ")
    assert body(answer) == words.format(port=proxy.port, site=site_name) + "\n"


async def ended(reader: asyncio.StreamReader) -> bytes:
    """What comes until the connection is closed, in order or not."""
    try:
        async with asyncio.timeout(20):
            return await reader.read()
    except ConnectionResetError:
        return b""


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not true():  # noqa: ASYNC110 - nothing else tells it
            await asyncio.sleep(0.005)


def served() -> int:
    """How many connections fences serve."""
    return sum(getattr(task.get_coro(), "__qualname__", "") == "Fence._serve" for task in asyncio.all_tasks())
