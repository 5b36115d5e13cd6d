"""bash and the text editor in a session: offered, asked about in full, declined without a trace, stopped."""

from __future__ import annotations

import asyncio
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from operator_console.domain.actions import Action, CallFunction, EditFile, RunCommand
from operator_console.domain.decisions import Surface
from operator_console.domain.errors import ActionError
from operator_console.domain.events import Asked, EndedOutcome, Granted, Proposed
from operator_console.domain.intents import Answer, Stop
from operator_console.domain.proposals import CallStatus
from operator_console.domain.risk import Autonomy, Category
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.stopping import StopCause
from operator_console.domain.tools import BASH, TEXT_EDITOR, SandboxTool
from operator_console.engine.action_wording import exact_text
from operator_console.engine.turn.request_with_retries import read_action
from operator_console.tools.sandbox import Limits
from operator_console.tools.sandboxed_tools import SandboxedTools
from tests.engine.function_session import question_of, result_of, session_with
from tests.engine.rig import Rig, does, rig

LIMITS = Limits(processes=64, memory_bytes=400_000_000, file_bytes=50_000_000)


def offering(folder: Path, *calls: Action, allow: tuple[Category, ...] = ()) -> tuple[Rig, SandboxedTools]:
    """A session with the sandboxed tools, whose model makes these calls, one a turn."""
    return session_with(
        lambda admission, killable: SandboxedTools(
            admission, tuple(SandboxTool), folder / "work", limits=LIMITS, timeout_s=60, killable=killable
        ),
        *calls,
        request=SessionRequest(task="do it", autonomy=Autonomy.AUTO if allow else Autonomy.GUARDED, allow=allow),
    )  # fmt: skip


def bash(command: str) -> CallFunction:
    """A call as a dialect without a bash tool of its own makes it."""
    return CallFunction(name=BASH, arguments_json=json.dumps({"command": command}))


@pytest.mark.parametrize("call", [bash("echo hi > a; cat a"), RunCommand(command="echo hi > a; cat a")])
async def test_a_command_is_asked_as_a_whole_and_answered(tmp_path: Path, call: Action) -> None:
    r, effect = offering(tmp_path, call)
    result = await result_of(r, effect, "yes")
    assert r.model.brief is not None
    assert [tool.name for tool in r.model.brief.tools] == [BASH, TEXT_EDITOR]
    assert r.of(Proposed)[0].calls[0].action == RunCommand(command="echo hi > a; cat a")
    (question,) = r.of(Asked)
    assert question.question.surface is Surface.DIALOG
    assert question.question.action == RunCommand(command="echo hi > a; cat a")
    assert question.question.assessment is not None
    assert Category.TERMINAL in question.question.assessment.categories
    assert result.status is CallStatus.DONE
    assert result.tool is not None
    assert result.tool.texts == ("hi\n", "exit code 0")
    assert r.injector.grants == []


@pytest.mark.parametrize(
    "call",
    [bash("touch a"), EditFile(command="create", path="a", arguments={"file_text": "x"})],
)
async def test_what_is_declined_leaves_no_trace(tmp_path: Path, call: Action) -> None:
    r, effect = offering(tmp_path, call)
    assert (await result_of(r, effect, "no")).status is CallStatus.DECLINED
    assert r.of(Granted) == []
    assert names(tmp_path) == []


async def test_an_edit_is_asked_with_its_difference(tmp_path: Path) -> None:
    edit = CallFunction(
        name=TEXT_EDITOR,
        arguments_json=json.dumps({"command": "create", "path": "/workspace/a", "file_text": "one\ntwo"}),
    )
    r, effect = offering(tmp_path, edit)
    assert (await result_of(r, effect, "yes")).status is CallStatus.DONE
    question = r.of(Asked)[0].question
    assert ("write file “/workspace/a”?" in str(question.text), question.window) == (True, "")
    action = question.action
    assert action is not None
    assert exact_text(action) == "/workspace/a, the whole file:\n+ one\n+ two"
    assert names(tmp_path / "work") == ["a"]


async def test_auto_runs_what_the_operator_allows_and_asks_about_the_rest(tmp_path: Path) -> None:
    r, effect = offering(tmp_path, bash("echo hi"), bash("chmod 777 a"), allow=(Category.TERMINAL,))
    await r.start()
    r.session.post(Answer(question_id=await question_of(r), answer="no"))
    await r.end()
    await effect.close()
    (question,) = r.of(Asked)
    assert question.question.action == RunCommand(command="chmod 777 a")
    assert [seen.results[0].status for seen in r.model.seen[1:3]] == [CallStatus.DONE, CallStatus.DECLINED]


async def test_without_the_tools_there_are_no_commands(tmp_path: Path) -> None:
    r = rig(does(RunCommand(command="touch a")))
    await r.start()
    r.session.post(Answer(question_id=await question_of(r), answer="yes"))
    await r.end()
    result = r.model.seen[1].results[0]
    assert result.status is CallStatus.FAILED
    assert "not available" in result.text


async def test_a_stop_in_the_middle_of_a_command_kills_it(tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()
    os.mkfifo(tmp_path / "work" / "pipe")
    r, effect = offering(tmp_path, bash("cat pipe; sleep 1e9"))
    await r.start()
    with ThreadPoolExecutor() as threads:
        # The rig's executor would wait for the command on the loop.
        asyncio.get_running_loop().set_default_executor(threads)
        r.session.post(Answer(question_id=await question_of(r), answer="yes"))
        await read_from(tmp_path / "work" / "pipe")
        r.session.post(Stop(reason=StopCause.BUTTON))
        assert (await r.end()).outcome is EndedOutcome.STOPPED
        await effect.close()


def names(folder: Path) -> list[str]:
    return sorted(each.name for each in folder.iterdir())


async def read_from(pipe: Path) -> None:
    """Wait until the command reads from the pipe."""
    os.close(await asyncio.to_thread(os.open, pipe, os.O_WRONLY))


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        (BASH, "[]", "not a JSON object"),
        (BASH, "{}", "command"),
        (BASH, '{"command": "a\\u0000b"}', "command"),
        (BASH, '{"command": ["ls"]}', "command"),
        (TEXT_EDITOR, '{"command": "view"}', "path"),
        (TEXT_EDITOR, '{"command": "undo_edit", "path": "a"}', "undo_edit"),
    ],
)
def test_a_faulty_call_is_not_understood(name: str, arguments: str, said: str) -> None:
    with pytest.raises(ActionError, match=said):
        read_action(CallFunction(name=name, arguments_json=arguments))


def test_calls_are_read_as_actions() -> None:
    assert read_action(CallFunction(name=BASH, arguments_json='{"restart": true}')) == RunCommand(
        command="", restart=True
    )
    arguments = '{"command": "view", "path": "a", "view_range": [1, -1], "old_str": null}'
    view = read_action(CallFunction(name=TEXT_EDITOR, arguments_json=arguments))
    assert view == EditFile(command="view", path="a", arguments={"view_range": "[1, -1]"})
