"""What a managed browser may reach and which addresses it opens: pure rules on names and addresses.

A name is judged before it is looked up, and each address that it has before a connection is made. What is not written
as a browser would write it (case, full width, punycode, 127.1, a trailing dot) is brought to that form first.
"""

from __future__ import annotations

import functools
import ipaddress
import re
import socket
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import idna

from operator_console.domain.events import BlockedBy

PORTS = {"http": 80, "ws": 80, "https": 443, "wss": 443}
"""The default port of each scheme that reaches something by the network."""

_WITHOUT_NETWORK = frozenset({"about", "blob", "data"})
_LAST_LABEL_IS_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
_NO_HOST = re.compile(r"[\x00-\x20\x7f#/:<>?@\[\\\]^|%]")
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")  # RFC 6052
_SCHEMES = frozenset(("http", "https", "data"))
_FILE = "file"
EMPTY_PAGE = "about:blank"


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteRules:
    """What may be reached. `blocked` wins over `allowed`; with neither, everything but local addresses is.

    Local are the addresses of this computer and of private networks, and others that are not for the public Internet.
    They are reached where the start address is local, at its host and any port, and where `allowed` names the host
    itself; `*.host` does not, because whoever owns a domain can give a name in it any address.

    Attributes:
        allowed, blocked: each a host, `*.host` for its subdomains, with or without `:port`; IPv6 in brackets.
        start: the URL that the session begins at; "" for none.
        start_addresses: what the name in `start` is looked up to when the session begins. Local means that all are: a
            name with a public address may change its addresses, and so turn a page against this computer.
    """

    allowed: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    start: str = ""
    start_addresses: tuple[str, ...] = ()

    def judge_name(self, host: str, port: int) -> BlockedBy | None:
        """Which rule is against reaching this host, as far as its name tells; None for none. `host` is canonical."""
        if _covered(self.blocked, host, port):
            return BlockedBy.BLOCKED_SITE
        if self.allowed and not _covered(self.allowed, host, port):
            return BlockedBy.NOT_ALLOWED_SITE
        if _is_local_name(host) and not self._may_be_local(host, port):
            return BlockedBy.LOCAL_ADDRESS
        return None

    def judge_address(self, host: str, port: int, address: str) -> BlockedBy | None:
        """Which rule is against reaching this host at this address, which its name was looked up to."""
        if _covered(self.blocked, canonical_host(address), port):
            return BlockedBy.BLOCKED_SITE
        if is_local(address) and not self._may_be_local(host, port):
            return BlockedBy.LOCAL_ADDRESS
        return None

    def judge_url(self, url: str) -> BlockedBy | None:
        """Which rule is against opening this URL, as far as its text tells. Files and the browser's own pages are
        local; raises ValueError for what is no URL."""
        scheme = urlsplit(url).scheme
        if scheme in _WITHOUT_NETWORK:
            return None
        if scheme not in PORTS:
            return BlockedBy.LOCAL_ADDRESS
        return self.judge_name(*site_of(url))

    def _may_be_local(self, host: str, port: int) -> bool:
        named = any(not _site(text).subdomains and _site(text).covers(host, port) for text in self.allowed)
        return named or (host == _start_host(self.start) and self._starts_local(host))

    def _starts_local(self, host: str) -> bool:
        return _is_local_name(host) or (bool(self.start_addresses) and all(map(is_local, self.start_addresses)))


def site_of(url: str) -> tuple[str, int]:
    """The canonical host and the port of an http, https, ws or wss URL. Raises ValueError for any other."""
    parts = urlsplit(url)
    if parts.scheme not in PORTS:
        raise ValueError(f"no address on a network: {parts.scheme}")
    return canonical_host(parts.hostname or ""), parts.port or PORTS[parts.scheme]


