"""The tools bash and text editor, in a sandbox with a working folder. Each command and edit needs a grant.

A process of their own (`sandbox_worker`), whose group the guard kills at a stop, runs them. A call that is cancelled
ends that process and everything in the sandbox; the next call starts them again. Nothing is started and no folder is
made before the first approved call, except for a trial of the sandbox when the tools are offered.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from operator_console.domain.actions import Action, EditFile, RunCommand
from operator_console.domain.admission import Admission, refused
from operator_console.domain.decisions import Outcome
from operator_console.domain.environment import without_keys
from operator_console.domain.errors import OperatorError, RejectedReason
from operator_console.domain.grants import Grant
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.tools import BASH, TEXT_EDITOR, SandboxTool, ToolSpec
from operator_console.tools.sandbox import WORKSPACE, Limits
from operator_console.tools.worker_answers import not_called, outcome_of
from operator_console.tools.worker_process import KillableGroups, LastingWorker

_WORKER = "operator_console.tools.sandbox_worker"
_TRIAL_TIMEOUT_S = 30.0
_CLOSE_TIMEOUT_S = 6.0
_MARGIN_S = 15.0
"""The worker itself limits the time of a command and of an edit; this is for the case that it hangs."""
_EDIT_TIMEOUT_S = 30.0


class SandboxedTools:
    """Offers bash and the text editor, and carries out their calls.

    Args:
        admission: Checks each grant.
        tools: Which of the two.
        folder: The working folder; created when it is first needed.
        limits: Limits of the processes.
        timeout_s: Limit for one command.
        killable: Tells the guard which processes to kill.
    """

    def __init__(
        self,
        admission: Admission,
        tools: Collection[SandboxTool],
        folder: Path,
        *,
        limits: Limits,
        timeout_s: float,
        killable: KillableGroups,
    ) -> None:
        self._admission = admission
        self._tools = frozenset(tools)
        self._folder = folder
        self._limits = limits
        self._timeout_s = timeout_s
        self._worker = LastingWorker(_WORKER, without_keys(os.environ), killable, close_timeout_s=_CLOSE_TIMEOUT_S)

    @property
    def problems(self) -> Sequence[OperatorError]:
        """None: a session that cannot have them does not begin."""
        return ()

    async def describe(self) -> Sequence[ToolSpec]:
        """Try the sandbox and describe the tools.

        Raises:
            OperatorError: Nothing can be run in a sandbox here.
        """
        async with self._worker.in_use:
            await self._open()
        specs = {SandboxTool.BASH: _bash(self._timeout_s), SandboxTool.EDITOR: _text_editor()}
        return [spec for tool, spec in specs.items() if tool in self._tools]

    def handles(self, action: Action) -> bool:
        """Whether the action is of an offered tool."""
        match action:
            case RunCommand():
                return SandboxTool.BASH in self._tools
            case EditFile():
                return SandboxTool.EDITOR in self._tools
            case _:
                return False

    async def perform(self, grant: Grant) -> Outcome:
        """Run the command or make the edit, once. Failures are outcomes. Cancelling kills everything in the sandbox."""
        began = time.monotonic()
        if refusal := self._admission.refusal(grant):
            return refusal
        match grant.action:
            case RunCommand(command=command, timeout_s=wanted_s, restart=restart):
                name, limit_s = BASH, min(self._timeout_s, max(1.0, wanted_s))
                request = {"do": "run", "command": command, "restart": restart, "timeout_s": limit_s}
            case EditFile(command=command, path=path, arguments=arguments):
                name, limit_s = TEXT_EDITOR, _EDIT_TIMEOUT_S
                request = {"do": "edit", "command": command, "path": path, "arguments": dict(arguments)}
            case _:
                return refused(notice(NoticeCode.NOT_A_FUNCTION_CALL), RejectedReason.UNSUPPORTED)
        try:
            async with self._worker.in_use:
                if not self._worker.runs:
                    await self._open()
                if self._admission.outdated(grant):  # a pause came while the process started
                    answer: dict[str, Any] = {"killed": True}
                else:
                    answer = await self._worker.ask(request, limit_s + _MARGIN_S)
        except (OperatorError, OSError) as error:
            return not_called(error)
        return outcome_of(name, answer, time.monotonic() - began)

    async def close(self) -> None:
        """End everything in the sandbox."""
        await self._worker.close()

    async def _open(self) -> None:
        await self._worker.start()
        request = {"do": "open", "folder": str(self._folder), "limits": asdict(self._limits)}
        answer = await self._worker.ask(request, _TRIAL_TIMEOUT_S)
        if "error" in answer or answer.get("killed"):
            await self._worker.end()
            raise unavailable(answer)


def unavailable(answer: Mapping[str, Any]) -> OperatorError:
    """The error of a worker's answer to "open"."""
    return OperatorError(
        notice(NoticeCode.SANDBOX_UNAVAILABLE),
        detail=str(answer.get("error", "")),
        remedy=str(answer.get("remedy", "")),
    )


def _bash(timeout_s: float) -> ToolSpec:
    parameters = {
        "type": "object",
        "properties": {
            "command": {"type": "string", "description": "The command to run."},
            "restart": {"type": "boolean", "description": "True: restart the shell instead."},
        },
    }
    return ToolSpec(
        name=BASH,
        description=(
            "Run a command in a shell that lives for the whole session, in a sandbox. It works in the folder "
            f"{WORKSPACE}, which starts empty unless the operator chose another one; only there and in /tmp can files "
            "be written. There is no network, no display and no input, and nothing of the operator's other files. A "
            f"command may take {timeout_s:g} s; long output is shortened in the middle. The operator is shown every "
            "command."
        ),
        parameters_json=json.dumps(parameters),
        sandboxed=True,
    )


def _text_editor() -> ToolSpec:
    text = {"type": "string"}
    parameters = {
        "type": "object",
        "properties": {
            "command": {"type": "string", "enum": ["view", "create", "str_replace", "insert"]},
            "path": {**text, "description": f"A file or folder in {WORKSPACE}."},
            "view_range": {
                "type": "array",
                "items": {"type": "integer"},
                "description": "view: the first and the last line, from 1; -1 is the end of the file.",
            },
            "file_text": {**text, "description": "create: the whole text of the file."},
            "old_str": {**text, "description": "str_replace: the text to replace, which must be there exactly once."},
            "new_str": {**text, "description": "str_replace: the text to put in its place."},
            "insert_line": {"type": "integer", "description": "insert: the line after which to insert; 0: the start."},
            "insert_text": {**text, "description": "insert: the text to insert."},
        },
        "required": ["command", "path"],
    }
    return ToolSpec(
        name=TEXT_EDITOR,
        description=(
            f"View, create and change text files in the folder {WORKSPACE} of a sandbox. The operator is shown every "
            "change."
        ),
        parameters_json=json.dumps(parameters),
        sandboxed=True,
    )
