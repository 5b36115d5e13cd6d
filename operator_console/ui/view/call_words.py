"""Text for a call: its title and outcome, and every fact that the safety dialog shows about it. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import Enum, auto

from operator_console.domain import actions as a
from operator_console.domain.actions import Action, target_point
from operator_console.domain.decisions import ActResult, Assessment, DecisionKind, Question
from operator_console.domain.elements import Control, TextKnowledge
from operator_console.domain.events import ProposedCall
from operator_console.domain.frames import TargetKind
from operator_console.domain.geometry import NativePoint
from operator_console.domain.message_texts import notices_of
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import CallStatus, SafetySignal
from operator_console.domain.translations import ENGLISH, _, current, ngettext
from operator_console.engine.action_wording import (
    ActionWords,
    action_words,
    capital,
    control_words,
    describe,
    exact_text,
    quoted,
)
from operator_console.engine.visible_text import brief
from operator_console.ui.view.session_view import Call, SessionView
from operator_console.ui.view.words import category_words, window_words

_WAYS_LENGTH = 600


def call_title(call: Call, *, limit: int = 40) -> str:
    """One call in a few words, with the control and the window that it hits; `limit`: the most characters of a text."""
    return capital(call_phrase(call, limit=limit))


def call_phrase(call: Call, *, limit: int = 40) -> str:
    """As `call_title`, within a line."""
    if call.action is None:
        return _("not understood: {name}").format(name=brief(call.proposed.name, 80))
    return _action_phrase(call.action, call.assessment, limit)


def action_title(action: Action, assessment: Assessment | None, *, limit: int = 60) -> str:
    """An action with the control and the window that it hits; with its point only where the control is not known.

    Args:
        action: the action.
        assessment: policy's assessment of it.
        limit: the most characters of each text.
    """
    return capital(_action_phrase(action, assessment, limit))


def _action_phrase(action: Action, assessment: Assessment | None, limit: int) -> str:
    words = assessed_words(action, assessment, limit=limit)
    if isinstance(action, a.Drag):
        return f"{words.phrase} {words.manner}".rstrip()
    if isinstance(action, a.UseElement):
        return f"{words.phrase}, {words.manner}"
    if not isinstance(action, a.Move | a.Click | a.Press | a.Release | a.Scroll | a.TypeText | a.Chord | a.HoldKeys):
        return words.phrase
    known = assessment is not None and (assessment.label or control_words(assessment.control))
    if isinstance(action, a.Scroll) or (known and isinstance(action, a.Click | a.Press | a.Release | a.TypeText)):
        words = assessed_words(replace(action, at=None), assessment, limit=limit)
    return words.sentence


def would_be(call: Call, action: Action | None, assessment: Assessment | None = None) -> Call:
    """The call with the action that would be done.

    Args:
        call: as the model proposed it, or as it was edited before.
        action: as it is being edited; None: it is not edited.
        assessment: policy's of `action`; None: not known yet. Then only what the place tells is kept.
    """
    if action is None or action == call.action:
        return call
    same = _same_place(action, call.action)
    known = call.assessment
    if assessment is None and known is not None:
        assessment = replace(known, categories=(), reasons=(), rule="", findings=())
        if not same:
            assessment = replace(assessment, label="", control=None, from_control=None)
    box = call.proposed.box if same else None
    return replace(call, action=action, assessment=assessment, proposed=replace(call.proposed, action=action, box=box))


def as_asked(call: Call, view: SessionView) -> Call:
    """The call with the action that the open question asks about: an edit of a higher class is asked about again."""
    question = view.question
    if question is None or (question.step, question.call) != (call.step, call.index):
        return call
    return would_be(call, question.action, question.assessment)


def _same_place(one: Action | None, other: Action | None) -> bool:
    if isinstance(one, a.Drag) and isinstance(other, a.Drag):
        return one.path == other.path
    return one is not None and other is not None and target_point(one) == target_point(other)


def ways_words(call: ProposedCall) -> str:
    """For another way to act on an element: the ways before, what became of them, and this one; "" for other calls."""
    if not any(each.code is NoticeCode.WAY_NOW for each in call.note_notices):
        return ""
    return brief(call.note, _WAYS_LENGTH)


def looked_for(call: ProposedCall) -> tuple[str, float] | None:
    """What a runbook's wait looks for on the screen, and for how many seconds at most from here; None: no such wait."""
    for each in call.note_notices:
        if each.code is NoticeCode.NAME_NOT_ON_SCREEN_YET and isinstance(call.action, a.Wait):
            name, seconds = each.values.get("name"), each.values.get("seconds")
            if isinstance(name, str) and isinstance(seconds, int | float):
                return name, float(seconds)
    return None


