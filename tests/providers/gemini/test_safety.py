"""Flagged calls: confirmed, declined or expired; and all forms of the flag that were seen."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.domain.errors import ProviderRefused
from operator_console.domain.proposals import CallResult, CallStatus
from operator_console.providers.gemini.answer import read_signal
from tests.providers.conftest import MakeBench, all_done, seen

ASK = {"decision": "require_confirmation", "explanation": "Must tick the box"}
FLAGGED = {"name": "click", "args": {"x": 500, "y": 500, "intent": "Accept the terms", "safety_decision": ASK}}
PLAIN = {"name": "click", "args": {"x": 100, "y": 100, "intent": "Open"}}
DONE = {"text": "Done."}


async def test_yes_is_acknowledged(bench: MakeBench) -> None:
    it = await bench([{"calls": [PLAIN, FLAGGED]}, DONE])
    first = await it.provider.propose(seen())
    plain, flagged = first.calls
    assert plain.safety is None
    assert flagged.safety is not None
    assert (flagged.safety.decision, flagged.safety.explanation) == ("require_confirmation", "Must tick the box")
    assert not flagged.safety.blocked
    await it.provider.propose(seen(*all_done(first)))
    one, two = (part["functionResponse"]["response"] for part in it.contents()[-1]["parts"])
    assert "safety_acknowledgement" not in one
    assert two["safety_acknowledgement"] == "true"
    assert it.server.violations == []


async def test_yes_is_acknowledged_also_where_the_act_failed(bench: MakeBench) -> None:
    it = await bench([{"calls": [FLAGGED]}, DONE])
    (flagged,) = (await it.provider.propose(seen())).calls
    await it.provider.propose(
        seen(CallResult(call=flagged, status=CallStatus.FAILED, text="Covered by “Mail”.", acknowledged=True))
    )
    response = it.contents()[-1]["parts"][0]["functionResponse"]["response"]
    assert response["safety_acknowledgement"] == "true"
    assert response["error"] == "Covered by “Mail”."


@pytest.mark.parametrize(
    "status", [CallStatus.DECLINED, CallStatus.SKIPPED, CallStatus.NOT_DONE, CallStatus.STOPPED, CallStatus.OBSERVING]
)
async def test_no_withdraws_the_turn(bench: MakeBench, status: CallStatus) -> None:
    it = await bench([{"calls": [PLAIN]}, {"calls": [PLAIN, FLAGGED, PLAIN]}, {"calls": [PLAIN]}, DONE])
    first = await it.provider.propose(seen())
    second = await it.provider.propose(seen(*all_done(first)))
    one, flagged, three = second.calls
    third = await it.provider.propose(
        seen(
            CallResult(call=one, status=CallStatus.DONE),
            CallResult(call=flagged, status=status, text="Not today."),
            CallResult(call=three, status=CallStatus.NOT_DONE),
            messages=["Use the other form."],
        )
    )
    contents = it.contents()
    assert "Accept the terms" not in str([content for content in contents if content["role"] == "model"])
    last = contents[-1]
    assert [set(part) for part in last["parts"]] == [{"text"}, {"inlineData"}]
    words = last["parts"][0]["text"]
    assert "Use the other form." in words
    assert "(Accept the terms): " in words
    assert "Not today." in words
    assert "done" in words.split("(Open)")[1]
    assert "safety_acknowledgement" not in str(contents)
    assert (await it.provider.propose(seen(*all_done(third)))).finished
    assert it.server.violations == []


async def test_a_declined_call_is_never_acknowledged_even_if_said_so(bench: MakeBench) -> None:
    it = await bench([{"calls": [FLAGGED]}, DONE])
    (flagged,) = (await it.provider.propose(seen())).calls
    await it.provider.propose(seen(CallResult(call=flagged, status=CallStatus.DECLINED, acknowledged=True)))
    assert "safety_acknowledgement" not in str(it.contents())
    assert it.server.violations == []


async def test_an_unflagged_call_is_never_acknowledged(bench: MakeBench) -> None:
    it = await bench([{"calls": [PLAIN]}, DONE])
    (plain,) = (await it.provider.propose(seen())).calls
    await it.provider.propose(seen(CallResult(call=plain, status=CallStatus.DONE, acknowledged=True)))
    assert it.server.violations == []


async def test_a_blocked_call_is_marked_and_withdrawn(bench: MakeBench) -> None:
    blocked = {"name": "click", "args": {"x": 1, "y": 1, "safety_decision": {"decision": "blocked"}}}
    it = await bench([{"calls": [blocked]}, DONE])
    (call,) = (await it.provider.propose(seen())).calls
    assert call.safety is not None
    assert call.safety.blocked
    await it.provider.propose(seen(CallResult(call=call, status=CallStatus.DECLINED)))
    assert it.server.violations == []


async def test_every_turn_declined_for_long_stays_lawful(bench: MakeBench) -> None:
    it = await bench([*({"calls": [FLAGGED]} for _ in range(60)), DONE])
    proposal = await it.provider.propose(seen())
    while not proposal.finished:
        (call,) = proposal.calls
        proposal = await it.provider.propose(seen(CallResult(call=call, status=CallStatus.DECLINED)))
    assert it.server.violations == []
    assert len(it.contents()) <= 27


@pytest.mark.parametrize(
    ("call", "decision"),
    [
        ({"args": {"safety_decision": ASK}}, "require_confirmation"),
        ({"args": {"safety_decision": json.dumps(ASK)}}, "require_confirmation"),
        ({"args": {"safety_decision": "require_confirmation"}}, "require_confirmation"),
        ({"args": {"safety_decision": {"decision": "SafetyDecision.REQUIRE_CONFIRMATION"}}}, "require_confirmation"),
        ({"args": {"safety_response": ASK}}, "require_confirmation"),
        ({"safety_decision": ASK, "args": {}}, "require_confirmation"),
        ({"safetyDecision": ASK, "args": {}}, "require_confirmation"),
        ({"args": {"safety_decision": {"explanation": "?"}}}, "unspecified"),
        ({"args": {"safety_decision": "something new"}}, "something new"),
        ({"args": {"safety_decision": ["odd"]}}, "['odd']"),
        ({"args": {"safety_decision": {"decision": "allowed"}}}, None),
        ({"args": {"safety_decision": "regular"}}, None),
        ({"args": {"safety_decision": None}}, None),
        ({"args": {}}, None),
    ],
)
def test_every_form_is_read(call: dict[str, Any], decision: str | None) -> None:
    signal = read_signal(call, call["args"])
    assert (signal.decision if signal else None) == decision


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
def test_nothing_but_a_plain_all_clear_passes(value: object) -> None:
    signal = read_signal({}, {"safety_decision": value})
    clear = value is None or str(value).rsplit(".", 1)[-1].strip('" \n\t').lower() in {
        "allowed",
        "allow",
        "regular",
        "safe",
    }
    assert clear or signal is not None


BLOCKS: list[dict[str, Any]] = [
    {"prompt_feedback": {"blockReason": "PROHIBITED_CONTENT", "blockReasonMessage": "Hidden instructions."}},
    {"prompt_feedback": {"blockReason": "A_NEW_REASON"}, "candidates": []},
    {"finish_reason": "SAFETY"},
    {"finish_reason": "PROHIBITED_CONTENT", "text": "I cannot."},
    {"finish_reason": "MODEL_ARMOR", "calls": [PLAIN]},
    {"finish_reason": "ESCALATION"},
    {"finish_reason": "OTHER"},
]


@pytest.mark.parametrize("turn", BLOCKS, ids=str)
async def test_any_block_is_refused_and_leaves_the_conversation(bench: MakeBench, turn: dict[str, Any]) -> None:
    it = await bench([{"calls": [PLAIN]}, turn, DONE])
    first = await it.provider.propose(seen())
    with pytest.raises(ProviderRefused) as caught:
        await it.provider.propose(seen(*all_done(first)))
    assert caught.value.detail
    assert caught.value.remedy
    assert (await it.provider.propose(seen(*all_done(first), messages=["Look elsewhere."]))).finished
    assert it.server.violations == []
