"""The OCR process: `python -m operator_console.perception.ocr_worker`. Requests on stdin, replies on stdout (`wire`).

Crops go before whole frames, newer before older; between two steps of a job it looks for something more urgent and
for cancellations. It ends when its parent closes the pipe, in the middle of a job too. Started as a
process, never imported.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from operator_console.perception.reading import Reading, Steps
from operator_console.perception.wire import CancelRequest, ReadReply, ReadRequest, pack, receive

_NICENESS = 5


@dataclass(slots=True, kw_only=True)
class _Job:
    request: ReadRequest
    steps: Steps

    @property
    def urgency(self) -> tuple[bool, int]:
        """Crops first, then the newest."""
        return (not self.request.whole, self.request.job)


class _Inbox:
    """Requests as they arrive, filled by a thread of its own because reading a pipe blocks."""

    def __init__(self) -> None:
        self._waiting: list[tuple[ReadRequest, bytes]] = []
        self._cancelled: set[int] = set()
        self._arrived = threading.Condition()

    def listen(self, pipe: BinaryIO) -> None:
        """Until the pipe ends; then the process does too, whatever it is computing."""
        while (received := receive(pipe)) is not None:
            request, payload = received
            with self._arrived:
                if isinstance(request, CancelRequest):
                    self._cancelled.add(request.job)
                else:
                    self._waiting.append((request, payload))
                self._arrived.notify()
        os._exit(0)

    def take(self, *, wait: bool) -> tuple[list[tuple[ReadRequest, bytes]], set[int]]:
        """What arrived since; blocks until something did where there is nothing else to do."""
        with self._arrived:
            while wait and not self._waiting:
                self._arrived.wait()
            waiting, self._waiting = self._waiting, []
            cancelled, self._cancelled = self._cancelled, set()
            return waiting, cancelled


def _work(reading: Reading, inbox: _Inbox, out: BinaryIO) -> None:
    jobs: list[_Job] = []
    while True:
        arrived, cancelled = inbox.take(wait=not jobs)
        for request, payload in arrived:
            image = np.frombuffer(payload, dtype=np.uint8).reshape(request.height, request.width, 4)
            jobs.append(_Job(request=request, steps=reading.steps(image, whole=request.whole)))
        jobs = [job for job in jobs if job.request.job not in cancelled]
        if not jobs:
            continue
        job = max(jobs, key=lambda j: j.urgency)
        reply = _step(job)
        if reply is not None:
            jobs.remove(job)
            out.write(pack(reply))
            out.flush()


def _step(job: _Job) -> ReadReply | None:
    """One step further; the reply where that was the last."""
    try:
        next(job.steps)
    except StopIteration as done:
        return ReadReply(job=job.request.job, boxes=done.value)
    except Exception as error:  # noqa: BLE001 - one unreadable picture must not end the process for the others
        return ReadReply(job=job.request.job, error=f"{type(error).__name__}: {error}")
    return None


def main() -> None:
    """Run until the pipe ends."""
    # Replies must not be mixed with what a library prints.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_NICENESS)
    inbox = _Inbox()
    threading.Thread(target=inbox.listen, args=(sys.stdin.buffer,), name="ocr inbox", daemon=True).start()

    from operator_console.perception.ocr_engine import OcrEngine

    with contextlib.suppress(BrokenPipeError):
        _work(Reading(OcrEngine()), inbox, out)


if __name__ == "__main__":
    main()
