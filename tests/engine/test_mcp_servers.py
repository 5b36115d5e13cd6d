"""MCP servers in a session: offered, asked about, answered, declined, left unasked, absent, killed by a stop."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from operator_console.domain.actions import CallFunction
from operator_console.domain.decisions import Surface
from operator_console.domain.errors import OperatorError
from operator_console.domain.events import Asked, Decided, EndedOutcome, Granted, Performed, Warned
from operator_console.domain.intents import Approve
from operator_console.domain.proposals import CallStatus
from operator_console.domain.risk import Autonomy, Category, RiskClass
from operator_console.tools.mcp_servers import McpServer, McpServers
from tests.engine.function_session import EVERYTHING_ALLOWED, question_of, result_of, session_with, stop_ends
from tests.engine.rig import Rig


def server(name: str, **options: Any) -> McpServer:
    """A server with limits that no test reaches."""
    return McpServer(name=name, start_timeout_s=30.0, timeout_s=60.0, **options)


PLAIN_ARGS = (str(Path(__file__).parents[1] / "servers" / "plain_mcp_server.py"),)
PLAIN = server("test", command=sys.executable, args=PLAIN_ARGS)
ADD = CallFunction(name="test__add", arguments_json='{"a": 2, "b": 3}')


def offering(
    *calls: CallFunction, servers: Sequence[McpServer] = (PLAIN,), autonomy: Autonomy = Autonomy.AUTO
) -> tuple[Rig, McpServers]:
    """A session with these servers, whose model makes these calls, one a turn."""
    request = replace(EVERYTHING_ALLOWED, autonomy=autonomy)
    if autonomy is not Autonomy.AUTO:
        request = replace(request, allow=())
    return session_with(
        lambda admission, killable: McpServers(admission, servers, killable=killable), *calls, request=request
    )


async def test_a_tool_is_offered_asked_in_the_dialog_and_answered_with_data() -> None:
    r, effect = offering(ADD)
    result = await result_of(r, effect)
    assert r.model.brief is not None
    assert [tool.name for tool in r.model.brief.tools][:2] == ["test__add", "test__environment"]
    (question,) = r.of(Asked)
    assert question.question.surface is Surface.DIALOG
    assert '"b": 3' in question.question.text
    assessment = question.question.assessment
    assert assessment is not None
    assert (assessment.risk, assessment.rule, assessment.categories) == (RiskClass.C3, "mcp-tool", ())
    assert assessment.reasons[0].startswith("Calls the tool add of the MCP server test")
    assert result.status is CallStatus.DONE
    assert result.tool is not None
    assert result.tool.texts == ("2 + 3 = 5 (call 1)",)
    assert len(r.of(Granted)) == 1
    assert "2 + 3 = 5" in r.of(Performed)[0].detail
    assert r.injector.grants == []


async def test_a_tool_that_the_operator_named_runs_without_a_question() -> None:
    named = server("test", command=sys.executable, args=PLAIN_ARGS, unasked=("add",))
    r, effect = offering(ADD, servers=(named,), autonomy=Autonomy.GUARDED)
    await r.run()
    await effect.close()
    assert r.of(Asked) == []
    (decided,) = r.of(Decided)
    assert decided.assessment is not None
    assert (decided.assessment.risk, decided.assessment.rule) == (RiskClass.C2, "mcp-tool-unasked")
    assert r.model.seen[1].results[0].status is CallStatus.DONE


async def test_step_asks_about_it_all_the_same_and_a_secret_is_asked_in_the_dialog() -> None:
    named = server("test", command=sys.executable, args=PLAIN_ARGS, unasked=("add", "hangs"))
    r, effect = offering(ADD, servers=(named,), autonomy=Autonomy.STEP)
    await r.start()
    r.session.post(Approve(question_id=await question_of(r)))
    assert (await r.end()).outcome is EndedOutcome.FINISHED
    await effect.close()
    key = CallFunction(name="test__hangs", arguments_json='{"pipe": "sk-ant-api03-abcdefghijklmnop1234"}')
    r, effect = offering(key, servers=(named,), autonomy=Autonomy.GUARDED)
    assert (await result_of(r, effect, "no")).status is CallStatus.DECLINED
    assert r.of(Granted) == []
    (question,) = r.of(Asked)
    assert question.question.assessment is not None
    assert Category.CREDENTIALS in question.question.assessment.categories


async def test_a_server_that_does_not_start_is_told_and_the_session_goes_on() -> None:
    r, effect = offering(servers=(server("absent", command="no-such-program"), PLAIN))
    await r.run()
    await effect.close()
    (warned,) = r.of(Warned)
    assert warned.title == "The MCP server “absent” cannot be used."
    assert "no program 'no-such-program'" in warned.detail
    assert "operator-console mcp check absent" in warned.detail
    assert r.model.brief is not None
    assert len(r.model.brief.tools) == 5


async def test_without_a_required_server_the_session_does_not_begin() -> None:
    r, effect = offering(servers=(server("absent", command="no-such-program", required=True),))
    with pytest.raises(OperatorError, match="absent"):
        await r.run()
    await effect.close()
    assert r.opened == []


async def test_a_stop_in_the_middle_of_a_call_kills_the_server(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    call = CallFunction(name="test__hangs", arguments_json=json.dumps({"pipe": str(pipe)}))
    r, effect = offering(call, servers=(PLAIN,))
    await stop_ends(r, effect, pipe)
