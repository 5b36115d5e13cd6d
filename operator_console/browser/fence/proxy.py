"""The proxy that a managed browser reaches the network through, and nothing but this browser.

HTTP is passed on request by request, everything else (TLS, WebSockets) as a tunnel; neither is looked into. A site that
may not be reached is answered with 403 and one sentence, before anything is sent there.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

import h11

from operator_console.browser.fence.browser_arguments import OWN_CALLS_HOST
from operator_console.browser.fence.connection_owner import is_of_this_user
from operator_console.browser.fence.routes import (
    CHUNK_BYTES,
    HttpStream,
    Limits,
    NotReached,
    Route,
    Site,
    kept_by_proxy,
    look_up,
    open_route,
)
from operator_console.browser.site_rules import PORTS, SiteRules, canonical_host, site_of
from operator_console.domain.events import Blocked, BlockedBy
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode
from operator_console.environment_proxies import proxy_for

OTHER_SITES = "*"
"""Stands for the sites beyond `_SITES`."""

_FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 60.0
_SITES = 50
"""How many sites are told one by one."""
# Of one connection, not of the request (RFC 9110, section 7.6.1). Transfer-Encoding stays: h11 frames the body by it.
_OF_A_CONNECTION = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te upgrade".split()
)
_PROXY_ASKS_WHO = 407
_DISCARDED_BYTES = 1 << 20
_DISCARDED_S = 2.0
_HOST = "127.0.0.1"


@dataclass(slots=True)
class _Kept:
    count: int = 0
    wait_s: float = _FIRST_WAIT_S
    timer: asyncio.TimerHandle | None = field(default=None, repr=False)


class BlockedReports:
    """Tells each site and rule at once, and what comes of the same later: after a second, two, four ... a minute."""

    def __init__(self, tell: Callable[[Blocked], None]) -> None:
        self._tell = tell
        self._kept: dict[tuple[str, BlockedBy], _Kept] = {}

    def add(self, site: str, by: BlockedBy) -> None:
        """Count one request that was blocked."""
        if (site, by) not in self._kept and len(self._kept) >= _SITES:
            site = OTHER_SITES
        kept = self._kept.setdefault((site, by), _Kept())
        if kept.timer is not None:
            kept.count += 1
            return
        self._tell(Blocked(site=site, by=by))
        self._wait(site, by, kept)

    def close(self) -> None:
        """Tell what was counted and not told."""
        for (site, by), kept in self._kept.items():
            if kept.timer is not None:
                kept.timer.cancel()
            if kept.count:
                self._tell(Blocked(site=site, by=by, count=kept.count))
        self._kept.clear()

    def _wait(self, site: str, by: BlockedBy, kept: _Kept) -> None:
        kept.timer = asyncio.get_running_loop().call_later(kept.wait_s, self._again, site, by, kept)

    def _again(self, site: str, by: BlockedBy, kept: _Kept) -> None:
        kept.timer = None
        if kept.count:
            self._tell(Blocked(site=site, by=by, count=kept.count))
        elif kept.wait_s >= _LONGEST_WAIT_S:
            del self._kept[site, by]
            return
        kept.count = 0
        kept.wait_s = min(kept.wait_s * 2, _LONGEST_WAIT_S)
        self._wait(site, by, kept)


class Exchange:
    """One request of the browser and the site's answer. Bodies pass as they come, in both directions at once."""

    def __init__(self, browser: HttpStream, route: Route, limits: Limits, *, is_first: bool) -> None:
        """`is_first`: the route was opened for it."""
        self._browser = browser
        self._route = route
        self._site = route.stream
        self._limits = limits
        self._is_first = is_first
        self._deadline: asyncio.Timeout | None = None

    async def run(self, request: h11.Request, target: bytes) -> bool:
        """Pass both on. Returns whether the route can be used again.

        Raises NotReached where no answer had begun. Raises OSError or h11.ProtocolError where the browser's connection
        is of no use any more: it has closed it, or it must learn that the answer is not complete.
        """
        sending = asyncio.create_task(self._send(request, target))
        answering = asyncio.create_task(self._answer())
        try:
            await asyncio.wait((sending, answering), return_when=asyncio.FIRST_COMPLETED)
            if not answering.done():
                await sending
                raise ConnectionResetError
            await answering
        finally:
            sending.cancel()
            answering.cancel()
            await asyncio.gather(sending, answering, return_exceptions=True)
        if {self._site.http.our_state, self._site.http.their_state} != {h11.DONE}:
            return False
        self._site.http.start_next_cycle()
        return True

    async def _send(self, request: h11.Request, target: bytes) -> None:
        """Send the request, then wait until the browser closes the connection."""
        site, proxy = self._route.site, self._route.proxy
        headers: list[tuple[bytes, bytes]] = [(b"Host", _authority(self._route)), *_kept(request)]
        if proxy is not None:
            target = f"{site.scheme}://".encode() + _authority(self._route) + target
            headers += proxy.headers
        event: h11.Event | type[h11.PAUSED] = h11.Request(method=request.method, target=target, headers=headers)
        while isinstance(event, h11.Request | h11.Data | h11.EndOfMessage):
            with contextlib.suppress(OSError):  # a site that takes no more may have answered before
                await self._site.send(event)
            if self._deadline is not None and not self._deadline.expired():
                self._deadline.reschedule(asyncio.get_running_loop().time() + self._limits.answer_s)
            if isinstance(event, h11.EndOfMessage):
                break
            event = await self._browser.receive()
        if early := await self._browser.reader.read(CHUNK_BYTES):
            self._browser.http.receive_data(early)  # the next request; it waits for the answer to this one
            await asyncio.get_running_loop().create_future()

    async def _answer(self) -> None:
        """Bring the answer to the browser."""
        while isinstance(answer := await self._answer_header(), h11.InformationalResponse):
            await self._browser.send(answer)
        if answer.status_code == _PROXY_ASKS_WHO and (proxy := self._route.proxy) is not None:
            raise kept_by_proxy(self._route.site, proxy.name, answer.status_code)
        await self._browser.send(
            h11.Response(status_code=answer.status_code, reason=answer.reason, headers=_kept(answer))
        )
        while not isinstance(event := await self._site.receive(), h11.EndOfMessage):
            assert isinstance(event, h11.Data)
            await self._browser.send(event)
        has_trailers = (self._browser.http.their_http_version or b"") >= b"1.1"
        await self._browser.send(h11.EndOfMessage(headers=event.headers if has_trailers else []))

    async def _answer_header(self) -> h11.InformationalResponse | h11.Response:
        site = str(self._route.site)
        try:
            async with asyncio.timeout(self._limits.answer_s) as self._deadline:
                received = await self._site.receive()
        except TimeoutError as error:
            raise NotReached(504, notice(NoticeCode.SITE_SILENT, site=site)) from error
        except (OSError, h11.RemoteProtocolError) as error:
            if not self._is_first:  # closed while it waited: the browser asks again, as if it had closed it itself
                raise ConnectionResetError from error
            raise NotReached(502, notice(NoticeCode.SITE_UNREADABLE, site=site)) from error
        finally:
            self._deadline = None
        assert isinstance(received, h11.InformationalResponse | h11.Response)
        return received


