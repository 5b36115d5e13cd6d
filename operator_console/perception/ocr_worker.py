"""The OCR process: takes requests on stdin and writes replies to stdout. Run as a module, not imported.

Crops are read before whole frames, newer requests before older ones. Between two steps of a job the process checks
for more urgent jobs and for cancellations. It exits when its parent closes the pipe, even in the middle of a job.
"""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from operator_console.perception.reading import PictureReader, Steps
from operator_console.perception.wire import CancelRequest, ReadReply, ReadRequest, pack, receive

_NICENESS = 5


@dataclass(slots=True, kw_only=True)
class _Job:
    request: ReadRequest
    steps: Steps

    @property
    def urgency(self) -> tuple[bool, int]:
        """Sort key: crops before whole frames, then newer before older."""
        return (not self.request.whole, self.request.job)


class _Inbox:
    """Queue of requests, filled by its own thread because reading a pipe blocks."""

    def __init__(self) -> None:
        self._waiting: list[tuple[ReadRequest, bytes]] = []
        self._cancelled: set[int] = set()
        self._arrived = threading.Condition()

    def listen(self, pipe: BinaryIO) -> None:
        """Read requests until the pipe is closed, then exit the process, whatever it is doing."""
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
        """Take all new requests and cancelled job numbers. With `wait`, block until a request arrives."""
        with self._arrived:
            while wait and not self._waiting:
                self._arrived.wait()
            waiting, self._waiting = self._waiting, []
            cancelled, self._cancelled = self._cancelled, set()
            return waiting, cancelled


def _run_jobs(reader: PictureReader, inbox: _Inbox, out: BinaryIO) -> None:
    jobs: list[_Job] = []
    while True:
        arrived, cancelled = inbox.take(wait=not jobs)
        for request, payload in arrived:
            image = np.frombuffer(payload, dtype=np.uint8).reshape(request.height, request.width, 4)
            jobs.append(_Job(request=request, steps=reader.steps(image, whole=request.whole)))
        jobs = [job for job in jobs if job.request.job not in cancelled]
        if not jobs:
            continue
        job = max(jobs, key=lambda j: j.urgency)
        reply = _run_step(job)
        if reply is not None:
            jobs.remove(job)
            out.write(pack(reply))
            out.flush()


def _run_step(job: _Job) -> ReadReply | None:
    """Run one step of the job. Returns the reply after the last step, else None."""
    try:
        next(job.steps)
    except StopIteration as done:
        return ReadReply(job=job.request.job, boxes=done.value)
    except Exception as error:  # noqa: BLE001 - one bad picture must not end the process
        return ReadReply(job=job.request.job, error=f"{type(error).__name__}: {error}")
    return None


def main() -> None:
    """Serve requests until the pipe is closed."""
    # Keeps replies apart from what libraries print to stdout.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    with contextlib.suppress(OSError, AttributeError):
        os.nice(_NICENESS)
    inbox = _Inbox()
    threading.Thread(target=inbox.listen, args=(sys.stdin.buffer,), name="ocr inbox", daemon=True).start()

    from operator_console.perception.ocr_engine import OcrEngine

    with contextlib.suppress(BrokenPipeError):
        _run_jobs(PictureReader(OcrEngine()), inbox, out)


if __name__ == "__main__":
    main()
