"""What the guard says to the console, in order; nothing waits where the line is full. Part of the guard's process."""

from __future__ import annotations

import collections
import socket
from typing import Any

from operator_console.domain.errors import OperatorError
from operator_console.guard import wire


class Outbox:
    """Sends over the guard's end of the line."""

    def __init__(self, line: socket.socket) -> None:
        self._line = line
        self._waiting: collections.deque[tuple[dict[str, Any], tuple[int, ...]]] = collections.deque()

    def tell(self, message: dict[str, Any], fds: tuple[int, ...] = (), *, droppable: bool = False) -> None:
        """Send now, or as soon as the line takes it; what is `droppable` is left out where others wait."""
        if droppable and self._waiting:
            return
        self._waiting.append((message, fds))
        self.flush()

    def answer(self, message: dict[str, Any], epoch: int, fds: tuple[int, ...] = ()) -> None:
        """That a request was carried out."""
        self.tell({"t": "ok", "id": message["id"], "epoch": epoch}, fds)

    def refuse(self, message: dict[str, Any], epoch: int, error: OperatorError) -> None:
        """That a request was not carried out, and why."""
        self.tell({"t": "refused", "id": message["id"], "title": error.title, "detail": error.detail,
                   "remedy": error.remedy, "epoch": epoch})  # fmt: skip

    def flush(self) -> None:
        """Try what waits again."""
        while self._waiting:
            try:
                wire.send(self._line, *self._waiting[0])
            except (BlockingIOError, wire.LineClosed):
                return  # tried again at the next turn; a closed line is seen by its reader
            self._waiting.popleft()
