"""The scripted provider proposes the turns of its script."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from operator_console.domain.actions import Click, Finish
from operator_console.domain.codec import encode
from operator_console.domain.errors import (
    OperatorError,
    ProviderMalformed,
    ProviderRefused,
    ProviderRejected,
    ProviderTransient,
)
from operator_console.domain.geometry import NativePoint
from operator_console.domain.proposals import CallResult, CallStatus, Provider
from operator_console.providers.scripted.provider import ScriptedCall, ScriptedProvider, ScriptedTurn, read_turns
from tests.providers.conftest import BRIEF, all_done, seen

CLICK = Click(at=NativePoint(3, 4))


async def test_it_plays_a_file(tmp_path: Path) -> None:
    path = tmp_path / "script.json"
    turns = [
        {
            "narration": "First.",
            "calls": [
                {"action": encode(CLICK), "intent": "Open", "box": {"x": 1, "y": 2, "width": 3, "height": 4}},
                {"name": "fly", "error": "There is no function fly."},
            ],
        },
        {"calls": [{"action": encode(Finish(message="Done."))}], "finished": True},
    ]
    path.write_text(json.dumps({"turns": turns}), encoding="utf-8")
    provider: Provider = ScriptedProvider.from_file(path)
    assert (provider.name, provider.model) == ("scripted", str(path))
    provider.begin(BRIEF)
    first = await provider.propose(seen())
    assert [call.action for call in first.calls] == [CLICK, None]
    assert first.calls[0].name == "click"
    assert first.calls[1].error == "There is no function fly."
    assert not first.finished
    second = await provider.propose(seen(*all_done(first)))
    assert second.finished
    assert second.calls[0].action == Finish(message="Done.")
    assert json.loads(second.raw)["finished"] is True
    await provider.close()


async def test_a_script_that_is_over_finishes() -> None:
    provider = ScriptedProvider([])
    provider.begin(BRIEF)
    assert (await provider.propose(seen())).finished


async def test_it_hears_what_it_is_told_and_demands_the_right_answers() -> None:
    provider = ScriptedProvider([ScriptedTurn(calls=(ScriptedCall(action=CLICK),)), ScriptedTurn(narration="Done.")])
    provider.begin(BRIEF)
    (call,) = (await provider.propose(seen())).calls
    with pytest.raises(ValueError, match="do not answer"):
        await provider.propose(seen())
    result = CallResult(call=call, status=CallStatus.SKIPPED, text="Not there.")
    await provider.propose(seen(result, messages=["Hurry."]))
    assert provider.heard[-1].results == (result,)
    assert provider.heard[-1].messages == ("Hurry.",)


@pytest.mark.parametrize(
    ("fault", "error"),
    [
        ("transient", ProviderTransient),
        ("refused", ProviderRefused),
        ("rejected", ProviderRejected),
        ("malformed", ProviderMalformed),
    ],
)
async def test_a_fault_is_raised_once(fault: str, error: type[Exception]) -> None:
    turns = read_turns(
        [{"fault": fault, "title": "Too busy.", "retry_after_s": 3}, {"narration": "Done."}], Path("script.json")
    )
    provider = ScriptedProvider(turns)
    provider.begin(BRIEF)
    with pytest.raises(error, match=r"Too busy\.") as caught:
        await provider.propose(seen())
    assert getattr(caught.value, "retry_after_s", 3) == 3
    assert (await provider.propose(seen())).finished


async def test_a_held_turn_waits_and_survives_a_cancel() -> None:
    provider = ScriptedProvider([ScriptedTurn(narration="At last.", hold=True)])
    provider.begin(BRIEF)
    task = asyncio.create_task(provider.propose(seen()))
    await provider.holding.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    provider.release()
    assert (await provider.propose(seen())).narration == "At last."


@pytest.mark.parametrize(
    "text", ["{", "3", '{"turns": 3}', '[{"calls": [{"action": {"kind": "fly"}}]}]', '[{"fault": "odd"}]']
)
def test_a_bad_script_is_the_operators_to_mend(tmp_path: Path, text: str) -> None:
    path = tmp_path / "script.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(OperatorError) as caught:
        ScriptedProvider.from_file(path)
    assert caught.value.exit_code == 2
    assert str(path) in caught.value.title


def test_a_missing_script_is_the_operators_to_mend(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match="cannot be read"):
        ScriptedProvider.from_file(tmp_path / "none.json")


def test_a_bad_turn_is_named() -> None:
    data: list[Any] = [{}, {"calls": 3}]
    with pytest.raises(OperatorError) as caught:
        read_turns(data, Path("a.json"))
    assert caught.value.title == "Turn 2 of the script a.json has a mistake."
    assert caught.value.detail == "In the turn (calls): '3' is not tuple."
    assert caught.value.remedy


def test_an_unknown_kind_is_named_with_the_kinds_there_are() -> None:
    click = {"action": encode(CLICK)}
    with pytest.raises(OperatorError) as caught:
        read_turns([{"calls": [click, {"action": {"kind": "explode"}}]}], Path("a.json"))
    assert caught.value.title == "Turn 1 of the script a.json has a mistake."
    assert caught.value.detail == "In call 2 (action), the kind “explode” does not exist."
    assert caught.value.remedy.startswith("Use one of these kinds: move, click, ")


def test_a_field_that_is_missing_is_named_with_its_place() -> None:
    with pytest.raises(OperatorError) as caught:
        read_turns([{"calls": [{"action": {"kind": "move"}}]}], Path("a.json"))
    assert caught.value.detail == "In call 1 (action): Move lacks at."
