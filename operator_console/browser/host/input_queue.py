"""Input of one side on its way to the page: one command at a time, and what it holds down.

Commands that are sent without waiting for the answer pile up in the browser, which goes on carrying them out for
seconds after their sender is dead. So the next one is sent when the last one was answered, and a sender's end drops
what waits here and releases what it holds.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from operator_console.browser.devtools import ConnectionLost, ProtocolError

Send = Callable[[str, dict[str, Any], str], Awaitable[dict[str, Any]]]
"""Sends a command with its parameters to a session; returns its result."""

_OUTSIDE = -10.0
"""A release over the element that was pressed is a click; outside the page it is none."""
DRAG_ENDS_S = 0.05
"""A page takes no input while it drags, and ends a drag a little after the command for that is answered."""
_PATIENCE_S = 5.0
_NAMES_OF_KEY = ("key", "code", "windowsVirtualKeyCode", "location")


class InputQueue:
    """The input of one connection. `end` it when the connection is gone.

    Args:
        send: Sends to the browser.
        gone: Whether the sender is gone, asked before each command: what it sent before its end is still read.

    Attributes:
        pointer: where it last moved the pointer, CSS pixels; None: it has not.
    """

    def __init__(self, send: Send, gone: Callable[[], bool]) -> None:
        self._send, self._gone = send, gone
        self._waiting: deque[Callable[[], Awaitable[None]]] = deque()
        self._worker: asyncio.Task[None] | None = None
        self._keys: dict[str, tuple[str, dict[str, Any]]] = {}
        self._buttons: dict[str, str] = {}
        self._intercepted: set[str] = set()
        self._dragged: dict[str, dict[str, Any]] = {}
        self._ended = False
        self.pointer: tuple[float, float] | None = None

    async def put(self, method: str, params: dict[str, Any], session: str) -> dict[str, Any]:
        """Send a command in its turn; returns its result. Raises what sending raises, and CancelledError at the end."""
        result: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

        async def work() -> None:
            if self._gone():
                result.cancel()
                return
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
        """Drop what waits, and release what is held.

        One command may be on its way, to a page that is busy. What it presses is known already, and its release follows
        it to the page at once.
        """
        self._ended = True
        self._waiting.clear()
        over = {asyncio.create_task(self.release(), name="release")}
        if self._worker is not None and not self._worker.done():
            over.add(self._worker)
        await asyncio.wait(over, timeout=_PATIENCE_S)
        await self._end_drags()

    async def release(self) -> None:
        """Release what is held, without a click and without dropping what is dragged."""
        keys, self._keys = self._keys, {}
        buttons, self._buttons = self._buttons, {}
        drags = self._cancelled_drags()
        dragging = {session for _, _, session in drags}
        releases = [
            ("Input.dispatchMouseEvent", {
                "type": "mouseReleased", "x": _OUTSIDE, "y": _OUTSIDE, "button": button, "clickCount": 0, "buttons": 0,
            }, session)
            for button, session in buttons.items() if session not in dragging  # the end of a drag is its release
        ]  # fmt: skip
        for session, params in reversed(keys.values()):
            up: dict[str, Any] = {"type": "keyUp"}
            up |= {name: params[name] for name in _NAMES_OF_KEY if name in params}
            releases.append(("Input.dispatchKeyEvent", up, session))
        await self._send_all(drags)
        if drags and releases:
            await asyncio.gather(self._send_all(releases), asyncio.sleep(DRAG_ENDS_S))
        await self._send_all(releases)

    async def _send_all(self, commands: Sequence[tuple[str, dict[str, Any], str]]) -> None:
        await asyncio.gather(*(self._send(*each) for each in commands), return_exceptions=True)

    def drag_begun(self, data: dict[str, Any], session: str) -> None:
        """The page has begun a drag and drop of its own, which waits for what is done with it."""
        self._dragged[session] = data

    def _cancelled_drags(self) -> list[tuple[str, dict[str, Any], str]]:
        dragged, self._dragged = self._dragged, {}
        x, y = self.pointer or (_OUTSIDE, _OUTSIDE)
        return [
            ("Input.dispatchDragEvent", {"type": "dragCancel", "x": x, "y": y, "data": data}, session)
            for session, data in dragged.items()
        ]  # fmt: skip

    async def _end_drags(self) -> None:
        """The pages' drag and drop is the person's again; what was on its way may have begun one."""
        sessions, self._intercepted = self._intercepted, set()
        off = [("Input.setInterceptDrags", {"enabled": False}, session) for session in sessions]
        for each in (*self._cancelled_drags(), *off):
            with contextlib.suppress(TimeoutError, ProtocolError, ConnectionLost):
                await asyncio.wait_for(self._send(*each), _PATIENCE_S)

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
        elif method == "Input.setInterceptDrags":
            (self._intercepted.add if params.get("enabled") else self._intercepted.discard)(session)
        elif method == "Input.dispatchDragEvent" and params.get("type") in ("drop", "dragCancel"):
            self._dragged.pop(session, None)
