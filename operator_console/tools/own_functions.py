"""Python functions of the operator, named in the settings, which the model may call. Each call needs a grant.

Each call runs in its own process, without API keys. Before it runs any code of the function, the guard gets its process
group, so that a stop kills it and its children, even if the console hangs. Time and size of the answer are limited, and
an error in the function is reported to the model.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import time
from collections.abc import Mapping, Sequence
from typing import Any

from operator_console.domain.actions import Action, CallFunction
from operator_console.domain.admission import Admission, refused
from operator_console.domain.decisions import Outcome
from operator_console.domain.environment import without_keys
from operator_console.domain.errors import ActionError, ExitCode, OperatorError, RejectedReason
from operator_console.domain.frames import target_display
from operator_console.domain.grants import Grant
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.tools import ToolSpec
from operator_console.tools.worker_answers import error_in, not_called, outcome_of
from operator_console.tools.worker_process import KillableGroups, WorkerProcess, start_worker

_WORKER = "operator_console.tools.function_worker"
_DESCRIBE_TIMEOUT_S = 30.0
_log = logging.getLogger(__name__)


class OwnFunctions:
    """Offers and calls the operator's functions.

    Args:
        admission: Checks each grant.
        functions: Paths, "package.module:function".
        timeout_s: Limit for one call.
        killable: Tells the guard which processes to kill.
        environment: The environment of the processes, except for keys and DISPLAY.
    """

    def __init__(
        self,
        admission: Admission,
        functions: Sequence[str],
        *,
        timeout_s: float,
        killable: KillableGroups,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._admission = admission
        self._functions = tuple(functions)
        self._timeout_s = timeout_s
        self._killable = killable
        self._environment = without_keys(os.environ if environment is None else environment)
        self._paths: dict[str, str] = {}
        self._running: set[WorkerProcess] = set()

    async def describe(self) -> Sequence[ToolSpec]:
        """Describe all functions by signature, type hints and docstring.

        Raises:
            OperatorError: A function cannot be imported or described (exit code 2).
        """
        request = {"do": "describe", "functions": self._functions}
        answer = await self._ask(request, _DESCRIBE_TIMEOUT_S)
        if "tools" not in answer:
            raise _unusable(", ".join(self._functions), error_in(answer))
        self._paths.clear()
        return [self._spec(found) for found in answer["tools"]]

    @property
    def problems(self) -> Sequence[OperatorError]:
        """None: a session without one of them does not begin."""
        return ()

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
            arguments = action.arguments()
        except ActionError as error:
            return refused(error.text, RejectedReason.UNSUPPORTED)
        request = {"do": "call", "function": self._paths[action.name], "arguments": arguments}
        try:
            answer = await self._ask(request, self._timeout_s, grant)
        except (OperatorError, OSError) as error:
            return not_called(error)
        return outcome_of(action.name, answer, time.monotonic() - began)

    async def close(self) -> None:
        """Kill running calls."""
        for worker in tuple(self._running):
            worker.kill()

    async def _ask(self, request: Mapping[str, object], timeout_s: float, grant: Grant | None = None) -> dict[str, Any]:
        display = target_display(grant.target) if grant is not None else ""
        environment = {**self._environment, "DISPLAY": display} if display else self._environment
        worker = await start_worker(_WORKER, environment)
        self._running.add(worker)
        try:
            if grant is not None:
                await self._killable.add(worker.group)
                if self._admission.outdated(grant):  # a pause came while the process started
                    return {"killed": True}
            return await asyncio.to_thread(worker.ask, request, timeout_s)
        finally:
            worker.kill()
            self._running.discard(worker)
            await self._killable.remove(worker.group)
            await asyncio.to_thread(worker.close)


def _unusable(path: str, why: str) -> OperatorError:
    return OperatorError(
        notice(NoticeCode.FUNCTION_UNUSABLE, function=path),
        detail=why,
        remedy=notice(NoticeCode.CORRECT_OR_REMOVE_FUNCTION),
        exit_code=ExitCode.USAGE,
    )
