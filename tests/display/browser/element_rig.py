"""A browser without a window on pages of two local sites, looked at as by the console and acted on as by the injector.

The browser and the pages' server run on a loop in a thread; tests that use them are synchronous, as the injector is.
What reached a page is judged by what its own scripts told the server.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar
from unittest.mock import patch

from operator_console.browser.chromium import find_browser
from operator_console.browser.host.host_options import HostOptions
from operator_console.browser.start import RunningBrowser
from operator_console.computers.browser import page_elements
from operator_console.computers.browser.computer import BrowserComputer
from operator_console.desktop.ledger import Gate, Ledger, Word
from operator_console.domain.actions import Action, Click, InputAction, Navigate, UseElement
from operator_console.domain.element_uses import ElementUse, identity_of
from operator_console.domain.elements import Element
from operator_console.domain.frames import BrowserTarget, Frame, ImageNeeds
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.grants import Grant, OwnerCheck, ScreenCheck
from operator_console.engine.targeting import owner_points, screen_regions
from operator_console.injector.browser.backend import BrowserBackend
from operator_console.injector.input_gate import InputGate
from operator_console.injector.progress import Progress

T = TypeVar("T")
SIZE = Size(800, 600)
PATIENCE_S = 20.0
_HEARD = """<script>
let told = 0;
const tell = each => fetch('/heard', {method: 'POST', body: JSON.stringify({n: ++told, ...each}), keepalive: true});
for (const name of ['mousedown', 'mouseup', 'click', 'contextmenu', 'focusin', 'keydown', 'input', 'change'])
  addEventListener(name, e => tell({name, on: e.target.id || e.target.localName || 'document', trusted: e.isTrusted,
    value: e.target.value ?? '', key: e.key ?? '', x: e.clientX ?? 0, y: e.clientY ?? 0}), {capture: true});
</script>"""


class PageServer(ThreadingHTTPServer):
    """Serves pages on 127.0.0.1, which has the name `localhost` too, and keeps what their scripts tell.

    The paths in `awaited` are answered when their event is set: a page can be busy for as long as a test wants.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Request)
        self.pages: dict[str, str] = {}
        self.heard: list[dict[str, Any]] = []
        self.awaited: dict[str, threading.Event] = {"/begin": threading.Event(), "/end": threading.Event()}
        self.changed = threading.Condition()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.01,), name="shared page server")
        self._thread.start()

    def address(self, host: str = "127.0.0.1") -> str:
        """Of the start page."""
        return f"http://{host}:{self.server_address[1]}"

    def process_request_thread(self, *request: Any) -> None:
        """Under a name by which the check for what tests leave behind knows it: modules share a server."""
        threading.current_thread().name = "shared page request"
        super().process_request_thread(*request)

    def handle_error(self, *_: Any) -> None:
        """A browser that hangs up is no fault."""

    def close(self) -> None:
        """End."""
        for each in self.awaited.values():
            each.set()
        self.shutdown()
        self._thread.join()
        self.server_close()


