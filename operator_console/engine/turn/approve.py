"""Decides every call and makes its grants. Nothing is carried out without an approval from here.

Policy's verdict, the human's answer and the lead time become a `Ruling`. Only an approving ruling becomes a Grant, and
`Grant.sealed` is called nowhere else. No matching rule means ask; no answer means no; an edited action is assessed
again, and asked about again where its class rose.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import secrets
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from operator_console.domain.actions import Action, Move, QuestionKind, QuoteText, Release, Scroll
from operator_console.domain.decisions import Assessment, DecidedBy, Decision, DecisionKind, Question, Surface
from operator_console.domain.elements import UNKNOWN_CONTROL
from operator_console.domain.errors import ComputerError, ComputerRejected, ComputerUnavailable, RejectedReason
from operator_console.domain.events import Decided
from operator_console.domain.frames import Frame, KeyboardFocus, WindowInfo, target_window_id
from operator_console.domain.grants import GRANT_LIFE_S, FocusRule, Grant
from operator_console.domain.intents import Answer, Approve, Edit, Intent, Skip
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call
from operator_console.domain.risk import Autonomy, Category, RiskClass
from operator_console.engine.action_wording import describe, exact_text
from operator_console.engine.control_finder import Hit
from operator_console.engine.input_state import FieldId
from operator_console.engine.questions import DECLINED, SAFETY_QUESTION_LAPSES_AFTER_S, Asker, Reply
from operator_console.engine.session_context import SessionContext
from operator_console.engine.targeting import is_keyboard, middle, parts
from operator_console.engine.turn.call_results import STALE
from operator_console.policy import PolicyContext, Verdict, VerdictKind, assess, verdict
from operator_console.policy.input_places import is_terminal_place

LONG_TEXT = 10_000
"""Characters; a longer text is assessed in a thread, because that takes long enough to delay the lease's answer."""
LOOKS_AGAIN = 2
"""So many calls in a row are not asked about because the screen changed under them while the model was thinking."""
# Clipboard managers would keep these.
_NEVER_PASTED = frozenset((Category.CREDENTIALS, Category.PERSONAL_DATA))


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The target of an action.

    Attributes:
        context: what policy is told about it.
        window: the window that receives it; None: not known.
        hit: what is at its last point, or has the focus for keys; None: it hits nothing.
        start: what is at the first point of a drag.
        field: the field that it gives the focus, or that gets the keys; None: it does neither.
        focus: for keys without a point: where the keyboard focus was; what gets them is certain only in the target.
        found_s: when that was asked for, on the session's clock.
    """

    context: PolicyContext
    window: WindowInfo | None = None
    hit: Hit | None = None
    start: Hit | None = None
    field: FieldId | None = None
    focus: KeyboardFocus = KeyboardFocus.TARGET
    found_s: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A call to decide. `places_of` determines the targets of an action, the model's or an edited one, and may give the
    target the keyboard focus first; then it raises ComputerRejected and ComputerUnavailable."""

    step: int
    call: Call
    frame: Frame
    places_of: Callable[[Action, bool], Awaitable[Sequence[Place]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling:
    """The decision about a call: `action` may be carried out at `place`, if it is approved."""

    step: int
    call: int
    decision: Decision
    action: Action
    place: Place
    assessment: Assessment

    @property
    def context(self) -> PolicyContext:
        """What policy was told about the place."""
        return self.place.context

    @property
    def window(self) -> WindowInfo | None:
        """The window that receives it; None: not known."""
        return self.place.window

    @property
    def approved(self) -> bool:
        """Whether the action may be carried out."""
        return self.decision.kind in (DecisionKind.APPROVE, DecisionKind.MODIFY)


class Approval:
    """Makes one session's decisions and grants."""

    def __init__(self, session: SessionContext, asker: Asker) -> None:
        self._session = session
        self._asker = asker
        self._overtaken_in_a_row = 0

    async def review(self, case: Case) -> Ruling:
        """Decide one call; every Decided event comes from here or from `answered_unasked`.

        Raises:
            Holding, Stopping: before it was decided.
        """
        action = case.call.action
        assert action is not None
        ruled = await self._judge(case, action)
        if self._verdict(case, ruled.assessment).kind is VerdictKind.ASK and self._disturbs_nobody(ruled):
            with contextlib.suppress(ComputerRejected, ComputerUnavailable):  # carrying it out says why
                ruled = await self._judge(case, action, give_focus=True)
        return await self._marked(case, ruled) or await self._settle(case, ruled, edited=False)

    async def _marked(self, case: Case, ruled: Ruling) -> Ruling | None:
        """What the operator decided about the call unasked, which may come while it is judged."""
        mark = self._session.channel.take_mark(case.step, case.call.index)
        if isinstance(mark, Skip):
            return self._decide(ruled, _skip(mark.feedback))
        if isinstance(mark, Edit):
            return await self._edited(case, ruled, mark.action)
        return None

    async def with_focus(self, case: Case, ruled: Ruling) -> Ruling:
        """Judge approved keys again that were judged while their window did not have the focus, which it is given now.

        Only then is it certain which control gets them. What is riskier than what was approved, of another kind, or in
        another window, is decided anew.

        Raises:
            ComputerRejected, ComputerUnavailable: the target cannot be given the focus, or loses it again.
            Holding, Stopping: before anything was sent.
        """
        if ruled.place.focus is KeyboardFocus.TARGET:
            return ruled
        now = await self._judge(case, ruled.action, give_focus=True)
        if now.place.focus is not KeyboardFocus.TARGET:
            raise ComputerRejected(
                notice(NoticeCode.FOCUS_DOES_NOT_STAY),
                reason=RejectedReason.NO_FOCUS,
                remedy=notice(NoticeCode.CLICK_WINDOW_FIRST),
            )
        anew = await self._marked(case, now)
        if anew is None and not _is_covered(now, ruled):
            anew = await self._settle(case, now, edited=ruled.decision.kind is DecisionKind.MODIFY)
        if anew is not None:  # an action that was edited in the console is judged while that has the focus
            return await self.with_focus(case, anew) if anew.approved else anew
        if now.assessment == ruled.assessment:
            return replace(now, decision=ruled.decision)
        return self._decide(now, ruled.decision)

    async def _settle(self, case: Case, ruled: Ruling, *, edited: bool) -> Ruling:
        answer = self._verdict(case, ruled.assessment)
        if answer.kind is VerdictKind.REFUSE:
            return self._decide(ruled, Decision(kind=DecisionKind.NOT_DONE, by=DecidedBy.POLICY, rule=answer.rule))
        if answer.kind is VerdictKind.ASK:
            return await self._ask(case, ruled, answer, edited=edited)
        if edited:
            return self._decide(ruled, _modify(ruled.action))
        return await self._lead(case, ruled, answer)

    def _disturbs_nobody(self, ruled: Ruling) -> bool:
        """Whether the target may be given the focus before a question, to know what is asked about.

        In *Step* everything is asked, and who answers by keyboard needs the focus.
        """
        return ruled.place.focus is KeyboardFocus.NOBODY and self._session.request.autonomy is not Autonomy.STEP

    async def _lead(self, case: Case, ruled: Ruling, answer: Verdict) -> Ruling:
        """Approve by policy and wait for the lead time, in which the person can still skip or edit the action.

        The ring shows the target during `SessionRequest.lead_time_s`. Actions of class C0 do not wait.
        """
        lead_s = self._session.request.lead_time_s if ruled.assessment.risk > RiskClass.C0 else 0.0
        decision = Decision(kind=DecisionKind.APPROVE, by=DecidedBy.POLICY, rule=answer.rule)
        approved = self._decide(ruled, decision, lead_s=lead_s)
        if lead_s <= 0:
            return approved

        def skip_or_edit(intent: Intent) -> Skip | Edit | None:
            if isinstance(intent, Skip | Edit) and (intent.step, intent.call) == (case.step, case.call.index):
                return intent
            return None

        found: Skip | Edit | None = await self._session.channel.reply(skip_or_edit, self._session.clock.sleep(lead_s))
        if found is None:
            return approved
        if isinstance(found, Skip):
            return self._decide(ruled, _skip(found.feedback))
        return await self._edited(case, ruled, found.action)

    async def _ask(self, case: Case, ruled: Ruling, answer: Verdict, *, edited: bool) -> Ruling:
        if not edited and await self._overtaken(case, ruled):
            return self._decide(ruled, Decision(kind=DecisionKind.NOT_DONE, by=DecidedBy.POLICY, rule=STALE))
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

    async def _overtaken(self, case: Case, ruled: Ruling) -> bool:
        """Whether the screen has changed under the action since the model's picture, so that a yes would do nothing.

        After `LOOKS_AGAIN` calls in a row it is asked about all the same: where the target never rests, only a person
        can go on.
        """
        session = self._session
        checks = session.turn_picture.screen_checks(ruled.action, case.frame, session.input_state.pointer)
        if not checks or self._overtaken_in_a_row >= LOOKS_AGAIN:
            self._overtaken_in_a_row = 0
            return False
        try:
            same = await session.channel.run(session.ports.computer.still_shows(checks))
        except ComputerError:
            same = True  # the target cannot be seen now: preparing the input says why
        self._overtaken_in_a_row = 0 if same else self._overtaken_in_a_row + 1
        return not same

    async def _edited(self, case: Case, before: Ruling, action: Action) -> Ruling:
        ruled = await self._judge(case, action)
        answer = self._verdict(case, ruled.assessment)
        rose = ruled.assessment.risk > before.assessment.risk
        # What needs the dialog is asked even if a human wrote it: an edit of the same class may mean something else.
        if rose or answer.kind is VerdictKind.REFUSE or answer.surface is Surface.DIALOG:
            return await self._settle(case, ruled, edited=True)
        return self._decide(ruled, _modify(action))

    async def _judge(self, case: Case, action: Action, *, give_focus: bool = False) -> Ruling:
        places = await case.places_of(action, give_focus)
        found = await self._session.channel.run(assessed(action, places))
        place, assessment = max(zip(places, found, strict=True), key=lambda each: each[1].risk)
        return Ruling(
            step=case.step, call=case.call.index, action=action, place=place, assessment=assessment,
            decision=Decision(kind=DecisionKind.NOT_DONE, by=DecidedBy.NOBODY, rule="open"),
        )  # fmt: skip

    def _verdict(self, case: Case, assessment: Assessment) -> Verdict:
        request = self._session.request
        return verdict(assessment, request.autonomy, request.allow, case.call.safety)

    def answered_unasked(self, step: int, call: int, decision: Decision) -> None:
        """Record the decision about a call that was not assessed (not understood, not done, stopped)."""
        self._session.recorder.emit(
            Decided(step=step, call=call, decision=decision.kind, by=decision.by, rule=decision.rule)
        )

    def grants(self, ruled: Ruling, frame: Frame) -> list[tuple[Action, Callable[[], Grant]]]:
        """Each part of an approved action with a function that makes its unsealed grant, to be called at its turn.

        Raises:
            PermissionError: the ruling does not approve (a bug).
        """
        if not ruled.approved:
            raise PermissionError("only what was approved can be granted")
        return [
            (part, functools.partial(self._grant, ruled, part, frame))
            for part in parts(ruled.action, managed=frame.page is not None)
        ]

    def scroll(self, ruled: Ruling, frame: Frame, dy: int) -> tuple[Scroll, Callable[[], Grant]]:
        """A scroll in the middle of the region of an approved reading, with a function that makes its grant, unsealed.

        Raises:
            PermissionError: the ruling does not approve a reading that scrolls (a bug).
        """
        if not ruled.approved or not isinstance(ruled.action, QuoteText) or not ruled.action.auto_scroll:
            raise PermissionError("only an approved reading that may scroll is scrolled for")
        part = Scroll(at=middle(ruled.action.region), dy=dy)
        return part, functools.partial(self._grant, ruled, part, frame)

    def _grant(self, ruled: Ruling, part: Action, frame: Frame) -> Grant:
        guard = self._session.ports.guard
        picture, pointer = self._session.turn_picture, self._session.input_state.pointer
        # A move with a button down continues a drag; the dragged object may be under the pointer.
        drags = isinstance(part, Move) and bool(self._session.input_state.buttons)
        return Grant(
            grant_id=secrets.token_hex(16), step=ruled.step, call=ruled.call, action=part, target=frame.target,
            geometry=frame.geometry, checks=picture.screen_checks(part, frame, pointer),
            owners=() if drags else picture.owner_checks(part, frame, pointer),
            holder=None if drags else picture.holder_check(part, ruled.window), focus=_focus(part, ruled.window, frame),
            document=frame.page.document if frame.page is not None else "",
            epoch=guard.epoch, expires_s=0.0,
            pointer=pointer, typing_delay_s=self._session.options.typing_delay_s,
            paste=self._session.options.paste and _NEVER_PASTED.isdisjoint(ruled.assessment.categories),
            terminal=is_terminal_place(ruled.context),
        )  # fmt: skip

    def sealed(self, grant: Grant) -> Grant:
        """The sealed grant, valid for `GRANT_LIFE_S` from now; called after the wait for the record."""
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
        words = in_words(ruled)
        dialog = surface is Surface.DIALOG
        return Question(
            question_id=self._asker.new_id(), answer=QuestionKind.CONFIRM, surface=surface,
            text=notice(NoticeCode.ALLOW_ACTION, action=words), step=case.step, call=case.call.index,
            timeout_s=SAFETY_QUESTION_LAPSES_AFTER_S if dialog else None, about="safety" if dialog else "review",
            action=ruled.action, assessment=ruled.assessment, window=_named(ruled.window),
        )  # fmt: skip


async def assessed(action: Action, places: Sequence[Place]) -> Sequence[Assessment]:
    """Policy's assessment at each place; in a thread for a long text, so that the loop keeps answering the lease."""

    def judge() -> Sequence[Assessment]:
        return [_with_controls(assess(_judged(action, place), place.context), place) for place in places]

    return await asyncio.to_thread(judge) if len(exact_text(action)) > LONG_TEXT else judge()


def _judged(action: Action, place: Place) -> Action:
    """What is judged: for a move with a button held down, the drop that it leads to.

    A question about the drop itself would come too late: whatever is held is released before a question opens.
    """
    if isinstance(action, Move) and place.context.from_control != UNKNOWN_CONTROL:
        return Release(at=action.at)
    return action


def _with_controls(assessment: Assessment, place: Place) -> Assessment:
    context = place.context
    return replace(
        assessment, control=None if place.hit is None else context.control,
        from_control=None if context.from_control == UNKNOWN_CONTROL else context.from_control,
    )  # fmt: skip


def in_words(ruled: Ruling) -> str:
    """The action, the control and the window that it hits, in one sentence."""
    assessment = ruled.assessment
    return describe(
        ruled.action, assessment.label, control=assessment.control, from_control=assessment.from_control,
        window=ruled.window.title if ruled.window is not None else "",
    )  # fmt: skip


def _named(window: WindowInfo | None) -> str:
    return " — ".join(part for part in (window.title, window.app) if part) if window is not None else ""


def _focus(part: Action, window: WindowInfo | None, frame: Frame) -> FocusRule | None:
    """Keys go only to the window that they were assessed for."""
    meant = window.window_id if window is not None else target_window_id(frame.target)
    return FocusRule(window_id=meant) if is_keyboard(part) else None


def _read(intent: Intent, question: Question, case: Case) -> str | None:
    """The answer that an intent gives to a review, None where it gives none. The dialog accepts only yes and no."""
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


def _is_covered(now: Ruling, approved: Ruling) -> bool:
    """Whether the approval of an action covers it as it is judged now."""
    same_window = (now.window and now.window.window_id) == (approved.window and approved.window.window_id)
    no_riskier = now.assessment.risk <= approved.assessment.risk
    return same_window and no_riskier and set(now.assessment.categories) <= set(approved.assessment.categories)


def _yes_or_no(reply: Reply, rule: str, edited: Action | None) -> Decision:
    """The decision of an answered question; `edited` is the human's action that replaces the model's, if any."""
    if reply.answer != "yes" or reply.by is not DecidedBy.HUMAN:
        note = reply.intent.note if isinstance(reply.intent, Answer) else ""
        return Decision(kind=DecisionKind.DENY, by=reply.by, rule=rule, feedback=note)
    kind = DecisionKind.APPROVE if edited is None else DecisionKind.MODIFY
    return Decision(kind=kind, by=reply.by, rule=rule, action=edited)


def _skip(feedback: str) -> Decision:
    return Decision(kind=DecisionKind.SKIP, by=DecidedBy.HUMAN, rule="skipped", feedback=feedback)


def _modify(action: Action) -> Decision:
    return Decision(kind=DecisionKind.MODIFY, by=DecidedBy.HUMAN, rule="edited", action=action)
