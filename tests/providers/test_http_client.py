"""Connections to services verify certificates, which are loaded once."""

from __future__ import annotations

import ssl
from typing import Any

from operator_console.providers.shared.http_client import VendorClient, trusted_certificates


async def test_connections_verify_certificates_that_were_loaded_once() -> None:
    tls = trusted_certificates()
    assert (tls.verify_mode, tls.check_hostname) == (ssl.CERT_REQUIRED, True)
    clients: list[Any] = []
    for _ in range(2):
        vendor = VendorClient[Any](lambda http: http, lambda error, _: error)
        clients.append(vendor._make())
        await vendor.close()
    assert [client._transport._pool._ssl_context for client in clients] == [tls, tls]
