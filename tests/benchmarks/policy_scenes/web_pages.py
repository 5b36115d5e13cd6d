"""Scenes as web pages: the HTML of a scene, and the loopback server that shows one after another in one browser.

A page tells where its marked places are and what it receives. It waits for the next scene by a request that is
answered when there is one, so nothing but the page itself has to work the browser.
"""

from __future__ import annotations

import functools
import html
import json
import threading
import tomllib
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from tests.benchmarks.policy_scenes.markup import Item
from tests.benchmarks.policy_scenes.scenes import Scene

_HERE = Path(__file__).parent
_STYLE = (_HERE / "page.css").read_text("utf-8")
_SCRIPT = (_HERE / "page.js").read_text("utf-8")


@functools.cache
def _surroundings() -> Mapping[str, Mapping[str, list[str]]]:
    return tomllib.loads((_HERE / "surroundings.toml").read_text("utf-8"))


@functools.cache
def _icon(name: str) -> str:
    return (_HERE / "icons" / f"{name}.svg").read_text("utf-8").strip()


def page(scene: Scene, number: int, focus: str) -> str:
    """The whole page. `focus`: "target", "before" (the item before it in tab order) or "none"."""
    words = _surroundings()[scene.lang]
    direction = ' dir="rtl"' if scene.lang == "ar" else ""
    around = [] if scene.look in ("", "bare") else words.get(scene.look, words["common"][:3])
    nav = "".join(f'<a href="/{quote(word)}">{html.escape(word)}</a>' for word in around)
    foot = "".join(f'<a href="/{quote(word)}">{html.escape(word)}</a>' for word in words["common"] if around)
    return (
        f'<!doctype html><html lang="{scene.lang}"{direction}><head><meta charset="utf-8">'
        f"<title>{html.escape(scene.title)}</title><link rel=icon href=data:,><style>{_STYLE}</style></head><body>"
        f"{f'<nav>{nav}</nav>' if nav else ''}<main>{_body(scene)}{scene.html}</main>"
        f"{f'<footer>{foot}</footer>' if foot else ''}"
        f"<script>const N={number}, FOCUS={json.dumps(focus)};{_SCRIPT}</script></body></html>"
    )


def _body(scene: Scene) -> str:
    return "".join(_row(row) for row in scene.body) + "</div>" * sum(
        {"dialog": 1, "end": -1}.get(item["t"], 0) for row in scene.body for item in row
    )


def _row(row: tuple[Item, ...]) -> str:
    first = row[0]
    match first["t"]:
        case "separator":
            return "<hr>"
        case "end":
            return "</div>"
        case "dialog":
            name = html.escape(first["text"])
            return f'<div role="dialog" aria-modal="true" aria-label="{name}"><h2{_target(first)}>{name}</h2>'
        case "heading" | "heading2":
            level = 1 if first["t"] == "heading" else 2
            return f"<h{level}><span{_target(first)}>{html.escape(first['text'])}</span></h{level}>"
        case "cells":
            return f'<div class="cells" role="row">{"".join(map(_cell, first["cells"]))}</div>'
        case "item":
            return f'<ul style="margin:0"><li{_target(first)} tabindex="0">{_inner(first)}</li></ul>'
        case "entry":
            return f'<div role="menu">{"".join(_item(item) for item in row)}</div>'
        case "tab":
            return f'<div role="tablist" class="row">{"".join(_item(item) for item in row)}</div>'
        case "text" if len(row) == 1:
            return f"<p><span{_target(first)}>{html.escape(first['text'])}</span></p>"
        case _:
            return f'<div class="row">{"".join(_item(item) for item in row)}</div>'


def _cell(cell: Item) -> str:
    return f'<div class="cell" role="cell"{_target(cell)}>{_inner(cell)}</div>'


def _inner(item: Item) -> str:
    return html.escape(item["text"]) + "".join(_item(each) for each in item.get("inner", ()))


def _item(item: Item) -> str:
    text, mark = html.escape(item.get("text", "")), _target(item)
    match item["t"]:
        case "button":
            return f"<button{' class=default' if item['default'] else ''}{mark}>{text}</button>"
        case "link":
            return f'<a href="/{quote(item["text"])}"{mark}>{text}</a>'
        case "field":
            return _field(item, mark)
        case "check" | "radio" as kind:
            kind = "checkbox" if kind == "check" else kind
            return f"<label{mark}><input type={kind}{' checked' if item['on'] else ''}> {text}</label>"
        case "icon":
            name = f' aria-label="{text}" title="{text}"' if text else ""
            return f'<button class="icon"{name}{mark}>{_icon(item["icon"])}</button>'
        case "tab":
            return f'<div role="tab" tabindex="0" aria-selected="{str(item["on"]).lower()}"{mark}>{text}</div>'
        case "entry":
            return f'<div role="menuitem" tabindex="-1"{mark}>{text}</div>'
        case "menu":
            return f'<button aria-haspopup="menu"{mark}>{text}</button>'
        case _:
            return f"<span{mark}>{text}</span>"


