"""A certificate for the servers of these tests."""

from __future__ import annotations

import ssl
from dataclasses import dataclass

import pytest

from tests.servers.certificates import self_signed


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """A self-signed one: what a server shows, and its SHA-256."""

    context: ssl.SSLContext
    fingerprint: str


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    made = self_signed("machine.invalid")
    file = tmp_path_factory.mktemp("certificate") / "both.pem"
    file.write_bytes(made.key + made.certificate)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file)
    return Certificate(context=context, fingerprint=made.fingerprint)
