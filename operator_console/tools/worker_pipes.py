"""The end of a worker process: requests of the console come on one pipe, answers go on the other, a line of JSON each.

The descriptors of the pipes are the first arguments of the program. Its process group is killed once the console ends.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any

from operator_console.json_lines import packed, unpacked

MAX_CHARACTERS = 20_000
"""Of what is sent to the model of one answer; the rest is cut."""


class Console:
    """The console at the other end.

    Args:
        take: is given each request, in a thread of its own.
    """

    def __init__(self, take: Callable[[dict[str, Any]], object]) -> None:
        request_fd, self._answer_fd = (int(word) for word in sys.argv[1:3])
        os.set_inheritable(request_fd, False)
        os.set_inheritable(self._answer_fd, False)
        threading.Thread(target=self._read, args=(request_fd, take), daemon=True).start()

    def answer(self, answer: Mapping[str, object]) -> None:
        """Answer the oldest request that has no answer yet."""
        rest = memoryview(packed(answer))
        while rest:
            rest = rest[os.write(self._answer_fd, rest) :]

    def _read(self, request_fd: int, take: Callable[[dict[str, Any]], object]) -> None:
        with os.fdopen(request_fd, "rb") as file:
            for line in file:
                take(unpacked(line))
        os.killpg(0, signal.SIGKILL)
