"""Child processes that answer requests over two pipes, and the process groups that the guard kills at a stop.

Such a process leads a process group, and its environment has no API keys.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from operator_console.domain.errors import OperatorError
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode
from operator_console.json_lines import packed, unpacked

_MAX_ANSWER_BYTES = 32_000_000
_EXIT_TIMEOUT_S = 1.0


SetKillable = Callable[[Sequence[int]], Awaitable[None]]
"""Sets the process groups that the guard kills at a stop. Raises OperatorError if it cannot."""


class KillableGroups:
    """Keeps the guard's list: one for everything in a session that starts processes.

    Args:
        set_killable: Replaces the list.
    """

    def __init__(self, set_killable: SetKillable) -> None:
        self._set_killable = set_killable
        self._groups: dict[int, None] = {}

    async def add(self, group: int) -> None:
        """Have the guard kill this group too. Raises OperatorError if it would not."""
        self._groups[group] = None
        try:
            await self._set_killable(tuple(self._groups))
        except BaseException:
            self._groups.pop(group, None)
            raise

    async def remove(self, group: int) -> None:
        """Take the group off the list, before it is reaped: its id may be reused then. Never raises OperatorError."""
        if group in self._groups:
            del self._groups[group]
            with contextlib.suppress(OperatorError):
                await self._set_killable(tuple(self._groups))


class WorkerProcess:
    """A process of one of this package's worker modules. All methods block.

    Args:
        module: The name of the module. Its main gets the descriptors of the requests and of the answers in sys.argv.
        environment: The environment of the process.
    """

    def __init__(self, module: str, environment: Mapping[str, str]) -> None:
        self._lock = threading.Lock()
        request_end, self._request_fd = os.pipe()
        self._answer_fd, answer_end = os.pipe()
        home = Path(environment.get("HOME", "/"))
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", module, str(request_end), str(answer_end)],
                env=dict(environment),
                pass_fds=(request_end, answer_end),
                cwd=home if home.is_dir() else "/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        finally:
            os.close(request_end)
            os.close(answer_end)

    @property
    def group(self) -> int:
        """Its process group, which is not reused before `close`."""
        return self._process.pid

    def ask(self, request: Mapping[str, object], timeout_s: float) -> dict[str, Any]:
        """Its answer; {"error", "unusable"} if it took too long or answered too much, {"killed"} if it was killed.

        After one of these it answers nothing more.
        """
        with self._lock:
            return self._exchange(packed(request), timeout_s)

    def _exchange(self, request: bytes, timeout_s: float) -> dict[str, Any]:
        until = time.monotonic() + timeout_s
        if not self._written(request, until):
            return self._ended()
        read = bytearray()
        while not read.endswith(b"\n") and (piece := self._piece(until)):
            read += piece
            if len(read) > _MAX_ANSWER_BYTES:
                return _unusable(notice(NoticeCode.FUNCTION_ANSWER_TOO_LARGE))
        if not read.endswith(b"\n"):
            late = time.monotonic() >= until
            return _unusable(notice(NoticeCode.FUNCTION_TIMED_OUT, seconds=timeout_s)) if late else self._ended()
        try:
            return unpacked(bytes(read))
        except ValueError:
            return _unusable(notice(NoticeCode.FUNCTION_ANSWER_INVALID))

    def _written(self, request: bytes, until: float) -> bool:
        """Whether all of the request was written; a process that does not read must not block for ever."""
        os.set_blocking(self._request_fd, False)
        rest = memoryview(request)
        while rest:
            _, ready, _ = select.select([], [self._request_fd], [], max(0.0, until - time.monotonic()))
            if not ready:
                return False
            try:
                rest = rest[os.write(self._request_fd, rest) :]
            except BrokenPipeError:
                return False
        return True

    def _piece(self, until: float) -> bytes:
        ready, _, _ = select.select([self._answer_fd], [], [], max(0.0, until - time.monotonic()))
        return os.read(self._answer_fd, 1 << 16) if ready else b""

    def _ended(self) -> dict[str, Any]:
        """How the process ended without an answer. Does not reap it, so that its id is not reused before `close`."""
        until = time.monotonic() + _EXIT_TIMEOUT_S
        while (status := os.waitid(os.P_PID, self.group, os.WEXITED | os.WNOWAIT | os.WNOHANG)) is None:
            if time.monotonic() > until:
                return _unusable(notice(NoticeCode.FUNCTION_CLOSED_PIPE))
            time.sleep(0.005)
        if status.si_code == os.CLD_KILLED and status.si_status == signal.SIGKILL:
            return {"killed": True}
        return _unusable(notice(NoticeCode.FUNCTION_PROCESS_ENDED, exit_code=status.si_status))

    def kill(self) -> None:
        """Kill the process group."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Wait until the killed process has ended."""
        with self._lock:
            self._process.wait()
            os.close(self._request_fd)
            os.close(self._answer_fd)


async def start_worker(module: str, environment: Mapping[str, str]) -> WorkerProcess:
    """Start one without blocking the event loop; cancelling ends it."""
    starting = asyncio.ensure_future(asyncio.to_thread(WorkerProcess, module, environment))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        starting.add_done_callback(_discard)
        raise


def _discard(starting: asyncio.Future[WorkerProcess]) -> None:
    if not starting.cancelled() and starting.exception() is None:
        starting.result().kill()
        starting.result().close()


class LastingWorker:
    """Answers many requests, by one process at a time. It is ended when an answer fails, or the caller is cancelled.

    Args:
        module: The worker's module.
        environment: The environment of the process.
        killable: Tells the guard which processes to kill.
        close_timeout_s: How long a process may take to end when it is asked to.
        heard: Is given each answer.

    Attributes:
        in_use: Held by the caller while it asks.
    """

    def __init__(
        self,
        module: str,
        environment: Mapping[str, str],
        killable: KillableGroups,
        *,
        close_timeout_s: float,
        heard: Callable[[Mapping[str, Any]], None] = lambda _: None,
    ) -> None:
        self.in_use = asyncio.Lock()
        self._module = module
        self._environment = environment
        self._killable = killable
        self._close_timeout_s = close_timeout_s
        self._heard = heard
        self._process: WorkerProcess | None = None

    @property
    def runs(self) -> bool:
        """Whether there is a process that can be asked."""
        return self._process is not None

    async def start(self) -> None:
        """Start a process in place of the one before. Raises OperatorError if the guard would not kill it."""
        await self.end()
        self._process = await start_worker(self._module, self._environment)
        try:
            await self._killable.add(self._process.group)
        except BaseException:
            await self.end()
            raise

    async def ask(self, request: Mapping[str, object], timeout_s: float) -> dict[str, Any]:
        """The answer, as of `WorkerProcess.ask`; the process is ended unless it can be asked again."""
        assert self._process is not None
        answer: dict[str, Any] = {"unusable": True}
        try:
            answer = await asyncio.to_thread(self._process.ask, request, timeout_s)
            self._heard(answer)
            return answer
        finally:
            if answer.get("unusable") or answer.get("killed"):
                await self.end()

    async def close(self) -> None:
        """Ask a process that waits to end, then kill it."""
        if self.runs and not self.in_use.locked():
            async with self.in_use:
                await self.ask({"do": "close"}, self._close_timeout_s)
        await self.end()

    async def end(self) -> None:
        """Kill the process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        await self._killable.remove(process.group)
        await asyncio.to_thread(process.close)


def _unusable(error: NoticeText) -> dict[str, Any]:
    return {"error": error, "unusable": True}
