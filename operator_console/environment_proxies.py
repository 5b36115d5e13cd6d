"""Which proxy a request goes through: none for a service on this computer, else the one that the environment sets.

Any package may import it. What sends requests and what names the proxy to a person ask the same
function, so that what a person is told is what happens. It reads the variables (HTTP_PROXY, HTTPS_PROXY, ALL_PROXY,
NO_PROXY) as httpx2 does, whose functions for it are not public.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

import httpx2
from httpx2._utils import URLPattern, get_environment_proxies

from operator_console.loopback import is_loopback

_PORTS = {"http": 80, "https": 443}
_SOCKS_PORT = 1080
_SOCKS = re.compile(r"\Asocks://", re.IGNORECASE)
"""As desktops write it, for any version."""


def proxy_for(url: str) -> str | None:
    """The URL of the proxy for this address; None where it is reached directly, or cannot be."""
    try:
        address = httpx2.URL(url)
    except httpx2.InvalidURL:
        return None
    if is_loopback(url):
        return None
    patterns = sorted((URLPattern(pattern), proxy) for pattern, proxy in get_environment_proxies().items())
    found = next((proxy for pattern, proxy in patterns if pattern.matches(address)), None)
    return _SOCKS.sub("socks5://", found) if found is not None else None


def is_usable(url: str) -> bool:
    """Whether this address is reached directly, or through a proxy of a kind that can be used."""
    try:
        httpx2.HTTPTransport(proxy=proxy_for(url)).close()
    except (ImportError, ValueError, httpx2.InvalidURL):
        return False
    return True


def proxies_for(*urls: str) -> str:
    """The proxies for these addresses as host:port, without a user name or password, joined by "and"; "" for none.

    Of an address that is not known ("") every proxy of the environment counts.
    """
    known = [proxy for url in urls if url and (proxy := proxy_for(url))]
    others = [proxy for proxy in get_environment_proxies().values() if proxy] if "" in urls else []
    return " and ".join(dict.fromkeys(map(_shown, (*known, *others))))


def _shown(proxy: str) -> str:
    """A proxy as host:port."""
    unreadable = "a proxy with an unreadable address"
    try:
        address = urlsplit(proxy)
        port = address.port or _PORTS.get(address.scheme, _SOCKS_PORT)
    except ValueError:
        return unreadable
    # A password with / ? or # ends the host too early, and would itself be taken for host and port.
    if not address.hostname or "@" in address.path + address.query + address.fragment:
        return unreadable
    return f"[{address.hostname}]:{port}" if ":" in address.hostname else f"{address.hostname}:{port}"
