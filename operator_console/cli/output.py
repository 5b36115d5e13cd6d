"""Writing to stdout and stderr without ever blocking the loop: a stalled reader must not look like a dead console.

A thread does the writing, in order. Where stdout's reader has gone, `on_broken` is called once (from that thread).
"""

from __future__ import annotations

import logging
import os
import queue
import threading
from collections.abc import Callable
from typing import TextIO

_log = logging.getLogger(__name__)
FLUSH_S = 3.0


class Output:
    """Two streams, one thread. `close` it."""

    def __init__(self, stdout: TextIO, stderr: TextIO, on_broken: Callable[[], None]) -> None:
        self._stdout, self._stderr = stdout, stderr
        self._on_broken = on_broken
        self._broken = False
        self._queue: queue.SimpleQueue[tuple[TextIO, str] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="terminal output", daemon=True)
        for stream in (stdout, stderr):
            stream.flush()
        self._thread.start()

    def say(self, line: str) -> None:
        """A line for stdout; returns at once."""
        self._queue.put((self._stdout, line + "\n"))

    def note(self, text: str, *, end: str = "\n") -> None:
        """A line for stderr; returns at once."""
        self._queue.put((self._stderr, text + end))

    def close(self) -> None:
        """Write what is left, for as long as somebody reads it."""
        if not self._thread.is_alive():
            return
        self._queue.put(None)
        self._thread.join(FLUSH_S)
        if self._thread.is_alive():
            _log.warning("the reader of the output has stalled; the rest of it is in the session file only")

    def _work(self) -> None:
        while (item := self._queue.get()) is not None:
            stream, text = item
            if stream is self._stdout and self._broken:
                continue
            try:
                _write(stream, text)
            except OSError as error:
                _log.info("output could not be written: %s", error)
                if stream is self._stdout:
                    self._broken = True
                    self._on_broken()


def _write(stream: TextIO, text: str) -> None:
    # Straight to the descriptor: a buffered stream's lock, held by a stalled write, would block the interpreter's end.
    data = text.encode(stream.encoding or "utf-8", "backslashreplace")
    descriptor = stream.fileno()
    while data:
        data = data[os.write(descriptor, data) :]
