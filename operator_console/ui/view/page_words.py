"""The address, tabs and dialog of a browser's page as shown: nothing in them can pass for something else. Pure.

The site of an address is what a person has to recognise, so it is kept whole and apart. What stands before an @, which
looks like a site and is none, is left out; characters of other scripts in a host are written as the browser resolves
them (punycode); invisible ones are written out.
"""

from __future__ import annotations

from dataclasses import dataclass

from operator_console.domain.events import Observed
from operator_console.domain.pages import DialogKind, Page, PageDialog
from operator_console.domain.translations import _
from operator_console.engine.visible_text import brief, shown

_WITH_SITE = ("http", "https", "ws", "wss", "ftp")
_LONGEST, _LONGEST_TITLE = 2_000, 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """An address in three parts, which put together are the address: `site` is host and port, "" where it has none."""

    before: str = ""
    site: str = ""
    after: str = ""

    @property
    def whole(self) -> str:
        """On one line."""
        return f"{self.before}{self.site}{self.after}"


def address_of(url: str) -> Address:
    """The address of a page, without user name and password."""
    if not url:
        return Address(after=_("Empty page"))
    scheme, colon, rest = url.partition(":")
    if scheme.lower() == "blob":
        inner = address_of(rest)
        return Address(before=f"blob:{inner.before}", site=inner.site, after=inner.after)
    if scheme.lower() not in _WITH_SITE or not rest.startswith(("//", "\\\\")):
        return Address(after=brief(f"{scheme}{colon}{rest}", _LONGEST))
    authority, after = rest[2:], ""
    cuts = [place for place in map(authority.find, "/\\?#") if place >= 0]
    if cuts:
        authority, after = authority[: min(cuts)], authority[min(cuts) :]
    return Address(
        before=f"{shown(scheme.lower())}://", site=_host(authority.rpartition("@")[2]), after=brief(after, _LONGEST)
    )


def _host(host: str) -> str:
    if host.isascii():
        return shown(host)
    name, colon, port = host.partition(":")
    try:
        return f"{name.encode('idna').decode('ascii')}{colon}{shown(port)}"
    except UnicodeError:
        return ascii(host)[1:-1]


def tab_title(title: str, url: str) -> str:
    """A tab by its title, else by its site, else by its address."""
    address = address_of(url)
    return brief(title or (address.site or address.whole if url else _("New tab")), _LONGEST_TITLE)


def page_of(seen: Observed | None) -> Page | None:
    """The page that a picture of a record shows; None where it is no browser's."""
    if seen is None or not (seen.url or seen.tabs):
        return None
    return Page(document="", url=seen.url, title=seen.title, tabs=seen.tabs, dialog=seen.dialog)


def page_facts(seen: Observed) -> tuple[str, str, str]:
    """The address, the tabs where there are several, and what the page waits with; "" for what there is none of."""
    address = address_of(seen.url).whole if seen.url else ""
    tabs = [
        (_("{number}. {title} — {address} (shown)") if tab.shown else "{number}. {title} — {address}").format(
            number=number, title=tab_title(tab.title, tab.url), address=address_of(tab.url).whole
        )
        for number, tab in enumerate(seen.tabs, start=1)
    ]
    return address, "\n".join(tabs) if len(tabs) > 1 else "", asked_words(seen.dialog, _LONGEST)


def asked_words(dialog: PageDialog | None, limit: int = 200) -> str:
    """What the page waits with; "" for nothing."""
    if dialog is None:
        return ""
    asks, message = _asks(dialog.kind), brief(dialog.message, limit)
    return f"{asks}: “{message}”" if message else asks


def _asks(kind: DialogKind) -> str:
    """What a page does with its dialog."""
    match kind:
        case DialogKind.ALERT:
            return _("The page says")
        case DialogKind.CONFIRM:
            return _("The page asks to confirm")
        case DialogKind.PROMPT:
            return _("The page asks for an answer")
        case DialogKind.LEAVE:
            return _("The page asks whether to leave it")
        case DialogKind.SIGN_IN:
            return _("The page asks to sign in")
        case DialogKind.CHOOSE_FILE:
            return _("The page asks for a file")
        case DialogKind.LIST:
            return _("The page has an open list")
