"""Reads the calls of bash and the text editor, in whichever dialect they come, as actions with their own policy."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from operator_console.domain.actions import Action, CallFunction, EditFile, RunCommand
from operator_console.domain.errors import ActionError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call, Proposal
from operator_console.domain.tools import BASH, ToolSpec

_EDITS = frozenset(("view", "create", "str_replace", "insert"))


def with_sandbox_actions(proposal: Proposal, offered: Mapping[str, ToolSpec]) -> Proposal:
    """The proposal, with its calls of sandboxed tools as RunCommand and EditFile; a faulty call is not understood."""
    return replace(proposal, calls=tuple(_read(call, offered) for call in proposal.calls))


def _read(call: Call, offered: Mapping[str, ToolSpec]) -> Call:
    match call.action:
        case CallFunction() as action if action.name in offered and offered[action.name].sandboxed:
            try:
                return replace(call, action=read_action(action))
            except ActionError as error:
                return replace(call, action=None, error=error.text)
        case _:
            return call


def read_action(call: CallFunction) -> Action:
    """The action of a call of a sandboxed tool. Raises ActionError."""
    arguments = call.arguments()
    return _command(arguments) if call.name == BASH else _edit(arguments)


def _command(arguments: Mapping[str, Any]) -> RunCommand:
    if arguments.get("restart") is True:
        return RunCommand(command="", restart=True)
    return RunCommand(command=_text(arguments, "command"))


def _edit(arguments: Mapping[str, Any]) -> EditFile:
    command = _text(arguments, "command")
    if command not in _EDITS:
        raise ActionError(notice(NoticeCode.EDIT_COMMAND_UNKNOWN, command=command[:40]))
    path = _text(arguments, "path")
    given = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in arguments.items()
        if name not in {"command", "path"} and value is not None
    }
    return EditFile(command=command, path=path, arguments=given)


def _text(arguments: Mapping[str, Any], name: str) -> str:
    value = arguments.get(name)
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ActionError(notice(NoticeCode.ARGUMENT_EMPTY, argument=name))
    return value
