"""Asking the model: which errors are retried, which answers are asked for again, what ends the run."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from operator_console.domain.errors import ProviderMalformed, ProviderRejected, ProviderTransient, RejectedPart
from operator_console.domain.events import EndedOutcome, Message, Retrying, Warned
from operator_console.domain.intents import Pause, RetryNow, Stop
from operator_console.domain.proposals import Proposal, Usage
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.states import Paused
from operator_console.domain.states import Retrying as RetryingState
from operator_console.engine.turn.request_with_retries import NUDGE
from tests.engine.rig import Gate, Model, Turn, does, rig, said


class SlowModel(Model):
    """A model that knows how long its answers may take."""

    def __init__(self, turns: Sequence[Turn], turn_limit_s: float) -> None:
        super().__init__(turns)
        self.turn_limit_s = turn_limit_s


class Adapting(Model):
    """A model that can send less so often."""

    def __init__(self, turns: Sequence[Turn], times: int) -> None:
        super().__init__(turns)
        self.times = times

    def adapt(self, part: RejectedPart) -> str:
        self.times -= 1
        return "Less is sent." if self.times >= 0 else ""


@pytest.mark.parametrize(("times", "outcome"), [(2, EndedOutcome.FINISHED), (1, EndedOutcome.FAILED)])
async def test_a_request_that_is_too_large_is_sent_with_less_while_there_is_less(
    times: int, outcome: EndedOutcome
) -> None:
    too_large = ProviderRejected("too large", detail="at most 1 image", part=RejectedPart.SIZE)
    r = rig(model=Adapting([too_large, too_large, said("ok")], times))
    assert (await r.run()).outcome is outcome
    told = [(event.title, event.detail) for event in r.of(Warned) if event.title == "Less is sent."]
    assert told == [("Less is sent.", "at most 1 image")] * times
    assert r.of(Retrying) == []


async def test_a_passing_fault_is_waited_out_with_a_growing_pause() -> None:
    r = rig(*[ProviderTransient("busy")] * 3, said("ok"))
    ended = await r.run()
    assert ended.outcome is EndedOutcome.FINISHED
    waits = [event.wait_s for event in r.of(Retrying)]
    assert [event.attempt for event in r.of(Retrying)] == [2, 3, 4]
    assert all(2**n <= wait <= 2**n + 1 for n, wait in enumerate(waits, start=1))
    assert len(r.model.seen) == 4
    assert len({id(observation) for observation in r.model.seen}) == 1


async def test_the_services_own_wish_is_kept_and_shown() -> None:
    r = rig(ProviderTransient("busy", retry_after_s=17.5), said("ok"))
    await r.start()
    state = r.state
    assert isinstance(state, RetryingState)
    assert state.until_s == pytest.approx(r.clock.now + 17.5)
    await r.clock.advance(17)
    assert len(r.model.seen) == 1
    await r.clock.advance(1)
    assert len(r.model.seen) == 2
    await r.end()


async def test_the_operator_can_end_the_wait_and_only_the_wait() -> None:
    r = rig(ProviderTransient("busy", retry_after_s=60), ProviderTransient("busy", retry_after_s=60), said("ok"))
    await r.start()
    r.session.post(RetryNow())
    await r.clock.advance(0)
    assert len(r.model.seen) == 2
    await r.clock.advance(30)
    assert len(r.model.seen) == 2
    await r.clock.advance(31)
    assert len(r.model.seen) == 3
    assert (await r.end()).outcome is EndedOutcome.FINISHED


async def test_a_pause_during_the_wait_comes_before_a_try() -> None:
    r = rig(ProviderTransient("busy", retry_after_s=60), said("ok"))
    await r.start()
    r.session.post(Pause())
    r.session.post(RetryNow())
    await r.clock.advance(0)
    assert len(r.model.seen) == 1
    assert isinstance(r.state, Paused)
    await r.post(Stop())
    await r.end()


async def test_five_tries_and_no_more() -> None:
    r = rig(*[ProviderTransient("The service is busy.")] * 9)
    ended = await r.run()
    assert (ended.outcome, len(r.model.seen)) == (EndedOutcome.FAILED, 5)
    assert "busy" in ended.message


async def test_a_rejected_request_is_never_repeated() -> None:
    r = rig(ProviderRejected("The key is not valid.", detail="API key not valid."), said("ok"))
    ended = await r.run()
    assert (ended.outcome, len(r.model.seen)) == (EndedOutcome.FAILED, 1)
    assert "API key not valid." in ended.message


async def test_an_unreadable_or_empty_answer_is_nudged_three_times() -> None:
    r = rig(ProviderMalformed("nothing"), Proposal(calls=()), said("ok"))
    ended = await r.run()
    assert ended.outcome is EndedOutcome.FINISHED
    assert r.model.seen[1].messages == (NUDGE,)
    assert r.model.seen[2].messages == (NUDGE, NUDGE)
    assert [m.by for m in r.of(Message)] == ["console", "console"]

    r = rig(*[ProviderMalformed("nothing")] * 9)
    assert (await r.run()).outcome is EndedOutcome.FAILED
    assert len(r.model.seen) == 4


async def test_an_answer_that_never_comes_is_a_passing_fault() -> None:
    r = rig(Gate(said("too late")), said("ok"))
    r.model.requeue = False
    await r.start()
    await r.clock.advance(299)
    assert r.of(Retrying) == []
    await r.clock.advance(2)
    assert "300 s" in r.of(Retrying)[0].reason
    assert r.model.cancelled == 1
    assert (await r.end()).message == "ok"


@pytest.mark.parametrize("limit_s", [20, 900, 3600])
async def test_an_answer_may_take_as_long_as_its_provider_says(limit_s: float) -> None:
    gate = Gate(said("in time"))
    r = rig(gate, model=SlowModel([gate], limit_s), request=SessionRequest(task="do it", max_minutes=100))
    await r.start()
    await r.clock.advance(limit_s - 1)
    assert (r.of(Retrying), r.model.cancelled) == ([], 0)
    await r.clock.advance(2)
    assert f"{limit_s:.0f} s" in r.of(Retrying)[0].reason
    assert r.model.cancelled == 1
    gate.open()
    assert (await r.end()).message == "in time"


async def test_usage_is_summed() -> None:
    turn = Proposal(calls=(), narration="x", finished=True, usage=Usage(input_tokens=5, output_tokens=2))
    first = does(None)
    r = rig(first, turn)
    ended = await r.run()
    assert (ended.usage.input_tokens, ended.usage.output_tokens, ended.steps) == (5, 2, 2)
