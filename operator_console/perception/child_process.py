"""A child process that answers requests, started at the first one and again after it died.

It runs one of this package's worker modules. Requests come on its standard input and replies go to its standard output,
in the format of `json_lines`. It ends when its input is closed.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import logging
import sys
import time
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import Generic, Protocol, TypeVar

from operator_console.domain.codec import decode, encode
from operator_console.json_lines import packed, unpacked

LONGEST_LINE = 1 << 24
STARTS, STARTS_WITHIN_S = 5, 60.0
"""How often it is started in a time: one that dies again and again is given up for the rest of it."""

_log = logging.getLogger(__name__)


class ChildDied(Exception):
    """It ended, or wrote what cannot be read, before it replied; or it is not started again."""


class Reply(Protocol):
    """A reply has the number of its request."""

    @property
    def job(self) -> int: ...


R = TypeVar("R", bound=Reply)


class ChildProcess(Generic[R]):
    """Use from one event loop; `close` it at the end.

    Args:
        name: for the log.
        reply: the type of the replies.
        arguments: makes those of Python that run the worker; may block.
        environment: of the process.
        grace_s: how long it may take to end when it is asked to.

    Attributes:
        last_words: what it wrote last on its standard error, which may say why it died.
    """

    def __init__(
        self,
        name: str,
        reply: type[R],
        arguments: Callable[[], Sequence[str]],
        environment: Mapping[str, str],
        *,
        grace_s: float,
    ) -> None:
        self.last_words = ""
        self._name = name
        self._reply = reply
        self._arguments = arguments
        self._environment = environment
        self._grace_s = grace_s
        self._process: Process | None = None
        self._replies_end = False
        self._listeners: tuple[asyncio.Task[None], ...] = ()
        self._waiting: dict[int, asyncio.Future[R]] = {}
        self._jobs = itertools.count(1)
        self._starting = asyncio.Lock()
        self._sending = asyncio.Lock()
        self._started_s: deque[float] = deque(maxlen=STARTS)
        self._closed = False

    @property
    def pid(self) -> int | None:
        """ID of the running process, None if there is none."""
        return process.pid if (process := self._answering) is not None else None

    def new_job(self) -> int:
        """A number for a request; those of later requests are higher."""
        return next(self._jobs)

    async def start(self) -> Process:
        """The running process; starts one if there is none. A start goes on where its caller is cancelled.

        Raises ChildDied where it cannot be started, or is not after several deaths in a minute.
        """
        return await asyncio.shield(asyncio.ensure_future(self._running()))

    async def ask(self, job: int, request: object, payload: bytes = b"") -> R:
        """Send a request and its payload, and return the reply. Raises ChildDied.

        Args:
            job: its number, from `new_job`.
            request: a value of the domain or of a room's messages; what the codec takes.
            payload: bytes that follow it; the request tells their number.
        """
        process = await self.start()
        answer: asyncio.Future[R] = asyncio.get_running_loop().create_future()
        self._waiting[job] = answer
        try:
            await self._send(process, request, payload)
            return await answer
        finally:
            self._waiting.pop(job, None)
            if answer.done() and not answer.cancelled():
                answer.exception()  # marks it as retrieved: sending may have failed before anything awaited it

    def tell(self, request: object) -> None:
        """Send what is not replied to, if the process runs."""
        process = self._answering
        if process is not None and process.stdin is not None:
            with contextlib.suppress(ConnectionError, RuntimeError):
                process.stdin.write(packed(encode(request)))

    async def close(self) -> None:
        """End the process by closing its input, or kill it if that takes too long. It is not started again."""
        self._closed = True
        async with self._starting:
            await self._reap()

    @property
    def _answering(self) -> Process | None:
        """The process, if it runs and can be asked."""
        process = self._process
        return process if process is not None and process.returncode is None and not self._replies_end else None

    async def _running(self) -> Process:
        async with self._starting:
            if (process := self._answering) is not None:
                return process
            await self._reap()
            now_s = time.monotonic()
            full = len(self._started_s) == STARTS
            if self._closed or (full and now_s - self._started_s[0] < STARTS_WITHIN_S):
                raise ChildDied("it is not started again")
            self._started_s.append(now_s)
            try:
                process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    *await asyncio.to_thread(self._arguments),
                    stdin=PIPE,
                    stdout=PIPE,
                    stderr=PIPE,
                    env=self._environment,
                    limit=LONGEST_LINE,
                    start_new_session=True,  # Ctrl-C in the terminal is not for it: it ends with its pipe
                )
            except OSError as error:
                raise ChildDied from error
            self._process, self._replies_end = process, False
            self._listeners = (
                asyncio.create_task(self._listen(process), name=f"{self._name}: replies"),
                asyncio.create_task(self._log_errors(process), name=f"{self._name}: errors"),
            )
            return process

    async def _send(self, process: Process, request: object, payload: bytes) -> None:
        assert process.stdin is not None
        async with self._sending:
            try:
                process.stdin.write(packed(encode(request)))
                process.stdin.write(payload)
                # The message is sent completely even if drain is cancelled: the transport has buffered it.
                await process.stdin.drain()
            except (ConnectionError, RuntimeError) as error:
                self._replies_end = self._replies_end or process is self._process
                raise ChildDied from error

    async def _listen(self, process: Process) -> None:
        assert process.stdout is not None
        with contextlib.suppress(ConnectionError):
            while True:
                try:
                    line = await process.stdout.readline()
                    if not line:
                        break
                    reply: R = decode(self._reply, unpacked(line))
                except ValueError as error:  # of a very long line, the rest comes next
                    _log.warning("%s, process %s: an unreadable reply: %s", self._name, process.pid, error)
                    self._fail_waiting()  # it may have been for any of them
                    continue
                answer = self._waiting.get(reply.job)
                if answer is not None and not answer.done():
                    answer.set_result(reply)
        self._replies_end = True
        self._fail_waiting()

    async def _log_errors(self, process: Process) -> None:
        """Put what it writes on its standard error into the log; of a very long line, perhaps a part."""
        assert process.stderr is not None
        with contextlib.suppress(ConnectionError):
            while True:
                try:
                    line = await process.stderr.readline()
                except ValueError:  # longer than the reader's limit; its rest comes next
                    continue
                if not line:
                    return
                if words := line.decode("utf-8", "replace").strip():
                    self.last_words = words
                    _log.warning("%s, process %s: %s", self._name, process.pid, words)

    def _fail_waiting(self) -> None:
        for answer in self._waiting.values():
            if not answer.done():
                answer.set_exception(ChildDied())

    async def _reap(self) -> None:
        process, self._process = self._process, None
        listeners, self._listeners = self._listeners, ()
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        try:
            await asyncio.wait_for(process.wait(), self._grace_s)
        except TimeoutError:
            process.kill()
            await process.wait()
        # They end with their pipes; only then are the loop's own handles of the process gone.
        await asyncio.wait(listeners, timeout=self._grace_s)
        for listener in listeners:
            listener.cancel()
        await asyncio.gather(*listeners, return_exceptions=True)
        with contextlib.suppress(ConnectionError, RuntimeError):
            await process.stdin.wait_closed()
