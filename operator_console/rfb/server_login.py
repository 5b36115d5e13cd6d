"""The address of an RFB server, and how to log in to it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

PORT = 5900
"""Where none is given, RFC 6143."""

_ADDRESS = re.compile(r"(?P<host>[^\s:/@\[\]]+|\[[0-9A-Fa-f:.%a-z]+\])(?::(?P<port>[0-9]{1,5}))?")


def host_and_port(text: str) -> tuple[str, int]:
    """The host, without brackets, and the port. Raises ValueError for anything else."""
    found = _ADDRESS.fullmatch(text.strip())
    port = PORT if found is None or found["port"] is None else int(found["port"])
    if found is None or not 1 <= port <= 65535:
        raise ValueError(text)
    return found["host"].strip("[]"), port


def address_of(host: str, port: int) -> str:
    """As `host_and_port` reads it, always with the port."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Login:
    """How to log in to one server.

    Attributes:
        host: name or address.
        port: TCP port; display :1 is 5901.
        password: only its first eight bytes count in VNC authentication; "" for none.
        user: for servers that have users (VeNCrypt's Plain); "" for none. It is shown as little as the password.
        certificate: SHA-256 of the certificate that was accepted before, in lower-case hex; "" for none yet.
    """

    host: str
    port: int
    password: str = field(default="", repr=False)
    user: str = field(default="", repr=False)
    certificate: str = ""
