"""What the operator's hand does in a headless browser arrives in the page as a person's own input would."""

from __future__ import annotations

import asyncio
import json
import queue
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from operator_console.computers.browser.target import BrowserStart, open_browser
from operator_console.domain.actions import Button
from operator_console.domain.frames import BrowserTarget, Frame
from operator_console.domain.geometry import NativePoint, Size
from operator_console.domain.hand_input import HandButton, HandInput, HandKey, HandMay, HandMove, HandText
from operator_console.domain.keys import Key

_PAGE = """<!doctype html><meta charset=utf-8><title>Log</title><body style="margin:0">
<textarea id=field style="position:absolute;left:100px;top:100px;width:300px;height:100px"></textarea>
<div draggable=true style="position:absolute;left:100px;top:300px;width:50px;height:50px;background:red"></div>
<div id=zone style="position:absolute;left:300px;top:300px;width:80px;height:80px;background:#ccc"></div>
<script>
let posted = Promise.resolve()  // one after another: requests at the same time may overtake each other
for (const kind of ["click", "dblclick", "contextmenu", "input", "drop", "mouseup", "keyup"])
  addEventListener(kind, event => {
    const body = JSON.stringify(
      [kind, event.clientX, event.clientY, kind == "input" ? field.value : event.key || "", event.isTrusted])
    posted = posted.then(() => fetch("/log", {method: "POST", body}))
  }, true)
zone.ondragover = event => event.preventDefault()
</script>"""


class LoggedPage:
    """A page on loopback that posts what it receives."""

    def __init__(self) -> None:
        self.log: list[list[Any]] = []
        self._arrived: queue.Queue[list[Any]] = queue.Queue()
        page = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("content-type", "text/html")
                self.end_headers()
                self.wfile.write(_PAGE.encode())

            def do_POST(self) -> None:
                page._arrived.put(json.loads(self.rfile.read(int(self.headers["content-length"]))))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/"

    async def until(self, arrived: Callable[[list[Any]], bool]) -> None:
        """Wait for an event of this kind; `log` is what arrived so far."""
        while not any(map(arrived, self.log)):
            self.log.append(await asyncio.to_thread(self._arrived.get, timeout=10))

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@pytest.fixture
def page() -> Iterator[LoggedPage]:
    made = LoggedPage()
    yield made
    made.close()


@pytest.mark.parametrize("scale", [2.0, pytest.param(1.0, marks=pytest.mark.full)])
async def test_points_text_and_drags_arrive_exactly(page: LoggedPage, scale: float) -> None:
    target = BrowserTarget(spec="browser", title="Browser", url=page.url)
    computer = await open_browser(target, BrowserStart(headless=True, scale=scale), "")
    hand = computer.hand

    def at(x: int, y: int) -> NativePoint:
        return NativePoint(round(x * scale), round(y * scale))

    def click(x: int, y: int, button: Button = Button.LEFT, count: int = 1) -> tuple[HandInput, ...]:
        return (
            HandMove(at=at(x, y)), HandButton(button=button, down=True, at=at(x, y), count=count),
            HandButton(button=button, down=False, at=at(x, y), count=count),
        )  # fmt: skip

    try:
        seen: asyncio.Queue[Frame] = asyncio.Queue()
        preview = computer.preview()
        preview.start(seen.put_nowait, lambda _: None)
        async with asyncio.timeout(20):
            while (frame := await seen.get()).page is None or frame.page.url != page.url or frame.page.loading:
                pass
        assert frame.geometry.native == Size(round(1440 * scale), round(900 * scale))
        preview.stop()
        assert not hand.give(HandText(text="not handed over"))
        hand.permit(HandMay.EVERYTHING)
        steps: list[HandInput] = [
            *click(150, 150), HandKey(key=Key("A"), down=True, text="A"), HandKey(key=Key("A"), down=False),
            HandText(text="é文字"), *click(500, 150), *click(500, 150, count=2),
        ]  # fmt: skip
        for given in steps:
            assert hand.give(given)
        for given in click(510, 160, Button.RIGHT):
            assert hand.give(given)
        await page.until(lambda each: each == ["contextmenu", 510, 160, "", True])
        assert ["click", 150, 150, "", True] in page.log
        assert ["dblclick", 500, 150, "", True] in page.log
        assert [each[3] for each in page.log if each[0] == "input"][-1] == "Aé文字"
        assert hand.give(HandMove(at=at(120, 320)))
        assert hand.give(HandButton(button=Button.LEFT, down=True, at=at(120, 320)))
        for x in range(120, 341, 20):
            hand.give(HandMove(at=at(x, 330)))
            await asyncio.sleep(0.03)  # a hand is no faster
        hand.give(HandButton(button=Button.LEFT, down=False, at=at(340, 340)))
        await page.until(lambda each: each == ["drop", 340, 340, "", True])
        hand.give(HandButton(button=Button.LEFT, down=True, at=at(150, 150)))
        hand.give(HandKey(key=Key("shift"), down=True))
        assert hand._working is not None
        await hand._working
        page.log.clear()
        hand.permit(HandMay.NOTHING)
        await page.until(lambda each: each[0] == "keyup" and each[3] == "Shift")
        await page.until(lambda each: each[0] == "mouseup")
        assert not hand.give(HandText(text="handed back"))
    finally:
        await computer.close()
