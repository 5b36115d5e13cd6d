"""Formats the events of a session as text: one line per step, and notices.

Control characters in text from models and screens are escaped.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import assert_never

from operator_console.domain import events as e
from operator_console.domain.actions import Action, Finish, Wait
from operator_console.domain.decisions import ActResult, Assessment, DecidedBy, DecisionKind
from operator_console.domain.message_texts import with_words, worded
from operator_console.domain.prices import money_text
from operator_console.domain.proposals import CallStatus
from operator_console.domain.translations import _, ngettext
from operator_console.engine import questions
from operator_console.engine.action_wording import action_words, in_flight_words, news_words
from operator_console.engine.operator_channel import BY_GUARD
from operator_console.engine.visible_text import brief, shown
from operator_console.ui.view.call_words import action_title, question_text, unread_words, ways_words
from operator_console.ui.view.cause_words import paused_words, stopped_words
from operator_console.ui.view.runbook_lines import after, progress_words
from operator_console.ui.view.target_words import target_title
from operator_console.ui.view.usage_words import asked_details, asked_words, unreported_words, usage_line
from operator_console.ui.view.words import clock_words, revoked_words, snapshot_words, task_line

_LONG = 160


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line of output. Steps go to stdout, notices to stderr."""

    text: str
    step: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class _Call:
    action: Action | None
    name: str
    assessment: Assessment | None = None
    outcome: str = ""
    edited: bool = False
    note: str = ""
    ways: str = ""

    @property
    def words(self) -> str:
        words = (
            _("not understood: {name}").format(name=shown(self.name))
            if self.action is None
            else self._line(self.action)
        )
        return f"{words} ({self.outcome})" if self.outcome else words

    def _line(self, action: Action) -> str:
        if isinstance(action, Finish):
            return action_words(action).verb
        title = action_title(action, self.assessment)
        note = self.note if isinstance(action, Wait) else unread_words(self.assessment)
        words = f"{title}: {brief(note.rstrip('.'), _LONG)}" if note else title
        return f"{words} [{self.ways}]" if self.ways else words


