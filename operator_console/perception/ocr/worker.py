"""The OCR process: `python -m operator_console.perception.ocr.worker`, requests on stdin, replies on stdout.

Urgent jobs have threads of their own; one that is cancelled ends with the text that is being read. The others are read
in small steps by one thread of low priority, which waits while an urgent job runs.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading
import traceback
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from operator_console import json_lines
from operator_console.domain.codec import decode, encode
from operator_console.perception.ocr.messages import CancelRequest, ReadReply, ReadRequest, Request
from operator_console.perception.ocr.picture_text import A, B, PictureReader, PictureText, Steps
from operator_console.perception.ocr.tesseract_fallback import OtherScripts
from operator_console.perception.text_lines import Pixels

_NICENESS = 10
_URGENT_THREADS = 2
_M_MMAP_THRESHOLD, _M_ARENA_MAX = -3, -8  # malloc.h of glibc
_ARENAS, _LARGE_BYTES = 1, 1 << 20


@dataclass(slots=True, kw_only=True)
class _Job:
    request: ReadRequest
    steps: Steps


class Inbox:
    """Sorts requests as they arrive; filled by a thread of its own because reading a pipe blocks."""

    def __init__(self, urgent: Callable[[ReadRequest, Pixels], None], cancel_urgent: Callable[[int], None]) -> None:
        self._urgent = urgent
        self._cancel_urgent = cancel_urgent
        self._waiting: list[tuple[ReadRequest, Pixels]] = []
        self._cancelled: set[int] = set()
        self._running_urgent = 0
        self._changed = threading.Condition()

    def listen(self, pipe: BinaryIO) -> None:
        """Take requests until the pipe is closed, then exit the process, whatever it is doing."""
        while (received := json_lines.read(pipe)) is not None:
            message, payload = received
            request: Request = decode(Request, message)
            with self._changed:
                if isinstance(request, CancelRequest):
                    self._cancel_urgent(request.job)
                    self._cancelled.add(request.job)
                    self._changed.notify_all()
                    continue
                image = np.frombuffer(payload, dtype=np.uint8).reshape(request.height, request.width, 4)
                if not request.urgent:
                    self._waiting.append((request, image))
                    self._changed.notify_all()
                    continue
                self._running_urgent += 1
            self._urgent(request, image)
        os._exit(0)

    def urgent_done(self) -> None:
        """An urgent job is done."""
        with self._changed:
            self._running_urgent -= 1
            self._changed.notify_all()

    def take(self, *, wait: bool) -> tuple[list[tuple[ReadRequest, Pixels]], set[int]]:
        """Wait until no urgent job runs, then take new requests and cancelled job numbers.

        With `wait`, also block until a request arrives.
        """
        with self._changed:
            while self._running_urgent or (wait and not self._waiting):
                self._changed.wait()
            waiting, self._waiting = self._waiting, []
            cancelled, self._cancelled = self._cancelled, set()
            return waiting, cancelled


class Replies:
    """The pipe of replies, written by several threads."""

    def __init__(self, out: BinaryIO) -> None:
        self._out = out
        self._lock = threading.Lock()

    def send(self, reply: ReadReply) -> None:
        with self._lock, contextlib.suppress(BrokenPipeError):
            self._out.write(json_lines.packed(encode(reply)))
            self._out.flush()


class _Cancelled(Exception):
    """Nobody waits for the job's reply any more."""


