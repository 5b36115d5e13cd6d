"""Input of one side on its way to the page: one command at a time, and what it holds down.

Commands that are sent without waiting for the answer pile up in the browser, which goes on carrying them out for
seconds after their sender is dead. So the next one is sent when the last one was answered, and a sender's end drops
what waits here and releases what it holds.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

Send = Callable[[str, dict[str, Any], str], Awaitable[dict[str, Any]]]
"""Sends a command with its parameters to a session; returns its result."""

_OUTSIDE = -10.0
"""A release over the element that was pressed is a click; outside the page it is none."""
_NAMES_OF_KEY = ("key", "code", "windowsVirtualKeyCode", "location")


class InputQueue:
    """The input of one connection. `end` it when the connection is gone.

    Attributes:
        pointer: where it last moved the pointer, CSS pixels; None: it has not.
    """

    def __init__(self, send: Send) -> None:
        self._send = send
        self._waiting: deque[Callable[[], Awaitable[None]]] = deque()
        self._worker: asyncio.Task[None] | None = None
        self._keys: dict[str, tuple[str, dict[str, Any]]] = {}
        self._buttons: dict[str, str] = {}
        self._ended = False
        self.pointer: tuple[float, float] | None = None

    async def put(self, method: str, params: dict[str, Any], session: str) -> dict[str, Any]:
        """Send a command in its turn; returns its result. Raises what sending raises, and CancelledError at the end."""
        result: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

        async def work() -> None:
            try:
                self._note(method, params, session)
                found = await self._send(method, params, session)
            except Exception as error:  # noqa: BLE001  it goes to who asked
                if not result.done():
                    result.set_exception(error)
            else:
                if not result.done():
                    result.set_result(found)

        if self._ended:
            result.cancel()
            return await result
        self._waiting.append(work)
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work(), name="input")
        return await result

    async def end(self) -> None:
        """Drop what waits, wait for what is on its way, and release what is held."""
        self._ended = True
        self._waiting.clear()
        releases = [asyncio.create_task(self._release(), name="release")]
        if self._worker is not None and not self._worker.done():
            # What is on its way may be a press: what it holds is known already, and is released again after it.
            await asyncio.wait({self._worker}, timeout=5.0)
            releases.append(asyncio.create_task(self._release(again=True), name="release"))
        await asyncio.wait(releases, timeout=5.0)

    async def _work(self) -> None:
        while self._waiting:
            await self._waiting.popleft()()

    def _note(self, method: str, params: dict[str, Any], session: str) -> None:
        if method == "Input.dispatchKeyEvent":
            code = str(params.get("code") or params.get("key", ""))
            if params.get("type") in ("keyDown", "rawKeyDown"):
                self._keys[code] = (session, params)
            elif params.get("type") == "keyUp":
                self._keys.pop(code, None)
        elif method == "Input.dispatchMouseEvent":
            self.pointer = (float(params.get("x", 0)), float(params.get("y", 0)))
            button = str(params.get("button", "none"))
            if params.get("type") == "mousePressed":
                self._buttons[button] = session
            elif params.get("type") == "mouseReleased":
                self._buttons.pop(button, None)

    async def _release(self, *, again: bool = False) -> None:
        keys, buttons = dict(self._keys), dict(self._buttons)
        sent = [self._send("Input.cancelDragging", {}, session) for session in dict.fromkeys(buttons.values())]
        for button, session in buttons.items():
            sent.append(self._send("Input.dispatchMouseEvent", {
                "type": "mouseReleased", "x": _OUTSIDE, "y": _OUTSIDE, "button": button, "clickCount": 0,
                "buttons": 0,
            }, session))  # fmt: skip
        for session, params in reversed(keys.values()):
            up: dict[str, Any] = {"type": "keyUp"}
            up |= {name: params[name] for name in _NAMES_OF_KEY if name in params}
            sent.append(self._send("Input.dispatchKeyEvent", up, session))
        await asyncio.gather(*sent, return_exceptions=True)
        if again:
            self._keys.clear()
            self._buttons.clear()