def _field(item: Item, mark: str) -> str:
    label, value = html.escape(item["text"]), html.escape(item["value"])
    if item["kind"] == "search":
        return f'<input type="search" placeholder="{label}" aria-label="{label}" value="{value}"{mark}>'
    if item["kind"] == "area":
        return f'<label>{label}<br><textarea class="area"{mark}>{value}</textarea></label>'
    kind = "password" if item["kind"] == "password" else "text"
    return f'<label>{label} <input type="{kind}" value="{value}" autocomplete="off"{mark}></label>'


def _target(item: Item) -> str:
    return f' data-t="{item["target"]}"' if item.get("target") else ""


class _QuietServer(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A page that went away does not wait for its answer."""


class PageServer:
    """Serves the scenes on loopback while the context is open."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._scene: Scene | None = None
        self._focus = "none"
        self._number = 0
        self._ready: dict[str, list[float]] | None = None
        self.has_keys = False
        self._corner: tuple[int, int] | None = None
        self._log: list[dict[str, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                outer._get(self)

            def do_POST(self) -> None:
                outer._post(urlsplit(self.path).path, json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *args: object) -> None:
                """Silent."""

        self._server = _QuietServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, name="scene-pages")
        self.port = int(self._server.server_address[1])

    def __enter__(self) -> PageServer:
        self._thread.start()
        return self

    def __exit__(self, *exc: object) -> None:
        with self._changed:
            self._number = -1
            self._changed.notify_all()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def show(self, scene: Scene, focus: str, timeout_s: float = 20.0) -> dict[int, tuple[float, float, float, float]]:
        """Show a scene; returns the marked places in root pixels, once the page stands. Raises TimeoutError."""
        with self._changed:
            self._scene, self._focus, self._ready = scene, focus, None
            self._number += 1
            self._log.clear()
            self._changed.notify_all()
            ready = self._changed.wait_for(lambda: self._ready is not None and (self._ready,), timeout_s)
            left, top = self._corner or (0, 0)
        if not ready:
            raise TimeoutError(f"the page of {scene.scene_id} did not come")
        return {int(name): (box[0] + left, box[1] + top, box[2], box[3]) for name, box in ready[0].items()}

    def received(self) -> list[dict[str, Any]]:
        """What the page received since it was shown or last asked to forget."""
        with self._changed:
            return list(self._log)

    def forget(self) -> None:
        """Forget what was received."""
        with self._changed:
            self._log.clear()

    @property
    def corner(self) -> tuple[int, int] | None:
        """Root pixel of the page's corner; None until a pointer moved over it."""
        return self._corner

    def _get(self, handler: BaseHTTPRequestHandler) -> None:
        asked, kind = urlsplit(handler.path), "text/html; charset=utf-8"  # a whole URL where this is the proxy
        path = asked.path
        if path.startswith("/next"):
            text, kind = json.dumps({"url": self._next(int(asked.query.partition("n=")[2] or 0))}), "application/json"
        elif path.strip("/").isdigit() and self._scene is not None:
            text = page(self._scene, int(path.strip("/")), self._focus)
        else:
            text = f"<!doctype html><title>Start</title><p>Start</p><script>const N=0,FOCUS='none';{_SCRIPT}</script>"
        body = text.encode()
        handler.send_response(200)
        handler.send_header("Content-Type", kind)
        handler.send_header("Cache-Control", "no-store")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)

    def _next(self, seen: int) -> str:
        """The address of the next scene, once there is one. It names no kind and no label: the address bar shows it."""
        with self._changed:
            self._changed.wait_for(lambda: self._number not in (seen, 0))
            return f"http://{self._scene.host}/{self._number}" if self._scene is not None else "about:blank"

    def _post(self, path: str, data: dict[str, Any]) -> None:
        with self._changed:
            if path == "/corner":
                self._corner = (int(data["x"]), int(data["y"]))
            elif data.get("n") == self._number and path == "/ready":
                self._ready, self.has_keys = data["places"], bool(data["keys"])
            elif data.get("n") == self._number and path == "/log":
                self._log.append(data)
            self._changed.notify_all()
