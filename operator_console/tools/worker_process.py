"""A child process that answers requests: one line of JSON each, over two pipes.

It leads a process group, and its environment has no API keys.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode

_MAX_ANSWER_BYTES = 32_000_000
_EXIT_TIMEOUT_S = 1.0


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
            return self._exchange(json.dumps(request).encode("ascii") + b"\n", timeout_s)

    def _exchange(self, request: bytes, timeout_s: float) -> dict[str, Any]:
        until = time.monotonic() + timeout_s
        if not self._written(request, until):
            return self._ended()
        read = bytearray()
        while not read.endswith(b"\n") and (piece := self._piece(until)):
            read += piece
            if len(read) > _MAX_ANSWER_BYTES:
                return _unusable(notice(NoticeCode.FUNCTION_ANSWER_TOO_LARGE))
        if not read.endswith(b"\n") and time.monotonic() >= until:
            return _unusable(notice(NoticeCode.FUNCTION_TIMED_OUT, seconds=timeout_s))
        try:
            answer = json.loads(bytes(read))
        except ValueError:
            return self._ended()
        return answer if isinstance(answer, dict) else _unusable(notice(NoticeCode.FUNCTION_ANSWER_INVALID))

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


def _unusable(error: NoticeText) -> dict[str, Any]:
    return {"error": error, "unusable": True}
