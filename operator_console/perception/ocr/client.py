"""The client of the OCR process: starts it, sends it pictures and returns its replies.

Use from one event loop. What to read, and which results to keep, is decided elsewhere.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import os
import sys
from asyncio.subprocess import PIPE, Process

from operator_console.domain.environment import BLAS_ALONE, without_keys
from operator_console.domain.geometry import Rect, Size
from operator_console.perception.child_process import end_child, error_lines
from operator_console.perception.ocr.messages import LENGTH, CancelRequest, ReadReply, ReadRequest, pack, unpack_reply

WORKER_MODULE = "operator_console.perception.ocr.worker"
_GRACE_S = 2.0

_log = logging.getLogger(__name__)


class WorkerDied(Exception):
    """The process ended, or failed at a job, before it replied."""


class OcrProcess:
    """Manages one OCR process, started at the first request and again after it died."""

    def __init__(self) -> None:
        self.last_words = ""
        self._process: Process | None = None
        self._listeners: tuple[asyncio.Task[None], ...] = ()
        self._dead: Process | None = None
        self._waiting: dict[int, asyncio.Future[ReadReply]] = {}
        self._jobs = itertools.count(1)
        self._starting = asyncio.Lock()
        self._sending = asyncio.Lock()

    @property
    def pid(self) -> int | None:
        """ID of the running process, None if there is none."""
        return self._process.pid if self._process is not None and self._process.returncode is None else None

    async def start(self) -> Process:
        """Return the running process; start one if there is none."""
        async with self._starting:
            if self._process is not None and self._process is not self._dead:
                return self._process
            await self._reap()
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                WORKER_MODULE,
                stdin=PIPE,
                stdout=PIPE,
                stderr=PIPE,
                env={**without_keys(os.environ), **BLAS_ALONE},
            )
            self._process = process
            self._listeners = (
                asyncio.create_task(self._listen(process), name="ocr replies"),
                asyncio.create_task(self._log_errors(process), name="ocr errors"),
            )
            return process

    async def read(
        self, pixels: bytes, size: Size, *, urgent: bool, wanted: Rect | None = None, nearest: int = 0
    ) -> ReadReply:
        """Read the texts of a picture (BGRX rows); boxes are in its pixels. Arguments as of `ReadRequest`.

        Cancelling also cancels the job in the process. Raises WorkerDied.
        """
        process = await self.start()
        job = next(self._jobs)
        request = ReadRequest(
            job=job, width=size.width, height=size.height, urgent=urgent, wanted=wanted, nearest=nearest,
            payload=len(pixels),
        )  # fmt: skip
        answer: asyncio.Future[ReadReply] = asyncio.get_running_loop().create_future()
        self._waiting[job] = answer
        try:
            await self._send(process, pack(request), pixels)
            return await answer
        except asyncio.CancelledError:
            self._cancel(process, job)
            raise
        finally:
            self._waiting.pop(job, None)
            if answer.done() and not answer.cancelled():
                answer.exception()  # marks it as retrieved: sending may have failed before anything awaited it

    async def close(self) -> None:
        """End the process by closing its input, or kill it if that takes too long."""
        async with self._starting:
            await self._reap()

    async def _send(self, process: Process, header: bytes, pixels: bytes) -> None:
        assert process.stdin is not None
        async with self._sending:
            try:
                process.stdin.write(header)
                process.stdin.write(pixels)
                # The message is sent completely even if drain is cancelled: the transport has buffered it.
                await process.stdin.drain()
            except (ConnectionError, RuntimeError) as error:
                self._dead = process
                raise WorkerDied from error

    def _cancel(self, process: Process, job: int) -> None:
        assert process.stdin is not None
        with contextlib.suppress(ConnectionError, RuntimeError):
            process.stdin.write(pack(CancelRequest(job=job)))

    async def _listen(self, process: Process) -> None:
        assert process.stdout is not None
        try:
            while True:
                (length,) = LENGTH.unpack(await process.stdout.readexactly(LENGTH.size))
                self._deliver(unpack_reply(await process.stdout.readexactly(length)))
        except (asyncio.IncompleteReadError, ConnectionError, ValueError):
            self._dead = process
            for answer in self._waiting.values():
                if not answer.done():
                    answer.set_exception(WorkerDied())

    async def _log_errors(self, process: Process) -> None:
        """What it writes on stderr goes to the log; the last line also says why it died."""
        async for words in error_lines(process):
            self.last_words = words
            _log.warning("OCR process %s: %s", process.pid, words)

    def _deliver(self, reply: ReadReply) -> None:
        answer = self._waiting.get(reply.job)
        if answer is None or answer.done():
            return
        if reply.error:
            self.last_words = reply.error
            answer.set_exception(WorkerDied(reply.error))
        else:
            answer.set_result(reply)

    async def _reap(self) -> None:
        process, self._process = self._process, None
        listeners, self._listeners = self._listeners, ()
        if process is None:
            return
        await end_child(process, listeners, _GRACE_S)
