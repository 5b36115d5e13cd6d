"""Writes to stdout and stderr from a thread, so that a stalled reader never blocks the event loop.

A blocked loop would stop answering the guard, which would pause and then stop the session.
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
    """Writes lines to two streams in order. `close` it at the end."""

    def __init__(self, stdout: TextIO, stderr: TextIO, on_broken: Callable[[], None]) -> None:
        """`on_broken` is called once, from the thread, when the reader of stdout has closed it."""
        self._stdout, self._stderr = stdout, stderr
        self._on_broken = on_broken
        self._broken = False
        self._queue: queue.SimpleQueue[tuple[TextIO, str] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._write_queued, name="terminal output", daemon=True)
        for stream in (stdout, stderr):
            stream.flush()
        self._thread.start()

    def say(self, line: str) -> None:
        """Queue a line for stdout."""
        self._queue.put((self._stdout, line + "\n"))

    def note(self, text: str, *, end: str = "\n") -> None:
        """Queue text for stderr."""
        self._queue.put((self._stderr, text + end))

    def close(self) -> None:
        """Write the rest of the queue, and give up after FLUSH_S if the reader has stalled."""
        if not self._thread.is_alive():
            return
        self._queue.put(None)
        self._thread.join(FLUSH_S)
        if self._thread.is_alive():
            _log.warning("the reader of the output has stalled; the output is incomplete")

    def _write_queued(self) -> None:
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
    # Not through the stream: a stalled write would hold its lock and block the exit of the interpreter.
    data = text.encode(stream.encoding or "utf-8", "backslashreplace")
    descriptor = stream.fileno()
    while data:
        data = data[os.write(descriptor, data) :]
