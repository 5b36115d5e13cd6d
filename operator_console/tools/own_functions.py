"""Python functions of the operator, named in the settings, which the model may call. Each call needs a grant.

Each call runs in its own process, without API keys. Before it runs any code of the function, the guard gets its process
group, so that a stop kills it and its children, even if the console hangs. Time and size of the answer are limited, and
an error in the function is reported to the model.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import json
import logging
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

from operator_console.domain.actions import Action, CallFunction
from operator_console.domain.admission import Admission, refused
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.environment import without_keys
from operator_console.domain.errors import ExitCode, OperatorError, RejectedReason
from operator_console.domain.frames import Picture
from operator_console.domain.geometry import Size
from operator_console.domain.grants import Grant
from operator_console.domain.message_texts import NoticeText, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.tools import ToolResult, ToolSpec

_DESCRIBE_TIMEOUT_S = 30.0
_MAX_ANSWER_BYTES = 32_000_000
_EXIT_TIMEOUT_S = 1.0
_MAX_DETAIL = 300
_log = logging.getLogger(__name__)

SetKillable = Callable[[Sequence[int]], Awaitable[None]]
"""Sets the process groups that the guard kills at a stop. Raises OperatorError if it cannot."""


class OwnFunctions:
    """Offers and calls the operator's functions.

    Args:
        admission: Checks each grant.
        functions: Paths, "package.module:function".
        timeout_s: Limit for one call.
        set_killable: Tells the guard which processes to kill.
        environment: The environment of the processes, except for keys and DISPLAY.
    """

    def __init__(
        self,
        admission: Admission,
        functions: Sequence[str],
        *,
        timeout_s: float,
        set_killable: SetKillable,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._admission = admission
        self._functions = tuple(functions)
        self._timeout_s = timeout_s
        self._set_killable = set_killable
        self._environment = without_keys(os.environ if environment is None else environment)
        self._paths: dict[str, str] = {}
        self._running: set[_Worker] = set()

    async def describe(self) -> Sequence[ToolSpec]:
        """Describe all functions by signature, type hints and docstring.

        Raises:
            OperatorError: A function cannot be imported or described (exit code 2).
        """
        request = {"do": "describe", "functions": self._functions}
        answer = await self._ask(request, _DESCRIBE_TIMEOUT_S)
        if "tools" not in answer:
            raise _unusable(", ".join(self._functions), _error_in(answer))
        self._paths.clear()
        return [self._spec(found) for found in answer["tools"]]

    def _spec(self, found: Mapping[str, Any]) -> ToolSpec:
        path = str(found["path"])
        if "problem" in found:
            _log.warning("%s", found.get("trace", ""))
            raise _unusable(path, str(found["problem"]))
        name = str(found["name"])
        if self._paths.setdefault(name, path) != path:
            raise _unusable(path, notice(NoticeCode.FUNCTION_NAME_TAKEN, function=self._paths[name]))
        parameters = json.dumps(found["parameters"], ensure_ascii=False)
        return ToolSpec(name=name, description=str(found["description"]), parameters_json=parameters)

    def handles(self, action: Action) -> bool:
        """Whether the action calls a function that was described."""
        return isinstance(action, CallFunction) and action.name in self._paths

    async def perform(self, grant: Grant) -> Outcome:
        """Call the function once. Failures are outcomes. Cancelling kills it."""
        began = time.monotonic()
        if refusal := self._admission.refusal(grant):
            return refusal
        action = grant.action
        if not isinstance(action, CallFunction):
            return refused(notice(NoticeCode.NOT_A_FUNCTION_CALL), RejectedReason.UNSUPPORTED)
        try:
            arguments = json.loads(action.arguments_json)
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            return refused(notice(NoticeCode.FUNCTION_ARGUMENTS_UNREADABLE), RejectedReason.UNSUPPORTED)
        request = {"do": "call", "function": self._paths[action.name], "arguments": arguments}
        try:
            answer = await self._ask(request, self._timeout_s, grant)
        except OperatorError as error:
            return refused(error.text, RejectedReason.UNSUPPORTED)
        except OSError as error:
            return refused(str(error), RejectedReason.UNSUPPORTED)
        return _outcome(action.name, answer, time.monotonic() - began)

    async def close(self) -> None:
        """Kill running calls."""
        for worker in tuple(self._running):
            worker.kill()

    async def _ask(self, request: Mapping[str, object], timeout_s: float, grant: Grant | None = None) -> dict[str, Any]:
        display = grant.target.display if grant is not None else ""
        environment = {**self._environment, "DISPLAY": display} if display else self._environment
        worker = await _started(environment)
        self._running.add(worker)
        try:
            if grant is not None:
                await self._set_killable([one.group for one in self._running])
                if self._admission.outdated(grant):  # a pause came while the process started
                    return {"killed": True}
            return await asyncio.to_thread(worker.ask, request, timeout_s)
        finally:
            worker.kill()
            self._running.discard(worker)
            if grant is not None:
                # Before waiting for the process, after which its id may be reused.
                with contextlib.suppress(OperatorError):
                    await self._set_killable([one.group for one in self._running])
            await asyncio.to_thread(worker.close)


class _Worker:
    """A process of `function_worker`. All methods block."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._lock = threading.Lock()
        request_end, self._request_fd = os.pipe()
        self._answer_fd, answer_end = os.pipe()
        home = Path(environment.get("HOME", "/"))
        try:
            self._process = subprocess.Popen(
                [
                    sys.executable,
                    "-P",
                    "-m",
                    "operator_console.tools.function_worker",
                    str(request_end),
                    str(answer_end),
                ],
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
        """Its answer; {"error"} if it took too long or returned too much, {"killed"} if it was killed."""
        with self._lock:
            return self._exchange(json.dumps(request).encode("ascii") + b"\n", timeout_s)

    def _exchange(self, request: bytes, timeout_s: float) -> dict[str, Any]:
        try:
            os.write(self._request_fd, request)
        except BrokenPipeError:
            return self._ended()
        until = time.monotonic() + timeout_s
        read = bytearray()
        while not read.endswith(b"\n") and (piece := self._piece(until)):
            read += piece
            if len(read) > _MAX_ANSWER_BYTES:
                return {"error": notice(NoticeCode.FUNCTION_ANSWER_TOO_LARGE)}
        if not read and time.monotonic() >= until:
            return {"error": notice(NoticeCode.FUNCTION_TIMED_OUT, seconds=timeout_s)}
        try:
            answer = json.loads(bytes(read))
        except ValueError:
            return self._ended()
        return answer if isinstance(answer, dict) else {"error": notice(NoticeCode.FUNCTION_ANSWER_INVALID)}

    def _piece(self, until: float) -> bytes:
        ready, _, _ = select.select([self._answer_fd], [], [], max(0.0, until - time.monotonic()))
        return os.read(self._answer_fd, 1 << 16) if ready else b""

    def _ended(self) -> dict[str, Any]:
        """How the process ended without an answer. Does not reap it, so that its id is not reused before `close`."""
        until = time.monotonic() + _EXIT_TIMEOUT_S
        while (status := os.waitid(os.P_PID, self.group, os.WEXITED | os.WNOWAIT | os.WNOHANG)) is None:
            if time.monotonic() > until:
                return {"error": notice(NoticeCode.FUNCTION_CLOSED_PIPE)}
            time.sleep(0.005)
        if status.si_code == os.CLD_KILLED and status.si_status == signal.SIGKILL:
            return {"killed": True}
        return {"error": notice(NoticeCode.FUNCTION_PROCESS_ENDED, exit_code=status.si_status)}

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


async def _started(environment: Mapping[str, str]) -> _Worker:
    starting = asyncio.ensure_future(asyncio.to_thread(_Worker, environment))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        starting.add_done_callback(_discard)
        raise


def _discard(starting: asyncio.Future[_Worker]) -> None:
    if not starting.cancelled() and starting.exception() is None:
        starting.result().kill()
        starting.result().close()


def _error_in(answer: Mapping[str, Any]) -> str:
    """Why there is no result: a notice of this program, or text from the function's process."""
    error = answer.get("error")
    return error if isinstance(error, NoticeText) else str(error)


def _outcome(name: str, answer: Mapping[str, Any], duration_s: float) -> Outcome:
    if answer.get("killed"):
        return Outcome(
            result=ActResult.STOPPED,
            detail=notice(NoticeCode.FUNCTION_KILLED, name=name),
            total=1,
            duration_s=duration_s,
        )
    if "error" in answer:
        if trace := answer.get("trace"):
            _log.warning("the function %s failed:\n%s", name, trace)
        error = _error_in(answer)
        shown = error if len(error) <= _MAX_DETAIL else error[:_MAX_DETAIL]
        said = notice(NoticeCode.FUNCTION_FAILED, name=name, error=shown)
        return Outcome(
            result=ActResult.FAILED, detail=said, delivered=1, total=1,
            duration_s=duration_s, tool=ToolResult(texts=(str(error),), error=True),
        )  # fmt: skip
    texts = tuple(str(text) for text in answer["texts"])
    pictures = tuple(_picture(base64.b64decode(data)) for data in answer["pictures"])
    shown = " ".join(" ".join(texts).split())[:_MAX_DETAIL]
    said = (
        notice(NoticeCode.FUNCTION_RETURNED, name=name, result=shown)
        if shown
        else notice(NoticeCode.FUNCTION_RETURNED_NOTHING, name=name)
    )
    return Outcome(
        result=ActResult.DONE, detail=said, delivered=1, total=1,
        duration_s=duration_s, tool=ToolResult(texts=texts, pictures=pictures),
    )  # fmt: skip


def _picture(data: bytes) -> Picture:
    # Every PNG begins with a header chunk that has width and height.
    size = Size(int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big"))
    return Picture(data=data, mime_type="image/png", size=size, digest=hashlib.sha256(data).hexdigest())


def _unusable(path: str, why: str) -> OperatorError:
    return OperatorError(
        notice(NoticeCode.FUNCTION_UNUSABLE, function=path),
        detail=why,
        remedy=notice(NoticeCode.CORRECT_OR_REMOVE_FUNCTION),
        exit_code=ExitCode.USAGE,
    )
