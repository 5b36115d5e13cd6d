"""A browser of the console's own, without a window, on pages that a server here gives out.

The server is the judge: it counts the requests, and keeps what its pages report to it.
"""

from __future__ import annotations

import asyncio
import json
import shutil
import tempfile
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeVar

from operator_console.browser.chromium import find_browser
from operator_console.browser.devtools import Connection
from operator_console.browser.dialog_layout import lay_out
from operator_console.browser.host.host_options import HostOptions
from operator_console.browser.host.roles import Role
from operator_console.browser.page_state import PageState
from operator_console.browser.start import RunningBrowser, connect
from operator_console.computers.browser.computer import BrowserComputer
from operator_console.domain.frames import BrowserTarget
from operator_console.domain.geometry import Size

T = TypeVar("T")
SIZE = Size(800, 600)
SAY = """<script>
function say(text) { return fetch("/said", {method: "POST", body: String(text), keepalive: true}); }
</script>"""
"""For a page: `say(text)` reports to the server."""


class Asked(BaseHTTPRequestHandler):
    """One request. A page's function is given it."""

    server: PageServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        """Answer from the pages."""
        self.server.requests.append(self.path)
        page = self.server.pages.get(self.path.partition("?")[0])
        if page is None:
            self.give("not found", status=404)
        elif callable(page):
            page(self)
        else:
            self.give(page)

    def do_POST(self) -> None:
        """Keep what a page says."""
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.said.append(body.decode("utf-8", "replace"))
        self.give("")

    def give(self, body: str | bytes, *, status: int = 200, **headers: str) -> None:
        """Send an answer; `headers` are written with underscores."""
        data = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        sent = {"Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        for name, value in sent.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Nothing is printed."""


Page = str | bytes | Callable[[Asked], None]


class PageServer(ThreadingHTTPServer):
    """Gives out `pages`, by their paths, on 127.0.0.1.

    Attributes:
        requests: the paths that were asked for.
        said: what pages reported.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Asked)
        self.pages: dict[str, Page] = {}
        self.requests: list[str] = []
        self.said: list[str] = []

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        """The address of a page; `localhost` is another site."""
        return f"http://{host}:{self.server_address[1]}{path}"

    def process_request(self, request: Any, client_address: Any) -> None:
        """In a thread that is not taken for one that a test has left: the browser keeps connections open."""
        threading.Thread(
            target=self.process_request_thread, args=(request, client_address), name="shared page", daemon=True
        ).start()

    def handle_error(self, *_: Any) -> None:
        """A browser that hangs up is no fault."""


@contextmanager
def page_server() -> Iterator[PageServer]:
    """Serve in a thread."""
    with PageServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), name="shared page server", daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@dataclass(slots=True, kw_only=True)
class Rig:
    """A started browser, seen as by the console, and acted on as by the injector."""

    computer: BrowserComputer
    browser: RunningBrowser
    act: Connection
    folder: Path
    events: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    @property
    def state(self) -> PageState:
        """As the console was told."""
        return self.computer.state

    async def go(self, url: str) -> dict[str, Any]:
        """Go to an address, and wait until its page is loaded or asks."""
        answer = await self.act.send_raw("Operator.navigate", {"url": url})
        await until(lambda: not self.state.page.loading or self.state.page.dialog)
        return answer

    async def click(self, x: float, y: float, button: str = "left") -> None:
        """Click at a CSS pixel of the page."""
        await self.act.send_raw("Input.dispatchMouseEvent", {"type": "mouseMoved", "x": x, "y": y})
        for kind in ("mousePressed", "mouseReleased"):
            await self.act.send_raw(
                "Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, "button": button, "clickCount": 1}
            )

    async def do(self, step: str, **more: Any) -> None:
        """A step on the dialog that waits."""
        dialog = self.state.page.dialog
        assert dialog is not None
        await self.act.send_raw("Operator.dialog", {"dialog": int(dialog.dialog_id), "do": step, **more})

    async def asked(self) -> str:
        """Wait for a dialog; its message."""
        await until(lambda: self.state.page.dialog)
        assert self.state.page.dialog is not None
        return self.state.page.dialog.message

    def titles(self) -> list[str]:
        """Of the tabs; the one that is shown is marked."""
        return [("*" if tab.shown else "") + tab.title for tab in self.state.page.tabs]

    def dialog_text(self) -> str:
        """Title and text of the dialog that waits, as it is drawn."""
        dialog = self.state.page.dialog
        assert dialog is not None
        layout = lay_out(dialog, SIZE, 1.0)
        return f"{layout.title}\n{layout.text}"


async def until(probe: Callable[[], T], timeout_s: float = 20.0) -> T:
    """Wait until it is true; what it gave."""
    async with asyncio.timeout(timeout_s):
        while not (found := probe()):  # noqa: ASYNC110  some of it happens in the server's threads
            await asyncio.sleep(0.005)
        return found


@asynccontextmanager
async def browser_rig(url: str = "", *, headless: bool = True, display: str = "", **more: Any) -> AsyncIterator[Rig]:
    """A browser in a folder of its own, which is gone afterwards."""
    program = find_browser()
    assert program is not None, "these tests need Chromium"
    folder = Path(tempfile.mkdtemp(prefix="operator-console-test-"))
    options = HostOptions(**{
        "program": str(program), "folder": str(folder), "width": SIZE.width, "height": SIZE.height,
        "downloads": str(folder.with_suffix(".downloads")), "headless": headless, "url": url,
        "allowed": ("127.0.0.1", "localhost"), **more,
    })  # fmt: skip
    browser = await RunningBrowser.start(options)
    target = BrowserTarget(spec="browser", title="Browser", url=url, address=browser.act_address, display=display)
    computer = await BrowserComputer.open(browser, target)
    try:
        act = await connect(options.socket(Role.ACT))
        try:
            yield Rig(computer=computer, browser=browser, act=act, folder=folder)
        finally:
            await act.close()
    finally:
        await computer.close()
        shutil.rmtree(folder.with_suffix(".downloads"), ignore_errors=True)


def said_json(server: PageServer) -> list[Any]:
    """What pages reported, as JSON."""
    return [json.loads(each) for each in server.said]


def buttons(*scripts: str, tag: str = "button") -> str:
    """A page's row of buttons, 100 pixels wide each, which run these scripts; the first begins at 0, 0."""
    return "".join(
        f'<{tag} style="position:absolute;left:{number * 100}px;top:0;width:100px;height:100px;margin:0" '
        f'onclick="{script}"></{tag}>'
        for number, script in enumerate(scripts)
    )


def button(number: int) -> tuple[int, int]:
    """The middle of one of `buttons`, from 0."""
    return number * 100 + 50, 50
