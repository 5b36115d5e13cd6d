"""`browser[:URL]`: a browser of its own, started for a session."""

from __future__ import annotations

import asyncio
import importlib
import shutil
import tempfile
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from operator_console.browser.chromium import find_browser
from operator_console.browser.host.host_options import HostOptions
from operator_console.computers.target_spec import ListHere, TargetListing, TargetSpec
from operator_console.domain.errors import ExitCode, OperatorError
from operator_console.domain.frames import BrowserTarget, TargetKind, TargetRef
from operator_console.domain.geometry import Size
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

if TYPE_CHECKING:
    from operator_console.computers.browser.computer import BrowserComputer

DEFAULT_VIEWPORT = Size(1440, 900)
_OPEN = "cdp="
_SCHEMES = frozenset(("http", "https", "file", "data", "about"))


@dataclass(frozen=True, slots=True, kw_only=True)
class BrowserStart:
    """How a browser is started.

    Attributes:
        program: its program; "" for an installed one.
        viewport: size of the page, CSS pixels.
        scale: pixels for each CSS pixel.
        mobile: pages are laid out as on a phone.
        headless: without a window; always so without a display.
        allowed, blocked: sites, as in the settings.
        upload_folder: whose files may be uploaded; "" for none.
        kept_profile: the file of a profile that is kept; "" for none.
        profile_key: its key.
        har: the file that the requests are written to; "" for none.
        downloads: the folder where what it saves is kept.
    """

    program: str = ""
    viewport: Size = DEFAULT_VIEWPORT
    scale: float = 1.0
    mobile: bool = False
    headless: bool = False
    allowed: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()
    upload_folder: str = ""
    kept_profile: str = ""
    profile_key: str = field(default="", repr=False)
    har: str = ""
    downloads: str = ""


def start_url(argument: str) -> str:
    """The address that an argument gives, "" for none. Raises OperatorError (usage) if it is no address."""
    text = argument.strip()
    if not text or text.startswith(_OPEN):
        return ""
    parts = urlsplit(text if _has_scheme(text) else f"https://{text}")
    if parts.scheme in _SCHEMES and (parts.netloc or parts.scheme in ("data", "about", "file")):
        return parts.geturl()
    raise OperatorError(
        notice(NoticeCode.NOT_A_WEB_ADDRESS, text=argument), remedy=notice(NoticeCode.WRITE_ADDRESS_SO),
        exit_code=ExitCode.USAGE,
    )  # fmt: skip


def debugging_address(argument: str) -> str:
    """The address of an open browser that an argument gives; "" where it gives none. Raises OperatorError (usage)."""
    text = argument.strip()
    if not text.startswith(_OPEN):
        return ""
    address = text.removeprefix(_OPEN)
    parts = urlsplit(address)
    if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname:
        return address
    raise OperatorError(
        notice(NoticeCode.NOT_A_DEBUGGING_ADDRESS, text=address),
        remedy=notice(NoticeCode.WRITE_DEBUGGING_ADDRESS_SO), exit_code=ExitCode.USAGE,
    )  # fmt: skip


def _has_scheme(text: str) -> bool:
    """Whether it begins with a scheme, and not with a host and a port."""
    scheme, colon, rest = text.partition(":")
    return bool(colon) and scheme.isalpha() and not rest[:1].isdigit()


def _accepts(argument: str) -> bool:
    start_url(argument)
    debugging_address(argument)
    return True


def _resolve(argument: str, _: ListHere) -> TargetRef:
    if address := debugging_address(argument):
        place = urlsplit(address).netloc
        return BrowserTarget(spec=f"browser:{argument}", title=f"Open browser · {place}", joins=address)
    url = start_url(argument)
    site = urlsplit(url).netloc or url.partition(",")[0]  # of a data: URL the kind alone
    return BrowserTarget(
        spec=f"browser:{argument}" if argument else "browser", title=f"Browser · {site}" if site else "Browser", url=url
    )


def browser_trouble() -> OperatorError | None:
    """Why no browser can be started here; None if one can."""
    if find_browser() is None:
        return OperatorError(notice(NoticeCode.BROWSER_NOT_FOUND), remedy=notice(NoticeCode.INSTALL_BROWSER))
    return None


def _list_anywhere() -> list[TargetListing]:
    trouble = browser_trouble()
    return [
        TargetListing(
            ref=_resolve("", lambda: ()),
            trouble=trouble.title if trouble is not None else "",
            remedy=trouble.remedy if trouble is not None else "",
        )
    ]  # fmt: skip


async def open_browser(ref: BrowserTarget, start: BrowserStart, display: str) -> BrowserComputer:
    """Start a browser on a display ("": without a window) and look at it.

    Raises:
        OperatorError: none is installed, or it does not start.
        ComputerUnavailable: it ends at once.
    """
    from operator_console.browser.start import NotStarted, RunningBrowser
    from operator_console.computers.browser.computer import BrowserComputer

    if ref.joins and (start.allowed or start.blocked):
        raise OperatorError(notice(NoticeCode.OPEN_BROWSER_NOT_FENCED), remedy=notice(NoticeCode.USE_OWN_BROWSER))
    # The types of the protocol take a quarter of a second to import, in which the console must answer its guard.
    await asyncio.to_thread(importlib.import_module, "cdp_use.cdp.library")
    program = await asyncio.to_thread(find_browser, start.program)
    if program is None and not ref.joins:
        raise OperatorError(notice(NoticeCode.BROWSER_NOT_FOUND), remedy=notice(NoticeCode.INSTALL_BROWSER))
    # Paths of sockets are limited to about a hundred characters.
    folder = await asyncio.to_thread(tempfile.mkdtemp, prefix="operator-console-")
    options = HostOptions(
        program=str(program or ""), folder=folder, width=start.viewport.width, height=start.viewport.height,
        scale=start.scale, mobile=start.mobile, headless=start.headless or not display, url=ref.url, joins=ref.joins,
        allowed=start.allowed, blocked=start.blocked, upload_folder=start.upload_folder,
        kept_profile=start.kept_profile, profile_key=start.profile_key, har=start.har,
        downloads=start.downloads or f"{folder}/downloads",
    )  # fmt: skip
    try:
        browser = await RunningBrowser.start(options)
    except (NotStarted, OSError) as error:
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)
        log = error.log if isinstance(error, NotStarted) else ""
        raise OperatorError(
            notice(NoticeCode.OPEN_BROWSER_NOT_REACHED if ref.joins else NoticeCode.BROWSER_NOT_STARTED),
            detail=log.strip() or str(error),
            remedy=notice(NoticeCode.START_BROWSER_WITH_PORT) if ref.joins
            else notice(NoticeCode.SEE_BROWSER_LOG, program=str(program)),
        ) from error  # fmt: skip
    shown_on = "" if options.headless else display
    return await BrowserComputer.open(browser, replace(ref, address=browser.act_address, display=shown_on))


BROWSER = TargetSpec(
    kind=TargetKind.BROWSER,
    grammar="browser[:URL] or browser:cdp=URL",
    accepts=_accepts,
    resolve=_resolve,
    list_anywhere=_list_anywhere,
)