def assessed_words(
    action: Action | None, assessment: Assessment | None, *, limit: int, window: bool = True
) -> ActionWords:
    """The description of an action with what its assessment knows; `window` False: without the window that is hit."""
    if assessment is None:
        return action_words(action, limit=limit)
    control = assessment.control
    if control is not None and not window:
        control = replace(control, window="")
    return action_words(
        action, assessment.label, control=control, from_control=assessment.from_control, limit=limit
    )  # fmt: skip


def unread_words(assessment: Assessment | None) -> str:
    """A sentence where the text at the target is not known and policy's reasons do not say so; else ""."""
    control = assessment.control if assessment is not None else None
    if assessment is None or control is None or control.says or control.icon:
        return ""
    match control.knowledge:
        case TextKnowledge.NOT_YET:
            sentence = _("The control could not be identified.")
        case TextKnowledge.UNREADABLE:
            sentence = _("The control is unknown.")
        case _:
            return ""
    said = any(finding.rule == "unread-target" for finding in assessment.findings)
    return "" if said or sentence in reasons_of(assessment) else sentence


def reasons_of(assessment: Assessment) -> tuple[str, ...]:
    """Why policy chose the class, in the language of the process; as recorded where the rules are not known."""
    if current() is ENGLISH:
        return assessment.reasons
    from operator_console.policy.reasons import sentences  # takes all of policy along, which no start needs

    try:
        return sentences(assessment.findings, current()) or assessment.reasons
    except (LookupError, ValueError):
        return assessment.reasons


def window_hit(call: Call, view: SessionView) -> str:
    """The window that a call hits, or that gets its keys; "" where that is not known."""
    question, control = view.question, call.control
    if question is not None and question.window and (question.step, question.call) == (call.step, call.index):
        if question.action is None or _same_place(question.action, call.action):
            return question.window
        control = None
    if control is not None and control.window:
        same = control.app.casefold() == control.window.casefold()
        return control.window if same or not control.app else f"{control.window} — {control.app}"
    step = view.step
    if step is None or step.observed is None:
        return ""
    target = view.started.target if view.started is not None else None
    if target is not None and target.kind is TargetKind.MONITOR and isinstance(call.action, _POINTED):
        return ""  # the window with the focus is not the one under the point
    return window_words(step.observed, target)


def focus_elsewhere(call: Call, view: SessionView) -> str:
    """The window with the focus in the picture, where a call hits another one; "" for the same, or not known."""
    hit, step = window_hit(call, view), view.step
    focus = step.observed.focus if step is not None and step.observed is not None else None
    if not hit or focus is None or focus.own or not focus.title or hit.startswith(focus.title):
        return ""
    return f"{focus.title} — {focus.app}" if focus.app else focus.title


_POINTED = a.Move | a.Click | a.Press | a.Release | a.Drag | a.Scroll | a.UseElement


def call_outcome(call: Call) -> str:
    """The status or outcome of one call in a few words."""
    edited = _("edited by you") if call.decision is DecisionKind.MODIFY else ""
    performed = call.performed
    if performed is None:
        return _undone_words(call)
    match performed.status:
        case CallStatus.DONE:
            seen = {True: _("screen changed"), False: _("screen unchanged"), None: ""}[call.changed]
            done = ", ".join(filter(None, (edited, _("done"))))
            return f"{done} · {seen}" if seen else done
        case CallStatus.SKIPPED:
            return _with_note(_("skipped"), call) if call.feedback else _("skipped by you")
        case CallStatus.DECLINED:
            return _with_note(_("declined"), call) if call.feedback else _("declined by you")
        case CallStatus.STOPPED if performed.total:
            said = _("stopped after {delivered} of {total}")
            return said.format(delivered=performed.delivered, total=performed.total)
        case CallStatus.STOPPED:
            return _("stopped")
        case CallStatus.FAILED:
            word = _("outcome unknown") if performed.result is ActResult.UNKNOWN else _("failed")
            failed = ", ".join(filter(None, (edited, word)))
            return f"{failed}: {brief(performed.detail, 300)}" if performed.detail else failed
        case CallStatus.NOT_DONE:
            return f"{_('not done')}: {brief(performed.detail, 300)}" if performed.detail else _not_done(call)
        case CallStatus.NOT_UNDERSTOOD:
            return _("not understood")
        case CallStatus.OBSERVING:
            return _("not done: observing only")


def _with_note(word: str, call: Call) -> str:
    return f"{word}: “{call.feedback}”"