@dataclass(slots=True)
class EventLines:
    """Turns records into lines. Collects the events of a step until it is complete."""

    _step: int = 0
    _calls: dict[int, _Call] = field(default_factory=dict)
    _says: str = ""
    _seconds: float = 0.0
    _withdrawn: bool = False
    _started: e.SessionStarted | None = None
    _line: int = 0
    _looks: int = 0

    def feed(self, record: e.Record) -> list[Line]:
        """The lines that this record completes, often none."""
        event = with_words(record.event)
        match event:
            case e.Proposed():
                return [*self._finish(), *self._proposed(event)]
            case e.Decided():
                return self._decided(event)
            case e.Performed():
                return self._performed(event)
            case e.Settled():
                return self._settled(event)
            case e.Answered(by=DecidedBy.NOBODY, answer=questions.WITHDRAWN):
                self._withdrawn = True  # the next event says why
                return []
            case e.Stopped() | e.Paused() | e.HandedOver():
                return [*self._finish(), *self._why_withdrawn(event), *_notice(event)]
            case e.SessionStarted():
                self._started, self._line, self._looks = event, 0, 0
                return [*self._finish(), *_notice(event)]
            case e.Ended():
                return [*self._finish(), Line(text=_ended(event, self._played))]
            case e.Observed():
                return [*self._finish(), *_notice(event)]
            case _:
                return _notice(event)

    @property
    def _played(self) -> str:
        """How far the runbook is; "" for a model."""
        return progress_words(self._started, self._line, self._looks) if self._started is not None else ""

    def _why_withdrawn(self, event: e.Stopped | e.Paused | e.HandedOver) -> list[Line]:
        if not self._withdrawn:
            return []
        self._withdrawn = False
        match event:
            case e.HandedOver():
                why = _("Question withdrawn: you took over.")
            case e.Paused():
                why = _("Question withdrawn: the session was paused.")
            case e.Stopped():
                why = _("Question withdrawn: the session was stopped.")
            case _:
                assert_never(event)
        return [Line(text=why)]

    def _proposed(self, event: e.Proposed) -> list[Line]:
        self._step, self._seconds = event.step, event.latency_s
        if self._started is not None and self._started.provider == "runbook":
            self._line, self._looks = after(event, self._line, self._looks)
        self._calls = {call.index: _call(call) for call in event.calls}
        self._says = brief(event.narration.strip(), _LONG)
        return []

    def _decided(self, event: e.Decided) -> list[Line]:
        outcome = _decision(event.decision)
        if event.by is DecidedBy.HUMAN:
            outcome = _decision_by_you(event.decision)
        elif event.by is not None:
            outcome = _("permitted by you") if event.permission else _by(outcome, event.by)
        if event.feedback:
            outcome = f"{outcome}: “{brief(event.feedback, _LONG)}”"
        self._change(event, outcome, action=event.action, assessment=event.assessment)
        return []

    def _performed(self, event: e.Performed) -> list[Line]:
        known = self._calls.get(event.call)
        undone = event.status in (CallStatus.DECLINED, CallStatus.SKIPPED)
        if not (undone and known and known.outcome):  # the decision already says who declined or skipped it, and why
            self._change(event, _outcome(event, known))
        self._seconds += event.duration_s
        return []

    def _settled(self, event: e.Settled) -> list[Line]:
        self._seconds += event.waited_s
        known = self._calls.get(event.call)
        if known is not None and event.step == self._step and event.changed is False:
            # Translators: what became of an action, as in: done, screen unchanged.
            outcome = _("{outcome}, screen unchanged").format(outcome=known.outcome)
            self._calls[event.call] = replace(known, outcome=outcome)
        # A step ends after the last call of the turn.
        return [] if any(not call.outcome for call in self._calls.values()) else self._finish()

    def _change(
        self,
        event: e.Decided | e.Performed,
        outcome: str,
        action: Action | None = None,
        assessment: Assessment | None = None,
    ) -> None:
        if event.step != self._step:  # a call of an earlier run, answered at the start of this one
            self._step, self._calls, self._says, self._seconds = event.step, {}, "", 0.0
        known = self._calls.get(event.call) or _Call(action=None, name=_("call {number}").format(number=event.call + 1))
        self._calls[event.call] = replace(
            known, action=action or known.action, assessment=assessment or known.assessment, outcome=outcome,
            edited=isinstance(event, e.Decided) and event.decision is DecisionKind.MODIFY,
        )  # fmt: skip

    def _finish(self) -> list[Line]:
        if not self._step:
            return []
        parts = [call.words for _, call in sorted(self._calls.items())]
        if self._says and not parts:
            parts = [_("says “{says}”").format(says=self._says)]
        text = f"{self._step:>4}  {' · '.join(parts) or _('nothing proposed')}  {self._seconds:.1f} s"
        self._step, self._calls = 0, {}
        return [Line(text=text, step=True)]


def _call(call: e.ProposedCall) -> _Call:
    return _Call(
        action=call.action, name=call.name, assessment=call.assessment, outcome=shown(call.error), note=call.note,
        ways=ways_words(call),
    )  # fmt: skip


def _decision(decision: DecisionKind) -> str:
    match decision:
        case DecisionKind.APPROVE:
            return _("approved")
        case DecisionKind.MODIFY:
            return _("edited")
        case DecisionKind.SKIP:
            return _("skipped")
        case DecisionKind.DENY:
            return _("denied")
        case DecisionKind.TAKE_OVER:
            return _("taken over")
        case DecisionKind.STOP:
            return _("stopped")
        case DecisionKind.NOT_DONE:
            return _("not done")


