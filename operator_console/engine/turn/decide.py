"""Decides about an assessed action: policy's verdict, the human's answer and the lead time become a `Ruling`.

Nothing is carried out without an approval from here. No matching rule means ask; no answer means no; an edited action
is assessed again, and asked about again where its class rose.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from operator_console.domain.actions import Action, Choice, Drag, QuestionKind
from operator_console.domain.decisions import DecidedBy, Decision, DecisionKind, Question, Surface
from operator_console.domain.errors import (
    ComputerError,
    ComputerRejected,
    ComputerUnavailable,
    RejectedReason,
    UnavailableReason,
)
from operator_console.domain.events import APPROVED_NEXT, Decided, Warned
from operator_console.domain.frames import Frame, KeyboardFocus, WindowInfo
from operator_console.domain.hidden_areas import HiddenArea, shutter_at
from operator_console.domain.intents import Answer, Approve, Edit, Intent, Pause, Skip
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call
from operator_console.domain.question_load import HASTE
from operator_console.domain.risk import Autonomy, RiskClass
from operator_console.domain.stopping import PauseCause
from operator_console.engine.action_wording import describe
from operator_console.engine.hidden_texts import as_meant
from operator_console.engine.questions import DECLINED, SAFETY_QUESTION_LAPSES_AFTER_S, Asker, Reply
from operator_console.engine.session_context import SessionContext
from operator_console.engine.targeting import is_keyboard, points
from operator_console.engine.turn.assess import Assessed
from operator_console.engine.turn.call_results import HIDDEN_PLACE, SECRET_NOT_TYPED, STALE, UNTOLD_PLACE
from operator_console.engine.turn.locate import GiveFocus
from operator_console.engine.typed_secrets import refusal
from operator_console.policy import Verdict, VerdictKind, verdict

LOOKS_AGAIN = 2
"""So many calls in a row are not asked about because the screen changed under them while the model was thinking."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A call to decide, the frame that it was proposed on, and its first assessment."""

    step: int
    call: Call
    frame: Frame
    glance: Assessed | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruling(Assessed):
    """The decision about a call: `action` may be carried out at `place`, if it is approved.

    Attributes:
        obstacle: why it cannot be carried out although it is approved; None: nothing is known.
    """

    step: int
    call: int
    decision: Decision
    obstacle: ComputerRejected | ComputerUnavailable | None = None

    @property
    def approved(self) -> bool:
        """Whether the action may be carried out."""
        return self.decision.kind.approves


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """An action that is to be located, assessed and decided.

    Attributes:
        action: the model's, or the operator's in place of it.
        edited: what was assessed before the operator edited it; None: it was not, or that is decided.
        approved: its approval, while its window did not have the keyboard focus, which it must be given now. Only then
            is it certain which control gets the keys.
        give: whether its window is given the focus first.
    """

    action: Action
    edited: Assessed | None = None
    approved: Ruling | None = None
    give: GiveFocus = GiveFocus.NO


