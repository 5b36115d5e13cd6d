"""The operator's own functions in a session: offered, asked about, answered, declined, failed, killed by a stop."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from operator_console.domain.actions import CallFunction
from operator_console.domain.decisions import Surface
from operator_console.domain.errors import OperatorError
from operator_console.domain.events import Asked, Granted, Performed
from operator_console.domain.proposals import CallStatus
from operator_console.domain.risk import RiskClass
from operator_console.tools.own_functions import OwnFunctions
from tests.engine.function_session import result_of, session_with, stop_ends
from tests.engine.rig import Rig

MODULE = '''
import os, time

def book(night: int) -> str:
    """Book a room."""
    return f"room 7 for night {night}"

def fails():
    raise RuntimeError("no room left")

def hangs(pipe: str) -> None:
    with open(pipe, "w") as file:
        file.write(str(os.getpid()))
    time.sleep(1000)
'''


def offering(folder: Path, *calls: CallFunction) -> tuple[Rig, OwnFunctions]:
    """A session with the functions of MODULE, whose model makes these calls, one a turn."""
    (folder / "mine.py").write_text(MODULE)
    return session_with(
        lambda admission, killable: OwnFunctions(
            admission, ["mine:book", "mine:fails", "mine:hangs"], timeout_s=60, killable=killable,
            environment={**os.environ, "PYTHONPATH": str(folder)},
        ),
        *calls,
    )  # fmt: skip


async def test_it_is_offered_asked_in_the_dialog_and_answered_with_data(tmp_path: Path) -> None:
    r, effect = offering(tmp_path, CallFunction(name="book", arguments_json='{"night": 3}'))
    result = await result_of(r, effect)
    assert r.model.brief is not None
    assert [tool.name for tool in r.model.brief.tools] == ["book", "fails", "hangs"]
    (asked,) = r.of(Asked)
    assert asked.question.surface is Surface.DIALOG
    assert 'call book({"night": 3})' in asked.question.text
    assert asked.question.assessment is not None
    assert (asked.question.assessment.risk, asked.question.assessment.rule) == (RiskClass.C3, "own-function")
    assert result.status is CallStatus.DONE
    assert result.tool is not None
    assert result.tool.texts == ("room 7 for night 3",)
    assert len(r.of(Granted)) == 1
    assert "room 7 for night 3" in r.of(Performed)[0].detail
    assert r.injector.grants == []


async def test_a_no_leaves_it_uncalled(tmp_path: Path) -> None:
    r, effect = offering(tmp_path, CallFunction(name="book", arguments_json='{"night": 3}'))
    assert (await result_of(r, effect, "no")).status is CallStatus.DECLINED
    assert r.of(Granted) == []


async def test_its_fault_is_an_answer(tmp_path: Path) -> None:
    result = await result_of(*offering(tmp_path, CallFunction(name="fails")))
    assert result.status is CallStatus.FAILED
    assert result.tool is not None
    assert (result.tool.error, result.tool.texts) == (True, ("RuntimeError: no room left",))


async def test_a_stop_in_the_middle_kills_it(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    r, effect = offering(tmp_path, CallFunction(name="hangs", arguments_json=f'{{"pipe": "{pipe}"}}'))
    await stop_ends(r, effect, pipe)


async def test_one_that_cannot_be_offered_refuses_the_session_before_it_begins(tmp_path: Path) -> None:
    r, _ = offering(tmp_path)
    (tmp_path / "mine.py").write_text("raise RuntimeError('no library')")
    with pytest.raises(OperatorError, match="cannot be offered"):
        await r.run()
    assert r.opened == []
