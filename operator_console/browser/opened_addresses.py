"""Which addresses a managed browser goes to at all. Which sites it may reach is for the fence."""

from __future__ import annotations

from typing import Any

_SCHEMES = frozenset(("http", "https", "data"))
_FILE = "file"
EMPTY_PAGE = "about:blank"


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