async def tunnel(browser: HttpStream, site: HttpStream, limits: Limits) -> None:
    """Pass bytes on until both sides have ended, or one has and the other is still. Raises OSError."""
    browser.writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
    passed = [0]
    ways = [
        asyncio.create_task(_pass_bytes(browser, site, passed)),
        asyncio.create_task(_pass_bytes(site, browser, passed)),
    ]
    try:
        done, open_ways = await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        before = -1
        while open_ways and before != passed[0] and not any(way.exception() for way in done):
            before = passed[0]
            done, open_ways = await asyncio.wait(open_ways, timeout=limits.half_closed_s)
    finally:
        for way in ways:
            way.cancel()
        await asyncio.gather(*ways, return_exceptions=True)


async def answer(browser: HttpStream, status: int, sentence: NoticeText, method: bytes = b"GET") -> None:
    """Answer the browser's request with one sentence. Raises OSError, h11.ProtocolError."""
    body = f"{sentence}\n".encode()
    is_read = browser.http.their_state is h11.DONE or (
        browser.http.their_state is h11.SEND_BODY and isinstance(browser.http.next_event(), h11.EndOfMessage)
    )
    headers = [("Content-Type", "text/plain; charset=utf-8"), ("Content-Length", str(len(body)))]
    headers += [("Cache-Control", "no-store"), *([] if is_read else [("Connection", "close")])]
    await browser.send(h11.Response(status_code=status, headers=headers))
    if method != b"HEAD":
        await browser.send(h11.Data(data=body))
    await browser.send(h11.EndOfMessage())
    if not is_read:
        await _discard(browser)


