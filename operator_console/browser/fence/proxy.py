"""The proxy that a managed browser reaches the network through, and nothing but this browser.

HTTP is passed on request by request, everything else (TLS, WebSockets) as a tunnel; neither is looked into. A site that
may not be reached is answered with 403 and one sentence, before anything is sent there.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import urlsplit

import h11

from operator_console.browser.fence.browser_arguments import OWN_CALLS_HOST
from operator_console.browser.fence.connection_owner import is_of_this_user
from operator_console.browser.fence.passing_on import Exchange, answer, tunnel
from operator_console.browser.fence.reports import BlockedReports
from operator_console.browser.fence.routes import HttpStream, Limits, NotReached, Route, Site, look_up, open_route
from operator_console.browser.sites import SiteRules, canonical_host, site_of
from operator_console.domain.events import Blocked
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.environment_proxies import proxy_for

_HOST = "127.0.0.1"


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
