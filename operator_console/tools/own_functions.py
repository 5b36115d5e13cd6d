"""The operator's own functions: Python callables named in the settings, offered to the model and called under a grant.

Each call runs in a process of its own, without our keys. The guard is told of its process group before any of the
function's code is run, so that a stop kills it and all that it started, whatever this process does. The answer is
bounded in time and size, and is data: a fault of the function is an error for the model, never a crash.
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
from operator_console.domain.decisions import ActResult, Grant, Outcome
from operator_console.domain.environment import without_keys
from operator_console.domain.errors import ExitCode, OperatorError, RejectedReason
from operator_console.domain.frames import Picture
from operator_console.domain.geometry import Size
from operator_console.domain.tools import ToolResult, ToolSpec

_DESCRIBED_WITHIN_S = 30.0
_MOST_ANSWER_BYTES = 32_000_000
_END_WITHIN_S = 1.0
_SHOWN = 300
_log = logging.getLogger(__name__)

SetKillable = Callable[[Sequence[int]], Awaitable[None]]
"""Tells the guard which process groups a stop kills. Raises OperatorError where nothing would be killed."""


class OwnFunctions:
    """Offers and calls the operator's functions.

    Args:
        admission: looks at each grant.
        functions: "package.module:function" each.
        timeout_s: how long one call may take.
        set_killable: tells the guard what to kill.
        environment: what the functions' process is started with, but for keys and DISPLAY.
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
        """Every function with the JSON schema of its arguments, by signature, type hints and docstring.

        Raises:
            OperatorError: one cannot be imported or described (exit code 2).
        """
        request = {"do": "describe", "functions": self._functions}
        answer = await self._ask(request, _DESCRIBED_WITHIN_S, display="", killable=False)
        if "tools" not in answer:
            raise _unusable(", ".join(self._functions), str(answer.get("error")))
        self._paths.clear()
        return [self._spec(found) for found in answer["tools"]]

    def _spec(self, found: Mapping[str, Any]) -> ToolSpec:
        path = str(found["path"])
        if "problem" in found:
            _log.warning("%s", found.get("trace", ""))
            raise _unusable(path, str(found["problem"]))
        name = str(found["name"])
        if self._paths.setdefault(name, path) != path:
            raise _unusable(path, f"{self._paths[name]} has the same name.")
        parameters = json.dumps(found["parameters"], ensure_ascii=False)
        return ToolSpec(name=name, description=str(found["description"]), parameters_json=parameters)

    def handles(self, action: Action) -> bool:
        """A CallFunction of a function that was described."""
        return isinstance(action, CallFunction) and action.name in self._paths

    async def perform(self, grant: Grant) -> Outcome:
        """Call it, once. A refusal says why; cancelling kills it."""
        began = time.monotonic()
        if refusal := self._admission.refusal(grant):
            return refusal
        action = grant.action
        if not isinstance(action, CallFunction):
            return refused("It is no call of a function.", RejectedReason.UNSUPPORTED)
        try:
            arguments = json.loads(action.arguments_json)
        except ValueError:
            arguments = None
        if not isinstance(arguments, dict):
            return refused("The arguments are no JSON object.", RejectedReason.UNSUPPORTED)
        request = {"do": "call", "function": self._paths[action.name], "arguments": arguments}
        try:
            answer = await self._ask(request, self._timeout_s, display=grant.target.display, killable=True)
        except (OperatorError, OSError) as error:
            return refused(str(error), RejectedReason.UNSUPPORTED)
        return _outcome(action.name, answer, time.monotonic() - began)

    async def close(self) -> None:
        """Kill what still runs."""
        for worker in tuple(self._running):
            worker.kill()

    async def _ask(
        self, request: Mapping[str, object], timeout_s: float, *, display: str, killable: bool
    ) -> dict[str, Any]:
        environment = {**self._environment, "DISPLAY": display} if display else self._environment
        worker = await _started(environment)
        self._running.add(worker)
        try:
            if killable:
                await self._set_killable([one.group for one in self._running])
            return await asyncio.to_thread(worker.ask, request, timeout_s)
        finally:
            worker.kill()
            self._running.discard(worker)
            if killable:
                # Before it is waited for: its number may be another's afterwards.
                with contextlib.suppress(OperatorError):
                    await self._set_killable([one.group for one in self._running])
            await asyncio.to_thread(worker.close)