class Outcome(Enum):
    """What became of a call, to count it."""

    DONE = auto()
    SKIPPED = auto()
    DECLINED = auto()
    DENIED = auto()
    STOPPED = auto()
    FAILED = auto()
    UNKNOWN = auto()
    NOT_DONE = auto()
    NOT_UNDERSTOOD = auto()
    IN_PROGRESS = auto()


def outcome_of(call: Call) -> Outcome:
    """What became of a call."""
    performed, decision = call.performed, call.decision
    if performed is not None:
        if performed.result is ActResult.UNKNOWN:
            return Outcome.UNKNOWN
        return Outcome.NOT_DONE if performed.status is CallStatus.OBSERVING else Outcome[performed.status.name]
    match decision:
        case DecisionKind.SKIP:
            return Outcome.SKIPPED
        case DecisionKind.DENY:
            return Outcome.DENIED
        case DecisionKind.STOP:
            return Outcome.STOPPED
        case DecisionKind.APPROVE | DecisionKind.MODIFY if call.granted:
            return Outcome.UNKNOWN if call.over else Outcome.IN_PROGRESS
        case _:
            return Outcome.NOT_DONE


def outcome_word(outcome: Outcome) -> str:
    """An outcome, after a number or in a line."""
    match outcome:
        case Outcome.DONE:
            return _("done")
        case Outcome.SKIPPED:
            return _("skipped")
        case Outcome.DECLINED:
            return _("declined")
        case Outcome.DENIED:
            return _("denied")
        case Outcome.STOPPED:
            return _("stopped")
        case Outcome.FAILED:
            return _("failed")
        case Outcome.UNKNOWN:
            return _("outcome unknown")
        case Outcome.NOT_DONE:
            return _("not done")
        case Outcome.NOT_UNDERSTOOD:
            return _("not understood")
        case Outcome.IN_PROGRESS:
            return _("in progress")


def call_result(call: Call) -> str:
    """What became of a call, without who decided it: "done · screen changed", a reason, "" where there is none."""
    performed = call.performed
    refused = call.decision in (DecisionKind.SKIP, DecisionKind.DENY)
    if refused or (performed is not None and performed.status in (CallStatus.SKIPPED, CallStatus.DECLINED)):
        return quoted(call.feedback, 300) if call.feedback else ""
    if performed is not None:
        return call_outcome(replace(call, decision=None))
    match call.decision:
        case DecisionKind.TAKE_OVER:
            return _("you took over")
        case DecisionKind.STOP:
            return ""
        case DecisionKind.NOT_DONE:
            return _why_not(call.rule)
        case _:
            return _undone_words(call)


def _undone_words(call: Call) -> str:
    match call.decision:
        case None:
            return _("not done") if call.over else _("proposed")
        case DecisionKind.APPROVE | DecisionKind.MODIFY if call.over:
            return _("outcome unknown") if call.granted else _("not done")
        case DecisionKind.APPROVE | DecisionKind.MODIFY:
            return _("in progress") if call.granted else _("about to run")
        case DecisionKind.SKIP:
            return _with_note(_("skipped"), call) if call.feedback else _("skipped by you")
        case DecisionKind.DENY:
            return _with_note(_("denied"), call) if call.feedback else _("denied")
        case DecisionKind.TAKE_OVER:
            return _("you took over")
        case DecisionKind.STOP:
            return _("stopped")
        case DecisionKind.NOT_DONE:
            return _not_done(call)


def _why_not(rule: str) -> str:  # noqa: PLR0911 - one arm a rule
    match rule:
        case "paused":
            return _("the session was paused first")
        case "ended":
            return _("the session was ended first")
        case "an-earlier-call-was-not-done":
            return _("an earlier action of this step was not done")
        case "not-understood":
            return _("it was not understood")
        case "observing-only":
            return _("observing only")
        case "stale":
            return _("the screen there changed while the model was thinking")
        case "provider-blocked":
            return _("blocked by the model’s service")
        case "hidden-from-model":
            return _("the place is hidden from the model")
        case "may-show-password":
            return _("the place may show a password")
        case "secret-not-typed":
            return _("the secret could not be typed")
        case _:
            return ""


def _not_done(call: Call) -> str:
    why = _why_not(call.rule)
    return f"{_('not done')}: {why}" if why else _("not done")


SHORT = 160
"""Characters; a longer text is shown in full in a scrollable box of its own."""


class AskedFact(Enum):
    """What a fact shown with a question is about."""

    ACTION = auto()
    ON = auto()
    WINDOW = auto()
    WHY = auto()
    SERVICE = auto()


