"""The documented answers, and checks of any form."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from operator_console.domain.actions import Click, TypeText
from operator_console.domain.errors import ProviderMalformed
from operator_console.domain.geometry import NativePoint, Size
from operator_console.providers.openai.answer import ReadAnswer, read_answer
from operator_console.providers.shared.own_tools import Vocabulary
from tests.providers.conftest import geometry
from tests.providers.contract.hostile import ANY_JSON

CURRENT = """
{"type":"computer_call","id":"cu_1","call_id":"call_1","status":"completed",
 "actions":[{"type":"click","button":"left","x":405,"y":157},{"type":"type","text":"penguin"}],
 "pending_safety_checks":[{"id":"sc_1","code":"malicious_instructions","message":"Look out."}]}
"""
PREVIEW = """
{"type":"computer_call","id":"cu_1","call_id":"call_1","status":"completed",
 "action":{"type":"click","button":"left","x":405,"y":157},"pending_safety_checks":[]}
"""


def _read(*items: Any, **more: Any) -> ReadAnswer:
    body = {"id": "resp_1", "status": "completed", "output": list(items), **more}
    return read_answer(json.dumps(body).encode(), geometry(Size(1440, 900)), Vocabulary(), request_bytes=1)


def test_the_documented_batch() -> None:
    read = _read(json.loads(CURRENT))
    assert [call.action for call in read.proposal.calls] == [
        Click(at=NativePoint(405, 157)),
        TypeText(text="penguin"),
    ]
    assert [call.safety.explanation for call in read.proposal.calls if call.safety] == ["Look out."] * 2
    (wire,) = read.wire_calls
    assert (wire.call_id, wire.calls, [check["id"] for check in wire.checks]) == ("call_1", 2, ["sc_1"])
    assert read.items == [json.loads(CURRENT)]
    assert not read.proposal.finished


def test_the_documented_single_action() -> None:
    (call,) = _read(json.loads(PREVIEW)).proposal.calls
    assert call.action == Click(at=NativePoint(405, 157))
    assert call.safety is None
    assert json.loads(call.arguments_json) == {"type": "click", "button": "left", "x": 405, "y": 157}


def test_thoughts_text_and_unknown_items_are_told_apart() -> None:
    reasoning = {"id": "rs_1", "type": "reasoning", "encrypted_content": "x", "new": 1}
    summary = [{"type": "summary_text", "text": "**I look.**"}, {"type": "summary_text", "text": "I click."}]
    message = {"id": "msg_1", "type": "message", "role": "assistant", "phase": "commentary", "status": "completed"}
    content = [{"type": "output_text", "text": "Opening it.", "annotations": []}, {"type": "new"}]
    items = [
        {**reasoning, "summary": summary},
        {"type": "something_new", "id": "x"},
        {**message, "content": content},
        json.loads(PREVIEW),
    ]
    read = _read(*items, incomplete_details=None, error=None, usage=None)
    assert read.proposal.thoughts == "**I look.**\n\nI click."
    assert read.proposal.narration == "Opening it."
    assert read.proposal.calls[0].intent == "Opening it."
    assert read.items == [items[0], *items[2:]]
    assert read.response_id == "resp_1"


@pytest.mark.parametrize(
    "arguments",
    [{"reason": "x"}, '{"reason": "x"}', json.dumps('{"reason": "x"}')],
    ids=["object", "text", "text twice"],
)
def test_what_other_services_write_differently_is_read(arguments: Any) -> None:
    """Items without ids, a summary or a refusal, and the arguments of functions in any form."""
    message = {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "?", "refusal": None}],
    }
    call = {"type": "function_call", "call_id": "call_1", "name": "yield_to_user", "arguments": arguments}
    read = _read({"type": "reasoning"}, message, call)
    assert (read.proposal.narration, read.proposal.calls[0].arguments_json) == ("?", '{"reason": "x"}')


@given(ANY_JSON | st.lists(st.dictionaries(st.sampled_from(["id", "code", "message"]), st.text(max_size=3))))
def test_nothing_but_the_lack_of_checks_passes_unasked(checks: Any) -> None:
    try:
        read = _read({**json.loads(CURRENT), "pending_safety_checks": checks})
    except ProviderMalformed:
        assert checks not in (None, [])
        return
    assert all(call.safety is not None for call in read.proposal.calls) is bool(checks)
    assert list(read.wire_calls[0].checks) == (checks or [])


def test_deep_nesting_is_malformed() -> None:
    body = b'{"status":"completed","output":' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    with pytest.raises(ProviderMalformed):
        read_answer(body, geometry(), Vocabulary(), request_bytes=1)