class _Worker:
    """One process of `function_worker`; all methods block."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._lock = threading.Lock()
        asked, self._ask = os.pipe()
        self._said, said = os.pipe()
        home = Path(environment.get("HOME", "/"))
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "operator_console.tools.function_worker", str(asked), str(said)],
                env=dict(environment),
                pass_fds=(asked, said),
                cwd=home if home.is_dir() else "/",
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        finally:
            os.close(asked)
            os.close(said)

    @property
    def group(self) -> int:
        """Its process group; nobody else's until `close`."""
        return self._process.pid

    def ask(self, request: Mapping[str, object], timeout_s: float) -> dict[str, Any]:
        """Its answer; {"error"} where it took too long or said too much, {"killed"} where it was killed."""
        with self._lock:
            return self._asked(json.dumps(request).encode("ascii") + b"\n", timeout_s)

    def _asked(self, request: bytes, timeout_s: float) -> dict[str, Any]:
        try:
            os.write(self._ask, request)
        except BrokenPipeError:
            return self._ended()
        until = time.monotonic() + timeout_s
        read = bytearray()
        while not read.endswith(b"\n") and (piece := self._piece(until)):
            read += piece
            if len(read) > _MOST_ANSWER_BYTES:
                return {"error": "It returned too much."}
        if not read and time.monotonic() >= until:
            return {"error": f"It did not end within {timeout_s:g} s and was killed."}
        try:
            answer = json.loads(bytes(read))
        except ValueError:
            return self._ended()
        return answer if isinstance(answer, dict) else {"error": "Its process gave no answer."}

    def _piece(self, until: float) -> bytes:
        ready, _, _ = select.select([self._said], [], [], max(0.0, until - time.monotonic()))
        return os.read(self._said, 1 << 16) if ready else b""

    def _ended(self) -> dict[str, Any]:
        """It closed its pipe without an answer. Looked at, not waited for: its number stays its own until `close`."""
        until = time.monotonic() + _END_WITHIN_S
        while (status := os.waitid(os.P_PID, self.group, os.WEXITED | os.WNOWAIT | os.WNOHANG)) is None:
            if time.monotonic() > until:
                return {"error": "It closed the way back to here."}
            time.sleep(0.005)
        if status.si_code == os.CLD_KILLED and status.si_status == signal.SIGKILL:
            return {"killed": True}
        return {"error": f"Its process ended without an answer (code {status.si_status})."}

    def kill(self) -> None:
        """Kill it and all that it started."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self) -> None:
        """Wait for its end, which was brought about."""
        with self._lock:
            self._process.wait()
            os.close(self._ask)
            os.close(self._said)


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


def _outcome(name: str, answer: Mapping[str, Any], duration_s: float) -> Outcome:
    if answer.get("killed"):
        return Outcome(result=ActResult.STOPPED, detail=f"{name} was killed.", total=1, duration_s=duration_s)
    if "error" in answer:
        if trace := answer.get("trace"):
            _log.warning("the function %s failed:\n%s", name, trace)
        error = str(answer["error"])
        return Outcome(
            result=ActResult.FAILED, detail=f"{name} failed: {error[:_SHOWN]}", delivered=1, total=1,
            duration_s=duration_s, tool=ToolResult(texts=(error,), error=True),
        )  # fmt: skip
    texts = tuple(str(text) for text in answer["texts"])
    pictures = tuple(_picture(base64.b64decode(data)) for data in answer["pictures"])
    shown = " ".join(" ".join(texts).split())[:_SHOWN]
    return Outcome(
        result=ActResult.DONE, detail=f"{name} returned{': ' + shown if shown else ''}.", delivered=1, total=1,
        duration_s=duration_s, tool=ToolResult(texts=texts, pictures=pictures),
    )  # fmt: skip


def _picture(data: bytes) -> Picture:
    # Width and height stand in the header chunk that every PNG begins with.
    size = Size(int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big"))
    return Picture(data=data, mime_type="image/png", size=size, digest=hashlib.sha256(data).hexdigest())


def _unusable(path: str, why: str) -> OperatorError:
    return OperatorError(
        f"The function {path} cannot be offered to the model.",
        detail=why,
        remedy="Correct or remove it under [functions] in the settings file.",
        exit_code=ExitCode.USAGE,
    )
