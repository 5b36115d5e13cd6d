"""What acts on a target that is no display, in the place of the managed browser: it tells each input to a socket.

`FarBackend` runs in a real injector process (see `far_injector/sitecustomize.py`), `FarEnd` in the test.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from operator_console.desktop.ledger import Gate, Ledger, Word
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.actions import KeyDown, Press, TypeText
from operator_console.domain.grants import Grant
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import Halted
from operator_console.injector.progress import Progress
from operator_console.rfb.server_login import Login

VK_SHIFT, LEFT = 16, 1
"""A windowsVirtualKeyCode, and the number of a button. On an X display, 16 is the keycode of another key."""
_SPEAKS_X = ("Xlib", "xcffib", "pyautogui", "pynput")


class FarBackend:
    """Fits the injector's `InputBackend`. One input is on its way at a time."""

    def __init__(
        self,
        ledger: Ledger,
        ledger_fd: int,
        own: OwnWindows,
        guard_alive: Callable[[], bool],
        address: str,
        login: Login | None,
    ) -> None:
        self._ledger, self._guard_alive = ledger, guard_alive
        self._line = socket.socket(socket.AF_UNIX)
        self._line.connect(address)
        loaded = [name for name in _SPEAKS_X if name in sys.modules]
        self._tell({"pid": os.getpid(), "display": os.environ.get("DISPLAY"), "speaks_x": loaded})

    def perform(self, grant: Grant, progress: Progress) -> None:
        match grant.action:
            case TypeText(text=text):
                for number, character in enumerate(text, start=1):
                    self._send(character)
                    progress.count(number, len(text))
            case KeyDown():
                self._ledger.mark_key(VK_SHIFT, True)
                self._send("key down")
            case Press():
                self._ledger.mark_button(LEFT, True)
                self._send("button down")
            case _:
                raise NotImplementedError(grant.action)

    def pointer(self) -> tuple[int, int]:
        return 0, 0

    def look_at_held(self) -> None:
        """Does nothing."""

    def release_all(self) -> int:
        return 0

    def close(self) -> None:
        self._line.close()

    def _send(self, what: str) -> None:
        self._ledger.set(Word.IN_PRIMITIVE, 1)
        try:
            if self._ledger.gate is not Gate.OPEN:
                raise Halted(NoticeCode.NOT_FINISHED_PAUSED)
            if not self._guard_alive():
                raise Halted(NoticeCode.NOT_FINISHED_GUARD_ENDED)
            self._ledger.set(Word.EVENTS, self._ledger.get(Word.EVENTS) + 1)
            self._ledger.set(Word.LAST_EVENT_NS, time.monotonic_ns())
            self._tell({"input": what})
        finally:
            self._ledger.set(Word.IN_PRIMITIVE, 0)

    def _tell(self, message: dict[str, Any]) -> None:
        self._line.sendall(json.dumps(message).encode() + b"\n")
        self._line.recv(1)


class FarEnd:
    """Answers a backend, on this loop, until `close`.

    Attributes:
        address: where it connects.
        hellos: what each backend said of its process.
        inputs: what came, in order.
        gone: how many of them have disconnected.
        answers: whether an input is answered; its sender waits for that.
        unanswered: whether the last message was not.
    """

    def __init__(self, folder: Path) -> None:
        self.address = str(folder / "far.sock")
        self.hellos: list[dict[str, Any]] = []
        self.inputs: list[str] = []
        self.gone = 0
        self.answers = True
        self.unanswered = False
        self._changed = asyncio.Condition()

    async def open(self) -> None:
        self._server = await asyncio.start_unix_server(self._serve, self.address)

    async def close(self) -> None:
        self._server.close()
        await self._server.wait_closed()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until this holds, which is looked at after each message."""
        async with self._changed:
            await self._changed.wait_for(condition)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                message = json.loads(line)
                async with self._changed:
                    if "input" in message:
                        self.inputs.append(message["input"])
                    else:
                        self.hellos.append(message)
                    self.unanswered = "input" in message and not self.answers
                    self._changed.notify_all()
                if not self.unanswered:
                    writer.write(b".")
        except ConnectionError:
            pass
        finally:
            writer.close()
            async with self._changed:
                self.gone += 1
                self._changed.notify_all()


def give_injectors_a_far_backend(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on, injectors started by this process and its children have a `FarBackend` for a browser."""
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).with_name("far_injector")))


@asynccontextmanager
async def far_end(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[FarEnd]:
    """An open one, and injectors that connect to it."""
    give_injectors_a_far_backend(monkeypatch)
    made = FarEnd(folder)
    await made.open()
    yield made
    await made.close()
