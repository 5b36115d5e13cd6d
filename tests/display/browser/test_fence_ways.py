"""Every way in which a page reaches another site, tried in the installed Chromium with and without the fence.

Each way has a port of its own at the forbidden hosts, TCP and UDP, so what arrives there, a mere connection too, is
known to be this way's. Without the fence nearly all arrive: a way that does not would prove nothing.
"""

from __future__ import annotations

import asyncio
import functools
import json
import os
import signal
import socket
import tempfile
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
from aiohttp import web

from operator_console.browser.fence import proxy
from operator_console.browser.fence.browser_arguments import (
    DISABLED_FEATURES,
    PREFERENCES,
    fence_arguments,
)
from operator_console.browser.fence.proxy import Fence
from operator_console.browser.site_rules import SiteRules
from operator_console.domain.events import Blocked, BlockedBy
from tests.display.browser.ways import NAMES, UNSEEN, UNTRIED, Way, all_ways

pytestmark = pytest.mark.slow

FORBIDDEN = ("127.0.0.2", "::1")


@dataclass(slots=True)
class Arrivals:
    """Which ways have arrived at a forbidden host, and which have told that they are at their end."""

    ways: list[Way]
    arrived: set[str] = field(default_factory=set)
    done: set[str] = field(default_factory=set)
    changed: asyncio.Event = field(default_factory=asyncio.Event)

    def note(self, names: set[str], name: str) -> None:
        names.add(name)
        self.changed.set()

    async def until(self, true: Callable[[], bool], timeout_s: float = 60) -> bool:
        """Wait until it is true; returns whether it became so in time."""
        try:
            async with asyncio.timeout(timeout_s):
                while not true():
                    self.changed.clear()
                    await self.changed.wait()
        except TimeoutError:
            return False
        return True


class _Datagrams(asyncio.DatagramProtocol):
    def __init__(self, arrive: Callable[[], None]) -> None:
        self._arrive = arrive

    def datagram_received(self, data: bytes, addr: object) -> None:
        self._arrive()


def _free_port() -> tuple[int, list[socket.socket], list[socket.socket]]:
    """A port that is free at all forbidden hosts, with its sockets: TCP and UDP."""
    while True:
        streams: list[socket.socket] = []
        datagrams: list[socket.socket] = []
        port = 0
        try:
            for host in FORBIDDEN:
                family = socket.AF_INET6 if ":" in host else socket.AF_INET
                for kind, kept in ((socket.SOCK_STREAM, streams), (socket.SOCK_DGRAM, datagrams)):
                    kept.append(socket.socket(family, kind))
                    kept[-1].bind((host, port))
                    port = kept[-1].getsockname()[1]
        except OSError:
            for each in (*streams, *datagrams):
                each.close()
        else:
            return port, streams, datagrams


@asynccontextmanager
async def forbidden_hosts(ways: list[Way]) -> AsyncIterator[Arrivals]:
    """Listen for each way at all forbidden hosts."""
    arrivals = Arrivals(ways)
    loop = asyncio.get_running_loop()
    servers: list[asyncio.Server] = []
    transports: list[asyncio.BaseTransport] = []
    writers: list[asyncio.StreamWriter] = []
    for way in ways:

        def arrive(name: str = way.name) -> None:
            arrivals.note(arrivals.arrived, name)

        def connected(
            reader: asyncio.StreamReader, writer: asyncio.StreamWriter, arrive: Callable[[], None] = arrive
        ) -> None:
            arrive()
            writers.append(writer)
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")

        way.port, streams, datagrams = _free_port()
        servers += [await asyncio.start_server(connected, sock=each) for each in streams]
        received = functools.partial(_Datagrams, arrive)
        transports += [(await loop.create_datagram_endpoint(received, sock=each))[0] for each in datagrams]
    try:
        yield arrivals
    finally:
        for server in servers:
            server.close()
        for transport in transports:
            transport.close()
        for writer in writers:
            writer.transport.abort()


