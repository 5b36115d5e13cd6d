"""Secrets by name: `{{secret:NAME}}` in a text stands for a value of the keyring, which only the process that types it
is given. A secret is bound to where it may be typed; anywhere else it is refused."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias

from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,39}")
_PLACEHOLDER = re.compile(r"\{\{\s*secret\s*:([^{}]*)\}\}", re.IGNORECASE)
_ORIGIN = re.compile(
    r"(https?)://(\[[0-9a-f:.]+\]|[^\s/?#:@\\\[\]]+)(?::([0-9]{1,5}))?(?:[/?#].*)?", re.IGNORECASE | re.DOTALL
)
_LOOPBACK = frozenset(("localhost", "127.0.0.1", "::1"))
_PORTS = {"https": 443, "http": 80}


@dataclass(frozen=True, slots=True, kw_only=True)
class SiteBinding:
    """Pages of one origin.

    Attributes:
        scheme: "https" or "http".
        host: in lower case.
        port: of the origin.
    """

    kind: Literal["site"] = "site"
    scheme: str
    host: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AppBinding:
    """An application of this name, whatever its case."""

    kind: Literal["app"] = "app"
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowBinding:
    """Windows whose title has this part, whatever its case; of a browser none, because pages choose their titles."""

    kind: Literal["window"] = "window"
    title: str


Binding: TypeAlias = SiteBinding | AppBinding | WindowBinding


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSecret:
    """A secret without its value; `bound_to` where it may be typed, at least one place."""

    name: str
    bound_to: tuple[Binding, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceivingPlace:
    """Where a text would be typed, as far as it is known.

    Attributes:
        url: the address of the document that the field belongs to; "" where that is not known.
        app, title: the application and the title of the window; "" where they are not known.
        browser: whether the application shows pages, which choose their titles.
    """

    url: str = ""
    app: str = ""
    title: str = ""
    browser: bool = False


def names_in(text: str) -> tuple[str, ...]:
    """The names of the secrets that a text stands for, in order."""
    return tuple(name.strip() for name in _PLACEHOLDER.findall(text))


def only_secret(text: str) -> str:
    """The name of the secret, where the text is nothing but its placeholder, with line breaks behind it; else ""."""
    found = _PLACEHOLDER.fullmatch(text.rstrip("\r\n"))
    return "" if found is None else found[1].strip()


def filled(text: str, value: str) -> str:
    """The text of `only_secret` with its value."""
    return _PLACEHOLDER.sub(lambda _: value, text)


def placeholder(name: str) -> str:
    """What stands for a secret in a text."""
    return f"{{{{secret:{name}}}}}"


def checked_name(name: str) -> str:
    """The name, if a secret may have it. Raises OperatorError (usage)."""
    if _NAME.fullmatch(name):
        return name
    raise OperatorError(
        notice(NoticeCode.SECRET_NAME_INVALID, name=name), remedy=notice(NoticeCode.NAME_SECRET_SO),
        exit_code=ExitCode.USAGE,
    )  # fmt: skip


def parse_binding(text: str) -> Binding:
    """Where a secret may be typed: `site:ORIGIN`, `app:NAME` or `window:TITLE`. Raises OperatorError (usage)."""
    kind, _, what = (part.strip() for part in text.partition(":"))
    if kind == "site" and (origin := _origin(what)) is not None:
        return SiteBinding(scheme=origin[0], host=origin[1], port=origin[2])
    if kind == "app" and what:
        return AppBinding(name=what)
    if kind == "window" and what:
        return WindowBinding(title=what)
    raise OperatorError(
        notice(NoticeCode.NOT_A_BINDING, text=text), remedy=notice(NoticeCode.WRITE_BINDING_SO),
        exit_code=ExitCode.USAGE,
    )  # fmt: skip


def parse_bindings(texts: Iterable[str]) -> tuple[Binding, ...]:
    """The places that texts describe, at least one. Raises OperatorError (usage)."""
    found = tuple(dict.fromkeys(map(parse_binding, texts)))
    return found or (parse_binding(""),)


def binding_text(binding: Binding) -> str:
    """The text that `parse_binding` reads."""
    match binding:
        case SiteBinding(scheme=scheme, host=host, port=port):
            shown = f"[{host}]" if ":" in host else host
            return f"site:{scheme}://{shown}" + ("" if port == _PORTS[scheme] else f":{port}")
        case AppBinding(name=name):
            return f"app:{name}"
        case WindowBinding(title=title):
            return f"window:{title}"


def fits(binding: Binding, place: ReceivingPlace) -> bool:
    """Whether a place is what a secret is bound to. What is not known about it does not fit."""
    match binding:
        case SiteBinding(scheme=scheme, host=host, port=port):
            return place.browser and _origin(place.url, schemes=True) == (scheme, host, port)
        case AppBinding(name=name):
            # A page is no application: what is bound to a browser would be typed into any page.
            return not place.browser and place.app.casefold() == name.casefold()
        case WindowBinding(title=title):
            return not place.browser and title.casefold() in place.title.casefold()


def _origin(text: str, *, schemes: bool = False) -> tuple[str, str, int] | None:
    """Scheme, host and port of an address without a user; with `schemes`, None without a scheme, else https is meant.

    Of this computer alone http is meant.
    """
    written = "://" in text
    found = _ORIGIN.fullmatch(text if written else f"https://{text}")
    if found is None or (schemes and not written):
        return None
    scheme, host = found[1].lower(), found[2].strip("[]").lower()
    if not written and host in _LOOPBACK:
        scheme = "http"
    return scheme, host, int(found[3] or _PORTS[scheme])
