"""Tokens and money of a run: what is counted, the cost limit and its question, and what cannot be known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

import pytest

from operator_console.domain.actions import Wait
from operator_console.domain.decisions import Question
from operator_console.domain.errors import ExitCode, OperatorError, ProviderMalformed, ProviderRefused
from operator_console.domain.events import Asked, EndedOutcome, Paused, Proposed, SessionStarted, Warned
from operator_console.domain.intents import Answer, Resume
from operator_console.domain.prices import Money, Price
from operator_console.domain.projection import ProjectedLimit
from operator_console.domain.proposals import Observation, Proposal, Usage
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.stopping import PauseCause
from operator_console.engine.limits import check_cost_limit
from operator_console.engine.session_context import Options
from tests.engine.rig import Rig, Turn, does, rig, said

PRICE = Price(input=Decimal(10), output=Decimal(50))
STEP = Usage(input_tokens=25_000, output_tokens=1_000)  # 0.30 USD
NOBODY = Options(answerable=False)


def usd(text: str) -> Money:
    return Money(amount=Decimal(text), currency="USD")


def step(usage: Usage = STEP) -> Proposal:
    return replace(does(Wait()), usage=usage, request_bytes=1000)


def last(usage: Usage = STEP) -> Proposal:
    return replace(said("ok"), usage=usage, request_bytes=1000)


def request(max_cost: str | None = "1", price: Price | None = PRICE, **more: object) -> SessionRequest:
    made = SessionRequest(task="x", price=price, max_cost=None if max_cost is None else Decimal(max_cost))
    return replace(made, **more)  # type: ignore[arg-type]


def played(turns: Sequence[Turn], asked: SessionRequest, options: Options | None = None) -> Rig:
    return rig(*turns, request=asked, options=options or Options())


async def work(r: Rig, steps: int) -> None:
    """Let so many steps end."""
    for _ in range(steps):
        await r.clock.advance(1)


def question(r: Rig) -> Question:
    found = r.session.question
    assert found is not None
    return found


async def test_the_run_pauses_before_the_request_that_would_exceed_the_limit() -> None:
    r = played([step()] * 9, request("1"))
    await r.start()
    await work(r, 5)
    assert len(r.model.seen) == 3, "a fourth request would make it 1.20"
    assert r.of(Paused)[0].by is PauseCause.LIMIT
    asked = question(r)
    assert asked.about == "limit"
    assert "Spent 0.90 USD of 1.00 USD. The next request would cost about 0.30 USD." in asked.text
    assert "would cost about 30.00 USD" in asked.text, "a hundred steps"
    assert asked.text.endswith("Continue for another 1.00 USD?")
    await r.post(Answer(question_id=asked.question_id, answer="yes"))
    await work(r, 5)
    assert len(r.model.seen) == 6, "1.80 of 1.90"
    assert "Spent 1.80 USD of 1.90 USD." in question(r).text
    await r.post(Answer(question_id=question(r).question_id, answer=None))
    ended = await r.end()
    assert (ended.outcome, ended.steps, ended.cost) == (EndedOutcome.LIMIT, 6, usd("1.8"))
    assert "Spent 1.80 USD of 1.90 USD." in ended.message


async def test_in_the_window_resume_says_yes_as_well() -> None:
    r = played([*[step()] * 4, last()], request("1"))
    await r.start()
    await work(r, 4)
    await r.post(Resume(by="human"))
    await work(r, 2)
    assert (await r.end()).outcome is EndedOutcome.FINISHED


async def test_where_nobody_can_answer_the_run_ends_at_its_limit() -> None:
    ended = await played([step()] * 9, request("1"), NOBODY).run()
    assert (ended.outcome, ended.steps) == (EndedOutcome.LIMIT, 3)


async def test_a_limit_below_the_cost_of_one_request_is_asked_about_once_for_each() -> None:
    r = played([step(), step(), last()], request("0.05"))
    await r.start()
    await work(r, 1)
    assert question(r).text.endswith("Continue for another 0.30 USD?")
    await r.post(Answer(question_id=question(r).question_id, answer="yes"))
    await work(r, 1)
    assert len(r.model.seen) == 2
    await r.post(Answer(question_id=question(r).question_id, answer="yes"))
    assert (await r.end()).outcome is EndedOutcome.FINISHED


async def test_other_limits_are_asked_about_apart() -> None:
    r = played([*[step()] * 3, last()], request("0.6", max_steps=2))
    await r.start()
    await work(r, 2)
    assert "2 steps" in question(r).text
    assert "USD" not in question(r).text
    await r.post(Answer(question_id=question(r).question_id, answer="yes"))
    assert "Spent 0.60 USD of 0.60 USD." in question(r).text
    await r.post(Answer(question_id=question(r).question_id, answer="yes"))
    await work(r, 1)
    assert (await r.end()).outcome is EndedOutcome.FINISHED


async def test_a_run_without_a_limit_tells_its_cost() -> None:
    r = played([step(), step(Usage(input_tokens=1_000)), last()], request(None))
    ended = await r.run()
    assert ended.cost == usd("0.61")
    assert ended.usage == Usage(input_tokens=51_000, output_tokens=2_000)
    assert [each.cost for each in r.of(Proposed)] == [usd("0.3"), usd("0.01"), usd("0.3")]
    started = r.of(SessionStarted)[0]
    assert (started.price, started.max_cost) == (PRICE, None)


async def test_without_a_price_tokens_alone_are_told() -> None:
    r = played([step(), last()], request(None, price=None))
    ended = await r.run()
    assert (ended.cost, ended.usage.input_tokens, ended.unreported_steps) == (None, 50_000, 0)
    assert r.of(Proposed)[0].cost is None


async def test_the_projection_begins_after_a_few_steps_and_follows_the_newest() -> None:
    r = played([step()] * 4, request(None, max_steps=10))
    await r.start()
    await work(r, 4)
    await r.end()
    projections = [each.projection for each in r.of(Proposed)]
    assert projections[:2] == [None, None]
    third = projections[2]
    assert third is not None
    assert (third.limit, third.steps, third.cost) == (ProjectedLimit.STEPS, 10, usd("3"))
    assert third.tokens == 260_000


class Costly:
    """Answers that could not be used, whose tokens the provider tells apart."""

    def __init__(self, usage: Usage = STEP) -> None:
        self.usage = usage
        self.untold = Usage()

    def fails(self, error: Exception) -> Turn:
        def turn(_observation: Observation) -> Proposal:
            self.untold += self.usage
            raise error

        return turn

    def take_usage(self) -> Usage:
        usage, self.untold = self.untold, Usage()
        return usage


async def test_answers_that_could_not_be_used_count_with_the_step() -> None:
    costly = Costly()
    r = played([costly.fails(ProviderMalformed("cut off")), last()], request(None))
    r.model.take_usage = costly.take_usage  # type: ignore[attr-defined]
    ended = await r.run()
    (only,) = r.of(Proposed)
    assert only.usage == STEP + STEP
    assert only.cost == ended.cost == usd("0.6")


async def test_a_request_is_not_repeated_beyond_the_limit() -> None:
    costly = Costly()
    r = played([costly.fails(ProviderMalformed("cut off"))] * 4, request("0.5"), NOBODY)
    r.model.take_usage = costly.take_usage  # type: ignore[attr-defined]
    ended = await r.run()
    assert (ended.outcome, len(r.model.seen), ended.cost) == (EndedOutcome.LIMIT, 1, usd("0.3"))


async def test_the_last_requests_count_though_no_step_came_of_them() -> None:
    costly = Costly()
    r = played([step(), costly.fails(ProviderRefused("no"))], request(None), replace(NOBODY, continue_question=True))
    r.model.take_usage = costly.take_usage  # type: ignore[attr-defined]
    ended = await r.run()
    assert (ended.steps, ended.cost) == (1, usd("0.6"))


async def test_an_empty_answer_is_paid_for() -> None:
    empty = Proposal(calls=(), usage=STEP, request_bytes=9)
    ended = await played([empty, last()], request(None)).run()
    assert ended.cost == usd("0.6")


async def test_a_service_without_counts_is_told_once_and_a_limit_is_asked_about() -> None:
    r = played([step(Usage())] * 2 + [last(Usage())], request("1"))
    await r.start()
    await work(r, 1)
    (warned,) = r.of(Warned)
    assert warned.title == "The model's service reports no tokens."
    assert len(r.model.seen) == 1
    assert "the limit of 1.00 USD cannot be kept" in question(r).text
    await r.post(Answer(question_id=question(r).question_id, answer="yes"))
    await work(r, 2)
    ended = await r.end()
    assert (ended.outcome, ended.cost, ended.unreported_steps) == (EndedOutcome.FINISHED, None, 3)
    assert len(r.of(Warned)) == 1
    assert len(r.of(Asked)) == 1


async def test_a_service_without_counts_and_a_limit_end_the_run_where_nobody_can_answer() -> None:
    ended = await played([step(Usage())] * 3, request("1"), NOBODY).run()
    assert (ended.outcome, ended.steps) == (EndedOutcome.LIMIT, 1)


async def test_a_limit_still_holds_for_what_is_reported_after_that() -> None:
    r = played([step(Usage()), *[step()] * 5], request("0.6"))
    await r.start()
    await work(r, 1)
    await r.post(Answer(question_id=question(r).question_id, answer="yes"))
    await work(r, 5)
    assert "Spent 0.60 USD of 0.60 USD." in question(r).text
    await r.post(Answer(question_id=question(r).question_id, answer=None))
    assert (await r.end()).steps == 3


async def test_a_runbook_asks_no_service_and_lacks_no_counts() -> None:
    r = rig(does(Wait()), said("ok"))
    ended = await r.run()
    assert (ended.unreported_steps, r.of(Warned)) == (0, [])


@pytest.mark.parametrize(("amount", "price"), [("1", None), ("0", PRICE), ("-1", PRICE), ("NaN", PRICE)])
def test_a_limit_that_cannot_be_kept_is_refused(amount: str, price: Price | None) -> None:
    with pytest.raises(OperatorError) as caught:
        check_cost_limit(request(amount, price))
    assert caught.value.exit_code == ExitCode.USAGE
    assert caught.value.remedy
    check_cost_limit(request(None, price))
