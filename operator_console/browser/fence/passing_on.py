"""What passes between the browser and a site: an HTTP request and its answer, or the bytes of a tunnel."""

from __future__ import annotations

import asyncio
import contextlib

import h11

from operator_console.browser.fence.routes import CHUNK_BYTES, HttpStream, Limits, NotReached, Route, kept_by_proxy
from operator_console.browser.sites import PORTS
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode

# Of one connection, not of the request (RFC 9110, section 7.6.1). Transfer-Encoding stays: h11 frames the body by it.
_OF_A_CONNECTION = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te upgrade".split()
)
_PROXY_ASKS_WHO = 407
_DISCARDED_BYTES = 1 << 20
_DISCARDED_S = 2.0


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