def _decision_by_you(decision: DecisionKind) -> str:
    match decision:
        case DecisionKind.APPROVE:
            return _("approved by you")
        case DecisionKind.MODIFY:
            return _("edited by you")
        case DecisionKind.SKIP:
            return _("skipped by you")
        case DecisionKind.DENY:
            return _("denied by you")
        case DecisionKind.TAKE_OVER:
            return _("taken over by you")
        case DecisionKind.STOP:
            return _("stopped by you")
        case DecisionKind.NOT_DONE:
            return _("not done")


def _by(words: str, by: DecidedBy) -> str:
    """What was decided or answered, with why it was not by you; of policy nothing is said."""
    match by:
        case DecidedBy.LAPSE:
            # Translators: what was decided or answered, as in: denied, no answer in time.
            return _("{decision}, no answer in time").format(decision=words)
        case DecidedBy.NOBODY:
            # Translators: what was decided or answered, as in: denied, nobody could answer.
            return _("{decision}, nobody could answer").format(decision=words)
        case _:
            return words


def _outcome(event: e.Performed, known: _Call | None) -> str:
    if event.status is CallStatus.STOPPED and event.total:
        return _("stopped after {delivered} of {total}").format(delivered=event.delivered, total=event.total)
    if event.status is CallStatus.OBSERVING:
        return _("not done, observing only")
    if event.status is CallStatus.DONE and known is not None and isinstance(known.action, Finish):
        return ""  # “failed (done)” would contradict itself
    words = _status(event)
    if known is not None and known.edited:
        words = _("edited by you, {outcome}").format(outcome=words)
    return f"{words}: {brief(event.detail, _LONG)}" if event.detail and event.status is not CallStatus.DONE else words


def _status(event: e.Performed) -> str:
    match event.status:
        case CallStatus.DONE:
            return _("done")
        case CallStatus.FAILED if event.result is ActResult.UNKNOWN:
            return _("outcome unknown")
        case CallStatus.FAILED:
            return _("failed")
        case CallStatus.DECLINED:
            return _("declined")
        case CallStatus.SKIPPED:
            return _("skipped")
        case CallStatus.STOPPED:
            return _("stopped")
        case CallStatus.NOT_UNDERSTOOD:
            return _("not understood")
        case CallStatus.NOT_DONE | CallStatus.OBSERVING:
            return _("not done")


def _notice(event: e.Event) -> list[Line]:
    text = _words(event)
    return [Line(text=text)] if text else []


def _words(event: e.Event) -> str:
    match event:
        case e.SessionStarted(task=task, target=target, provider=provider, model=model, autonomy=autonomy):
            verb = _("Continuing “{task}”") if event.resumed else _("Working on “{task}”")
            who = provider if model in ("", provider) else f"{provider} {model}"
            if event.profile:
                who = _("{model} (profile {name})").format(model=who, name=event.profile)
            facts = f"{shown(target_title(target))} · {shown(who)} · {autonomy.value}"
            words = f"{verb.format(task=task_line(task, runbook=provider == 'runbook'))}\n  {facts}"
        case e.Stopped(reason=reason, detail=detail, latched=latched):
            after = _("New sessions are blocked until you run `operator-console reset`.") if latched else ""
            words = f"{stopped_words(reason)}."
            words += _also(detail) + _also(_in_flight(event)) + _also(after)
        case e.Paused(by=by, detail=detail):
            words = f"{paused_words(by)}." + _also(detail)
        case e.Resumed(by=who):
            words = _resumed(who)
        case e.Retrying(attempt=attempt, of=of, wait_s=wait_s, reason=why):
            words = _("Retrying in {seconds} s ({attempt} of {most}): {why}").format(
                seconds=math.ceil(wait_s), attempt=attempt, most=of, why=brief(why, _LONG)
            )
        case e.Warned(title=title, detail=detail):
            words = f"{shown(title)}{_also(detail)}"
        case e.Downloaded(folder=folder, complete=complete):
            words = shown(worded(news_words(event)))
            words += _also(_("It is in {folder}.").format(folder=folder)) if complete else ""
        case e.Blocked():
            words = shown(worded(news_words(event)))
        case e.Reset(by=who):
            words = _("Reset by you.") if who == "human" else _("Reset by {who}.").format(who=shown(who))
        case _:
            words = _talk(event)
    return words


