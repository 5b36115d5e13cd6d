"""Decides every call, and makes the grants: the only door from "proposed" to "may happen".

Policy's verdict, the human's answer and the lead time end here in a `Ruling`; only a ruling that approves can become a
sealed Grant, and `Grant.sealed` is called nowhere else. No matching rule means ask, no answer means no, an edited
action is judged again and asked again where its class rose.
"""

from __future__ import annotations

import asyncio
import functools
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from operator_console.domain.actions import Action, Move, QuestionKind, QuoteText, Scroll
from operator_console.domain.decisions import (
    Assessment,
    DecidedBy,
    Decision,
    DecisionKind,
    FocusRule,
    Grant,
    Question,
    Surface,
)
from operator_console.domain.events import Decided
from operator_console.domain.frames import Frame, WindowInfo
from operator_console.domain.intents import Answer, Approve, Edit, Intent, Skip
from operator_console.domain.proposals import Call
from operator_console.domain.risk import Category, RiskClass
from operator_console.engine.browser_keys import parts
from operator_console.engine.context import SessionContext
from operator_console.engine.questions import DECLINED, SAFETY_QUESTION_LAPSES_AFTER_S, Asker, Reply
from operator_console.engine.targeting import is_keyboard, middle
from operator_console.engine.wording import describe, exact_text
from operator_console.policy import PolicyContext, Verdict, VerdictKind, assess, verdict
from operator_console.policy.applications import is_terminal

