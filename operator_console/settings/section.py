"""The base of all sections of the settings file, and the check of addresses of services in them."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict

_HOST_AND_PORT = re.compile(r"[A-Za-z0-9.-]+:\d{1,5}(?:/[A-Za-z0-9._/-]*)?")


class Section(BaseModel):
    """A section of the file. Unknown names are errors, so that misspelt settings are noticed."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def check_address(url: str) -> None:
    """Raise ValueError, with a message for people, unless this is an http address without a user name or password."""
    try:
        address = urlsplit(url)
        host = address.hostname
        _ = address.port
    except ValueError as error:
        raise ValueError(f"the url is not an address ({error})") from error
    if address.scheme not in {"http", "https"} or not host or any(char.isspace() for char in url):
        given = _HOST_AND_PORT.fullmatch(url.strip())  # no other text is repeated: it may be a key
        meant = f", perhaps http://{given[0]}" if given else ""
        raise ValueError(f"the url must begin with https:// or http://{meant}")
    if address.username or address.password:
        raise ValueError("a url with a user name or password is not used")


def is_encrypted(url: str) -> bool:
    """Whether what is sent to the address is encrypted."""
    return urlsplit(url).scheme == "https"
