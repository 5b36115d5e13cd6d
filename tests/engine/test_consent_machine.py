"""Any order of proposals, answers, edits, lapses, pauses and stops: what is done rests on a yes of its own.

A whole session runs on its own event loop. The model keeps only what the operator did: which question was on the
screen, for which action, and what they said while it was there. It looks at the place where input would be sent.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, ClassVar
from unittest.mock import patch

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from operator_console.domain.actions import Action, Click, QuestionKind
from operator_console.domain.decisions import DecidedBy, DecisionKind, Outcome, Question, Surface
from operator_console.domain.events import Decided, Granted
from operator_console.domain.geometry import Rect
from operator_console.domain.grants import Grant
from operator_console.domain.intents import Answer, Approve, Edit, HandBack, Pause, Resume, Revoke, Skip, Stop, TakeOver
from operator_console.domain.proposals import Observation, Proposal
from operator_console.domain.risk import Autonomy
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.states import HandedOver, Paused, Reviewing
from operator_console.domain.stopping import StopCause
from operator_console.engine import operator_channel
from operator_console.engine.questions import SAFETY_QUESTION_LAPSES_AFTER_S
from tests.engine.rig import Words, click, does, flagged, quiet, rig
from tests.machines import LONG_S, Machine, run

SEEN = Words(("Delete", Rect(90, 90, 40, 20)), ("Pay now", Rect(190, 90, 60, 20)), ("Open", Rect(0, 0, 20, 20)))
DELETE, PAY, PLAIN = click(100, 100), click(210, 100), click(5, 5)
RISKY = {DELETE, PAY}
actions = st.sampled_from([DELETE, PAY, PLAIN, click(300, 200)])


class Consent(Machine):
    """Attributes:
    said_yes: actions that the operator has allowed as they stand, by step and call; each is used up once.
    """

    autonomy: ClassVar[Autonomy] = Autonomy.GUARDED

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.patches = [
            patch.object(operator_channel, "ABANDON_AFTER_S", 0.0),
            patch("operator_console.engine.turn.act.OUTCOME_WITHIN_S", 0.0),
        ]
        for each in self.patches:
            each.start()
        self.thinking: list[asyncio.Future[Proposal]] = []
        self.r = rig(
            *[self._think] * 300, reader=SEEN,
            request=SessionRequest(task="x", lead_time_s=0.5, autonomy=self.autonomy, max_steps=200),
        )  # fmt: skip
        self.said_yes: dict[tuple[int, int], Action] = {}
        self.wrote: dict[tuple[int, int], Action] = {}
        self.refused: set[tuple[int, int]] = set()
        self.permitted: set[Action] = set()
        self.flagged: set[int] = set()
        self.old_questions: list[Question] = []
        self.violations: list[str] = []
        self.paused = self.stopped = False
        perform = self.r.injector.perform

        async def watched(grant: Grant, secret: str = "") -> Outcome:
            self._acts(grant)
            return await perform(grant, secret)

        self.r.injector.perform = watched  # type: ignore[method-assign]
        self.do(self.r.start())

    async def _think(self, _observation: Observation) -> Proposal:
        self.thinking.append(asyncio.get_running_loop().create_future())
        return await self.thinking[-1]

    def do(self, work: Coroutine[Any, Any, None]) -> None:
        self.loop.run_until_complete(work)

    def _acts(self, grant: Grant) -> None:
        """Input would be sent now: was it allowed?"""
        call, action = (grant.step, grant.call), grant.action
        needs_yes = action in RISKY or grant.step in self.flagged or self.autonomy is Autonomy.STEP
        rules = {
            "acted after a stop": not self.stopped and self.r.guard.latched is None,
            "acted in a pause": self.r.guard.gate_open,
            "acted on what was refused": call not in self.refused,
            "acted without a yes": not needs_yes
            or self.said_yes.get(call) == action
            or self._may_be_written(call, action)
            or self._is_permitted(call, action),
        }
        self.violations += [f"{words}: {grant}" for words, kept in rules.items() if not kept]
        self.said_yes.pop(call, None)

    def _is_permitted(self, call: tuple[int, int], action: Action) -> bool:
        """By a yes that was widened; never what is critical or flagged."""
        return action in self.permitted and action != PAY and call[0] not in self.flagged

    def _may_be_written(self, call: tuple[int, int], action: Action) -> bool:
        """An action that the operator wrote is their decision, unless it is one of those that the dialog asks."""
        return self.wrote.get(call) == action and action not in RISKY and call[0] not in self.flagged

    @property
    def question(self) -> Question | None:
        return self.r.session.question

    @property
    def over(self) -> bool:
        return self.r.task is None or self.r.task.done()

    # The model

    @rule(what=st.lists(actions, min_size=1, max_size=3), flag=st.sampled_from([False, False, True]))
    def propose(self, what: list[Click], *, flag: bool) -> None:
        open_ = [future for future in self.thinking if not future.done()]
        if open_:
            if flag:
                self.flagged.add(self.step)
            open_[-1].set_result(flagged(what[0]) if flag else does(*what))
            self.do(quiet())

    @property
    def step(self) -> int:
        """The step that the model thinks about."""
        return max((event.step for event in self.r.events if event.kind == "observed"), default=0)

    # The operator

    @precondition(lambda self: self._asks())
    @rule(how=st.sampled_from(["answer", "answer", "approve", "chord", "chord at once"]), permits=st.booleans())
    def say_yes(self, how: str, *, permits: bool) -> None:
        """`permits`: as well to what the question offers."""
        question = self.question
        assert question is not None
        assert question.answer is QuestionKind.CONFIRM
        offered = question.offer is not None
        if offered:
            assert question.action == DELETE or question.action not in RISKY
            assert question.step not in self.flagged
        counts = how in ("answer", "chord") or question.surface is Surface.CARD
        match how:
            case "answer":
                self.r.session.post(Answer(question_id=question.question_id, answer="yes", permits=permits))
            case "approve":
                self.r.session.post(Approve(question_id=question.question_id, permits=permits))
            case "chord":
                self.do(self.r.clock.advance(1.0))
                counts = question.surface is Surface.CARD and self.question == question
                self.r.guard.press_approve()
            case _:
                counts = self.r.session._asker.seen
                counts = counts and question.surface is Surface.CARD
                self.r.guard.press_approve()
        if counts:
            self._yes(question)
            if permits and offered and not how.startswith("chord") and question.action is not None:
                self.permitted.add(question.action)
        self.do(quiet())
        assert counts == (self.question != question)

    def _asks(self) -> bool:
        """Whether an action is asked about."""
        return self.question is not None and self.question.about in ("review", "safety")

    @precondition(lambda self: self.question is not None and self.question.about == "haste")
    @rule(choice=st.sampled_from(["0", "1", "2", "yes", None]))
    def answer_that_it_was_hasty(self, choice: str | None) -> None:
        question = self.question
        assert question is not None
        self.old_questions.append(question)
        if choice == "0" and question.offer is not None:
            self.permitted |= {DELETE, PLAIN, click(300, 200)}  # it may be about any that was asked about
        self.r.session.post(Answer(question_id=question.question_id, answer=choice))
        self.do(quiet())
        if choice == "yes":
            assert self.question == question, "it is no yes to anything"

    @rule()
    def revoke(self) -> None:
        """Every permission ends at once."""
        for permission in self.r.session._context.permissions.standing:
            self.r.session.post(Revoke(permission_id=permission.permission_id))
        self.permitted.clear()
        self.do(quiet())

    def _yes(self, question: Question) -> None:
        self.old_questions.append(question)
        if question.step is not None and question.call is not None and question.action is not None:
            self.said_yes[question.step, question.call] = question.action

    @precondition(lambda self: self._asks())
    @rule(answer=st.sampled_from(["no", None, "declined", "Yes", "yes ", ""]))
    def say_no(self, answer: str | None) -> None:
        question = self.question
        assert question is not None
        self._no(question)
        self.r.session.post(Answer(question_id=question.question_id, answer=answer))
        self.do(quiet())
        assert self.question != question

    def _no(self, question: Question) -> None:
        self.old_questions.append(question)
        if question.step is not None and question.call is not None:
            self.refused.add((question.step, question.call))
            self.said_yes.pop((question.step, question.call), None)

    @precondition(lambda self: self._asks())
    @rule()
    def let_it_lapse(self) -> None:
        question = self.question
        assert question is not None
        lapses = question.surface is Surface.DIALOG
        if lapses:
            self._no(question)
        self.do(self.r.clock.advance(SAFETY_QUESTION_LAPSES_AFTER_S - 0.5))
        self.do(self.r.clock.advance(0.6))
        assert (self.question != question) == lapses

    @precondition(lambda self: self.old_questions)
    @rule(which=st.integers(0, 30), how=st.sampled_from(["answer", "approve"]))
    def say_yes_to_an_old_question(self, which: int, how: str) -> None:
        """It answers nothing."""
        old, now = self.old_questions[which % len(self.old_questions)], self.question
        if now is not None and now.question_id == old.question_id:
            return
        if how == "answer":
            self.r.session.post(Answer(question_id=old.question_id, answer="yes"))
        else:
            self.r.session.post(Approve(question_id=old.question_id))
        self.do(quiet())
        assert self.question == now

    @precondition(lambda self: self._asks())
    @rule(action=actions, how=st.sampled_from(["edit", "approve"]))
    def edit(self, action: Click, how: str) -> None:
        """It is judged again; on the dialog an edit answers nothing."""
        question = self.question
        assert question is not None
        if question.step is None or question.call is None:
            return
        call = question.step, question.call
        if question.surface is Surface.CARD:
            self.old_questions.append(question)
            self.wrote[call] = action
            self.said_yes.pop(call, None)
        if how == "edit":
            self.r.session.post(Edit(step=call[0], call=call[1], action=action))
        else:
            self.r.session.post(Approve(question_id=question.question_id, action=action))
        self.do(quiet())
        if question.surface is Surface.DIALOG:
            assert self.question == question
        elif action in RISKY:
            assert self.question is not None or not isinstance(self.r.state, Reviewing)

    @precondition(lambda self: self._asks())
    @rule()
    def skip(self) -> None:
        question = self.question
        assert question is not None
        if question.step is not None and question.call is not None:
            self._no(question)
            self.r.session.post(Skip(step=question.step, call=question.call))
            self.do(quiet())
            assert self.question != question

    @rule(how=st.sampled_from(["person", "chord", "take over"]))
    def pause(self, how: str) -> None:
        """An open question is withdrawn with it: a yes to it answers nothing any more."""
        if self.over:
            return
        if self.question is not None:
            self.old_questions.append(self.question)
        if how == "chord":
            self.r.guard.press_pause()
        else:
            self.r.session.post(Pause() if how == "person" else TakeOver())
        if how == "take over":
            self.permitted.clear()
        self.do(quiet())

    @rule()
    def go_on(self) -> None:
        match self.r.state:
            case Paused():
                self.r.session.post(Resume())
            case HandedOver():
                self.r.session.post(HandBack())
        self.do(quiet())

    @rule(seconds=st.sampled_from([0.3, 1.1, 5.0]))
    def time_passes(self, seconds: float) -> None:
        if self.question is None:
            self.do(self.r.clock.advance(seconds))

    @rule(by_chord=st.booleans())
    def stop(self, *, by_chord: bool) -> None:
        if self.step <= 3:
            return  # else most sessions would end before they began
        self.stopped = True
        if by_chord:
            self.r.guard.press_stop()
        else:
            self.r.session.post(Stop(reason=StopCause.INTERRUPT))
        self.do(quiet())

    @rule()
    def work(self) -> None:
        """The ordinary course."""
        if self._asks():
            self.do(self.r.clock.advance(5.0))
            if self._asks():
                self.say_yes("answer", permits=False)
        elif self.question is not None:
            self.answer_that_it_was_hasty("1")
        else:
            self.go_on()
            self.propose([DELETE], flag=False)
            self.time_passes(1.1)

    # What must hold

    @invariant()
    def nothing_was_done_without_a_yes(self) -> None:
        # Kept in a list, for the session under test survives an assertion that fails inside of it.
        assert self.violations == []

    @invariant()
    def a_person_is_named_only_where_one_said_something(self) -> None:
        said = {*self.said_yes, *self.refused, *self.wrote}
        said |= {(q.step, q.call) for q in self.old_questions if q.step is not None and q.call is not None}
        for event in self.r.of(Decided):
            ends = event.decision in (DecisionKind.STOP, DecisionKind.TAKE_OVER)
            if event.by is DecidedBy.HUMAN and not ends:
                assert (event.step, event.call) in said

    @invariant()
    def each_grant_has_an_approval_before_it(self) -> None:
        decided: dict[tuple[int, int], DecisionKind] = {}
        for event in self.r.events:
            if isinstance(event, Decided):
                decided[event.step, event.call] = event.decision
            elif isinstance(event, Granted):
                assert decided[event.step, event.call].approves

    @invariant()
    def nothing_can_be_sent_while_it_asks(self) -> None:
        if self.question is not None:
            assert not self.r.guard.gate_open

    def teardown(self) -> None:
        self.r.session.post(Stop(reason=StopCause.INTERRUPT))
        self.do(quiet())
        self.r.injector.kill()
        for future in self.thinking:
            future.cancel()
        self.do(quiet())
        assert self.r.task is not None
        if not self.r.task.done():
            self.loop.run_until_complete(asyncio.wait_for(self.r.task, 10))
        self.loop.close()
        for each in self.patches:
            each.stop()


class InStep(Consent):
    autonomy = Autonomy.STEP


class InAuto(Consent):
    autonomy = Autonomy.AUTO


@pytest.mark.timeout(LONG_S)
@pytest.mark.parametrize("machine", [Consent, InStep, InAuto])
def test_any_order_of_answers(machine: type[Consent]) -> None:
    run(machine, of=3)


def test_an_edit_that_the_dialog_did_not_take_is_not_kept_until_after_a_pause() -> None:
    """Found by a long run in *Step*."""
    machine = InStep()
    try:
        machine.pause(how="person")
        machine.work()
        machine.propose(what=[DELETE], flag=False)
        machine.edit(action=PLAIN, how="edit")
        machine.pause(how="person")
        machine.work()
        assert machine.violations == []
        assert not isinstance(machine.r.state, Paused)
    finally:
        machine.teardown()
