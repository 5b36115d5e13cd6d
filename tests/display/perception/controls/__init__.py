"""Windows of real toolkits whose controls tell themselves where they are, apart from the accessibility service."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from operator_console.domain.elements import Role
from operator_console.domain.geometry import Rect
from tests.display.rig import AccessibleDesktop, Application, launch, wait_until
from tests.display.rig.apps import CHROMIUM_FLAGS

_FOLDER = Path(__file__).parent
_TRUTH = _FOLDER / "truth.js"
BUTTONS = _FOLDER / "buttons.html"
"""A page of 100 wide buttons."""
SYSTEM_PYTHON = "/usr/bin/python3"
_GRID, _FIRST = 5, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What an application itself says about one of its controls; box in root pixels."""

    role: Role
    name: str
    box: Rect


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownControls:
    """A window with controls; `on_top` names what a page's own hit test finds, by point, in root pixels. It holds no
    points in labels of check boxes, which press the box."""

    app: Application
    controls: tuple[Told, ...]
    content: Rect
    on_top: dict[tuple[int, int], str]

    def at(self, x: int, y: int) -> Told | None:
        """The control that a click at a root pixel hits; for pages only at points of `on_top`."""
        if self.on_top:
            name = self.on_top[x, y]
            return next((each for each in self.controls if each.name == name), None) if name else None
        found = [each for each in self.controls if each.box.contains(x, y)]
        return found[-1] if found else None


def show_gtk(desktop: AccessibleDesktop, version: str) -> ShownControls:
    """A window of GTK "3.0" or "4.0"."""
    file = Path(mkdtemp(dir=desktop.desktop.folder)) / "controls.json"
    command = [SYSTEM_PYTHON, str(_FOLDER / "gtk.py"), version, str(file)]
    app = launch(desktop.desktop, command, title=f"Controls of GTK {version}", env=desktop.env)
    return _shown(app, file)


def show_qt(desktop: AccessibleDesktop, bindings: str = "PySide6") -> ShownControls:
    """A window of the PySide6 that the product uses, or of Debian's PyQt5."""
    file = Path(mkdtemp(dir=desktop.desktop.folder)) / "controls.json"
    python = sys.executable if bindings == "PySide6" else SYSTEM_PYTHON
    command = [python, str(_FOLDER / "qt.py"), bindings, str(file)]
    with desktop.tree.announced():
        app = launch(desktop.desktop, command, title=f"Controls of {bindings}", env=desktop.env)
    return _shown(app, file)


@contextmanager
def show_page(
    desktop: AccessibleDesktop, browser: str = "chromium", page: Path | None = None
) -> Iterator[ShownControls]:
    """A page in Chromium or Firefox."""
    posted: list[dict[str, Any]] = []
    handler = partial(_Pages, (page or _FOLDER / "page.html").read_bytes(), posted)
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, name="page", daemon=True)
    thread.start()
    try:
        app = _browse(desktop, browser, f"http://127.0.0.1:{server.server_port}/")
        (told,) = wait_until(lambda: posted[:1], "the page to tell its controls")
        yield _page_shown(app, told)
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _browse(desktop: AccessibleDesktop, browser: str, url: str) -> Application:
    profile = mkdtemp(prefix="profile-", dir=desktop.desktop.folder)
    if browser == "firefox":
        prefs = {"browser.aboutwelcome.enabled": False, "datareporting.policy.dataSubmissionEnabled": False,
                 "browser.shell.checkDefaultBrowser": False, "app.update.enabled": False}  # fmt: skip
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in prefs.items()]
        (Path(profile) / "user.js").write_text("\n".join(lines))
        command = ["firefox-esr", "--no-remote", "--profile", profile, url]
        return launch(
            desktop.desktop, command, wm_class="firefox", by_pid=False, env={**desktop.env, "MOZ_ENABLE_WAYLAND": "0"}
        )
    # --test-type: without it a bar about --no-sandbox slides in later and moves the page.
    flags = (*CHROMIUM_FLAGS, "--test-type", "--window-position=0,0", "--window-size=900,700")
    command = ["chromium", *flags, f"--user-data-dir={profile}", f"--app={url}"]
    return launch(desktop.desktop, command, wm_class="chromium", by_pid=False, env=desktop.env)


class _Pages(BaseHTTPRequestHandler):
    """Serves one page, and takes what it tells."""

    def __init__(self, page: bytes, posted: list[dict[str, Any]], *arguments: Any) -> None:
        self._page, self._posted = page, posted
        super().__init__(*arguments)

    def do_GET(self) -> None:
        script = self.path == "/truth.js"
        self._send(_TRUTH.read_bytes() if script else self._page, "text/javascript" if script else "text/html")

    def do_POST(self) -> None:
        self._posted.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self._send(b"", "text/plain")

    def _send(self, body: bytes, kind: str) -> None:
        self.send_response(200)
        self.send_header("Content-Type", f"{kind}; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        pass


def _shown(app: Application, file: Path) -> ShownControls:
    wait_until(file.exists, f"{file.name} to be written")
    window = app.now()
    content = Rect(window.x, window.y, window.width, window.height)
    return ShownControls(app=app, controls=_told(json.loads(file.read_text()), content), content=content, on_top={})


def _page_shown(app: Application, told: dict[str, Any]) -> ShownControls:
    window = app.now()
    # Chromium's own idea of its place has no decorations in it; the page fills the window.
    left, top = (window.x, window.y) if "hromium" in window.wm_class else map(round, told["screen"])
    content = Rect(left, top, window.width, window.y + window.height - top)
    on_top = {
        (left + _FIRST + _GRID * column, top + _FIRST + _GRID * row): name
        for row, names in enumerate(told["on_top"])
        for column, name in enumerate(names)
        if name is not None
    }
    return ShownControls(app=app, controls=_told(told["controls"], content), content=content, on_top=on_top)


def _told(raw: list[dict[str, Any]], content: Rect) -> tuple[Told, ...]:
    return tuple(
        Told(role=Role(each["role"]), name=each["name"], box=Rect(*each["box"]).moved(content.x, content.y))
        for each in raw
    )
