"""Any order of intents, stops, pauses, late and repeated answers: nothing is done while stopped, paused or handed over.

A Hypothesis state machine drives a whole session on its own event loop; the checks sit where input would be sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from operator_console.domain.actions import Action, Chord, Drag, KeyDown, Screenshot, TypeText, Wait
from operator_console.domain.decisions import Outcome
from operator_console.domain.errors import ProviderMalformed, ProviderTransient
from operator_console.domain.events import Decided, Ended, Granted, Observed, Performed, Proposed
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.grants import Grant
from operator_console.domain.intents import (
    Answer,
    Approve,
    Edit,
    HandBack,
    Intent,
    Pause,
    Resume,
    Say,
    Skip,
    Stop,
    TakeOver,
)
from operator_console.domain.keys import Key
from operator_console.domain.proposals import Observation, Proposal
from operator_console.domain.risk import Autonomy
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.states import Acting, HandedOver, Paused, Reviewing, Thinking
from operator_console.domain.stopping import PauseCause, StopCause
from operator_console.engine import operator_channel
from tests.engine.rig import Rig, Words, click, does, flagged, quiet, rig, said

ACTIONS: list[Action | None] = [
    click(), click(5, 5), click(399, 299), TypeText(text="abc"), TypeText(text="x", at=NativePoint(3, 3), submit=True),
    Chord(keys=(Key("enter"),)), KeyDown(key=Key("shift")), Drag(path=(NativePoint(1, 1), NativePoint(100, 100))),
    Screenshot(), Wait(duration_s=3), None,
]  # fmt: skip
WORDS = Words(("Delete", Rect(90, 90, 40, 20)), ("Open", Rect(0, 0, 20, 20)))
turns = st.one_of(
    st.lists(st.sampled_from(ACTIONS), min_size=1, max_size=3).map(lambda actions: does(*actions)),
    st.sampled_from([flagged(click(5, 5)), said("and now?", finished=False), said("done")]),
)
intents: list[Intent] = [
    Pause(), Pause(by=PauseCause.SCREEN_LOCK), Resume(), Resume(), TakeOver(), HandBack(note="x"), Say(text="hello"),
    Approve(question_id="stale"), Answer(question_id="stale", answer="yes"), Skip(step=1, call=0),
    Edit(step=1, call=0, action=click(7, 7)),
]  # fmt: skip


class Model:
    """Thinks until told what to answer; deaf, it goes on thinking when it is cancelled and answers late."""

    def __init__(self) -> None:
        self.waiting: list[asyncio.Future[Proposal]] = []
        self.deaf = False
        self.last: Proposal | None = None
        self.violations: list[str] = []
        self.seen: list[Observation] = []

    async def __call__(self, observation: Observation) -> Proposal:
        self.seen.append(observation)
        expected = () if self.last is None else self.last.calls
        if tuple(result.call for result in observation.results) != expected:
            self.violations.append("a call went unanswered, or an answer was repeated")
        future: asyncio.Future[Proposal] = asyncio.get_running_loop().create_future()
        self.waiting.append(future)
        given_up = False
        while True:
            try:
                answer = await asyncio.shield(future)
            except asyncio.CancelledError:
                given_up = True
                if not self.deaf:
                    raise
                continue
            if not given_up:
                self.last = answer
            return answer


class Interleavings(RuleBasedStateMachine):
    autonomy = Autonomy.GUARDED

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.thinking = Model()
        self.r = rig(
            *[self.thinking] * 200, reader=WORDS,
            request=SessionRequest(task="x", lead_time_s=0.5, autonomy=self.autonomy, max_steps=50),
        )  # fmt: skip
        self.asked: list[str] = []
        self._watch_the_door(self.r)
        self.do(self.r.start())

    def do(self, work: Coroutine[Any, Any, None]) -> None:
        self.loop.run_until_complete(work)

    def _watch_the_door(self, r: Rig) -> None:
        perform = r.injector.perform

        async def watched(grant: Grant, secret: str = "") -> Outcome:
            decided = [d for d in r.of(Decided) if (d.step, d.call) == (grant.step, grant.call)][-1]
            rules = {
                f"acted while {r.session.state}": isinstance(r.session.state, Acting),
                "acted while latched": r.guard.latched is None,
                "acted before its intent was durable": r.of(Granted)[-1].grant_id == grant.grant_id,
                "acted on what was not approved": decided.decision.value in ("approve", "modify"),
                "acted on another action": decided.action in (None, grant.action),
                "acted on an old frame": r.of(Observed)[-1].step == grant.step,
                "acted on an old proposal": r.of(Proposed)[-1].step == grant.step,
            }
            self.thinking.violations += [words for words, kept in rules.items() if not kept]
            outcome = await perform(grant, secret)
            if outcome.reason == "bad_grant":
                self.thinking.violations.append(f"a grant of ours was refused: {outcome.detail}")
            return outcome

        r.injector.perform = watched  # type: ignore[method-assign]

    @property
    def over(self) -> bool:
        return self.r.task is None or self.r.task.done()

    @rule(turn=turns)
    def answer(self, turn: Proposal) -> None:
        """The newest request is answered; so are those that were cancelled long ago, with something else."""
        for number, future in enumerate(reversed(self.thinking.waiting)):
            if not future.done():
                future.set_result(turn if number == 0 else does(click(1, 1)))
        self.do(quiet())

    @rule(turn=turns, times=st.integers(1, 12))
    def go_on(self, turn: Proposal, times: int) -> None:
        """What a patient operator does: whatever stands in the way is moved out of it."""
        for _ in range(times):
            self._nudge(turn)
            self.do(quiet())

    @rule(turn=turns, times=st.integers(1, 12))
    def go_on_too(self, turn: Proposal, times: int) -> None:
        """Twice in the list, so that it comes twice as often."""
        self.go_on(turn, times)

    def _nudge(self, turn: Proposal) -> None:
        session = self.r.session
        match session.state:
            case Reviewing(request=question):
                session.post(Answer(question_id=question.question_id, answer="yes"))
            case Paused():
                self.r.guard.find_stop()
                self.r.guard.lease_answered()
                session.post(Resume())
            case HandedOver():
                session.post(HandBack())
            case Thinking() if self.thinking.waiting and not self.thinking.waiting[-1].done():
                self.thinking.waiting[-1].set_result(turn)
            case _:
                self.do(self.r.clock.advance(1.1))
                self.r.injector.proceed()

    @rule(passes=st.booleans())
    def fail(self, passes: bool) -> None:
        if self.thinking.waiting and not self.thinking.waiting[-1].done():
            error = ProviderTransient("again") if passes else ProviderMalformed("again")
            self.thinking.waiting[-1].set_exception(error)
        self.do(quiet())

    @rule(intent=st.sampled_from(intents), twice=st.booleans())
    def post(self, intent: Intent, *, twice: bool) -> None:
        for _ in range(2 if twice else 1):
            self.r.session.post(intent)
        self.do(quiet())

    @rule(answer=st.sampled_from(["yes", "no", None, "0"]), how=st.sampled_from(["answer", "approve", "edit", "chord"]))
    def reply(self, answer: str | None, how: str) -> None:
        question = self.r.session.question
        if question is None:
            return
        self.asked.append(question.question_id)
        sent: dict[str, Callable[[], None]] = {
            "answer": lambda: self.r.session.post(Answer(question_id=question.question_id, answer=answer)),
            "approve": lambda: self.r.session.post(Approve(question_id=question.question_id)),
            "edit": lambda: self.r.session.post(Approve(question_id=question.question_id, action=click(100, 100))),
            "chord": self.r.guard.press_approve,
        }
        sent[how]()
        self.do(quiet())

    @rule(which=st.integers(0, 30))
    def reply_again(self, which: int) -> None:
        if not self.asked:
            return
        self.r.session.post(Answer(question_id=self.asked[which % len(self.asked)], answer="yes"))
        self.do(quiet())

    @rule(what=st.sampled_from(["press_pause", "lease_silent", "lease_answered", "lose_stop", "find_stop"]))
    def guard_speaks(self, what: str) -> None:
        getattr(self.r.guard, what)()
        self.do(quiet())

    @rule(what=st.sampled_from(["hold", "proceed"]))
    def injector(self, what: str) -> None:
        getattr(self.r.injector, what)()
        self.do(quiet())

    @rule(deaf=st.booleans())
    def deafness(self, *, deaf: bool) -> None:
        self.thinking.deaf = deaf

    @rule(seconds=st.sampled_from([0.05, 0.6, 5.0, 61.0]))
    def wait(self, seconds: float) -> None:
        self.do(self.r.clock.advance(seconds))

    @rule(how=st.sampled_from(["chord", "button", "interrupt"]))
    def stop(self, how: str) -> None:
        if len(self.thinking.seen) <= 2:
            return  # else most sessions would end before they began
        if how == "chord":
            self.r.guard.press_stop()
        else:
            self.r.session.post(Stop(reason=StopCause.BUTTON if how == "button" else StopCause.INTERRUPT))
        self.do(quiet())

    @invariant()
    def nothing_was_violated(self) -> None:
        # Kept in a list, for the session under test survives an assertion that fails inside of it.
        assert self.thinking.violations == [], self.thinking.violations
        failures = [event.message for event in self.r.of(Ended) if "internal error" in event.message]
        assert failures == []

    @invariant()
    def ended_is_ended(self) -> None:
        if self.over and self.r.task is not None:
            assert isinstance(self.r.task.result(), Ended)
            assert isinstance(self.r.events[-1], Ended)
            assert not self.r.guard.may_act

    @invariant()
    def every_act_was_granted_once(self) -> None:
        granted = [event.grant_id for event in self.r.of(Granted)]
        assert len(set(granted)) == len(granted)
        performed = [event.grant_id for event in self.r.of(Performed) if event.grant_id]
        assert len(set(performed)) == len(performed)
        assert set(performed) <= set(granted)

    def teardown(self) -> None:
        self.thinking.deaf = False
        self.r.session.post(Stop(reason=StopCause.INTERRUPT))
        self.do(quiet())
        self.r.injector.kill()
        for future in self.thinking.waiting:
            if not future.done():
                future.cancel()
            elif not future.cancelled():
                future.exception()  # a late failure that nobody waited for
        self.do(quiet())
        assert self.r.task is not None
        if not self.r.task.done():
            self.loop.run_until_complete(asyncio.wait_for(self.r.task, 10))
        left = asyncio.all_tasks(self.loop)
        self.loop.close()
        assert not left, left


class StepByStep(Interleavings):
    autonomy = Autonomy.STEP


@pytest.mark.parametrize("machine", [Interleavings, StepByStep])
def test_any_order(machine: type[Interleavings], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operator_channel, "ABANDON_AFTER_S", 0.0)
    monkeypatch.setattr("operator_console.engine.turn.act.OUTCOME_WITHIN_S", 0.0)
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=25,
            stateful_step_count=50,
            deadline=None,
            database=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )
