"""A conversation that is rebuilt from recorded answers goes on as the original would have."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from operator_console.domain.actions import Chord, Click, TypeText
from operator_console.domain.errors import ProviderError, ProviderTransient
from operator_console.domain.geometry import FrameGeometry, NativePoint
from operator_console.domain.keys import Key
from operator_console.domain.proposals import (
    Brief,
    CallResult,
    CallStatus,
    ContinuesConversations,
    Observation,
    PastTurn,
    Proposal,
)
from tests.providers.contract.conftest import INSTRUCTION, TASK, Begin, Conversation
from tests.providers.contract.dialect import Dialect
from tests.servers.scripted_server import Turn

CLICK = Click(at=NativePoint(720, 450))
TYPE = TypeText(text="abc")
SAVE = Chord(keys=(Key("ctrl"), Key("s")))
BRIEF = Brief(task=TASK, instruction=INSTRUCTION)


def answered(proposal: Proposal, *statuses: CallStatus) -> tuple[CallResult, ...]:
    """The calls with these statuses, the last of which is repeated."""
    given = [statuses[min(index, len(statuses) - 1)] for index in range(len(proposal.calls))]
    return tuple(
        CallResult(call=call, status=status, text="" if status is CallStatus.DONE else "Why.")
        for call, status in zip(proposal.calls, given, strict=True)
    )


async def played(
    it: Conversation, statuses: Sequence[CallStatus], turns: int
) -> tuple[list[PastTurn], tuple[CallResult, ...]]:
    """The turns as they are recorded, and the answers to the last one's calls."""
    past: list[PastTurn] = []
    results: tuple[CallResult, ...] = ()
    for number in range(turns):
        given = it.observation(*results, messages=["Mind the date."] if number == 1 else [])
        proposal = await it.provider.propose(given)
        past.append(PastTurn(observation=given, raw=proposal.raw))
        results = answered(proposal, *statuses)
    return past, results


def script(dialect: Dialect, geometry: FrameGeometry) -> list[Turn]:
    actions = (CLICK, TYPE, SAVE) if dialect.batches else (CLICK,)
    return [
        dialect.turn(*actions, geometry=geometry, thought="It is a menu.", text="Opening it."),
        dialect.function("ask_user", {"question": "Which one?"}),
        dialect.says("I wonder."),
        dialect.turn(*actions, geometry=geometry, thought="Now that one.", text="Saving."),
    ]


@asynccontextmanager
async def resumed(
    dialect: Dialect,
    it: Conversation,
    past: Sequence[PastTurn],
    results: Sequence[CallResult],
    history: str = "",
) -> AsyncIterator[Observation]:
    """Has a new provider of the same server go on with the conversation of the record; gives its next observation."""
    before, it.provider = it.provider, dialect.provider(it.server.url)
    await before.close()
    try:
        assert isinstance(it.provider, ContinuesConversations)
        calls = it.provider.resume(replace(BRIEF, history=history), past)
        assert [(call.index, call.name) for call in calls] == [(each.call.index, each.call.name) for each in results]
        answers = [replace(result, call=call) for result, call in zip(results, calls, strict=True)]
        yield it.observation(*answers, messages=["This session goes on."])
    finally:
        await it.provider.close()


DONE, FAILED = (CallStatus.DONE,), (CallStatus.DONE, CallStatus.FAILED, CallStatus.NOT_DONE)


@pytest.mark.parametrize(
    ("turns", "statuses"),
    [(4, FAILED), *(pytest.param(*each, marks=pytest.mark.full) for each in ((1, DONE), (2, FAILED), (3, DONE)))],
)
async def test_it_goes_on_as_the_original_would_have(
    dialect: Dialect, begin: Begin, geometry: FrameGeometry, statuses: Sequence[CallStatus], turns: int
) -> None:
    it = await begin(
        *script(dialect, geometry)[:turns],
        {"status": 500},
        dialect.turn(SAVE, geometry=geometry),
        dialect.says("I see."),
    )
    past, results = await played(it, statuses, turns)
    original = it.observation(*results, messages=["This session goes on."])
    with pytest.raises(ProviderTransient):
        await it.provider.propose(original)
    async with resumed(dialect, it, past, results) as observation:
        again = await it.provider.propose(replace(observation, picture=original.picture))
        assert [call.action for call in again.calls] == [SAVE]
        await it.propose(*answered(again, CallStatus.DONE))
    wanted, sent = (it.server.received[place].body for place in (turns, turns + 1))
    assert dialect.texts(sent) == dialect.texts(wanted)
    assert dialect.pictures(sent) == dialect.pictures(wanted)
    if "previous_response_id" not in wanted:
        assert sent == wanted
    assert "previous_response_id" not in sent, "what the service has stored may be gone"
    assert it.server.conversations == 1


async def test_the_newest_turns_alone_go_on_lawfully(dialect: Dialect, begin: Begin, geometry: FrameGeometry) -> None:
    it = await begin(*script(dialect, geometry), dialect.turn(SAVE, geometry=geometry), dialect.says("I see."))
    past, results = await played(it, (CallStatus.DONE,), 4)
    first, *others = past[1:]
    first = replace(first, observation=replace(first.observation, results=()))
    async with resumed(dialect, it, [first, *others], results, history="A click, done.") as observation:
        again = await it.provider.propose(observation)
        assert [call.action for call in again.calls] == [SAVE]
        await it.propose(*answered(again, CallStatus.DONE))


async def test_a_damaged_answer_is_refused_and_the_conversation_begins_in_words(
    dialect: Dialect, begin: Begin, geometry: FrameGeometry
) -> None:
    it = await begin(*script(dialect, geometry)[:2], dialect.turn(SAVE, geometry=geometry))
    past, _ = await played(it, (CallStatus.DONE,), 2)
    provider = it.provider
    assert isinstance(provider, ContinuesConversations)
    for raw in (b"", b"{", past[1].raw[: len(past[1].raw) // 2], b"[]"):
        with pytest.raises(ProviderError):
            provider.resume(BRIEF, [past[0], replace(past[1], raw=raw)])
    # Results that answer other calls than the answer before them has.
    with pytest.raises(ValueError, match="do not answer"):
        provider.resume(BRIEF, [replace(past[0], raw=past[1].raw), past[1]])
    it.provider.begin(replace(BRIEF, history="Step 1: a click, done."))
    again = await it.propose()
    assert [call.action for call in again.calls] == [SAVE]
    assert "Step 1: a click, done." in "\n".join(it.texts())
