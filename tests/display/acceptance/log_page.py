"""A local page that tells its server what was done to it, and where its elements stand on the screen."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType, TracebackType
from typing import Any, Self

from tests.display.rig import wait_until

_PAGE = """<!doctype html><meta charset="utf-8"><title>Log page</title>
<style>body{font:16px sans-serif;margin:24px} input,button{font:inherit;padding:8px;margin:8px 0;display:block}</style>
<h1>Expenses</h1>
<button id="button">Show more</button>
<label>Note <input id="name" size="40"></label>
<button id="done">Keep it</button>
<script>
const post = (path, data) => fetch(path, {method: 'POST', body: JSON.stringify(data)});
const get = id => document.getElementById(id);
const middle = id => {
  const side = (window.outerWidth - window.innerWidth) / 2, r = get(id).getBoundingClientRect();
  const top = window.screenY + window.outerHeight - window.innerHeight - side;
  return [Math.floor(window.screenX + side + r.x + r.width / 2), Math.floor(top + r.y + r.height / 2)];
};
const tell = (name, e, more) =>
  post('/log', {name, trusted: e.isTrusted, at: [e.screenX, e.screenY], middle: middle(name), ...more});
get('button').onclick = e => tell('button', e, {});
get('name').onclick = e => tell('name', e, {});
get('done').onclick = e => tell('done', e, {value: get('name').value});
let told = Promise.resolve();  // one after the other, so that the last to arrive is the newest
const places = () => {
  const out = Object.fromEntries(['button', 'name', 'done'].map(id => [id, middle(id)]));
  told = told.then(() => post('/places', out));
};
requestAnimationFrame(places);
addEventListener('resize', () => requestAnimationFrame(places));  // the browser may add a bar above the page
</script>
"""


class Places:
    """Where the page's elements are, once it has told them: in its own units, root pixels or CSS pixels."""

    def __init__(self) -> None:
        self.known: dict[str, list[float]] = {}

    def at(self, name: str) -> tuple[int, int]:
        """The centre of an element in whole pixels; waits until the page is there."""
        x, y = self.exactly(name)
        return int(x), int(y)

    def exactly(self, name: str) -> tuple[float, float]:
        """The centre of an element; waits until the page has told it."""
        found = wait_until(lambda: self.known.get(name), f"the page to tell where {name} is")
        assert found is not None
        return found[0], found[1]


class LogPage:
    """Serves a page on loopback while the context is open.

    Attributes:
        places: of its elements, as it tells them.
        events: what it has told, in order.
    """

    def __init__(self, html: str = _PAGE, saved: Mapping[str, bytes] = MappingProxyType({})) -> None:
        """`saved`: files that a browser saves instead of showing them, by name."""
        self.places = Places()
        self.events: list[dict[str, Any]] = []
        page = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                name = self.path.removeprefix("/")
                body = saved.get(name, b"") if name else html.encode()
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                if name in saved:
                    self.send_header("Content-Disposition", f'attachment; filename="{name}"')
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                data = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if self.path == "/log":
                    page.events.append(data)
                elif self.path == "/places":
                    page.places.known.update(data)
                self.send_response(204)
                self.end_headers()

            def log_message(self, *args: object) -> None:
                """Silent."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, name="log-page")
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/"

    def logged(self, name: str) -> list[dict[str, Any]]:
        """The events of a name, in order."""
        return [event for event in self.events if event["name"] == name]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
