"""All requests of any session follow the rules of the protocol, as checked by the strict server."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from operator_console.domain.geometry import Size
from operator_console.domain.proposals import Brief, CallResult, CallStatus, Proposal
from operator_console.providers.gemini.answer import Vocabulary, read_answer
from operator_console.providers.gemini.contents import GeminiTurns
from operator_console.providers.shared.history import Conversation
from tests.providers.conftest import geometry, seen
from tests.servers.gemini_rules import Expectations, check_request, normal_content
from tests.servers.gemini_scripts import Composer, answer

TINY = Size(20, 10)
TOOLS = [{"computerUse": {"environment": "ENVIRONMENT_DESKTOP"}}]

_CALL = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["click", "type", "wait", "nonsense"]),
        "args": st.fixed_dictionaries(
            {"x": st.just(5), "y": st.just(5), "text": st.just("ł"), "intent": st.text(max_size=5)},
            optional={"safety_decision": st.just({"decision": "require_confirmation"})},
        ),
    },
    optional={"id": st.none()},
)
_TURN = st.one_of(
    st.fixed_dictionaries({"calls": st.lists(_CALL, min_size=1, max_size=3), "thought": st.just("Hm.")}),
    st.just({"text": "Done."}),
)
_STATUSES = st.lists(st.sampled_from(list(CallStatus)), min_size=3, max_size=3)
_STEP = st.tuples(_TURN, _STATUSES, st.booleans(), st.lists(st.text(min_size=1, max_size=5), max_size=2), st.booleans())


def _results(proposal: Proposal, statuses: list[CallStatus], *, yes: bool) -> list[CallResult]:
    return [
        CallResult(call=call, status=status, text="Why.", acknowledged=yes and call.safety is not None, changed=changed)
        for call, status, changed in zip(proposal.calls, statuses, (True, False, None), strict=False)
    ]


@settings(deadline=None, max_examples=150)
@given(st.lists(_STEP, min_size=1, max_size=25), st.integers(1, 3), st.integers(2, 5))
def test_every_request_is_lawful(steps: list[Any], keep_screenshots: int, keep_turns: int) -> None:
    conversation = Conversation(turns=GeminiTurns(), brief=Brief(task="Do it.", instruction=""))
    composer = Composer(None)
    served: list[dict[str, Any]] = []
    results: list[CallResult] = []
    for turn, statuses, yes, messages, lost in steps:
        observation = seen(*results, messages=messages, size=TINY)
        asked = conversation.ask(observation, keep_screenshots=keep_screenshots, keep_turns=keep_turns)
        if lost:  # the answer never came: the same is asked again
            again = conversation.ask(observation, keep_screenshots=keep_screenshots, keep_turns=keep_turns)
            assert again.contents() == asked.contents()
        contents = asked.contents()
        expected = Expectations(served=served, keep_screenshots=keep_screenshots)
        check_request("gemini-3.8-flash", {"contents": contents, "tools": TOOLS}, expected)
        assert contents[0]["parts"][0]["text"].startswith("Do it.")
        assert sum(content["role"] == "model" for content in contents) <= keep_turns + max(1, keep_turns // 4)
        texts = [part["text"] for content in contents for part in content["parts"] if "text" in part]
        assert all(any(message in text for text in texts) for message in messages)
        content = composer.content(turn, b"")
        assert content is not None
        served.append(normal_content(content))
        body = json_bytes(answer(turn, content, model="m", serial=1, request_bytes=1))
        read = read_answer(body, geometry(TINY), Vocabulary(), request_bytes=1)
        assert read.content == content
        conversation = asked.answered(read.content, read.proposal.calls)
        results = _results(read.proposal, statuses, yes=yes)


def json_bytes(value: object) -> bytes:
    return json.dumps(value).encode()


def test_condensed_turns_are_told_in_the_opening() -> None:
    conversation = Conversation(turns=GeminiTurns(), brief=Brief(task="Do it.", instruction="", history="Before."))
    results: list[CallResult] = []
    for number in range(12):
        observation = seen(*results, messages=[f"Note {number}."] if number == 3 else [], size=TINY)
        asked = conversation.ask(observation, keep_screenshots=1, keep_turns=4)
        content = {
            "role": "model",
            "parts": [{"functionCall": {"name": "click", "args": {"x": number, "y": 1, "intent": f"Press {number}"}}}],
        }
        body = json_bytes({"candidates": [{"content": content, "finishReason": "STOP"}]})
        read = read_answer(body, geometry(TINY), Vocabulary(), request_bytes=1)
        conversation = asked.answered(read.content, read.proposal.calls)
        results = [CallResult(call=read.proposal.calls[0], status=CallStatus.FAILED, text=f"Covered {number}.")]
    opening = conversation.contents()[0]["parts"][0]["text"]
    assert "Before." in opening
    assert '- click {"x": 0, "y": 1} (Press 0): failed. Covered 0.' in opening
    assert "- Message: Note 3." in opening
    said = [content for content in conversation.contents() if content["role"] == "model"]
    kept = [content["parts"][0]["functionCall"]["args"]["x"] for content in said]
    assert kept == list(range(kept[0], 12))
    assert f"(Press {kept[0] - 1}): failed" in opening
    assert f"(Press {kept[0]}): failed" not in opening


def test_what_was_seen_of_an_effect_is_a_plain_fact_of_the_answer() -> None:
    conversation = Conversation(turns=GeminiTurns(), brief=Brief(task="Do it.", instruction=""))
    parts = [{"functionCall": {"name": "click", "args": {"x": 5, "y": 5}}}] * 3
    body = json_bytes({"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]})
    read = read_answer(body, geometry(TINY), Vocabulary(), request_bytes=1)
    asked = conversation.ask(seen(size=TINY), keep_screenshots=3, keep_turns=3)
    results = _results(read.proposal, [CallStatus.DONE] * 3, yes=True)
    after = asked.answered(read.content, read.proposal.calls).ask(
        seen(*results, size=TINY), keep_screenshots=3, keep_turns=3
    )
    responses = [part["functionResponse"]["response"] for part in after.contents()[-1]["parts"]]
    assert [response.get("screen_changed") for response in responses] == [True, False, None]