def fact_name(fact: AskedFact) -> str:
    """The name of a fact shown with a question."""
    match fact:
        case AskedFact.ACTION:
            return _("Action")
        case AskedFact.ON:
            return _("On")
        case AskedFact.WINDOW:
            return _("Window")
        case AskedFact.WHY:
            return _("Why")
        case AskedFact.SERVICE:
            return _("Service")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """A question and the facts shown with it.

    Attributes:
        facts: in order.
        exact: a long text to be typed or run, complete and unchanged; "" if it is short.
        says: statements of the model, not verified.
        said_heading: the heading above `says`.
        point: the target of the action in the picture.
    """

    question: Question
    facts: tuple[tuple[AskedFact, str], ...]
    exact: str = ""
    says: str = ""
    said_heading: str = ""
    assessment: Assessment | None = None
    point: NativePoint | None = None


def asking_of(view: SessionView, question: Question) -> Asking:
    """Everything the dialog shows for an open question."""
    call = view.call(question.step, question.call) if question.call is not None else None
    action = question.action or (call.action if call is not None else None)
    assessment = question.assessment or (call.assessment if call is not None else None)
    facts: list[tuple[AskedFact, str]] = []
    exact = ""
    if action is not None:
        whole = exact_text(action, assessment)
        exact = whole if len(whole) > SHORT or "\n" in whole or whole != exact_text(action) else ""
        words = action_words(action, limit=SHORT)
        facts.append((AskedFact.ACTION, _long_act(words.verb, len(whole)) if exact else words.line))
        facts.append((AskedFact.ON, _on(assessment, words.where)))
    if window := question.window or (window_hit(call, view) if call is not None else ""):
        url = view.step.observed.url if view.step is not None and view.step.observed is not None else ""
        facts.append((AskedFact.WINDOW, brief(f"{window} · {url}" if url else window, 400)))
    safety = call.proposed.safety if call is not None else None
    if why := _why(assessment):
        facts.append((AskedFact.WHY, why))
    if safety is not None:
        facts.append((AskedFact.SERVICE, _check(safety)))
    return Asking(
        question=question,
        facts=tuple((name, value) for name, value in facts if value),
        exact=exact,
        says=call.proposed.intent if call is not None else "",
        said_heading=said_heading(view),
        assessment=assessment,
        point=_point(action, call.proposed.box.centre if call is not None and call.proposed.box is not None else None),
    )


def question_text(question: Question) -> str:
    """The text of a question; of one about an action, with the action in the language of the process."""
    language, known = current(), question.assessment
    asked = [each.code for each in notices_of(question.text)]
    if language is ENGLISH or question.action is None or known is None or asked != [NoticeCode.ALLOW_ACTION]:
        return question.text
    title, dash, _app = question.window.rpartition(" — ")
    action = describe(
        question.action, known.label, control=known.control, from_control=known.from_control,
        window=title if dash else question.window, language=language,
    )  # fmt: skip
    return _("Allow the model to {action}?").format(action=action)


def _long_act(verb: str, length: int) -> str:
    said = ngettext("{act} ({count} character, below)", "{act} ({count} characters, below)", length)
    return said.format(act=verb, count=length)


def said_heading(view: SessionView) -> str:
    """The heading over what came with a call: a model's words, or the line of a runbook."""
    return _("Runbook line") if view.plays_runbook else _("The model says (not verified)")


def _on(assessment: Assessment | None, where: str) -> str:
    if assessment is None:
        return where
    control, start = (_control(each) for each in (assessment.control, assessment.from_control))
    hit = control or (quoted(assessment.label, 80) if assessment.label else "")
    hit = _("from {start} to {end}").format(start=start, end=hit) if start and hit else start or hit
    return " · ".join(part for part in (hit, where, unread_words(assessment).rstrip(".")) if part)


def _control(control: Control | None) -> str:
    return control_words(replace(control, window=""), limit=80) if control is not None else ""


def _check(safety: SafetySignal) -> str:
    """That the service asks, and its reason in its own words."""
    said = brief(safety.explanation, 2_000)
    asks = _("The model’s service requires your confirmation.")
    return _("{asks} It says: {said}").format(asks=asks, said=said) if said else asks


def _why(assessment: Assessment | None) -> str:
    if assessment is None:
        return ""
    reasons = reasons_of(assessment) or [", ".join(category_words(c) for c in assessment.categories)]
    return brief(" ".join(filter(None, map(_sentence, reasons))), 2_000)


def _sentence(text: str) -> str:
    """Begun with a capital letter and ended with a full stop, unless it ends as a sentence already."""
    text = text.strip()
    return f"{capital(text)}{'' if text.endswith(('.', '?', '!', '…')) else '.'}" if text else ""


def _point(action: Action | None, box: tuple[int, int] | None) -> NativePoint | None:
    point = target_point(action) if action is not None else None
    return point if point is not None or box is None else NativePoint(*box)
