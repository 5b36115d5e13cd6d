"""The scenes that are web pages, in a browser of the console's own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import mkdtemp
from unittest.mock import patch

from operator_console.browser.host.roles import Role
from operator_console.browser.start import connect
from operator_console.computers.browser.computer import BrowserComputer
from operator_console.computers.browser.target import BrowserStart, open_browser
from operator_console.domain.frames import BrowserTarget
from operator_console.domain.geometry import Size
from tests.benchmarks.policy_scenes.applications import STANDS_WITHIN_S, Box
from tests.benchmarks.policy_scenes.scenes import Scene
from tests.benchmarks.policy_scenes.web_pages import PageServer

TARGET = "browser:http://start.example/"


class ManagedBrowser:
    """A browser without a window whose network is the scenes' server, as a proxy. Fits `SceneApplication`."""

    def __init__(self, size: tuple[int, int]) -> None:
        self._size = size
        self._server = PageServer()
        self._server.__enter__()
        self._folder = Path(mkdtemp(prefix="managed-"))
        self._socket = ""

    async def open(self) -> BrowserComputer:
        """Start it; the session ends it."""
        start = BrowserStart(viewport=Size(*self._size), headless=True, downloads=str(self._folder / "downloads"))
        ref = BrowserTarget(spec=TARGET, title="Browser", url=TARGET.partition(":")[2])
        network = f"http://127.0.0.1:{self._server.port}"
        with patch.dict(os.environ, HTTP_PROXY=network, HTTPS_PROXY=network, NO_PROXY=""):
            computer = await open_browser(ref, start, "")
        self._socket = str(Path(computer.target.address).with_name(f"{Role.HAND}.sock"))
        return computer

    def show(self, scene: Scene, focus: str) -> Mapping[int, Box]:
        try:
            places = self._server.show(scene, focus, STANDS_WITHIN_S)
        except TimeoutError:  # an action led elsewhere
            asyncio.run(self._start_again())
            places = self._server.show(scene, focus, STANDS_WITHIN_S)
        left, top = self._server.corner or (0, 0)
        return {number: (box[0] - left, box[1] - top, box[2], box[3]) for number, box in places.items()}

    def received(self) -> Sequence[str]:
        return [f"{each['name']} {each['target'] or ''}".strip() for each in self._server.received() if each["trusted"]]

    def forget(self) -> None:
        self._server.forget()

    def close(self) -> None:
        self._server.__exit__()

    async def _start_again(self) -> None:
        hand = await connect(self._socket)
        try:
            await hand.send_raw("Operator.navigate", {"url": "http://start.example/"})
        finally:
            await hand.close()