GRANT_LIFE_S = 5.0
LONG_TEXT = 10_000
"""Characters; judging a longer text takes long enough to be done aside of the loop."""
# Programs that keep what was copied would keep these too.
_NEVER_PASTED = frozenset((Category.CREDENTIALS, Category.PERSONAL_DATA))


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an action would land: what policy may know of it, and the window that gets it (None: not known)."""

    context: PolicyContext
    window: WindowInfo | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One call to decide. `places_of` gathers what policy needs for an action (the model's or an edited one)."""

    step: int
    call: Call
    frame: Frame
    places_of: Callable[[Action], Awaitable[Sequence[Place]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """How a case ended. `action` is what may happen where it was approved, in `window` (None: not known)."""

    step: int
    call: int
    decision: Decision
    action: Action
    context: PolicyContext
    assessment: Assessment
    window: WindowInfo | None

    @property
    def approved(self) -> bool:
        """Whether it may happen."""
        return self.decision.kind in (DecisionKind.APPROVE, DecisionKind.MODIFY)


class Approval:
    """One session's decisions and grants."""

    def __init__(self, session: SessionContext, asker: Asker) -> None:
        self._session = session
        self._asker = asker

    async def review(self, case: Case) -> Ruling:
        """Decide one call; every Decided event comes from here or from `answered_unasked`.

        Raises:
            Holding, Stopping: before it was decided.
        """
        action = case.call.action
        assert action is not None
        ruled = await self._judge(case, action)
        # Taken only now: judging may wait for the text at the target, and a Skip or Edit may come meanwhile.
        mark = self._session.channel.take_mark(case.step, case.call.index)
        if isinstance(mark, Skip):
            return self._decide(ruled, _skip(mark.feedback))
        if isinstance(mark, Edit):
            return await self._edited(case, ruled, mark.action)
        return await self._settle(case, ruled, edited=False)

    async def _settle(self, case: Case, ruled: Ruling, *, edited: bool) -> Ruling:
        answer = self._verdict(case, ruled.assessment)
        if answer.kind is VerdictKind.REFUSE:
            return self._decide(ruled, Decision(kind=DecisionKind.NOT_DONE, by=DecidedBy.POLICY, rule=answer.rule))
        if answer.kind is VerdictKind.ASK:
            return await self._ask(case, ruled, answer, edited=edited)
        if edited:
            return self._decide(ruled, _modify(ruled.action))
        return await self._lead(case, ruled, answer)

    async def _lead(self, case: Case, ruled: Ruling, answer: Verdict) -> Ruling:
        lead_s = self._session.request.lead_time_s if ruled.assessment.risk > RiskClass.C0 else 0.0
        decision = Decision(kind=DecisionKind.APPROVE, by=DecidedBy.POLICY, rule=answer.rule)
        approved = self._decide(ruled, decision, lead_s=lead_s)
        if lead_s <= 0:
            return approved

        def interferes(intent: Intent) -> Skip | Edit | None:
            if isinstance(intent, Skip | Edit) and (intent.step, intent.call) == (case.step, case.call.index):
                return intent
            return None

        found: Skip | Edit | None = await self._session.channel.reply(interferes, self._session.clock.sleep(lead_s))
        if found is None:
            return approved
        if isinstance(found, Skip):
            return self._decide(ruled, _skip(found.feedback))
        return await self._edited(case, ruled, found.action)

    async def _ask(self, case: Case, ruled: Ruling, answer: Verdict, *, edited: bool) -> Ruling:
        surface = answer.surface or Surface.CARD
        question = self._question(case, ruled, surface, answer)
        reply = await self._asker.ask(question, lambda intent: _read(intent, question, case))
        match reply.intent:
            case Approve(action=action) | Edit(action=action) if action is not None:
                return await self._edited(case, ruled, action)
            case Skip(feedback=feedback):
                return self._decide(ruled, _skip(feedback))
            case _:
                return self._decide(ruled, _yes_or_no(reply, answer.rule, ruled.action if edited else None))

    async def _edited(self, case: Case, before: Ruling, action: Action) -> Ruling:
        ruled = await self._judge(case, action)
        answer = self._verdict(case, ruled.assessment)
        rose = ruled.assessment.risk > before.assessment.risk
        # What the dialog asks about is asked whoever wrote it: an edit may be of the same class and mean another thing.
        if rose or answer.kind is VerdictKind.REFUSE or answer.surface is Surface.DIALOG:
            return await self._settle(case, ruled, edited=True)
        return self._decide(ruled, _modify(action))

    async def _judge(self, case: Case, action: Action) -> Ruling:
        places = await case.places_of(action)
        found = await self._session.channel.run(assessed(action, [place.context for place in places]))
        place, assessment = max(zip(places, found, strict=True), key=lambda each: each[1].risk)
        return Ruling(
            step=case.step, call=case.call.index, action=action, context=place.context, assessment=assessment,
            window=place.window,
            decision=Decision(kind=DecisionKind.NOT_DONE, by=DecidedBy.NOBODY, rule="open"),
        )  # fmt: skip

    def _verdict(self, case: Case, assessment: Assessment) -> Verdict:
        request = self._session.request
        return verdict(assessment, request.autonomy, request.allow, case.call.safety)

    def answered_unasked(self, step: int, call: int, decision: Decision) -> None:
        """Record the end of a call that was never judged (not understood, not done, stopped)."""
        self._session.recorder.emit(
            Decided(step=step, call=call, decision=decision.kind, by=decision.by, rule=decision.rule)
        )

    def grants(self, ruled: Ruling, frame: Frame) -> list[tuple[Action, Callable[[], Grant]]]:
        """Each part of what was approved, with the maker of its grant: made when its turn comes, for it expires soon.

        Raises:
            PermissionError: the ruling does not approve (a bug of ours; nothing may happen).
        """
        if not ruled.approved:
            raise PermissionError("only what was approved can be granted")
        return [(part, functools.partial(self._grant, ruled, part, frame)) for part in parts(ruled.action)]

    def scroll(self, ruled: Ruling, frame: Frame, dy: int) -> tuple[Scroll, Callable[[], Grant]]:
        """A part of an approved reading that may scroll: notches in the middle of its region, and their grant's maker.

        Raises:
            PermissionError: the ruling does not approve, or is about something else (a bug of ours).
        """
        if not ruled.approved or not isinstance(ruled.action, QuoteText) or not ruled.action.auto_scroll:
            raise PermissionError("only an approved reading that may scroll is scrolled for")
        part = Scroll(at=middle(ruled.action.region), dy=dy)
        return part, functools.partial(self._grant, ruled, part, frame)

    def _grant(self, ruled: Ruling, part: Action, frame: Frame) -> Grant:
        guard = self._session.ports.guard
        expected, pointer = self._session.expected, self._session.input_state.pointer
        # A motion with a button down goes on what was begun; what is dragged may lie under it.
        drags = isinstance(part, Move) and bool(self._session.input_state.buttons)
        return Grant(
            grant_id=secrets.token_hex(16), step=ruled.step, call=ruled.call, action=part, target=frame.target,
            geometry=frame.geometry, checks=expected.screen_checks(part, frame, pointer),
            owners=() if drags else expected.owner_checks(part, frame, pointer),
            holder=None if drags else expected.holder_check(part), focus=_focus(part, ruled.window, frame),
            epoch=guard.epoch, expires_s=0.0,
            pointer=pointer, typing_delay_s=self._session.options.typing_delay_s,
            paste=self._session.options.paste and _NEVER_PASTED.isdisjoint(ruled.assessment.categories),
            terminal=is_terminal(ruled.context.app, ruled.context.title),
        )  # fmt: skip

    def sealed(self, grant: Grant) -> Grant:
        """The grant with its seal and its whole life, which a wait for the record's disk has not shortened."""
        expires_s = self._session.clock.monotonic() + GRANT_LIFE_S
        return replace(grant, expires_s=expires_s).sealed(self._session.ports.guard.grant_key)

    def _decide(self, ruled: Ruling, decision: Decision, *, lead_s: float = 0.0) -> Ruling:
        self._session.recorder.emit(
            Decided(
                step=ruled.step, call=ruled.call, decision=decision.kind, by=decision.by, rule=decision.rule,
                assessment=ruled.assessment, action=ruled.action if decision.kind is DecisionKind.MODIFY else None,
                feedback=decision.feedback, lead_s=lead_s,
            )
        )  # fmt: skip
        if decision.kind is DecisionKind.DENY:
            self._session.meter.denied()
        return replace(ruled, decision=decision)

    def _question(self, case: Case, ruled: Ruling, surface: Surface, answer: Verdict) -> Question:
        words = describe(ruled.action, ruled.assessment.label)
        where = f" in “{ruled.context.title}”" if ruled.context.title else ""
        dialog = surface is Surface.DIALOG
        return Question(
            question_id=self._asker.fresh_id(), answer=QuestionKind.CONFIRM, surface=surface,
            text=f"Allow the model to {words}{where}?", step=case.step, call=case.call.index,
            timeout_s=SAFETY_QUESTION_LAPSES_AFTER_S if dialog else None, about="safety" if dialog else "review",
            action=ruled.action, assessment=ruled.assessment, window=_named(ruled.window),
        )  # fmt: skip


async def assessed(action: Action, contexts: Sequence[PolicyContext]) -> Sequence[Assessment]:
    """Policy's judgement in each context; of a long text in a thread, so that the loop goes on answering the lease."""

    def judge() -> Sequence[Assessment]:
        return [assess(action, context) for context in contexts]

    return await asyncio.to_thread(judge) if len(exact_text(action)) > LONG_TEXT else judge()


def _named(window: WindowInfo | None) -> str:
    return " — ".join(part for part in (window.title, window.app) if part) if window is not None else ""


def _focus(part: Action, window: WindowInfo | None, frame: Frame) -> FocusRule | None:
    """Keys go to the window that they were judged for, or nowhere."""
    meant = window.window_id if window is not None else frame.target.window_id
    return FocusRule(window_id=meant) if is_keyboard(part) else None


def _read(intent: Intent, question: Question, case: Case) -> str | None:
    """The record's answer of an intent to a review, None where it is not about it. The dialog takes yes and no only."""
    card = question.surface is Surface.CARD
    match intent:
        case Answer(question_id=question.question_id, answer=answer):
            return "yes" if answer == "yes" else DECLINED
        case Approve(question_id=question.question_id, action=action) if card:
            return "yes" if action is None else "edited"
        case Skip(step=case.step, call=case.call.index):
            return "skipped"
        case Edit(step=case.step, call=case.call.index) if card:
            return "edited"
        case _:
            return None


def _yes_or_no(reply: Reply, rule: str, edited: Action | None) -> Decision:
    """The decision; a yes to what a human wrote (`edited`) lets that happen in the place of the model's."""
    if reply.answer != "yes" or reply.by is not DecidedBy.HUMAN:
        return Decision(kind=DecisionKind.DENY, by=reply.by, rule=rule)
    kind = DecisionKind.APPROVE if edited is None else DecisionKind.MODIFY
    return Decision(kind=kind, by=reply.by, rule=rule, action=edited)


def _skip(feedback: str) -> Decision:
    return Decision(kind=DecisionKind.SKIP, by=DecidedBy.HUMAN, rule="skipped", feedback=feedback)


def _modify(action: Action) -> Decision:
    return Decision(kind=DecisionKind.MODIFY, by=DecidedBy.HUMAN, rule="edited", action=action)
