"""Connections to services verify certificates, which are loaded once."""

from __future__ import annotations

import ssl
import subprocess
import sys
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
        made += client._transport._inner._made.values()
        await vendor.close()
    assert [transport._pool._ssl_context for transport in made] == [tls, tls]


def test_the_first_connection_imports_nothing_on_the_event_loop() -> None:
    code = (
        "import asyncio, sys\n"
        "from tests.providers.test_http_client import _Client, SERVICE\n"
        "client = _Client(SERVICE, api_key='', base_url='', timeout_s=9)._make()\n"
        "before = set(sys.modules)\n"
        "async def connects() -> None:\n"
        "    await asyncio.gather(client.get('http://127.0.0.1:1'), return_exceptions=True)\n"
        "asyncio.run(connects())\n"
        "print(sorted(set(sys.modules) - before))"
    )
    made = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert made.stdout.strip() == "[]"