async def _discard(browser: HttpStream) -> None:
    """Read what is still being sent: closing the connection before would take the answer away."""
    browser.writer.write_eof()
    left = _DISCARDED_BYTES
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_DISCARDED_S):
            while left > 0 and (data := await browser.reader.read(CHUNK_BYTES)):
                left -= len(data)


async def _pass_bytes(source: HttpStream, target: HttpStream, passed: list[int]) -> None:
    data, _ = source.http.trailing_data  # what came with the header
    while data or (data := await source.reader.read(CHUNK_BYTES)):
        target.writer.write(data)
        await target.writer.drain()
        passed[0] += len(data)
        data = b""
    if target.writer.can_write_eof():
        target.writer.write_eof()


def _authority(route: Route) -> bytes:
    """The value of Host: without the port, if it is the scheme's own."""
    site = str(route.site)
    return site.removesuffix(f":{PORTS[route.site.scheme]}").encode()


def _kept(message: h11.Request | h11.Response) -> list[tuple[bytes, bytes]]:
    """The headers without those of the connection, and without Host; their case is kept."""
    headers = message.headers
    named = {part.strip().lower() for name, value in headers if name == b"connection" for part in value.split(b",")}
    left_out = (_OF_A_CONNECTION | named | {b"host"}) - {b"transfer-encoding", b"content-length"}
    return [(name, value) for name, value in headers.raw_items() if name.lower() not in left_out]


