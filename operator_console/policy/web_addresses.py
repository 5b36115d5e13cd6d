"""Assesses opening an address: its scheme, whether it points to a program, and whether it stays on the same site.

Addresses are read as browsers read them (the WHATWG URL Standard, https://url.spec.whatwg.org/), not as written:
control characters and spaces around an address are dropped, tabs and line breaks inside it too, and web addresses may
have backslashes or a wrong number of slashes. IPv4 addresses in decimal, octal or hexadecimal form are the same host.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from operator_console.domain.risk import Category
from operator_console.policy.findings import Finding, categorised, noteworthy, ordinary

_SCRIPTS = frozenset(("javascript", "data", "vbscript", "blob"))
_MESSAGES = frozenset(("mailto", "sms", "tel"))
_WEB = frozenset(("http", "https"))
_PROGRAM = re.compile(
    r"\.(exe|msi|dmg|pkg|deb|rpm|sh|bash|ps1|bat|cmd|appimage|jar|run|apk|vbs|scr|com)(?=$|[?#])", re.IGNORECASE
)
_AROUND = "".join(map(chr, range(0x21)))  # C0 controls and space
_INSIDE = str.maketrans("", "", "\t\n\r")
_HOST_WITH_PORT = re.compile(r"[\w.\-]+:\d+(?:$|[/?#\\])")
_SLASHES = re.compile(r"\A(?:https?:[/\\]*|[/\\]{2,})", re.IGNORECASE)  # the start of a web address
_IPV4_PART = re.compile(r"0x[0-9a-f]{0,8}|[0-9]{1,12}")
_IPV4_BYTES = 4
_LONGEST_HOST = 1_000
_LARGEST_BYTE = 255
# IDNA 2003, which Python's codec implements, maps these to other letters; browsers keep them, as another host.
_KEPT_BY_BROWSERS = frozenset("ßς\u200c\u200d")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Address:
    """A split address: `host` is "" if it has none, `rest` what follows the host, with percent escapes decoded, and
    `password` what stands between a user's name and the host."""

    scheme: str
    host: str
    rest: str
    password: str = ""


def url_findings(url: str, current: str) -> Iterator[Finding]:
    """Findings for opening `url` while `current` is open ("" if unknown)."""
    address = _parse(url)
    scheme = address.scheme
    if scheme in _SCRIPTS:
        yield categorised(Category.SECURITY, "script-address", scheme)
    elif scheme == "file":
        yield noteworthy("local-file")
    elif scheme in _MESSAGES:
        yield categorised(Category.SEND, "message-address", scheme)
    elif scheme not in _WEB and scheme != "about":
        yield categorised(Category.DOWNLOAD_RUN, "foreign-address", scheme)
    if _PROGRAM.search(address.rest):
        yield categorised(Category.DOWNLOAD_RUN, "downloads-program")
    if address.password:
        yield categorised(Category.CREDENTIALS, "credentials-by-content", "a key or password")
    if address.host and address.host == site(current):
        yield ordinary("same-site")
    else:
        yield noteworthy("new-site", address.host or url.strip())


def site(url: str) -> str:
    """The host of a web address as a browser would contact it: in lower case, in ASCII, without user name, port and
    trailing dot; "" if the address has no host or another scheme."""
    return _parse(url).host


def path_and_query(url: str) -> str:
    """The path and the query of an address in lower case, as written."""
    try:
        parts = urlsplit(url.strip(_AROUND))
    except ValueError:
        return url.lower()
    return f"{parts.path}?{parts.query}".lower()


def is_script(text: str) -> bool:
    """Whether a text is an address that runs code in a page, however it goes on."""
    return text.partition(":")[0].strip(_AROUND).translate(_INSIDE).lower() in _SCRIPTS and ":" in text


def readable_parts(url: str) -> tuple[str, str, str, str]:
    """What whoever is asked for an address can read: host, path, query and fragment, as written. An address that cannot
    be split is all path."""
    try:
        parts = urlsplit(url.strip(_AROUND))
        return parts.hostname or "", parts.path, parts.query, parts.fragment
    except ValueError:
        return "", url, "", ""


def as_received(url: str) -> str:
    """An address as a page reads its values: percent escapes decoded, plus signs as spaces."""
    return percent_decoded(url.replace("+", " "))


def percent_decoded(text: str) -> str:
    """The text with percent escapes decoded as UTF-8."""
    return unquote(text)


def _parse(url: str) -> _Address:
    text = url.strip(_AROUND).translate(_INSIDE)
    scheme = _scheme(text)
    if scheme in _WEB and (text[:1] not in ("/", "\\") or _SLASHES.match(text)):
        text = "//" + _SLASHES.sub("", text, count=1).replace("\\", "/")
    try:
        parts = urlsplit(text)
        host = parts.hostname if scheme in _WEB else ""
        user, password = parts.username or "", parts.password or ""
    except ValueError:  # brackets that do not match, or letters that turn into separators
        return _Address(scheme=scheme, host="", rest=unquote(text))
    rest = parts.path + (f"?{parts.query}" if parts.query else "") + (f"#{parts.fragment}" if parts.fragment else "")
    if "." in user and password.isdigit():
        password = ""  # a host with its port, before the host that is contacted
    return _Address(scheme=scheme, host=_ascii(host or ""), rest=unquote(rest), password=unquote(password))


def _scheme(text: str) -> str:
    try:
        scheme = urlsplit(text).scheme
    except ValueError:
        scheme = text.partition(":")[0].lower()
    # "localhost:8000" and "example.org:80/x" are hosts with ports. "javascript:1/f()" and "tel:112" are not.
    if not scheme or (scheme not in _SCRIPTS | _MESSAGES and _HOST_WITH_PORT.match(text)):
        return "https"
    return scheme


def _ipv4(host: str) -> str:
    """The dotted decimal form of an IPv4 address in any form that browsers accept: decimal, octal, hexadecimal, with
    fewer than four parts. Other hosts unchanged."""
    parts = host.split(".")
    if not 1 <= len(parts) <= _IPV4_BYTES or not _IPV4_PART.fullmatch(parts[-1]):
        return host
    try:
        numbers = [_ipv4_number(part) for part in parts]
    except ValueError:
        return host
    room = 256 ** (_IPV4_BYTES + 1 - len(numbers))
    if any(number > _LARGEST_BYTE for number in numbers[:-1]) or numbers[-1] >= room:
        return host
    value = numbers[-1] + sum(number * 256 ** (_IPV4_BYTES - 1 - index) for index, number in enumerate(numbers[:-1]))
    return ".".join(str(byte) for byte in value.to_bytes(_IPV4_BYTES, "big"))


def _ipv4_number(text: str) -> int:
    if not _IPV4_PART.fullmatch(text):
        raise ValueError(text)
    if text.startswith("0x"):
        return int(text[2:] or "0", 16)
    return int(text, 8) if len(text) > 1 and text.startswith("0") else int(text)


def _ascii(host: str) -> str:
    if len(host) > _LONGEST_HOST:
        return host.lower()  # no host: names are shorter
    host = _ipv4(host.lower().rstrip("."))
    if host.isascii() or _KEPT_BY_BROWSERS.intersection(host):
        return host
    try:
        return host.encode("idna").decode("ascii").rstrip(".")
    except UnicodeError:
        return host
