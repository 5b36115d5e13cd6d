"""Sends requests through the proxy of their address."""

from __future__ import annotations

import ssl

import httpx2

from operator_console.domain.errors import ProviderRejected
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.environment_proxies import proxies_for, proxy_for


class ProxyTransport(httpx2.AsyncBaseTransport):
    """Sends each request directly or through its proxy, and keeps the connections of each open."""

    def __init__(self, verify: ssl.SSLContext) -> None:
        self._verify = verify
        self._made: dict[str | None, httpx2.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send it. Raises ProviderRejected where the environment sets a proxy that cannot be used."""
        proxy = proxy_for(str(request.url))
        if proxy not in self._made:
            try:
                self._made[proxy] = httpx2.AsyncHTTPTransport(verify=self._verify, proxy=proxy)
            except (ImportError, ValueError, httpx2.InvalidURL) as error:
                raise ProviderRejected(
                    notice(NoticeCode.PROXY_UNUSABLE, proxy=proxies_for(str(request.url))),
                    remedy=notice(NoticeCode.CORRECT_PROXY_VARIABLES),
                ) from error
        return await self._made[proxy].handle_async_request(request)

    async def aclose(self) -> None:
        """Close all connections."""
        for transport in self._made.values():
            await transport.aclose()
