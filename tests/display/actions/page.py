"""A local page that logs the events it receives in order, with pixels, and evaluates expressions for a test.

Serves page.html on loopback; `ask` evaluates an expression in the page (the page's own script, no debugger), so a test
can read values and rectangles without any input.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any

from tests.display.actions.waiting import until
from tests.display.rig import Application, Desktop, RigError, launch_chromium, wait_until

_FILE = Path(__file__).with_name("page.html")


class ActionPage:
    """The page and its server. A context manager; then `open` it in Chromium."""

    def __init__(self, file: Path = _FILE) -> None:
        self.events: list[dict[str, Any]] = []
        self.origin = (0, 0)
        self._asks: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        self._loads = 0
        self._answers: dict[int, Any] = {}
        self._ids = itertools.count(1)
        page = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if self.path == "/asks":
                    self._stream()
                    return
                body = file.read_bytes() if self.path.partition("?")[0] == "/" else b""
                self._head(200 if body else 404, "text/html; charset=utf-8", length=len(body))
                self.wfile.write(body)

            def do_POST(self) -> None:
                data = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.path == "/log":
                    page.events.extend(data)
                else:
                    page._answers[data["id"]] = data.get("value")
                self._head(204, "text/plain")

            def _stream(self) -> None:
                asks = page._next_asks()
                threading.current_thread().name = "shared page"  # it serves the page until that is loaded anew
                self._head(200, "text/event-stream", close=True)
                while (ask := asks.get()) is not None:
                    self.wfile.write(f"data: {json.dumps(ask)}\n\n".encode())
                    self.wfile.flush()

            def _head(self, code: int, kind: str, *, length: int | None = None, close: bool = False) -> None:
                self.send_response(code)
                self.send_header("Content-Type", kind)
                if length is not None:
                    self.send_header("Content-Length", str(length))
                if close:
                    self.send_header("Cache-Control", "no-store")
                self.end_headers()
                self.wfile.flush()

            def log_message(self, *args: object) -> None:
                """Log nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, name="action-page")
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"

    def __enter__(self) -> ActionPage:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._asks.put(None)
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def open(self, desktop: Desktop, *extra: str) -> Application:
        """Open the page in Chromium, and find out where its first pixel is on the screen."""
        browser = launch_chromium(desktop, self.url, "--window-size=1000,780", *extra)
        self._loaded(desktop, browser)
        return browser

    def begin_again(self, desktop: Desktop, browser: Application) -> None:
        """Load the page anew in the browser that shows it."""
        loads = self._loads
        self.events.clear()
        self._asks.put({"id": next(self._ids), "code": f"location.replace('/?{loads}')"})
        wait_until(lambda: self._loads > loads, "the page to be loaded anew")
        self._loaded(desktop, browser)

    def _loaded(self, desktop: Desktop, browser: Application) -> None:
        wait_until(lambda: self.logged("ready"), "the page to be ready")
        # These XTEST motions belong to no test; the page reports them in its own and in screen pixels.
        wait_until(lambda: self._nudged(desktop, browser), "the page to see the pointer", interval_s=0.2)
        x, y = self.logged("origin")[-1]["origin"]
        self.origin = (int(x), int(y))
        self.events.clear()

    async def ask(self, expression: str) -> Any:
        """The value of an expression in the page."""
        number = next(self._ids)
        self._asks.put({"id": number, "code": expression})
        await until(lambda: number in self._answers, f"the page to answer {expression!r}")
        return self._answers.pop(number)

    async def becomes(self, expression: str, wanted: object = True) -> None:
        """Wait until the expression has this value."""
        last: Any = None
        for _ in range(600):
            last = await self.ask(expression)
            if last == wanted:
                return
            await asyncio.sleep(0.05)
        raise RigError(f"{expression!r} is {last!r} and not {wanted!r}")

    async def rect(self, selector: str) -> tuple[int, int, int, int]:
        """Left, top, right and bottom of an element in screen pixels."""
        found = await self.ask(
            f"(r => [r.left, r.top, r.right, r.bottom])(document.querySelector({selector!r}).getBoundingClientRect())"
        )
        ox, oy = self.origin
        left, top, right, bottom = (round(value) for value in found)
        return left + ox, top + oy, right + ox, bottom + oy

    async def centre(self, selector: str) -> tuple[int, int]:
        """The centre of an element in screen pixels."""
        left, top, right, bottom = await self.rect(selector)
        return (left + right) // 2, (top + bottom) // 2

    def named(self, *names: str) -> list[str]:
        """The names of the events so far, in order; only those that start with one of `names`."""
        return [e["name"] for e in self.events if not names or e["name"].startswith(names)]

    def logged(self, name: str) -> list[dict[str, Any]]:
        """The events of a name, in order."""
        return [event for event in list(self.events) if event["name"] == name]

    async def wait(self, name: str, count: int = 1) -> list[dict[str, Any]]:
        """Wait for at least this many events of a name, and return them."""
        await until(
            lambda: len(self.logged(name)) >= count,
            lambda: f"{count} x {name!r} in {[(e['name'], e.get('detail'), e.get('time')) for e in self.events[-12:]]}",
        )
        return self.logged(name)

    def _next_asks(self) -> queue.SimpleQueue[dict[str, Any] | None]:
        """The questions for the page as it is loaded now; those for the one before end."""
        if self._loads:
            self._asks.put(None)
            self._asks = queue.SimpleQueue()
        self._loads += 1
        return self._asks

    def _nudged(self, desktop: Desktop, browser: Application) -> bool:
        x, y = browser.now().centre
        desktop.xdo("mousemove_relative", "--", "1", "0")
        desktop.xdo("mousemove", str(x), str(y + len(self.events) % 2))
        return bool(self.logged("origin"))