class UrgentJobs:
    """Runs urgent jobs one after another; recognises several texts of a job at once."""

    def __init__(self, reader: Future[PictureReader], replies: Replies) -> None:
        self._reader = reader
        self._replies = replies
        self._jobs = ThreadPoolExecutor(1, thread_name_prefix="urgent")
        self._texts = ThreadPoolExecutor(_URGENT_THREADS, thread_name_prefix="urgent text")
        self._wanted: set[int] = set()  # its operations are atomic

    def submit(self, request: ReadRequest, image: Pixels, done: Callable[[], None]) -> None:
        """Run a job after those before it; then call `done`, also if it was cancelled."""
        self._wanted.add(request.job)
        self._jobs.submit(self._run, request, image, done)

    def cancel(self, job: int) -> None:
        """Do not run this job, or no further part of it."""
        self._wanted.discard(job)

    def _run(self, request: ReadRequest, image: Pixels, done: Callable[[], None]) -> None:
        try:
            self._replies.send(_reply(request, lambda: self._read(request, image)))
        finally:
            self._wanted.discard(request.job)
            _return_free_memory()
            done()

    def _read(self, request: ReadRequest, image: Pixels) -> PictureText:
        reader = self._reader.result()

        def in_parallel(work: Callable[[A], B], on: Sequence[A], /) -> Sequence[B]:
            return [*self._texts.map(lambda one: self._part(request, work, one), on)]

        if request.wanted is not None:
            return reader.near(image, request.wanted, request.nearest, in_parallel)
        steps = reader.steps(image)
        while True:
            try:
                self._require_wanted(request)
                next(steps)
            except StopIteration as done:
                result: PictureText = done.value
                return result

    def _part(self, request: ReadRequest, work: Callable[[A], B], on: A) -> B:
        self._require_wanted(request)
        return work(on)

    def _require_wanted(self, request: ReadRequest) -> None:
        if request.job not in self._wanted:
            raise _Cancelled


def _reply(request: ReadRequest, read: Callable[[], PictureText]) -> ReadReply:
    try:
        found = read()
    except Exception as error:  # noqa: BLE001 - one bad picture must not end the process
        return ReadReply(job=request.job, error=f"{type(error).__name__}: {error}")
    return ReadReply(job=request.job, boxes=found.boxes, unreadable=found.unreadable)


def _run_others(reader: PictureReader, inbox: Inbox, replies: Replies) -> None:
    """Run the jobs that are not urgent, the newest first, step by step."""
    jobs: list[_Job] = []
    while True:
        arrived, cancelled = inbox.take(wait=not jobs)
        jobs += [_Job(request=request, steps=reader.steps(image)) for request, image in arrived]
        jobs = [job for job in jobs if job.request.job not in cancelled]
        if not jobs:
            continue
        job = max(jobs, key=lambda each: each.request.job)
        reply = _run_step(job)
        if reply is not None:
            jobs.remove(job)
            replies.send(reply)
            _return_free_memory()


def _run_step(job: _Job) -> ReadReply | None:
    """Run one step of the job. Returns the reply after the last step, else None."""
    try:
        next(job.steps)
    except StopIteration as done:
        found: PictureText = done.value
        return ReadReply(job=job.request.job, boxes=found.boxes, unreadable=found.unreadable)
    except Exception as error:  # noqa: BLE001 - one bad picture must not end the process
        return ReadReply(job=job.request.job, error=f"{type(error).__name__}: {error}")
    return None


def _keep_little_memory() -> None:
    """Let all threads share one heap, and give large blocks back when they are freed; glibc otherwise keeps them."""
    with contextlib.suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None)
        libc.mallopt(_M_ARENA_MAX, _ARENAS)
        libc.mallopt(_M_MMAP_THRESHOLD, _LARGE_BYTES)


def _return_free_memory() -> None:
    """Give freed memory back to the system; glibc only."""
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


def _lower_priority() -> None:
    """Lower the priority of this thread alone (Linux: its nice value), so that urgent jobs keep theirs."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICENESS)


def main() -> None:
    """Serve requests until the pipe is closed."""
    # Keeps replies apart from what libraries print to stdout.
    out = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    _keep_little_memory()
    replies, loaded = Replies(out), Future[PictureReader]()
    urgent = UrgentJobs(loaded, replies)
    inbox = Inbox(lambda request, image: urgent.submit(request, image, inbox.urgent_done), urgent.cancel)
    threading.Thread(target=inbox.listen, args=(sys.stdin.buffer,), name="ocr inbox", daemon=True).start()

    try:
        from operator_console.perception.ocr.rapidocr_engine import OcrEngine

        reader = PictureReader(OcrEngine(), OtherScripts())
    except Exception:  # noqa: BLE001 - the threads that wait for it would keep the process alive
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    _return_free_memory()
    loaded.set_result(reader)
    _lower_priority()
    _run_others(reader, inbox, replies)


if __name__ == "__main__":
    main()