class _Request(BaseHTTPRequestHandler):
    server: PageServer
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        if self.path in self.server.awaited:
            self.server.awaited[self.path].wait(PATIENCE_S)
            self._give("", 200)
            return
        page = self.server.pages.get(self.path.partition("?")[0].strip("/"))
        text = "" if page is None else page.replace("{other}", self.server.address("localhost"))
        self._give(f"<!doctype html><meta charset=utf-8>{_HEARD}{text}", 404 if page is None else 200)

    def do_POST(self) -> None:
        told = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.changed:
            self.server.heard.append(told)
            self.server.changed.notify_all()
        self._give("", 200)

    def _give(self, text: str, status: int) -> None:
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing is printed."""


class ElementRig:
    """A browser, what looks at it, and what acts on it."""

    def __init__(self, *, scale: float = 1.0, headless: bool = True, display: str = "") -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="element rig")
        self._thread.start()
        # On a busy machine a page may need longer than a session waits.
        self._patience = [patch.object(page_elements, name, PATIENCE_S) for name in ("AT_BUDGET_S", "LIST_BUDGET_S")]
        for each in self._patience:
            each.start()
        self.server = PageServer()
        self._folder = tempfile.mkdtemp(prefix="oc-elements-")
        program = find_browser()
        assert program is not None, "these tests need Chromium"
        options = HostOptions(
            program=str(program), folder=self._folder, width=SIZE.width, height=SIZE.height, scale=scale,
            downloads=f"{self._folder}/downloads", headless=headless,
            allowed=("127.0.0.1", "localhost"),
        )  # fmt: skip
        with _display(display):
            browser = self.wait(RunningBrowser.start(options))
        self.target = BrowserTarget(spec="browser", title="Browser", address=browser.act_address)
        self.computer = self.wait(BrowserComputer.open(browser, self.target))
        self.ledger, self._descriptor = Ledger.in_memory()
        for word in (Word.BEAT_NS, Word.LEASE_NS):
            self.ledger.set(word, time.monotonic_ns() + int(3600e9))
        self.ledger.gate = Gate.OPEN
        self.backend = BrowserBackend(self.ledger, InputGate(self.ledger, lambda: True), browser.act_address)
        self.frame()  # starts what works in a thread

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Have it done on the loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    def open(self, pages: str | Mapping[str, str]) -> Frame:
        """Show a page, or the one called "" of several; its picture."""
        shown = {"": pages} if isinstance(pages, str) else pages
        self.server.pages = dict(shown)
        before = self.computer.state.page.document
        self.do(Navigate(url=self.server.address()), frame=self.frame())
        self.until(lambda: self.computer.state.page.document != before and not self.computer.state.page.loading)
        self.wait(self.computer.glimpse())
        self.server.heard.clear()
        return self.frame()

    def frame(self) -> Frame:
        """The page now."""
        return self.wait(self.computer.observe(ImageNeeds()))

    def at(self, x: float, y: float) -> Element | None:
        """The element at a CSS pixel."""
        scale = self.computer.scale
        (found,) = self.wait(self.computer.own_elements.at(self.frame(), [NativePoint(int(x * scale), int(y * scale))]))
        return found

    def visible(self) -> Sequence[Element]:
        """All elements."""
        return self.wait(self.computer.own_elements.visible(self.frame()))

    def named(self, name: str) -> Element:
        """The visible element with this name."""
        found = [each for each in self.visible() if each.name == name]
        assert len(found) == 1, f"{name}: {[each.name for each in self.visible()]}"
        return found[0]

    def do(self, action: Action, frame: Frame | None = None) -> Progress:
        """Carry out a granted action on the page as it is now, or as it was in a picture. Raises ActionError."""
        frame = frame or self.frame()
        whole = frame.stack or ()

        def owner(point: NativePoint) -> int | None:
            hit = (each for each in reversed(whole) if any(part.contains(point.x, point.y) for part in each.parts))
            return next((each.info.window_id for each in hit), None)

        assert frame.page is not None
        grant = Grant(
            grant_id="0", step=1, call=0, action=action, target=self.target, geometry=frame.geometry, epoch=0,
            expires_s=0.0, document=frame.page.document if isinstance(action, InputAction) else "",
            checks=tuple(
                ScreenCheck(region=region, pixels=frame.crop(region)) for region in screen_regions(action, frame, None)
            ),
            owners=tuple(
                OwnerCheck(at=point, window_id=owner(point)) for point in owner_points(action, frame, None)
            ),
        )  # fmt: skip
        progress = Progress(ledger=self.ledger)
        self.backend.perform(grant, progress)
        return progress

    def click(self, element: Element) -> Progress:
        """Click its middle."""
        return self.do(Click(at=NativePoint(*element.box.centre)))

    def use(self, use: ElementUse, element: Element, *, name: str = "", option: str = "") -> Progress:
        """Use an element as it was seen."""
        identity = identity_of(element)
        assert identity is not None
        at = NativePoint(*element.box.centre)
        return self.do(UseElement(use=use, element=identity, at=at, name=name, option=option))

    def until(self, condition: Callable[[], Any], what: str = "the browser") -> None:
        """Wait until it holds."""
        with self.server.changed:
            for _ in range(int(PATIENCE_S / 0.01)):
                if condition():
                    return
                self.server.changed.wait(0.01)
        raise AssertionError(f"waited in vain for {what}; heard {self.server.heard}")

    def heard(self, *names: str) -> list[dict[str, Any]]:
        """What the page has heard, of these kinds, in its order."""
        with self.server.changed:
            found = [each for each in self.server.heard if each["name"] in names]
        return sorted(found, key=lambda each: int(each["n"]))

    def close(self) -> None:
        """End all of it."""
        for each in self._patience:
            each.stop()
        self.backend.close()
        self.ledger.close()
        os.close(self._descriptor)
        self.wait(self.computer.close())
        self.server.close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()
        shutil.rmtree(self._folder, ignore_errors=True)


@contextlib.contextmanager
def element_rig(**options: Any) -> Iterator[ElementRig]:
    """A browser, ended with the context."""
    rig = ElementRig(**options)
    try:
        yield rig
    finally:
        rig.close()


@contextlib.contextmanager
def _display(name: str) -> Iterator[None]:
    former = os.environ.get("DISPLAY")
    if name:
        os.environ["DISPLAY"] = name
    try:
        yield
    finally:
        if name:
            os.environ.pop("DISPLAY")
            if former is not None:
                os.environ["DISPLAY"] = former