def canonical_host(host: str) -> str:
    """A host as Chromium writes it (WHATWG URL, section 3.5): punycode, lower case, addresses in their usual form.

    Also without brackets and trailing dot, and with IPv4 for an IPv6 address that stands for one (::ffff:127.0.0.1).
    Raises ValueError for what is no host.
    """
    bare = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    if ":" in bare:
        address = ipaddress.IPv6Address(bare)
        return str(address.ipv4_mapped or address)
    try:
        mapped = idna.uts46_remap(bare, std3_rules=False)
    except idna.IDNAError as error:
        raise ValueError(f"no host: {host}") from error
    labels = mapped.removesuffix(".").split(".")
    name = ".".join(each if each.isascii() else f"xn--{each.encode('punycode').decode()}" for each in labels)
    if not all(labels) or _NO_HOST.search(name):
        raise ValueError(f"no host: {host}")
    if _LAST_LABEL_IS_NUMBER.fullmatch(name):
        try:
            return str(ipaddress.IPv4Address(socket.inet_aton(name)))  # 127.1 and 0x7f000001 are addresses as well
        except OSError as error:
            raise ValueError(f"no host: {host}") from error
    return name


def shown_site(host: str, port: int) -> str:
    """host:port, as it is written in an address."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_local(address: str) -> bool:
    """Whether an address is not one of the public Internet: this computer's, a private network's, multicast ..."""
    parsed = ipaddress.ip_address(address)
    if isinstance(parsed, ipaddress.IPv6Address):
        inner = parsed.ipv4_mapped or parsed.sixtofour
        if parsed in _NAT64:
            inner = ipaddress.IPv4Address(int(parsed) & 0xFFFFFFFF)
        if inner is not None:
            return is_local(str(inner))
        if parsed.is_site_local:
            return True
    return not parsed.is_global or parsed.is_multicast or parsed.is_reserved


def _is_local_name(host: str) -> bool:
    """Whether a canonical host is local without being looked up."""
    if host == "localhost" or host.endswith(".localhost"):  # RFC 6761
        return True
    try:
        return is_local(host)
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class _Site:
    host: str
    port: int | None
    subdomains: bool

    def covers(self, host: str, port: int) -> bool:
        fits = host.endswith(f".{self.host}") if self.subdomains else host == self.host
        return fits and self.port in (None, port)


@functools.lru_cache(maxsize=4096)
def _site(text: str) -> _Site:
    subdomains = text.startswith("*.")
    host, colon, port = text.removeprefix("*.").rpartition(":")
    if not colon or port.endswith("]"):  # the last colon is one of an IPv6 address
        host, port = text.removeprefix("*."), ""
    try:
        canonical = canonical_host(host)
    except ValueError:
        canonical = host  # no browser reaches it
    return _Site(canonical, int(port) if port else None, subdomains)


def _covered(sites: tuple[str, ...], host: str, port: int) -> bool:
    return any(_site(text).covers(host, port) for text in sites)


@functools.lru_cache(maxsize=8)
def _start_host(url: str) -> str:
    try:
        return site_of(url)[0]
    except ValueError:
        return ""


def scheme_of(url: str) -> str:
    """Of an address, in small letters; "" for none. The browser leaves out white space, so this does too."""
    scheme, colon, _ = "".join(url.split()).partition(":")
    return scheme.lower() if colon else ""


def may_open(url: str, start: str) -> bool:
    """Whether an address is opened in a session that began with `start`: pages, and files where it began with one.

    The browser's own pages (chrome:, view-source:) and scripts (javascript:) are not.
    """
    scheme = scheme_of(url)
    return scheme in _SCHEMES or url == EMPTY_PAGE or (scheme == _FILE and scheme_of(start) == _FILE)


def preferences(start: str) -> dict[str, Any]:
    """Of a profile whose pages lead nowhere else either: not to the browser's own pages, nor to other programs, which
    a browser with a window would start or ask about (mailto:, tel: and the like)."""
    allowed = ["http://*", "https://*", "data:*", "blob:*", "about:*"]
    files = [f"{_FILE}:///*"] if scheme_of(start) == _FILE else []
    return {"policy": {"url_blocklist": ["*"], "url_allowlist": [*allowed, *files]}}
