"""What the base of providers does with answers that cannot be used, and with several answers to one turn."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import pytest

from operator_console.domain.errors import ProviderMalformed
from operator_console.domain.proposals import Brief, Call, Observation, PastTurn, Proposal, Usage
from operator_console.providers.shared.http_client import Answered
from operator_console.providers.shared.model_provider import ModelProvider, TurnAnswers
from tests.providers.conftest import BRIEF, seen

Body = bytes | type[BaseException]


@dataclass(frozen=True)
class _Options:
    request_timeout_s: float = 20.0

    def model_copy(self, *, update: Mapping[str, Any] | None = None) -> _Options:
        return replace(self, **(update or {}))


class _Connection:
    closed = False

    async def close(self) -> None:
        self.closed = True


class _Provider(ModelProvider[_Options, int]):
    """Asks for the bodies it is given, turn by turn; an error in place of one is raised there."""

    def __init__(self, *turns: Sequence[Body]) -> None:
        self.connection = _Connection()
        self.turns = list(turns)
        super().__init__("model-1", _Options(), self.connection, lambda body: Usage(input_tokens=len(body)))

    def begin(self, brief: Brief) -> None:
        self.taken: list[bytes] = []
        self._conversation = SimpleNamespace(pending=())

    def _ask(self, observation: Observation) -> int:
        return len(self.taken)

    async def _send(self, asked: int, observation: Observation, made: TurnAnswers) -> None:
        for body in self.turns.pop(0):
            if not isinstance(body, bytes):
                raise body("No.")
            made.add(Answered(body=body, request_bytes=7))

    def _take(self, asked: int, observation: Observation, made: TurnAnswers) -> Proposal:
        if made.body == b"bad":
            raise ProviderMalformed("It is bad.")
        self.taken.append(made.raw)
        self._conversation = SimpleNamespace(
            pending=(Call(index=0, name=made.body.decode(), action=None, error="No."),)
        )
        return Proposal(calls=self._conversation.pending, raw=made.raw, request_bytes=made.request_bytes)


async def test_answers_that_were_not_used_are_told_once() -> None:
    provider = _Provider([b"{}"], [b"{}", b"bad"], [b"123", asyncio.CancelledError], [ProviderMalformed])
    await provider.propose(seen())
    assert provider.take_usage() == Usage()
    for error in (ProviderMalformed, asyncio.CancelledError, ProviderMalformed):
        with pytest.raises(error):
            await provider.propose(seen())
    assert provider.taken == [b"{}"]
    assert provider.take_usage() == Usage(input_tokens=len(b"{}bad123"))
    assert provider.take_usage() == Usage()


async def test_several_answers_to_a_turn_are_recorded_together_and_replayed() -> None:
    provider = _Provider([b"{}", b"[1]"])
    proposal = await provider.propose(seen())
    assert (proposal.raw, proposal.request_bytes) == (b"[{},[1]]", 14)
    again = _Provider()
    assert again.resume(BRIEF, [PastTurn(observation=seen(), raw=proposal.raw)])[0].name == "[1]"
    assert again.taken == provider.taken


async def test_it_closes_its_connection_and_tells_how_long_a_turn_may_take() -> None:
    provider = _Provider()
    await provider.close()
    assert provider.connection.closed
    assert provider.turn_limit_s == 20.0
