"""Asks the model, again where that may help: waits out passing faults, nudges unreadable answers, in bounds.

Providers raise, this waits; a stop ends any wait at once. What must not be repeated is passed on. Called by loop.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from operator_console.domain.errors import ProviderMalformed, ProviderTransient
from operator_console.domain.events import Message, Retrying
from operator_console.domain.proposals import Observation, Proposal
from operator_console.engine.channel import abandon
from operator_console.engine.desk import Desk
from operator_console.engine.machine import AskAgain

TRIES = 5
NUDGES = 3
LONGEST_WAIT_S = 60.0
ANSWER_WITHIN_S = 300.0
NUDGE = (
    "Your last answer was empty or could not be read. Answer with one of the functions you were given, or, where the "
    "task is done, with a short closing text."
)


class Thinker:
    """One session's asking. `random01` gives numbers in [0, 1) for the jitter."""

    def __init__(self, desk: Desk, jitter: random.Random | None = None) -> None:
        self._desk = desk
        self._jitter = jitter or random.Random()  # noqa: S311 - spreads retries, keeps no secret

    async def think_unless(
        self, late: Coroutine[Any, Any, bool], observation: Observation, step: int
    ) -> Proposal | None:
        """As think; None where `late` comes true before the answer is there: the question is taken back then."""
        answer = asyncio.ensure_future(self.think(observation, step))
        untrue = asyncio.ensure_future(late)
        try:
            await asyncio.wait({answer, untrue}, return_when=asyncio.FIRST_COMPLETED)
            return None if not answer.done() and untrue.result() else await answer
        finally:
            await abandon(untrue)
            await abandon(answer)

    async def think(self, observation: Observation, step: int) -> Proposal:
        """One readable answer.

        Raises:
            ProviderTransient, ProviderMalformed: once all tries are used up.
            ProviderRefused, ProviderRejected: at once.
            Holding, Stopping: the question to the model was cancelled; the conversation is as it was.
        """
        failures = nudges = 0
        while True:
            try:
                proposal = await self._desk.channel.run(self._answer(observation))
                if not (proposal.calls or proposal.finished or proposal.narration.strip()):
                    raise ProviderMalformed("The model's answer was empty.")
            except ProviderTransient as error:
                failures += 1
                if failures >= TRIES:
                    raise
                await self._wait(error, failures, step)
            except ProviderMalformed:
                nudges += 1
                if nudges > NUDGES:
                    raise
                self._desk.recorder.emit(Message(text=NUDGE, by="console"))
                observation = replace(observation, messages=(*observation.messages, NUDGE))
            else:
                return proposal

    async def _answer(self, observation: Observation) -> Proposal:
        answer = asyncio.ensure_future(self._desk.ports.provider.propose(observation))
        deadline = asyncio.ensure_future(self._desk.clock.sleep(ANSWER_WITHIN_S))
        try:
            await asyncio.wait({answer, deadline}, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                return answer.result()
            raise ProviderTransient(f"The model did not answer within {ANSWER_WITHIN_S:g} s.")
        finally:
            await abandon(answer)
            await abandon(deadline)

    async def _wait(self, error: ProviderTransient, failures: int, step: int) -> None:
        desk = self._desk
        wait_s = error.retry_after_s
        if wait_s is None:
            wait_s = min(2.0**failures, LONGEST_WAIT_S) + self._jitter.random()
        desk.recorder.emit(Retrying(step=step, attempt=failures + 1, of=TRIES, wait_s=wait_s, reason=error.title))
        await desk.channel.run(desk.clock.sleep(wait_s))
        desk.recorder.mark(AskAgain())