@asynccontextmanager
async def allowed_site(arrivals: Arrivals) -> AsyncIterator[str]:
    """Serves the ways' pages on 127.0.0.1, and what they need there; yields the URL of the page that opens them all."""
    pages = {quote(way.name): way.html for way in arrivals.ways}
    script = "text/javascript"

    def html(text: str, headers: Mapping[str, str] | None = None) -> web.Response:
        return web.Response(text=text, content_type="text/html", headers=headers)

    async def start(_: web.Request) -> web.Response:
        opening = "window.open('/way/' + name, '_blank', 'popup,noopener,width=300,height=300')"
        return html(f"<script>for (const name of {json.dumps(list(pages))}) {opening}</script>")

    async def way(request: web.Request) -> web.Response:
        return html(pages[request.raw_path.rpartition("/")[2]])

    async def redirect(request: web.Request) -> web.Response:
        return web.Response(status=int(request.query["code"]), headers={"Location": request.query["to"]})

    async def refresh(request: web.Request) -> web.Response:
        return html("", {"Refresh": f"0;url={request.query['to']}"})

    async def reporting(request: web.Request) -> web.Response:
        policy = f"img-src 'none'; report-uri {request.query['to']}"
        return html("<img src=/ok>", {"Content-Security-Policy-Report-Only": policy})

    async def fetching(request: web.Request) -> web.Response:
        return web.Response(text=f"fetch({json.dumps(request.query['to'])}, {{mode: 'no-cors'}})", content_type=script)

    async def importing(request: web.Request) -> web.Response:
        return web.Response(text=f"importScripts({json.dumps(request.query['to'])})", content_type=script)

    async def done(request: web.Request) -> web.Response:
        arrivals.note(arrivals.done, unquote(request.query["way"]))
        return html("")

    async def ok(_: web.Request) -> web.Response:
        return html("ok")

    app = web.Application()
    for path, handler in {
        "/start": start, "/way/{name}": way, "/redirect": redirect, "/refresh": refresh, "/reporting": reporting,
        "/fetching.js": fetching, "/importing.js": importing, "/done": done, "/{rest:.*}": ok,
    }.items():  # fmt: skip
        app.router.add_get(path, handler)
    runner = web.AppRunner(app, handler_cancellation=True)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/start"
    finally:
        await runner.cleanup()


@asynccontextmanager
async def chromium(url: str, *arguments: str) -> AsyncIterator[None]:
    """The installed Chromium, headless."""
    process = await asyncio.create_subprocess_exec(
        "/usr/bin/chromium", "--headless", "--no-first-run", "--test-type", "--disable-popup-blocking", "--mute-audio",
        *(["--no-sandbox"] if os.geteuid() == 0 else []), *arguments, url, start_new_session=True,
        stdin=asyncio.subprocess.DEVNULL, stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.DEVNULL,
    )  # fmt: skip
    try:
        yield
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


@pytest.fixture
def profile() -> Iterator[Path]:
    """A fresh profile. The browser's last process may still write there while it is removed."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@pytest.fixture
def looked_up(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The names that the fence looks up; a few are known here, and no name server is asked."""
    names: set[str] = set()

    def look_up(host: str, port: int, *args: object, **kwargs: object) -> list[tuple[object, ...]]:
        names.add(host)
        address = "127.0.0.2" if host in NAMES else host
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        try:
            socket.inet_pton(family, address)
        except OSError:
            raise socket.gaierror(socket.EAI_NONAME, "unknown") from None
        return [(family, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    return names


@pytest.mark.full
async def test_without_the_fence_all_ways_arrive(profile: Path) -> None:
    """It shows that each way is one; which there are changes with this file alone."""
    ways = all_ways()
    names = "--host-resolver-rules=MAP *.test 127.0.0.2, MAP *.test. 127.0.0.2, MAP *.com ~NOTFOUND"
    async with forbidden_hosts(ways) as arrivals, allowed_site(arrivals) as url:
        expected = {way.name for way in ways} - UNSEEN
        async with chromium(url, f"--user-data-dir={profile}", "--disable-background-networking", names):
            await arrivals.until(lambda: arrivals.arrived >= expected)
    assert expected - arrivals.arrived == set()


async def test_with_the_fence_no_way_arrives(
    profile: Path, looked_up: set[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proxy, "_SITES", 1000)  # tells every port by itself
    (profile / "Default").mkdir()
    (profile / "Default" / "Preferences").write_text(
        json.dumps({name: dict(PREFERENCES[name]) for name in PREFERENCES})
    )
    ways = all_ways()
    blocked: list[Blocked] = []
    async with forbidden_hosts(ways) as arrivals, allowed_site(arrivals) as url:

        def on_blocked(news: Blocked) -> None:
            blocked.append(news)
            arrivals.changed.set()

        def tried() -> set[str]:
            ports = {news.site.rpartition(":")[2] for news in blocked}
            return {way.name for way in ways if str(way.port) in ports} | arrivals.done

        fence = Fence(SiteRules(start=url), on_blocked)
        arguments = [*fence_arguments(await fence.start()), f"--disable-features={','.join(DISABLED_FEATURES)}"]
        expected = {way.name for way in ways} - UNSEEN - UNTRIED
        try:
            async with chromium(url, f"--user-data-dir={profile}", *arguments):
                await arrivals.until(lambda: tried() >= expected)
        finally:
            await fence.close()
    assert arrivals.arrived == set()
    assert expected - tried() == set()
    assert {news.by for news in blocked} == {BlockedBy.LOCAL_ADDRESS}
    sites = {f"{host}:{way.port}" for way in ways for host in ("127.0.0.2", "[::1]", *NAMES)}
    assert {news.site for news in blocked} <= sites, "not the page's"
    assert looked_up <= {"127.0.0.1", *NAMES}, "the browser called somebody by itself"
