"""Connections to services verify certificates, which are loaded once."""

from __future__ import annotations

import ssl
from typing import Any

import httpx2
import pytest

from operator_console.providers.shared.http_client import VendorClient, trusted_certificates
from operator_console.providers.shared.http_faults import Service

SERVICE = Service(title="", provider="", key_variable="", url_variable="")


class _Client(VendorClient[Any]):
    """Has no SDK."""

    def _create_client(self, http: httpx2.AsyncClient) -> Any:
        return http

    def _error_of(self, error: Exception, model: str) -> None:
        return None


async def test_connections_verify_certificates_that_were_loaded_once() -> None:
    tls = trusted_certificates()
    assert (tls.verify_mode, tls.check_hostname) == (ssl.CERT_REQUIRED, True)
    made: list[Any] = []
    for _ in range(2):
        vendor = _Client(SERVICE, api_key="", base_url="", timeout_s=9)
        client = vendor._make()
        with pytest.raises(httpx2.ConnectError):
            await client.get("https://127.0.0.1:1")
        made += client._transport._made.values()
        await vendor.close()
    assert [transport._pool._ssl_context for transport in made] == [tls, tls]