def _ended(event: e.Ended, played: str) -> str:
    """How the run ended; `played`: how far the runbook got, in lines, which are no steps of the session."""
    words = _run_outcome(event.outcome, event.steps).format(count=event.steps, time=clock_words(event.elapsed_s))
    words += f" ({played})" if played else ""
    more = _also(unreported_words(event.unreported_steps)) + _also(_asked(event)) + _also(event.message)
    return f"{words}{_spent(event)}.{more}"


def _asked(event: e.Ended) -> str:
    """How much was asked, and how quickly it was answered; "" for nothing."""
    if not (words := asked_words(event.questions, event.actions)):
        return ""
    details = asked_details(event.answer_s)
    # Translators: {asked} as in: 12 · 8 per 100 actions.
    return _("Questions: {asked}.").format(asked=f"{words}, {details}" if details else words)


def _run_outcome(outcome: e.EndedOutcome, steps: int) -> str:
    match outcome:
        case e.EndedOutcome.FINISHED:
            return ngettext("Finished after {count} step in {time}", "Finished after {count} steps in {time}", steps)
        case e.EndedOutcome.FAILED:
            return ngettext("Failed after {count} step in {time}", "Failed after {count} steps in {time}", steps)
        case e.EndedOutcome.STOPPED:
            return ngettext("Stopped after {count} step in {time}", "Stopped after {count} steps in {time}", steps)
        case e.EndedOutcome.LIMIT:
            return ngettext("Limit after {count} step in {time}", "Limit after {count} steps in {time}", steps)


def _talk(event: e.Event) -> str:
    match event:
        case e.HandedOver(reason=reason):
            return _("Handed over to you.") + _also(reason)
        case e.HandedBack(note=note):
            return _("Handed back.") + _also(note)
        case e.Snapshot(act=act, name=name):
            return f"{snapshot_words(act)} ({name})."
        case e.Message(text=text, by=by):
            words = _("You to the model: “{text}”") if by == "operator" else _("Sent to the model: “{text}”")
            return words.format(text=brief(text, _LONG))
        case e.Asked(question=question):
            return _("Asked: {text}").format(text=brief(question_text(question), _LONG))
        case e.Answered(answer=answer, by=by):
            said = _("Answer by you: {answer}") if by is DecidedBy.HUMAN else _("Answer: {answer}")
            return _by(said.format(answer=brief(answer, _LONG)), by)
        case e.Permitted(text=text):
            return _("Permitted by you: {text}.").format(text=brief(text, _LONG))
        case e.PermissionRevoked(by=by):
            return f"{revoked_words(by)}."
        case _:
            return ""


def _spent(event: e.Ended) -> str:
    if not event.usage.reported:
        return ""
    cost = f", {money_text(event.cost)}" if event.cost is not None else ""
    return f", {usage_line(event.usage)}{cost}"


def _resumed(who: str) -> str:
    if who.startswith(BY_GUARD):
        return _("Resumed automatically.")
    return _("Resumed by you.") if who == "human" else _("Resumed by {who}.").format(who=shown(who))


def _also(text: str) -> str:
    return f" {brief(text, _LONG)}" if text else ""


def _in_flight(event: e.Stopped) -> str:
    if not (doing := in_flight_words(event)):
        return ""
    if not event.total:
        return _("It was doing: {action}.").format(action=brief(doing, _LONG))
    return _("It was doing: {action} ({delivered} of {total} sent).").format(
        action=brief(doing, _LONG), delivered=event.delivered, total=event.total
    )
