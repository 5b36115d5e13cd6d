"""Addresses of VNC servers as people write them: HOST, HOST:PORT, and IPv6 in brackets."""

from __future__ import annotations

import re

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