class Fence:
    """Serves one browser, of this user, by rules. Each site that was kept from it is told to `on_blocked`.

    Of a site that is tried again and again, most tries are told together.
    """

    def __init__(
        self, rules: SiteRules, on_blocked: Callable[[Blocked], None] = lambda _: None, limits: Limits | None = None
    ) -> None:
        self._rules = rules
        self._limits = limits or Limits()
        self._reports = BlockedReports(on_blocked)
        self._server: asyncio.Server | None = None
        self._address = (_HOST, 0)
        self._serving: dict[asyncio.Task[None], HttpStream] = {}

    @property
    def rules(self) -> SiteRules:
        """The rules, with the addresses of the start address once it has started."""
        return self._rules

    def tell(self, on_blocked: Callable[[Blocked], None]) -> None:
        """Tell what is blocked from now on to `on_blocked`."""
        self._reports = BlockedReports(on_blocked)

    async def start(self) -> str:
        """Look up the start address and listen. Returns the proxy's address, host:port. Raises OSError."""
        with contextlib.suppress(ValueError, NotReached):  # then it is not local
            host, port = site_of(self._rules.start)
            if proxy_for(self._rules.start) is None:  # else that proxy looks names up
                found = await look_up(Site(scheme="http", host=host, port=port), self._limits)
                self._rules = replace(self._rules, start_addresses=found)
        self._server = await asyncio.start_server(self._accept, _HOST, 0)
        self._address = self._server.sockets[0].getsockname()
        return f"{_HOST}:{self._address[1]}"

    async def close(self) -> None:
        """Stop listening, and end all connections."""
        if self._server is not None:
            self._server.close()
            for task in self._serving:
                task.cancel()
            await asyncio.gather(*self._serving, return_exceptions=True)
            await self._server.wait_closed()
        self._reports.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        browser = HttpStream(reader, writer, self._limits, answers=True)
        task = asyncio.create_task(self._serve(browser))
        self._serving[task] = browser
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._serving.pop(task).close()

    async def _serve(self, browser: HttpStream) -> None:
        is_its_own = is_of_this_user(browser.writer.get_extra_info("peername"), self._address)
        if not is_its_own or len(self._serving) > self._limits.connections:
            return
        # An error: the browser has closed the connection, or an answer broke off.
        with contextlib.suppress(OSError, h11.ProtocolError):
            await self._serve_connection(browser)
            browser.writer.close()
            await browser.writer.wait_closed()

    async def _serve_connection(self, browser: HttpStream) -> None:
        """Serve one request after the other, until the connection ends or becomes a tunnel."""
        route: Route | None = None
        try:
            while isinstance(request := await self._request(browser), h11.Request):
                try:
                    route = await self._serve_request(browser, request, route)
                except NotReached as why:
                    route = None
                    if why.blocked is not None:
                        self._reports.add(why.blocked.site, why.blocked.by)
                    await answer(browser, why.status, why.sentence, request.method)
                if {browser.http.our_state, browser.http.their_state} != {h11.DONE}:
                    return
                browser.http.start_next_cycle()
        finally:
            if route is not None:
                route.stream.close()

    async def _request(self, browser: HttpStream) -> h11.Event | type[h11.PAUSED] | None:
        try:
            return await browser.receive()
        except h11.RemoteProtocolError as error:
            await answer(browser, error.error_status_hint, notice(NoticeCode.REQUEST_UNREADABLE))
            return None

    async def _serve_request(self, browser: HttpStream, request: h11.Request, route: Route | None) -> Route | None:
        """Serve one request, by this route if it leads to the same site. Returns the route for the next one."""
        is_tunnel = request.method == b"CONNECT"
        first = True
        is_kept = False
        try:
            site, target = _asked_for(request)
            if site.host == OWN_CALLS_HOST:
                raise NotReached(502, notice(NoticeCode.SITE_UNKNOWN, site=str(site)))
            if route is not None and not is_tunnel and route.site == site and not route.stream.reader.at_eof():
                first = False
            else:
                if route is not None:
                    route.stream.close()
                route = await open_route(site, self._rules, self._limits, tunnel=is_tunnel)
            if is_tunnel:
                await tunnel(browser, route.stream, self._limits)
            else:
                is_kept = await Exchange(browser, route, self._limits, is_first=first).run(request, target)
        finally:
            if route is not None and not is_kept:
                route.stream.close()
        return route if is_kept else None


def _asked_for(request: h11.Request) -> tuple[Site, bytes]:
    """The site that a request is for, and what it asks there for: path and query. Raises NotReached."""
    target = request.target.decode("latin-1")
    try:
        if request.method == b"CONNECT":
            parts = urlsplit(f"//{target}")
            if not parts.port:
                raise ValueError("no port")
            scheme = "http" if parts.port == 80 else "https"
            return Site(scheme=scheme, host=canonical_host(parts.hostname or ""), port=parts.port), b""
        scheme, separator, rest = target.partition("://")
        if scheme.lower() != "http" or not separator:
            raise ValueError(f"no address of the web: {scheme}")
        host, port = site_of(target)
    except ValueError as error:
        raise NotReached(400, notice(NoticeCode.REQUEST_UNREADABLE)) from error
    path = rest[min((rest.find(mark) for mark in "/?#" if mark in rest), default=len(rest)) :].partition("#")[0]
    return Site(scheme="http", host=host, port=port), (path if path.startswith("/") else f"/{path}").encode("latin-1")
