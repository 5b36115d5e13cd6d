"""Any bytes of an answer give a proposal or a ProviderError, and the conversation can go on.

HOSTILE_ANSWERS=100000 in the environment makes the long version.
"""

from __future__ import annotations

import asyncio
import os
import re
from contextlib import suppress

from hypothesis import HealthCheck, given, settings

from operator_console.domain.actions import target_point
from operator_console.domain.errors import ProviderError, ProviderRejected
from operator_console.domain.geometry import Size
from operator_console.domain.proposals import CallResult, CallStatus, Proposal
from tests.providers.contract.conftest import BRIEF, Conversation
from tests.providers.contract.dialect import Dialect

EXAMPLES = int(os.environ.get("HOSTILE_ANSWERS", "40"))
SCREEN = Size(40, 30)


def test_any_answer(dialect: Dialect) -> None:
    with asyncio.Runner() as runner:
        server = dialect.server([])
        runner.run(server.start())
        provider = dialect.provider(server.url)

        @settings(
            max_examples=EXAMPLES, deadline=None, derandomize=EXAMPLES < 1000, database=None,
            suppress_health_check=list(HealthCheck),
        )  # fmt: skip
        @given(dialect.hostile())
        def answered(body: bytes) -> None:
            it = Conversation(server, provider, dialect, SCREEN, BRIEF)
            # A body that is no UTF-8 cannot be given as text; such bytes are another test's.
            # A provider may ask for an answer again that is not in its form.
            server.pending[:] = [{"body": body.decode("utf-8", "replace")}, *[dialect.says("I see.")] * 3]
            server.violations.clear()
            server.received.clear()
            runner.run(_exchange(it))

        try:
            answered()
        finally:
            runner.run(provider.close())
            runner.run(server.stop())


async def _exchange(it: Conversation) -> None:
    results: tuple[CallResult, ...] = ()
    with suppress(ProviderError):
        proposal = await it.propose()
        _check(proposal)
        results = tuple(CallResult(call=call, status=CallStatus.FAILED) for call in proposal.calls)
        # The server has no record of what it was told to say, and objects to that at most.
        try:
            await it.propose(*results, messages=["Go on."])
        except ProviderRejected as error:
            if not re.search("no turn that the model produced|missing from the history|position", error.detail):
                raise


def _check(proposal: Proposal) -> None:
    assert proposal.calls or proposal.narration
    for call in proposal.calls:
        assert (call.action is None) == bool(call.error), call
        at = target_point(call.action) if call.action is not None else None
        assert at is None or (0 <= at.x < SCREEN.width and 0 <= at.y < SCREEN.height), call
