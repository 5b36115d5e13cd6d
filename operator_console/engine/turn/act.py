"""Carries out a grant: has it performed by the injector or an effect port, and records the outcome.

Nothing else calls Injector.perform or the effect ports. A pause or a stop that comes meanwhile never loses the outcome:
the gate is shut (or the guard has killed the injector), and what was delivered is still recorded.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from typing import Any

from operator_console.domain.actions import Action
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import (
    ComputerError,
    ComputerRejected,
    ComputerUnavailable,
    OperatorError,
    RejectedReason,
)
from operator_console.domain.events import Performed, StoppedAction, Warned
from operator_console.domain.frames import Frame
from operator_console.domain.grants import Grant
from operator_console.domain.intents import Stop
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import CallStatus
from operator_console.domain.stopping import PauseCause, StopCause, WaitsFor
from operator_console.engine.action_wording import exact_text
from operator_console.engine.control_finder import Hit
from operator_console.engine.operator_channel import Holding, Stopping, why_held
from operator_console.engine.ports import EffectPort
from operator_console.engine.session_context import SessionContext
from operator_console.engine.turn.decide import Ruling
from operator_console.engine.turn.grant import Granting
from operator_console.engine.typed_secrets import secret_of

# Nothing was sent, and nothing is wrong with the call: the screen changed, or a pause came before the grant arrived.
_OVERTAKEN = frozenset((RejectedReason.STALE.value, RejectedReason.BAD_GRANT.value, RejectedReason.REVOKED.value))
OUTCOME_WITHIN_S = 2.0  # after a stop or a pause: the injector is dead or its gate shut, so the outcome comes soon


@dataclass(frozen=True, slots=True, kw_only=True)
class Acted:
    """How an approved call, or a part of it, ended. `before`: the picture right before; None: nothing was sent."""

    status: CallStatus
    outcome: Outcome
    before: Frame | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class InFlight:
    """An action that is being carried out, or that a stop interrupted. `outcome`: how far it came, once that is
    known."""

    action: StoppedAction
    outcome: Outcome | None = None


class Actor:
    """Carries out one session's grants.

    Attributes:
        in_flight: what is being carried out, or what a stop interrupted; None for nothing.
    """

    def __init__(self, session: SessionContext) -> None:
        self._session = session
        self.in_flight: InFlight | None = None

    async def act(self, ruled: Ruling, grant: Grant, effect: EffectPort | None) -> Outcome:
        """Have a grant performed by an effect port, or (None) by the injector."""
        same = grant.action == ruled.action
        secret = secret_of(grant.action) if same and effect is None else ""
        task = asyncio.ensure_future(self._perform(grant, effect, secret))
        action = StoppedAction(
            action=grant.action, assessment=ruled.assessment if same else None,
            window=ruled.window.title if ruled.window is not None and same else "",
        )  # fmt: skip
        self.in_flight = InFlight(action=action)
        try:
            # A console that was briefly busy cancels nothing: a shell that is killed has lost its state.
            await self._session.channel.watch(task, passing=effect is None)
        except Holding as held:
            if effect is not None:
                task.cancel()  # first: the gate does not hold back what is no input
            await self._shut_gate(why_held(held.intent))
        except (Stopping, asyncio.CancelledError) as signal:
            if effect is not None:
                task.cancel()
            if isinstance(signal, asyncio.CancelledError):
                raise
        outcome = await _outcome(task)
        if secret:
            outcome = _without_length(outcome, grant.action)
        if outcome.result is ActResult.STOPPED:
            # The stop or pause itself comes through the guard's pipe and may arrive a moment later.
            await self._session.channel.wait_for_interruption(OUTCOME_WITHIN_S)
        return outcome

    def _perform(self, grant: Grant, effect: EffectPort | None, secret: str) -> Coroutine[Any, Any, Outcome]:
        ports = self._session.ports
        if secret and ports.secrets is not None:
            return ports.injector.perform(grant, ports.secrets.value(secret))
        return (effect or ports.injector).perform(grant)

    async def _shut_gate(self, why: PauseCause | WaitsFor) -> None:
        """Shut the gate before a pause. A guard that hangs or dies meanwhile is a stop."""
        channel = self._session.channel
        try:
            await channel.run(self._session.ports.guard.set_gate(open_=False, why=why), holds=False)
        except Stopping:
            return
        except OperatorError as error:
            channel.post(Stop(reason=StopCause.GUARD_DIED, detail=error.text))

    def done(self, ruled: Ruling, granted: Granting, outcome: Outcome, frame: Frame) -> Acted:
        """Record how a grant ended, and what it did to the input's state."""
        session, grant = self._session, granted.grant
        status = _status(outcome)
        session.recorder.emit(
            Performed(
                step=ruled.step, call=ruled.call, grant_id=grant.grant_id, result=outcome.result, status=status,
                detail=outcome.detail, reason=outcome.reason, method=outcome.method, delivered=outcome.delivered,
                total=outcome.total, duration_s=outcome.duration_s, pointer=outcome.pointer,
            )
        )  # fmt: skip
        stopped = outcome.result is ActResult.STOPPED
        interrupted = self.in_flight if stopped and session.channel.stop is not None else None
        self.in_flight = None if interrupted is None else replace(interrupted, outcome=outcome)
        if stopped and session.channel.interruption is None:
            title = notice(NoticeCode.ACTION_NOT_FINISHED)
            session.recorder.emit(Warned(title=title, detail=outcome.detail, step=ruled.step))
        if outcome.result is ActResult.DONE or outcome.delivered:
            session.turn_picture.acted(grant.action, frame, session.input_state.pointer)
            self._note_sent(ruled, grant.action, outcome)
            session.memory.acted(ruled.action, ruled.place.context, ruled.place.window)
            if granted.first:
                session.permissions.carried_out(ruled.coverage)
        if status is CallStatus.DONE:
            session.meter.performed()
        return Acted(status=status, outcome=outcome, before=granted.before)

    def _note_sent(self, ruled: Ruling, sent: Action, outcome: Outcome) -> None:
        input_state, place = self._session.input_state, ruled.place
        if sent == ruled.action and place.hit is not None and place.field is not None:
            input_state.note_sent(sent, place.context, outcome, place.hit, place.field)
        else:  # a part of it: the focus is where the part before left it
            input_state.note_sent(sent, place.context, outcome, Hit(), input_state.place(None, place.window))

    def not_sent(self, ruled: Ruling, error: ComputerRejected | ComputerUnavailable) -> Acted:
        """Record why an approved call could not be prepared."""
        outcome = Outcome(result=ActResult.FAILED, detail=error.text, reason=error.reason.value)
        return self.record_outcome(ruled, outcome)

    def record_outcome(self, ruled: Ruling, outcome: Outcome, parts_done: tuple[Action, ...] = ()) -> Acted:
        """Record how a call, or the rest of it after `parts_done`, ended without a grant."""
        status = _status(outcome)
        self._session.recorder.emit(
            Performed(
                step=ruled.step, call=ruled.call, result=outcome.result, status=status, detail=outcome.detail,
                reason=outcome.reason, parts_done=parts_done,
            )
        )  # fmt: skip
        return Acted(status=status, outcome=outcome)


