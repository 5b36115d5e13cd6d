"""The documented answers, with the toolset and with the dated tools."""

from __future__ import annotations

import json
from typing import Any

from operator_console.domain.actions import Click, TypeText
from operator_console.domain.geometry import NativePoint
from operator_console.providers.anthropic.answer import read_answer
from operator_console.providers.shared.answers import recorded_parts
from operator_console.providers.shared.own_tools import Vocabulary
from tests.providers.conftest import geometry

THINKING = {"type": "thinking", "thinking": "The Save button is at the bottom.", "signature": "c2ln"}
TOOLSET: list[dict[str, Any]] = [
    THINKING,
    {
        "type": "tool_use", "id": "toolu_1", "name": "left_click", "toolset_name": "computer",
        "input": {"coordinate": [512, 742]},
    },
    {"type": "tool_use", "id": "toolu_2", "name": "type", "toolset_name": "computer", "input": {"text": "abc"}},
]  # fmt: skip
DATED: list[dict[str, Any]] = [
    THINKING,
    {
        "type": "tool_use", "id": "toolu_1", "name": "computer",
        "input": {"action": "left_click", "coordinate": [512, 742]},
    },
    {"type": "tool_use", "id": "toolu_2", "name": "computer", "input": {"action": "type", "text": "abc"}},
]  # fmt: skip


def body(content: list[dict[str, Any]], **more: Any) -> bytes:
    return json.dumps({"content": content, "stop_reason": "tool_use", **more}).encode()


def test_the_documented_batch() -> None:
    for content in (TOOLSET, DATED):
        answer = read_answer([body(content)], geometry(), Vocabulary(), request_bytes=0)
        calls = answer.proposal.calls
        assert [call.action for call in calls] == [Click(at=NativePoint(512, 742)), TypeText(text="abc")]
        assert [(call.call_id, call.name) for call in calls] == [("toolu_1", "left_click"), ("toolu_2", "type")]
        assert answer.proposal.thoughts == "The Save button is at the bottom."
        assert answer.content == {"role": "assistant", "content": content}, "thinking goes back as it came"
    assert read_answer([body(TOOLSET)], geometry(), Vocabulary(), request_bytes=0).toolsets == {
        "toolu_1": "computer", "toolu_2": "computer",
    }  # fmt: skip


def test_a_paused_turn_is_recorded_and_read_again_in_its_parts() -> None:
    parts = [body([THINKING], stop_reason="pause_turn"), body(TOOLSET[1:])]
    live = read_answer(parts, geometry(), Vocabulary(), request_bytes=0)
    again = read_answer(recorded_parts(live.proposal.raw), geometry(), Vocabulary(), request_bytes=0)
    assert (again.content, again.toolsets) == (live.content, live.toolsets)
    assert again.proposal.calls == live.proposal.calls
    assert recorded_parts(b"[") == [b"["]
    assert recorded_parts(b"[]") == [b"[]"]


def test_what_gateways_to_other_models_write_differently_is_read() -> None:
    """Thinking without a signature, ids of other characters, arguments as text, and other words for the end."""
    content: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": "Hm."},
        {"type": "text", "text": None},
        {**DATED[1], "id": "functions.computer:0", "input": json.dumps(DATED[1]["input"])},
    ]
    for reason in ("stop", "tool_calls"):
        answer = read_answer([body(content, stop_reason=reason)], geometry(), Vocabulary(), request_bytes=0)
        assert [call.action for call in answer.proposal.calls] == [Click(at=NativePoint(512, 742))]
        assert answer.content["content"][-1]["input"] == DATED[1]["input"], "the protocol demands an object"