class Decider:
    """Makes one session's decisions."""

    def __init__(self, session: SessionContext, asker: Asker) -> None:
        self._session = session
        self._asker = asker
        self._overtaken_in_a_row = 0

    async def decide(self, case: Case, found: Assessed, wanted: Wanted) -> Ruling | Wanted:
        """The decision, or what must be assessed before there is one: an edited action, or keys whose window did not
        have the focus. Every Decided event comes from here or from `answered_unasked`.

        Raises:
            ComputerRejected: the target, which was given the focus, does not have it.
            Holding, Stopping: before it was decided.
        """
        if why := await refusal(found.action, found.place, self._session.ports.secrets):
            if wanted.give is GiveFocus.NO and found.place.focus is KeyboardFocus.NOBODY:
                return replace(wanted, give=GiveFocus.TRY)  # then it is told which field would get it
            title = notice(NoticeCode.SECRET_WAS_NOT_TYPED)
            self._session.recorder.emit(Warned(title=title, detail=why, step=case.step))
            return self._decide(case, found, replace(_not_done(SECRET_NOT_TYPED), why=why))
        ruled = await self._decided(case, found, wanted)
        if isinstance(ruled, Ruling) and ruled.approved and ruled.place.focus is not KeyboardFocus.TARGET:
            return Wanted(action=ruled.action, approved=ruled, give=GiveFocus.MUST)
        return ruled

    def answered_unasked(self, step: int, call: int, decision: Decision) -> None:
        """Record the decision about a call that was not assessed (not understood, not done, stopped)."""
        self._session.recorder.emit(
            Decided(step=step, call=call, decision=decision.kind, by=decision.by, rule=decision.rule)
        )

    async def _decided(self, case: Case, found: Assessed, wanted: Wanted) -> Ruling | Wanted:
        approved = wanted.approved
        edited = wanted.edited is not None or (approved is not None and approved.decision.kind is DecisionKind.MODIFY)
        answer = self._verdict(case, found, edited=edited)
        if approved is not None and found.place.focus is not KeyboardFocus.TARGET:
            raise ComputerRejected(
                notice(NoticeCode.FOCUS_DOES_NOT_STAY),
                reason=RejectedReason.NO_FOCUS,
                remedy=notice(NoticeCode.CLICK_WINDOW_FIRST),
            )
        if wanted == Wanted(action=found.action) and answer.kind is VerdictKind.ASK and self._disturbs_nobody(found):
            return replace(wanted, give=GiveFocus.TRY)
        if wanted.edited is not None:
            rose = found.assessment.risk > wanted.edited.assessment.risk
            # What needs the dialog is asked even if a human wrote it: an edit of one class may mean something else.
            if not rose and answer.kind is not VerdictKind.REFUSE and answer.surface is not Surface.DIALOG:
                return self._decide(case, found, _modify())
        else:
            # What the operator decided about the call unasked may come while it is assessed.
            match self._session.channel.take_mark(case.step, case.call.index):
                case Skip(feedback=feedback):
                    return self._decide(case, found, _skip(feedback))
                case Edit(action=action):
                    return Wanted(action=as_meant(action, found.action), edited=found)
        if approved is not None and _is_covered(found, approved, answer):
            if found.assessment != approved.assessment:
                return self._decide(case, found, approved.decision)
            return _ruling(case, found, approved.decision)
        if answer.kind is VerdictKind.REFUSE:
            return self._decide(case, found, _not_done(answer.rule))
        if answer.kind is VerdictKind.ASK:
            return await self._ask(case, found, answer, edited=edited, anew=approved is not None)
        if edited:
            return self._decide(case, found, _modify())
        return await self._lead(case, found, answer)

    def _disturbs_nobody(self, found: Assessed) -> bool:
        """Whether the target may be given the focus before a question, to know what is asked about.

        In *Step* everything is asked, and who answers by keyboard needs the focus.
        """
        return found.place.focus is KeyboardFocus.NOBODY and self._session.leave.autonomy is not Autonomy.STEP

    async def _lead(self, case: Case, found: Assessed, answer: Verdict) -> Ruling | Wanted:
        """Approve by policy, or by a permission, and wait for the lead time, in which the person can still skip or edit
        the action.

        The ring shows the target during it.
        """
        lead_s, permission = _lead_s(found.assessment.risk, self._session.request.lead_time_s), answer.permission
        decision = Decision(kind=DecisionKind.APPROVE, by=DecidedBy.POLICY, rule=answer.rule, permission=permission)
        approved = self._decide(case, found, decision, lead_s=lead_s)
        if lead_s <= 0:
            return approved

        def skip_or_edit(intent: Intent) -> Skip | Edit | None:
            if isinstance(intent, Skip | Edit) and (intent.step, intent.call) == (case.step, case.call.index):
                return intent
            return None

        said: Skip | Edit | None = await self._session.channel.reply(skip_or_edit, self._session.clock.sleep(lead_s))
        if said is None:
            revoked = permission and not self._session.permissions.stands(permission)
            return Wanted(action=found.action) if revoked else approved  # decided anew: then it is asked about
        if isinstance(said, Skip):
            return self._decide(case, found, _skip(said.feedback))
        return Wanted(action=as_meant(said.action, found.action), edited=found)

    async def _ask(self, case: Case, found: Assessed, answer: Verdict, *, edited: bool, anew: bool) -> Ruling | Wanted:
        """Ask, unless the operator has approved it ahead; `anew`: it turned out to be another action than approved."""
        card = answer.surface is Surface.CARD and not edited and not anew
        if card and self._session.leave.take_one():
            return await self._lead(case, found, Verdict(kind=VerdictKind.RUN, rule=APPROVED_NEXT))
        if not edited and await self._courtesy_look(case, found):
            return self._decide(case, found, _not_done(STALE))
        if not edited and self._session.recorder.load.hasty and await self._slow_down(case):
            return Wanted(action=found.action)  # decided anew: what was permitted now may cover it
        question = self._question(case, found, answer.surface or Surface.CARD, edited=edited)
        try:
            reply = await self._asker.ask(question, lambda intent: _read(intent, question, case))
        finally:
            if question.surface is Surface.DIALOG:  # it takes no Edit: one that came is not kept for after a pause
                self._session.channel.forget_edit(case.step, case.call.index)
        match reply.intent:
            case Approve(action=action) | Edit(action=action) if action is not None:
                return Wanted(action=as_meant(action, found.action), edited=found)
            case Skip(feedback=feedback):
                return self._decide(case, found, _skip(feedback))
            case _:
                return self._decide(case, found, _yes_or_no(reply, answer.rule, edited=edited))

    async def _courtesy_look(self, case: Case, found: Assessed) -> bool:
        """Whether the screen has changed under the action since the model's picture, so that a yes would do nothing.

        A courtesy, which spares a question: the guarantee is the injector's check of the grant. After `LOOKS_AGAIN`
        calls in a row it is asked about all the same: where the target never rests, only a person can go on.
        """
        session = self._session
        checks = session.turn_picture.screen_checks(found.action, case.frame, session.input_state.pointer)
        if not checks or self._overtaken_in_a_row >= LOOKS_AGAIN:
            self._overtaken_in_a_row = 0
            return False
        try:
            same = await session.channel.run(session.ports.computer.still_shows(checks))
        except ComputerUnavailable as error:
            if error.reason is UnavailableReason.GONE:
                raise  # nothing can be allowed any more
            same = True
        except ComputerError:
            same = True  # the target cannot be seen now: preparing the input says why
        self._overtaken_in_a_row = 0 if same else self._overtaken_in_a_row + 1
        return not same

    def _verdict(self, case: Case, found: Assessed, *, edited: bool) -> Verdict:
        request = self._session.request
        permission = "" if edited else self._session.permissions.covering(found.coverage)
        area = _hidden_area(found, case.frame, self._session.input_state.pointer)
        if area is not None:
            return Verdict(kind=VerdictKind.REFUSE, rule=UNTOLD_PLACE if area.untold else HIDDEN_PLACE)
        return verdict(found.assessment, self._session.leave.autonomy, request.allow, case.call.safety, permission)

    def _decide(self, case: Case, found: Assessed, decision: Decision, *, lead_s: float = 0.0) -> Ruling:
        self._session.recorder.emit(
            Decided(
                step=case.step, call=case.call.index, decision=decision.kind, by=decision.by, rule=decision.rule,
                assessment=found.assessment, action=found.action if decision.kind is DecisionKind.MODIFY else None,
                feedback=decision.feedback, lead_s=lead_s, permission=decision.permission,
            )
        )  # fmt: skip
        if decision.kind is DecisionKind.DENY:
            self._session.meter.denied()
        if decision.by is DecidedBy.HUMAN and decision.kind is not DecisionKind.APPROVE:
            self._session.withdraw_ahead()
        if decision.by is DecidedBy.HUMAN and decision.kind.approves:
            self._session.memory.acted(found.action, found.place.context, found.place.window)
            self._session.memory.let_in(found.assessment)
        return _ruling(case, found, decision)

    async def _slow_down(self, case: Case) -> bool:
        """Say that answers come too quickly to have read the questions, and offer a permission that fits them, or a
        pause; whether the permission was given.

        Raises:
            Holding: a pause was chosen.
        """
        offer = self._session.permissions.offer_for_questions()
        sentences = [notice(NoticeCode.PAUSE_INSTEAD)]
        if offer is not None:
            sentences.insert(0, notice(NoticeCode.PERMIT_AS_CHOICE, what=offer.coverage.sentence, share=offer.share))
        question = Question(
            question_id=self._asker.new_id(), answer=QuestionKind.CHOOSE, surface=Surface.CARD, about="haste",
            text=notice(NoticeCode.ANSWERS_IN_HASTE, count=HASTE), step=case.step, call=case.call.index, offer=offer,
            choices=tuple(Choice(label=sentence) for sentence in sentences),
        )  # fmt: skip
        reply = await self._asker.ask(question, self._asker.by_answer(question))
        if reply.answer == str(len(sentences) - 1):
            self._session.channel.hold(Pause(by=PauseCause.HUMAN, detail=notice(NoticeCode.PAUSED_FOR_HASTE)))
        return reply.permits

    def _question(self, case: Case, found: Assessed, surface: Surface, *, edited: bool) -> Question:
        words = _in_words(self._session.hidden.without_in(found))
        dialog = surface is Surface.DIALOG
        coverage = None if edited or case.call.safety is not None else found.coverage
        self._session.permissions.asked(coverage)
        return Question(
            question_id=self._asker.new_id(), answer=QuestionKind.CONFIRM, surface=surface,
            text=notice(NoticeCode.ALLOW_ACTION, action=words), step=case.step, call=case.call.index,
            timeout_s=SAFETY_QUESTION_LAPSES_AFTER_S if dialog else None, about="safety" if dialog else "review",
            action=found.action, assessment=found.assessment, window=_named(found.window),
            offer=self._session.permissions.offer(coverage),
        )  # fmt: skip


