"""A browser on local pages that tell what reaches them, and a hand that acts on it.

The browser host and the server of the pages run on a loop in a thread of their own; tests that use them are
synchronous, as the injector is. What is judged is what the page says, in its own words: each page listens to every
event of the pointer, the keyboard and the clipboard.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Coroutine, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

from aiohttp import web

from operator_console.browser.chromium import find_browser
from operator_console.browser.host.host_options import HostOptions
from operator_console.browser.start import RunningBrowser
from operator_console.desktop.ledger import Gate, Ledger, Word
from operator_console.domain.actions import InputAction
from operator_console.domain.frames import BrowserTarget
from operator_console.domain.geometry import FrameGeometry, ScreenPoint, Size
from operator_console.domain.grants import Grant
from operator_console.injector.browser.backend import BrowserBackend
from operator_console.injector.input_gate import InputGate
from operator_console.injector.progress import Progress

T = TypeVar("T")
PATIENCE_S = 20.0
_LISTENER = (Path(__file__).parent / "browser_rig.js").read_text(encoding="utf-8")

Event = Mapping[str, Any]


class PageServer:
    """Serves pages on loopback, and hears what they tell. Its methods may be called from any thread.

    Attributes:
        heard: every event that the pages posted, in the order in which they came.
    """

    def __init__(self, pages: Mapping[str, str]) -> None:
        self._pages = dict(pages)
        self._numbers = itertools.count(1)
        self._orders: dict[str, asyncio.Queue[str]] = {}
        self._streams: list[asyncio.Queue[str]] = []
        self._answers: dict[int, Any] = {}
        self._changed = threading.Condition()
        self.heard: list[dict[str, Any]] = []
        self.address = ""
        self._runner: web.AppRunner | None = None

    async def start(self) -> None:
        """Listen."""
        app = web.Application(client_max_size=1 << 24)
        app.router.add_get("/listener.js", self._listener)
        app.router.add_get("/orders/{frame}", self._give_orders)
        app.router.add_post("/told/{frame}", self._told)
        app.router.add_get("/{page:.*}", self._page)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.address = f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    async def close(self) -> None:
        """End."""
        for queue in self._streams:
            queue.put_nowait("")
        if self._runner is not None:
            await self._runner.cleanup()

    async def _listener(self, _: web.Request) -> web.Response:
        return web.Response(text=_LISTENER, content_type="text/javascript")

    async def _page(self, request: web.Request) -> web.Response:
        page = self._pages.get(request.match_info["page"])
        if page is None:
            return web.Response(status=404)
        text = f"<!doctype html><meta charset=utf-8><script src=/listener.js></script>{page}"
        return web.Response(text=text, content_type="text/html", headers={"Cache-Control": "no-store"})

    async def _give_orders(self, request: web.Request) -> web.StreamResponse:
        queue: asyncio.Queue[str] = asyncio.Queue()
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        with self._changed:
            self._orders[request.match_info["frame"]] = queue
            self._streams.append(queue)
            self._changed.notify_all()
        with contextlib.suppress(ConnectionError):
            while order := await queue.get():
                await response.write(f"data: {order}\n\n".encode())
        return response

    async def _told(self, request: web.Request) -> web.Response:
        told = await request.json()
        with self._changed:
            self.heard += told["events"]
            if "number" in told:
                self._answers[told["number"]] = told
            self._changed.notify_all()
        return web.Response()

    def until(self, condition: Callable[[], T], what: str = "the page") -> T:
        """Wait until the condition holds; its value."""
        with self._changed:
            if not self._changed.wait_for(condition, PATIENCE_S):
                raise AssertionError(f"waited in vain for {what}")
            return condition()

    def run(self, loop: asyncio.AbstractEventLoop, code: str, frame: str = "top") -> Any:
        """The value of an expression in the page; events that it heard before are in `heard` then."""
        self.until(lambda: frame in self._orders, f"the frame {frame}")
        number = next(self._numbers)
        order = json.dumps({"number": number, "code": code})
        loop.call_soon_threadsafe(self._orders[frame].put_nowait, order)
        self.until(lambda: number in self._answers, code)
        answer = self._answers.pop(number)
        if "error" in answer:
            raise AssertionError(f"{code}: {answer['error']}")
        return answer["value"]

    def forget(self, frame: str = "top") -> None:
        """A frame is loaded again."""
        self._orders.pop(frame, None)


class BrowserRig:
    """A browser that shows the page `start`, with a backend as the injector has it.

    Attributes:
        browser: the host and its browser.
        server: of the pages.
        ledger: what the backend writes to; its gate is open.
        backend: acts.
    """

    def __init__(
        self, pages: Mapping[str, str], *, start: str = "", headless: bool = True, display: str = "",
        scale: float = 1.0, size: Size = Size(800, 600),
    ) -> None:  # fmt: skip
        self.loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self.loop.run_forever, name="browser rig")
        self._thread.start()
        self.server = PageServer(pages)
        self.scale = scale
        self.size = size
        self._folder = tempfile.mkdtemp(prefix="oc-rig-")
        self._display = display
        try:
            self.wait(self.server.start())
            program = find_browser()
            assert program is not None
            self.options = HostOptions(
                program=str(program), folder=self._folder, width=size.width, height=size.height, scale=scale,
                headless=headless, url=f"{self.server.address}/{start}", downloads=f"{self._folder}/downloads",
            )  # fmt: skip
            with self._on_display():
                self.browser = self.wait(RunningBrowser.start(self.options))
            self.run("0")
        except BaseException:
            self._end()
            raise
        self.ledger, self._ledger_fd = Ledger.in_memory()
        self.open_gate()
        self.backend = self.new_backend()

    @contextlib.contextmanager
    def _on_display(self) -> Iterator[None]:
        former = os.environ.get("DISPLAY")
        if self._display:
            os.environ["DISPLAY"] = self._display
        try:
            yield
        finally:
            if self._display:
                os.environ.pop("DISPLAY")
                if former is not None:
                    os.environ["DISPLAY"] = former

    def wait(self, work: Coroutine[Any, Any, T]) -> T:
        """Have it done on the loop of the browser and the server."""
        return asyncio.run_coroutine_threadsafe(work, self.loop).result(60)

    def open_gate(self) -> None:
        """As a guard does; it stays open for an hour."""
        for word in (Word.BEAT_NS, Word.LEASE_NS):
            self.ledger.set(word, time.monotonic_ns() + int(3600e9))
        self.ledger.gate = Gate.OPEN

    def new_backend(self) -> BrowserBackend:
        """Another one on the same browser; to be closed."""
        return BrowserBackend(self.ledger, InputGate(self.ledger, lambda: True), self.browser.act_address)

    @property
    def geometry(self) -> FrameGeometry:
        """Of a picture of the page."""
        native = Size(round(self.size.width * self.scale), round(self.size.height * self.scale))
        return FrameGeometry(origin=ScreenPoint(0, 0), native=native, sent=native)

    @property
    def target(self) -> BrowserTarget:
        """As a session has it."""
        shown_on = "" if self.options.headless else self._display
        return BrowserTarget(spec="browser", title="Browser", address=self.browser.act_address, display=shown_on)

    def grant(self, action: InputAction, **more: Any) -> Grant:
        """For one action; not sealed, as it is not admitted either."""
        return Grant(
            grant_id="0", step=1, call=0, action=action, geometry=self.geometry, epoch=0, expires_s=0.0,
            target=self.target, **more,
        )  # fmt: skip

    def do(self, *actions: InputAction, **more: Any) -> Progress:
        """Carry them out, one after another; the progress of the last one."""
        progress = Progress(ledger=self.ledger)
        for action in actions:
            progress = Progress(ledger=self.ledger)
            self.backend.perform(self.grant(action, **more), progress)
        return progress

    def run(self, code: str, frame: str = "top") -> Any:
        """The value of an expression in the page's own world."""
        return self.server.run(self.loop, code, frame)

    def events(self, frame: str = "top") -> list[dict[str, Any]]:
        """What the page has heard since the last call."""
        self.run("0", frame)
        heard, self.server.heard[:] = list(self.server.heard), []
        return heard

    def until_heard(self, kind: str, number: int, frame: str = "top") -> None:
        """Wait until the page has heard so many events of a kind since the last `events`."""
        deadline_s = time.monotonic() + PATIENCE_S
        while sum(each["type"] == kind for each in self.server.heard) < number:
            if time.monotonic() > deadline_s:
                raise AssertionError(f"waited in vain for {number} x {kind}")
            self.run("0", frame)

    def open(self, page: str) -> None:
        """Go to another page, and wait until it listens."""
        self.server.forget()
        self.wait(self._navigate(f"{self.server.address}/{page}"))
        self.run("0")
        self.server.heard.clear()

    async def _navigate(self, url: str) -> None:
        from operator_console.browser.host.roles import Role
        from operator_console.browser.start import connect

        hand = await connect(self.options.socket(Role.HAND))
        try:
            await hand.send_raw("Operator.navigate", {"url": url})
        finally:
            await hand.close()

    def close(self) -> None:
        """End all of it."""
        self.backend.close()
        self.ledger.close()
        os.close(self._ledger_fd)
        self.wait(self.browser.close())
        self._end()

    def _end(self) -> None:
        self.wait(self.server.close())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()
        shutil.rmtree(self._folder, ignore_errors=True)


@contextlib.contextmanager
def browser_on(pages: Mapping[str, str], **options: Any) -> Iterator[BrowserRig]:
    """A browser on these pages, ended with the context."""
    rig = BrowserRig(pages, **options)
    try:
        yield rig
    finally:
        rig.close()
