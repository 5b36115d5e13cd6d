"""Which addresses of services are on this computer.

Stands beside domain and imports the standard library only, so any package may import it. No name server is asked: what
only it knows is not taken for this computer.
"""

from __future__ import annotations

import ipaddress
import socket
from pathlib import Path
from urllib.parse import urlsplit

_HOSTS = Path("/etc/hosts")


def host_of(url: str) -> str:
    """The host of an address, in lower case; "" if it has none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_loopback(url: str) -> bool:
    """Whether a connection to the address stays on this computer, whatever its host is called."""
    name = host_of(url).removesuffix(".")
    if name == "localhost" or name.endswith(".localhost"):  # RFC 6761
        return True
    numbers = [name] if _stays_here(name) is not None else _named_in_hosts(name)
    return bool(numbers) and all(map(_stays_here, numbers))


def _stays_here(host: str) -> bool | None:
    """Whether a numeric host is on this computer; None for a name."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        try:
            address = ipaddress.IPv4Address(socket.inet_aton(host))  # 127.1 and 0x7f000001 are addresses as well
        except OSError:
            return None
    address = getattr(address, "ipv4_mapped", None) or address
    return address.is_loopback or address.is_unspecified


def _named_in_hosts(name: str) -> list[str]:
    """The addresses that the hosts file gives this name: often 127.0.1.1 for the computer's own."""
    try:
        lines = _HOSTS.read_text(encoding="utf-8", errors="replace").lower().splitlines()
    except OSError:
        return []
    entries = [line.partition("#")[0].split() for line in lines]
    return [address for address, *names in filter(None, entries) if name in names]