def _hidden_area(found: Assessed, frame: Frame, pointer: tuple[int, int] | None) -> HiddenArea | None:
    """The area that may not be used in which an action has a point, or whose window it sends keys to."""
    hidden = [area for area in frame.hidden if not area.password]
    if not hidden:
        return None
    window = found.window
    if is_keyboard(found.action) and window is not None:
        return next((area for area in hidden if area.window_id == window.window_id), None)
    where = found.action.path if isinstance(found.action, Drag) else points(found.action, frame, pointer)
    return shutter_at(hidden, where)


def _ruling(case: Case, found: Assessed, decision: Decision) -> Ruling:
    return Ruling(
        action=found.action, place=found.place, assessment=found.assessment, step=case.step, call=case.call.index,
        decision=decision,
    )  # fmt: skip


def _in_words(found: Assessed) -> str:
    """The action, the control and the window that it hits, in one sentence."""
    assessment = found.assessment
    return describe(
        found.action, assessment.label, control=assessment.control, from_control=assessment.from_control,
        window=found.window.title if found.window is not None else "",
    )  # fmt: skip


def _named(window: WindowInfo | None) -> str:
    return " — ".join(part for part in (window.title, window.app) if part) if window is not None else ""


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


def _is_covered(now: Assessed, approved: Ruling, answer: Verdict) -> bool:
    """Whether the approval of an action covers it as it is judged now. One by a permission rests on it now as well."""
    if approved.decision.permission not in ("", answer.permission):
        return False
    same_window = (now.window and now.window.window_id) == (approved.window and approved.window.window_id)
    no_riskier = now.assessment.risk <= approved.assessment.risk
    return same_window and no_riskier and set(now.assessment.categories) <= set(approved.assessment.categories)