async def _outcome(task: asyncio.Future[Outcome]) -> Outcome:
    """The outcome, waited for up to `OUTCOME_WITHIN_S`; unknown where it does not come."""
    if not task.done():
        await asyncio.wait({task}, timeout=OUTCOME_WITHIN_S)
    if not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=OUTCOME_WITHIN_S)
    if task.cancelled() or not task.done():
        return Outcome(result=ActResult.UNKNOWN, detail=notice(NoticeCode.INTERRUPTED_EXTENT_UNKNOWN))
    try:
        return task.result()
    except ComputerError as error:
        return Outcome(result=ActResult.UNKNOWN, detail=error.text)


def _without_length(outcome: Outcome, action: Action) -> Outcome:
    """The outcome of typing a secret without what tells how long it is."""
    total = len(exact_text(action))
    delivered = total if outcome.result is ActResult.DONE else min(1, outcome.delivered)
    return replace(outcome, delivered=delivered, total=total, method="")


def _status(outcome: Outcome) -> CallStatus:
    match outcome.result:
        case ActResult.DONE:
            return CallStatus.DONE
        case ActResult.STOPPED:
            return CallStatus.STOPPED
        case ActResult.FAILED if outcome.reason in _OVERTAKEN:
            return CallStatus.NOT_DONE
        case ActResult.FAILED | ActResult.UNKNOWN:
            return CallStatus.FAILED
