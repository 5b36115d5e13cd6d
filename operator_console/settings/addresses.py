"""Addresses of services in the settings file."""

from __future__ import annotations

from urllib.parse import urlsplit

_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))


def check_address(url: str) -> None:
    """Raise ValueError, with a message for people, unless this is an http address without a user name or password."""
    try:
        address = urlsplit(url)
        host = address.hostname
        _ = address.port
    except ValueError as error:
        raise ValueError(f"the url is not an address ({error})") from error
    if address.scheme not in {"http", "https"} or not host or any(char.isspace() for char in url):
        raise ValueError("the url must begin with https:// or http://")
    if address.username or address.password:
        raise ValueError("a url with a user name or password is not used")


def host_of(url: str) -> str:
    """The host of an address; "" if it has none."""
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""


def is_loopback(url: str) -> bool:
    """Whether the address is on this computer."""
    return host_of(url) in _LOOPBACK


def is_encrypted(url: str) -> bool:
    """Whether what is sent to the address is encrypted."""
    return urlsplit(url).scheme == "https"
