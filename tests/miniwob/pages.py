"""Serves the pages of MiniWoB++ on loopback, each with an oracle (oracle.js) that says what to do next.

The oracle speaks only when it is asked, over a connection of its own; it never acts.
"""

from __future__ import annotations

import functools
import itertools
import json
import queue
import threading
from collections.abc import Mapping, Sequence
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlencode

_ORACLE = Path(__file__).with_name("oracle.js")
_PATIENCE_S = 20.0


class OracleSilent(AssertionError):
    """The page was not loaded, or does not answer."""


class MiniWobPages:
    """The server, while the context is open. `ask` may be called from any thread."""

    def __init__(self) -> None:
        spec = find_spec("miniwob")
        assert spec is not None
        assert spec.origin is not None
        handler = functools.partial(_Handler, self, directory=str(Path(spec.origin).parent / "html"))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), name="miniwob")
        self._changed = threading.Condition()
        self.orders: dict[str, queue.Queue[int | None]] = {}
        self._answers: dict[int, Mapping[str, Any]] = {}
        self._numbers = itertools.count(1)

    def url(self, tasks: Sequence[str], seed: int = 1) -> str:
        """Of the first task's page, from which links lead to the others."""
        words = urlencode({"seed": seed, "then": ",".join(tasks[1:])})
        return f"http://127.0.0.1:{self._server.server_address[1]}/miniwob/{tasks[0]}.html?{words}"

    def ask(self, task: str) -> Mapping[str, Any]:
        """What the oracle of this task, once it is shown, says next. Raises OracleSilent."""
        with self._changed:
            if not self._changed.wait_for(lambda: task in self.orders, _PATIENCE_S):
                raise OracleSilent(f"{task} was not opened")
            number = next(self._numbers)
            self.orders[task].put(number)
            if not self._changed.wait_for(lambda: number in self._answers, _PATIENCE_S):
                raise OracleSilent(f"{task} does not answer")
            return self._answers.pop(number)

    def listens(self, task: str) -> queue.Queue[int | None]:
        """A page is there."""
        with self._changed:
            self.orders[task] = orders = queue.Queue[int | None]()
            self._changed.notify_all()
        return orders

    def told(self, answer: Mapping[str, Any]) -> None:
        """A page answers."""
        with self._changed:
            self._answers[answer["number"]] = answer
            self._changed.notify_all()

    def __enter__(self) -> MiniWobPages:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        for orders in (*self.orders.values(),):
            orders.put(None)
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(SimpleHTTPRequestHandler):
    def __init__(self, pages: MiniWobPages, *args: Any, **more: Any) -> None:
        self._pages = pages
        super().__init__(*args, **more)

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path == "/oracle.js":
            self._give(_ORACLE.read_bytes(), "text/javascript")
        elif path.startswith("/orders/"):
            self._orders(path.rpartition("/")[2])
        elif path.startswith("/miniwob/") and path.endswith(".html"):
            page = Path(self.translate_path(path)).read_bytes()
            self._give(page.replace(b"</body>", b'<script src="/oracle.js"></script></body>'), "text/html")
        else:
            super().do_GET()

    def do_POST(self) -> None:
        self._pages.told(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self._give(b"", "text/plain")

    def _orders(self, task: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b":\n\n")
        orders = self._pages.listens(task)
        while (number := orders.get()) is not None:
            try:
                self.wfile.write(f"data: {number}\n\n".encode())
            except OSError:  # the page is gone
                return

    def _give(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Nothing is printed."""
