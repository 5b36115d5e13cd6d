"""The step: one answer of the model, whose calls are handled one after the other.

Each call goes one way: it is located, assessed, decided, granted and carried out, and its effect is waited for. Calls
that a pause or a stop cut off get a result too.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from operator_console.domain.actions import Action, QuoteText
from operator_console.domain.decisions import ActResult, Assessment, DecidedBy, Decision, DecisionKind, Outcome
from operator_console.domain.errors import ComputerRejected, ComputerUnavailable
from operator_console.domain.events import Performed, Settled, StoppedAction
from operator_console.domain.frames import Frame
from operator_console.domain.intents import Pause
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call, CallResult, CallStatus, Proposal
from operator_console.domain.risk import RiskClass
from operator_console.engine.action_wording import describe, exact_text
from operator_console.engine.control_finder import ControlFinder
from operator_console.engine.hidden_texts import as_meant, is_password
from operator_console.engine.operator_channel import Holding, Stopping
from operator_console.engine.ports import EffectPort
from operator_console.engine.questions import Asker
from operator_console.engine.session_context import SessionContext
from operator_console.engine.state_machine import CallTurn
from operator_console.engine.targeting import parts
from operator_console.engine.turn.act import Acted, Actor, InFlight
from operator_console.engine.turn.assess import Assessed, assessed
from operator_console.engine.turn.call_results import (
    EARLIER_NOT_DONE,
    NOT_UNDERSTOOD,
    Ending,
    Handled,
    acknowledged,
    as_stopped,
    declined,
    dropped,
    finished,
    interrupted_by,
    told,
    with_change,
)
from operator_console.engine.turn.calls_without_input import Answerer
from operator_console.engine.turn.decide import Case, Decider, Ruling, Wanted
from operator_console.engine.turn.grant import Granter
from operator_console.engine.turn.locate import Locator
from operator_console.engine.turn.quote_text import Quoter
from operator_console.engine.turn.settle import Sent, Settler
from operator_console.engine.typed_secrets import secret_of

_LOOKS_FOR_SECRET = 5
"""More looks, at most, at a place that would get a secret and is not told: nobody can be asked instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One answer of the model, and what has happened to its calls.

    Attributes:
        step: its number.
        proposal: the answer.
        frame: what it was given for.
        glances: each call as it was assessed first; None: it was not understood.
        results: of the calls so far, in order.
        sent: the last call whose action was sent; None: none was.
        ending: how the run ends after this turn; None: it goes on.
        pause: what follows after this turn; None: nothing.
        signal: what came before all calls were handled; None: nothing.
        cut: the call that it came before; None: none.
        untouched: whether that is the first one.
        in_flight: what a stop interrupted; None: nothing.
        cancelled: the actions that a stop dropped.
    """

    step: int
    proposal: Proposal
    frame: Frame
    glances: Sequence[Assessed | None]
    results: tuple[CallResult, ...] = ()
    sent: Sent | None = None
    ending: Ending | None = None
    pause: Pause | None = None
    signal: Holding | Stopping | asyncio.CancelledError | None = None
    cut: Call | None = None
    untouched: bool = False
    in_flight: InFlight | None = None
    cancelled: tuple[StoppedAction, ...] = ()

    @property
    def assessments(self) -> Sequence[Assessment | None]:
        """The first assessment of each call."""
        return [None if glance is None else glance.assessment for glance in self.glances]

    @property
    def broken(self) -> bool:
        """Whether a call was not done, so that those after it are not either."""
        return bool(self.results) and self.results[-1].status is not CallStatus.DONE

    def after(self, call: Call, handled: Handled) -> Turn:
        """The turn after one more call."""
        sent = self.sent if handled.sent is None else Sent(
            step=self.step, call=call.index, action=handled.sent, frame=self.frame, before=handled.before
        )  # fmt: skip
        return replace(
            self, results=(*self.results, handled.result), sent=sent, pause=handled.pause or self.pause,
            ending=finished(handled.result) or self.ending,
        )  # fmt: skip

    def with_change(self, settled: Settled) -> Turn:
        """The turn with what came of the call that was sent last in its result."""
        index = None if self.sent is None else self.sent.call
        results = (with_change(each, settled) if each.call.index == index else each for each in self.results)
        return replace(self, results=tuple(results))


class Step:
    """Handles the calls of one session's turns."""

    def __init__(self, session: SessionContext, asker: Asker, controls: ControlFinder, settler: Settler) -> None:
        self._session = session
        self._locator = Locator(session, controls)
        self._decider = Decider(session, asker)
        self._granter = Granter(session, controls)
        self._actor = Actor(session)
        self._settler = settler
        self._answerer = Answerer(session, asker)
        self._quoter = Quoter(session, self._actor)

    async def run(self, turn: Turn) -> Turn:
        """Handle the calls in order, and return what happened; also where a signal came before all were handled."""
        settled: Sent | None = None
        try:
            for call in turn.proposal.calls:
                self._session.channel.check()
                if turn.broken:
                    turn = self._left_out(turn, call)
                    continue
                if turn.sent is not None and turn.sent is not settled:
                    settled = turn.sent
                    turn = turn.with_change(await self._settler.between(settled))
                turn = turn.after(call, await self._handle(call, turn))
        except (Holding, Stopping, asyncio.CancelledError) as signal:  # whoever called raises it
            return self._cut_off(turn, signal)
        return replace(turn, in_flight=self._actor.in_flight)

    async def run_late(self, turn: Turn, call: Call) -> Turn:
        """Handle the call that a pause came before after all; its result takes the place of the one that it got."""
        self._session.recorder.mark(CallTurn(step=turn.step, call=call.index))
        before = replace(turn, results=(), sent=None, ending=None, pause=None, signal=None, untouched=False)
        try:
            after = before.after(call, await self._handle(call, turn))
        except (Holding, Stopping) as signal:
            kind, rule, _ = dropped(signal)
            self._leave(call, turn.step, rule, kind)
            return replace(before, results=turn.results, signal=signal)
        except asyncio.CancelledError as signal:
            return replace(before, results=turn.results, signal=signal, in_flight=self._actor.in_flight)
        [result] = after.results
        results = tuple(result if each.call is call else each for each in turn.results)
        return replace(after, results=results, cut=None, in_flight=self._actor.in_flight)

    async def glances(self, proposal: Proposal, frame: Frame) -> Sequence[Assessed | None]:
        """Each call assessed by what is known without waiting, for display; it counts where no more becomes known.

        What the first call acts on is asked for meanwhile.
        """
        for first in proposal.calls[:1]:
            await self._locator.ask_ahead(first, frame)
        return [await self._glance(call, frame) for call in proposal.calls]

    async def judged(self, call: Call, action: Action, frame: Frame) -> Assessment:
        """Policy's assessment of an action that is being edited, for display; decided anew when it is approved."""
        action = action if call.action is None else as_meant(action, call.action)
        found = await assessed(action, await self._locator.locate(call, action, frame))
        return self._session.hidden.without_in(found.assessment)

    async def _glance(self, call: Call, frame: Frame) -> Assessed | None:
        if call.action is None:
            return None
        return await assessed(call.action, await self._locator.at_hand(call, call.action, frame))

    async def _handle(self, call: Call, turn: Turn) -> Handled:
        """Handle one call. Raises Holding and Stopping before anything was sent."""
        self._session.channel.check()
        self._session.recorder.mark(CallTurn(step=turn.step, call=call.index))
        if call.action is None:
            self._leave(call, turn.step, NOT_UNDERSTOOD)
            text = call.error or notice(NoticeCode.CALL_UNKNOWN, name=call.name)
            return Handled(result=CallResult(call=call, status=CallStatus.NOT_UNDERSTOOD, text=text))
        glance = next(one for each, one in zip(turn.proposal.calls, turn.glances, strict=True) if each is call)
        ruled = await self._rule(Case(step=turn.step, call=call, frame=turn.frame, glance=glance), call.action)
        if not ruled.approved:
            return declined(call, ruled.decision)
        if ruled.obstacle is None and ruled.assessment.risk is RiskClass.C0:
            return await self._answer(call, ruled, turn.frame)
        return self._handled(call, ruled, await self._carry_out(ruled, turn.frame))

    async def _rule(self, case: Case, action: Action) -> Ruling:
        """Locate, assess and decide: once, and again for an edited action, and for keys whose window is given the focus
        because they are asked about, or approved."""
        wanted = Wanted(action=action)
        while True:
            try:
                ruled = await self._decider.decide(case, await self._assess(case, wanted), wanted)
            except (ComputerRejected, ComputerUnavailable) as error:
                if wanted.approved is None:
                    raise
                return replace(wanted.approved, obstacle=error)
            if isinstance(ruled, Ruling):
                return ruled
            wanted = ruled

    async def _assess(self, case: Case, wanted: Wanted) -> Assessed:
        """Locate and assess; once more where a control that makes a difference was not told in time, and a few times
        where a secret is refused without it."""
        found = await self._look(case, wanted, again=False)
        for _ in range(_LOOKS_FOR_SECRET if secret_of(wanted.action) else 1):
            if not found.late:
                break
            found = await self._look(case, wanted, again=True)
        if is_password(found.action, found.assessment):
            self._session.hidden.add(exact_text(found.action))
        return found

    async def _look(self, case: Case, wanted: Wanted, *, again: bool) -> Assessed:
        run = self._session.channel.run
        places = await run(self._locator.locate(case.call, wanted.action, case.frame, give=wanted.give, again=again))
        return await run(assessed(wanted.action, places, case.glance))

    async def _carry_out(self, ruled: Ruling, frame: Frame) -> Acted:
        """Carry out an approved call, part by part, until a part is not done.

        Raises:
            Holding, Stopping: before anything was sent. Once something was sent, the outcome says how much.
        """
        if ruled.obstacle is not None:
            return self._actor.not_sent(ruled, ruled.obstacle)
        if isinstance(ruled.action, QuoteText):
            send = functools.partial(self._send, ruled, None)
            return await self._quoter.quote(ruled, ruled.action, frame, send)
        effect = next((port for port in self._session.ports.effects if port.handles(ruled.action)), None)
        if effect is None and (obstacle := self._granter.obstacle(ruled, frame)):
            return self._actor.record_outcome(ruled, obstacle)
        acted = Acted(status=CallStatus.DONE, outcome=Outcome(result=ActResult.DONE))
        done: list[Action] = []
        for part in parts(ruled.action, managed=frame.page is not None):
            try:
                acted = await self._send(ruled, effect, part, frame, acted.before)
            except (Holding, Stopping):
                if not done:
                    raise
                stopped = Outcome(result=ActResult.STOPPED, detail=_first_parts(done))
                return replace(self._actor.record_outcome(ruled, stopped, tuple(done)), before=acted.before)
            if acted.status is not CallStatus.DONE:
                detail = joined(acted.outcome.detail, _first_parts(done))
                return replace(acted, outcome=replace(acted.outcome, detail=detail))
            done.append(part)
        return acted

    async def _send(
        self, ruled: Ruling, effect: EffectPort | None, part: Action, frame: Frame, before: Frame | None
    ) -> Acted:
        """Have one part of an approved call granted and carried out. Raises Holding, Stopping before it was sent."""
        try:
            async with self._granter.granted(ruled, part, frame, before, sends=effect is None) as granted:
                outcome = await self._actor.act(ruled, granted.grant, effect)
        except (ComputerRejected, ComputerUnavailable) as error:
            return replace(self._actor.not_sent(ruled, error), before=before)
        return self._actor.done(ruled, granted, outcome, frame)

    async def _answer(self, call: Call, ruled: Ruling, frame: Frame) -> Handled:
        given = await self._answerer.answer(ruled.action, frame, ruled.step, ruled.call)
        result = ActResult.DONE if given.status is CallStatus.DONE else ActResult.FAILED
        self._session.recorder.emit(
            Performed(step=ruled.step, call=ruled.call, result=result, status=given.status, detail=given.text)
        )
        return Handled(
            result=CallResult(
                call=call, status=given.status, text=given.text, output=self._session.hidden.without(given.output),
                picture=given.picture,
                acknowledged=acknowledged(call, ruled.decision),
            )
        )  # fmt: skip

    def _handled(self, call: Call, ruled: Ruling, acted: Acted) -> Handled:
        edited, outcome = ruled.decision.kind is DecisionKind.MODIFY, acted.outcome
        why = interrupted_by(self._session.channel.interruption)
        result = CallResult(
            call=call, status=acted.status, text=told(acted.status, outcome, why, edited=edited),
            output=self._session.hidden.without(outcome.output),
            acknowledged=acknowledged(call, ruled.decision), executed=ruled.action if edited else None,
            tool=self._session.hidden.without_in(outcome.tool),
        )  # fmt: skip
        sent = acted.status is CallStatus.DONE or outcome.delivered or outcome.result is not ActResult.FAILED
        return Handled(result=result, sent=ruled.action if sent else None, before=acted.before)

    def _left_out(self, turn: Turn, call: Call) -> Turn:
        self._leave(call, turn.step, EARLIER_NOT_DONE)
        text = notice(NoticeCode.EARLIER_CALL_NOT_DONE)
        return replace(turn, results=(*turn.results, CallResult(call=call, status=CallStatus.NOT_DONE, text=text)))

    def _leave(self, call: Call, step: int, rule: str, kind: DecisionKind = DecisionKind.NOT_DONE) -> None:
        """Record a call that is not assessed."""
        by = DecidedBy.HUMAN if kind is not DecisionKind.NOT_DONE else DecidedBy.POLICY
        self._decider.answered_unasked(step, call.index, Decision(kind=kind, by=by, rule=rule))

    def _cut_off(self, turn: Turn, signal: Holding | Stopping | asyncio.CancelledError) -> Turn:
        """Answer the calls that a pause or a stop came before."""
        turn = replace(turn, signal=signal, in_flight=self._actor.in_flight)
        if isinstance(signal, asyncio.CancelledError):
            return turn
        position = len(turn.results)
        rest, results = turn.proposal.calls[position:], list(turn.results)
        kind, rule, why = dropped(signal)
        status = CallStatus.STOPPED if isinstance(signal, Stopping) else CallStatus.NOT_DONE
        for number, call in enumerate(rest):
            own = kind if number == 0 or kind is DecisionKind.STOP else DecisionKind.NOT_DONE
            self._leave(call, turn.step, rule, own)
            results.append(CallResult(call=call, status=status, text=why))
        cancelled = as_stopped(rest, turn.assessments[position:]) if isinstance(signal, Stopping) else ()
        return replace(
            turn, results=tuple(results), cut=rest[0] if rest else None, untouched=position == 0, cancelled=cancelled
        )  # fmt: skip


def _first_parts(done: list[Action]) -> str:
    if not done:
        return ""
    return notice(NoticeCode.ONLY_FIRST_PARTS_DONE, actions=", ".join(describe(part) for part in done))
