"""Chromium without a window, driven over its debugging pipe: opens files, and says how long that took."""

from __future__ import annotations

import itertools
import json
import os
import select
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from operator_console.domain.geometry import Size
from tests.display.rig import Child, RigError
from tests.display.rig.apps import CHROMIUM_FLAGS

_DEADLINE_S = 60.0
_SHOWN = """new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => {
  const [load] = performance.getEntriesByType('navigation');
  const paint = performance.getEntriesByName('first-contentful-paint')[0];
  done([load.loadEventEnd, paint ? paint.startTime : performance.now()]);
})))"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """Milliseconds from the navigation to the end of loading, and to the first content on the screen."""

    load_ms: float
    paint_ms: float


class HeadlessChromium:
    """A browser with one page. A context manager."""

    def __init__(self, folder: Path, size: Size) -> None:
        """Start it, with a profile and a log in `folder`."""
        to_browser, self._to = os.pipe()
        self._from, from_browser = os.pipe()
        profile = tempfile.mkdtemp(prefix="profile-", dir=folder)
        # The browser reads descriptor 3 and writes 4; the shell puts the pipes there.
        pipes = f'exec "$@" 3<&{to_browser} 4>&{from_browser}'
        flags = (*CHROMIUM_FLAGS, "--headless=new", "--remote-debugging-pipe", "--hide-scrollbars")
        own = (f"--window-size={size.width},{size.height}", f"--user-data-dir={profile}", "about:blank")
        command = ["sh", "-c", pipes, "sh", "chromium", *flags, *own]
        self._child = Child(
            command, env=dict(os.environ), log=folder / "chromium.txt", pass_fds=(to_browser, from_browser)
        )
        os.close(to_browser)
        os.close(from_browser)
        self._numbers = itertools.count(1)
        self._rest = b""
        self._events: list[str] = []
        self._session = ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self._session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._child.stop()
        os.close(self._to)
        os.close(self._from)

    def open(self, file: Path) -> Opened:
        """Open a file, and wait until it is loaded and on the screen."""
        self._go("about:blank")
        self._go(file.as_uri())
        load_ms, paint_ms = self.evaluate(_SHOWN)
        return Opened(load_ms=load_ms, paint_ms=paint_ms)

    def evaluate(self, source: str) -> Any:
        """The value of a script in the page; that of a promise is waited for."""
        found = self.call("Runtime.evaluate", expression=source, awaitPromise=True, returnByValue=True)
        return found["result"].get("value")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """A method of the DevTools protocol, https://chromedevtools.github.io/devtools-protocol/. Raises RigError."""
        number = next(self._numbers)
        message = {"id": number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._next()
            if answer.get("id") == number:
                if "error" in answer:
                    raise RigError(f"{method}: {answer['error']}")
                result: dict[str, Any] = answer["result"]
                return result

    def _go(self, url: str) -> None:
        self._events.clear()
        self.call("Page.navigate", url=url)
        while "Page.loadEventFired" not in self._events:
            self._next()

    def _next(self) -> dict[str, Any]:
        """The next message; events are kept by name."""
        deadline = time.monotonic() + _DEADLINE_S
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._from], [], [], max(0.0, deadline - time.monotonic()))
            data = os.read(self._from, 1 << 20) if ready else b""
            if not data:
                raise RigError("Chromium does not answer")
            self._rest += data
        message, _, self._rest = self._rest.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        if "method" in found:
            self._events.append(found["method"])
        return found