def _yes_or_no(reply: Reply, rule: str, *, edited: bool) -> Decision:
    """The decision of an answered question; `edited`: it was about the human's action in place of the model's."""
    if reply.answer != "yes" or reply.by is not DecidedBy.HUMAN:
        note = reply.intent.note if isinstance(reply.intent, Answer) else ""
        return Decision(kind=DecisionKind.DENY, by=reply.by, rule=rule, feedback=note)
    return Decision(kind=DecisionKind.MODIFY if edited else DecisionKind.APPROVE, by=reply.by, rule=rule)


def _not_done(rule: str) -> Decision:
    return Decision(kind=DecisionKind.NOT_DONE, by=DecidedBy.POLICY, rule=rule)


def _skip(feedback: str) -> Decision:
    return Decision(kind=DecisionKind.SKIP, by=DecidedBy.HUMAN, rule="skipped", feedback=feedback)


def _lead_s(risk: RiskClass, setting_s: float) -> float:
    """The lead time of a class: none for what only looks, the setting for C1, twice the setting for what is riskier."""
    match risk:
        case RiskClass.C0:
            return 0.0
        case RiskClass.C1:
            return setting_s
        case RiskClass.C2 | RiskClass.C3 | RiskClass.C4:
            return 2 * setting_s


def _modify() -> Decision:
    return Decision(kind=DecisionKind.MODIFY, by=DecidedBy.HUMAN, rule="edited")
