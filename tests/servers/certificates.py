"""Self-signed certificates for servers of tests."""

from __future__ import annotations

import datetime as dt
import hashlib
import ipaddress
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True, slots=True, kw_only=True)
class SelfSigned:
    """Key and certificate in PEM, and the certificate's SHA-256 in lower-case hex."""

    key: bytes
    certificate: bytes
    fingerprint: str


def self_signed(host: str, *, until_days: int = 1) -> SelfSigned:
    """For a host or an IP address, from two days ago to so many days from now."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = dt.datetime.now(dt.UTC)
    signed = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=2))
        .not_valid_after(now + dt.timedelta(days=until_days))
        .add_extension(x509.SubjectAlternativeName([_name(host)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    return SelfSigned(
        key=key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        ),
        certificate=signed.public_bytes(serialization.Encoding.PEM),
        fingerprint=hashlib.sha256(signed.public_bytes(serialization.Encoding.DER)).hexdigest(),
    )


def _name(host: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
