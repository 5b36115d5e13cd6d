"""From the fence to a site: look its name up, judge each address, connect to one of those that were judged.

Where the environment names a proxy for the site, the connection goes through it. Names cannot be looked up then, so
they are judged as names only; addresses are judged as ever.
"""

from __future__ import annotations

import asyncio
import base64
import socket
import ssl
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

import h11

from operator_console.browser.site_rules import PORTS, SiteRules, shown_site
from operator_console.domain.events import Blocked, BlockedBy
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode
from operator_console.environment_proxies import proxies_for, proxy_for

CHUNK_BYTES = 1 << 16

_WHY = {
    BlockedBy.BLOCKED_SITE: NoticeCode.SITE_BLOCKED,
    BlockedBy.NOT_ALLOWED_SITE: NoticeCode.SITE_NOT_ALLOWED,
    BlockedBy.LOCAL_ADDRESS: NoticeCode.SITE_IS_LOCAL,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much, and how long, the fence takes.

    Attributes:
        connect_s: to look a name up and connect, each.
        next_address_s: to connect to one of several addresses before the next one is tried.
        answer_s: until the header of an answer has come.
        half_closed_s: without a byte, once one side of a tunnel has ended.
        connections: of the browser at once.
        header_bytes: of a request or an answer.
    """

    connect_s: float = 20.0
    next_address_s: float = 3.0
    answer_s: float = 300.0
    half_closed_s: float = 30.0
    connections: int = 512
    header_bytes: int = 1 << 18


class NotReached(Exception):
    """A site was not reached: `status` is that of HTTP, `blocked` what is told if a rule was against it."""

    def __init__(self, status: int, sentence: NoticeText, blocked: Blocked | None = None) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence
        self.blocked = blocked


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """What a request is for. `scheme` is http or https, `host` canonical."""

    scheme: str
    host: str
    port: int

    def __str__(self) -> str:
        return shown_site(self.host, self.port)


class HttpStream:
    """One connection, and what is said on it in HTTP. Sending waits until the other side has taken what came before."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, limits: Limits, *, answers: bool = False
    ) -> None:
        """`answers`: the other side asks."""
        self.reader = reader
        self.writer = writer
        self.http = h11.Connection(h11.SERVER if answers else h11.CLIENT, max_incomplete_event_size=limits.header_bytes)

    async def receive(self) -> h11.Event | type[h11.PAUSED]:
        """The next event. Raises OSError, h11.RemoteProtocolError."""
        while (event := self.http.next_event()) is h11.NEED_DATA:
            self.http.receive_data(await self.reader.read(CHUNK_BYTES))
        return event  # type: ignore[return-value]

    async def send(self, event: h11.Event) -> None:
        """Send one event. Raises OSError, h11.LocalProtocolError."""
        if data := self.http.send(event):
            self.writer.write(data)
            await self.writer.drain()

    def close(self) -> None:
        """Close the connection, and forget what was not sent."""
        self.writer.transport.abort()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proxy:
    """The proxy of the environment: its name as host:port, and the headers of requests to it."""

    name: str
    headers: tuple[tuple[bytes, bytes], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A connection to a site; with a `proxy`, one to that proxy, which takes requests with the whole URL."""

    site: Site
    stream: HttpStream
    proxy: Proxy | None = None


async def open_route(site: Site, rules: SiteRules, limits: Limits, *, tunnel: bool) -> Route:
    """Connect to a site, or for a tunnel have its proxy do so. Raises NotReached."""
    if by := rules.judge_name(site.host, site.port):
        raise _blocked(site, by)
    proxy = proxy_for(f"{site.scheme}://{site}")
    if proxy is not None:
        return await _by_proxy(site, proxy, limits, tunnel=tunnel)
    addresses = await look_up(site, limits)
    for address in addresses:
        if by := rules.judge_address(site.host, site.port, address):
            raise _blocked(site, by)
    return Route(site=site, stream=await _connect(site, addresses, limits))


def _blocked(site: Site, by: BlockedBy) -> NotReached:
    return NotReached(403, notice(_WHY[by], site=str(site)), Blocked(site=str(site), by=by))


async def look_up(site: Site, limits: Limits) -> tuple[str, ...]:
    """All addresses of a site, the preferred one first. Raises NotReached."""
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(limits.connect_s):
            found = await loop.getaddrinfo(site.host, site.port, type=socket.SOCK_STREAM)
    except TimeoutError as error:
        raise NotReached(504, notice(NoticeCode.SITE_SILENT, site=str(site))) from error
    except (OSError, UnicodeError) as error:
        raise NotReached(502, notice(NoticeCode.SITE_UNKNOWN, site=str(site))) from error
    return tuple(dict.fromkeys(str(sockaddr[0]) for *_, sockaddr in found))


async def _connect(
    site: Site, addresses: tuple[str, ...], limits: Limits, tls: ssl.SSLContext | None = None
) -> HttpStream:
    """Connect to the first of the addresses that takes a connection. Raises NotReached."""
    status, code = 502, NoticeCode.SITE_NOT_CONNECTED
    name = site.host if tls is not None else None
    for number, address in enumerate(addresses, 1):
        try:
            async with asyncio.timeout(limits.connect_s if number == len(addresses) else limits.next_address_s):
                streams = await asyncio.open_connection(address, site.port, ssl=tls, server_hostname=name)
        except TimeoutError:
            status, code = 504, NoticeCode.SITE_SILENT
        except OSError:
            status, code = 502, NoticeCode.SITE_NOT_CONNECTED
        else:
            return HttpStream(*streams, limits)
    raise NotReached(status, notice(code, site=str(site)))


async def _by_proxy(site: Site, url: str, limits: Limits, *, tunnel: bool) -> Route:
    name = proxies_for(f"{site.scheme}://{site}")
    try:
        parts = urlsplit(url)
        tls = {"http": None, "https": ssl.create_default_context()}[parts.scheme]
        there = Site(scheme=parts.scheme, host=parts.hostname or "", port=parts.port or PORTS[parts.scheme])
    except (KeyError, ValueError) as error:
        raise NotReached(502, notice(NoticeCode.PROXY_UNUSABLE, proxy=name)) from error
    proxy = Proxy(name=name)
    if parts.username:
        given = f"{unquote(parts.username)}:{unquote(parts.password or '')}".encode()
        proxy = Proxy(name=name, headers=((b"Proxy-Authorization", b"Basic " + base64.b64encode(given)),))
    stream = await _connect(there, await look_up(there, limits), limits, tls)
    if not tunnel:
        return Route(site=site, stream=stream, proxy=proxy)
    try:
        await _ask_for_tunnel(site, stream, proxy, limits)
    except BaseException:
        stream.close()
        raise
    return Route(site=site, stream=stream)


async def _ask_for_tunnel(site: Site, stream: HttpStream, proxy: Proxy, limits: Limits) -> None:
    target = str(site).encode()
    try:
        async with asyncio.timeout(limits.answer_s):
            await stream.send(
                h11.Request(method=b"CONNECT", target=target, headers=[(b"Host", target), *proxy.headers])
            )
            await stream.send(h11.EndOfMessage())
            answer = await stream.receive()
            while isinstance(answer, h11.InformationalResponse):
                answer = await stream.receive()
    except TimeoutError as error:
        raise NotReached(504, notice(NoticeCode.SITE_SILENT, site=proxy.name)) from error
    except (OSError, h11.ProtocolError) as error:
        raise NotReached(502, notice(NoticeCode.SITE_UNREADABLE, site=proxy.name)) from error
    assert isinstance(answer, h11.Response)
    if not 200 <= answer.status_code < 300:
        raise kept_by_proxy(site, proxy.name, answer.status_code)


def kept_by_proxy(site: Site, proxy: str, status: int) -> NotReached:
    """The error for a site that the proxy of the environment does not let through."""
    return NotReached(502, notice(NoticeCode.SITE_KEPT_BY_PROXY, proxy=proxy, site=str(site), status=status))
