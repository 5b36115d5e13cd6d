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
from operator_console.domain.message_texts import with_words
from operator_console.domain.prices import money_text
from operator_console.domain.proposals import CallStatus
from operator_console.engine import questions
from operator_console.engine.action_wording import action_words, brief, in_flight_words, news_words, shown
from operator_console.engine.operator_channel import BY_GUARD
from operator_console.ui.view.call_words import action_title, unread_words, ways_words
from operator_console.ui.view.runbook_lines import after, progress_words
from operator_console.ui.view.usage_words import unreported_words, usage_line
from operator_console.ui.view.words import (
    accessibility_words,
    clock_words,
    pause_words,
    snapshot_words,
    stop_words,
    task_line,
)

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
    note: str = ""
    ways: str = ""

    @property
    def words(self) -> str:
        words = f"not understood: {shown(self.name)}" if self.action is None else self._line(self.action)
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
                why = "you took over"
            case e.Paused():
                why = "the session was paused"
            case e.Stopped():
                why = "the session was stopped"
            case _:
                assert_never(event)
        return [Line(text=f"Question withdrawn: {why}.")]

    def _proposed(self, event: e.Proposed) -> list[Line]:
        self._step, self._seconds = event.step, event.latency_s
        if self._started is not None and self._started.provider == "runbook":
            self._line, self._looks = after(event, self._line, self._looks)
        self._calls = {call.index: _call(call) for call in event.calls}
        self._says = brief(event.narration.strip(), _LONG)
        return []

    def _decided(self, event: e.Decided) -> list[Line]:
        feedback = f": “{brief(event.feedback, _LONG)}”" if event.feedback else ""
        outcome = f"{_DECISIONS[event.decision]}{_BY[event.by]}{feedback}"
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
            self._calls[event.call] = replace(known, outcome=f"{known.outcome}, screen unchanged")
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
        known = self._calls.get(event.call) or _Call(action=None, name=f"call {event.call + 1}")
        self._calls[event.call] = replace(
            known, action=action or known.action, assessment=assessment or known.assessment, outcome=outcome
        )

    def _finish(self) -> list[Line]:
        if not self._step:
            return []
        parts = [call.words for _, call in sorted(self._calls.items())]
        if self._says and not parts:
            parts = [f"says “{self._says}”"]
        text = f"{self._step:>4}  {' · '.join(parts) or 'nothing proposed'}  {self._seconds:.1f} s"
        self._step, self._calls = 0, {}
        return [Line(text=text, step=True)]


def _call(call: e.ProposedCall) -> _Call:
    return _Call(
        action=call.action, name=call.name, assessment=call.assessment, outcome=shown(call.error), note=call.note,
        ways=ways_words(call),
    )  # fmt: skip


_DECISIONS = {
    DecisionKind.APPROVE: "approved",
    DecisionKind.MODIFY: "edited",
    DecisionKind.SKIP: "skipped",
    DecisionKind.DENY: "denied",
    DecisionKind.TAKE_OVER: "taken over",
    DecisionKind.STOP: "stopped",
    DecisionKind.NOT_DONE: "not done",
}
_BY = {
    DecidedBy.POLICY: "",
    DecidedBy.HUMAN: " by you",
    DecidedBy.LAPSE: ", no answer in time",
    DecidedBy.NOBODY: ", nobody could answer",
}


def _outcome(event: e.Performed, known: _Call | None) -> str:
    detail = f": {brief(event.detail, _LONG)}" if event.detail else ""
    edited = "edited by you, " if known and known.outcome.startswith("edited") else ""
    match event.status:
        case CallStatus.DONE:
            return f"{edited}done"
        case CallStatus.FAILED if event.result is ActResult.UNKNOWN:
            return f"{edited}outcome unknown{detail}"
        case CallStatus.STOPPED if event.total:
            return f"stopped after {event.delivered} of {event.total}"
        case CallStatus.OBSERVING:
            return "not done, observing only"
        case status:
            return f"{edited}{status.value.replace('_', ' ')}{detail}"


def _notice(event: e.Event) -> list[Line]:
    text = _words(event)
    return [Line(text=text)] if text else []


def _words(event: e.Event) -> str:
    match event:
        case e.SessionStarted(task=task, target=target, provider=provider, model=model, autonomy=autonomy):
            verb = "Continuing" if event.resumed else "Working on"
            who = provider if model in ("", provider) else f"{provider} {model}"
            who += f" (profile {event.profile})" if event.profile else ""
            words = f"{verb} “{task_line(task)}”\n  {shown(target.title)} · {shown(who)} · {autonomy.value}"
            words += f"\n  {accessibility_words()[0]} while it runs." if event.accessibility else ""
        case e.Stopped(reason=reason, detail=detail, latched=latched):
            after = " New sessions are blocked until you run `operator-console reset`." if latched else ""
            words = f"STOPPED by {stop_words(reason)}.{_also(detail)}{_in_flight(event)}{after}"
        case e.Paused(by=by, detail=detail):
            words = f"Paused: {pause_words(by)}.{_also(detail)}"
        case e.Resumed(by=who):
            words = "Resumed automatically." if who.startswith(BY_GUARD) else f"Resumed by {_person(who)}."
        case e.Retrying(attempt=attempt, of=of, wait_s=wait_s, reason=why):
            words = f"Retrying in {math.ceil(wait_s)} s ({attempt} of {of}): {brief(why, _LONG)}"
        case e.Warned(title=title, detail=detail):
            words = f"{shown(title)}{_also(detail)}"
        case e.Downloaded(folder=folder, complete=complete):
            words = f"{shown(news_words(event))}{_also(f'It is in {folder}.' if complete else '')}"
        case e.Blocked():
            words = shown(news_words(event))
        case e.Reset(by=who):
            words = f"Reset by {_person(who)}."
        case _:
            words = _talk(event)
    return words


def _ended(event: e.Ended, played: str) -> str:
    """How the run ended; `played`: how far the runbook got, in lines, which are no steps of the session."""
    count = f"{event.steps} step{'' if event.steps == 1 else 's'}"
    count += f" ({played})" if played else ""
    words = f"{event.outcome.value.capitalize()} after {count} in {clock_words(event.elapsed_s)}{_spent(event)}."
    return f"{words}{_also(unreported_words(event.unreported_steps))}{_also(event.message)}"


def _talk(event: e.Event) -> str:
    match event:
        case e.HandedOver(reason=reason):
            return f"Handed over to you.{_also(reason)}"
        case e.HandedBack(note=note):
            return f"Handed back.{_also(note)}"
        case e.Snapshot(act=act, name=name):
            return f"{snapshot_words(act)} ({name})."
        case e.Message(text=text, by=by):
            return f"{'You' if by == 'operator' else 'Console'} to the model: “{brief(text, _LONG)}”"
        case e.Asked(question=question):
            return f"Asked: {brief(question.text, _LONG)}"
        case e.Answered(answer=answer, by=by):
            return f"Answer: {brief(answer, _LONG)}{_BY[by]}"
        case _:
            return ""


def _spent(event: e.Ended) -> str:
    if not event.usage.reported:
        return ""
    cost = f", {money_text(event.cost)}" if event.cost is not None else ""
    return f", {usage_line(event.usage)}{cost}"


def _person(by: str) -> str:
    return "you" if by == "human" else shown(by)


def _also(text: str) -> str:
    return f" {brief(text, _LONG)}" if text else ""


def _in_flight(event: e.Stopped) -> str:
    if not (doing := in_flight_words(event)):
        return ""
    count = f" ({event.delivered} of {event.total} sent)" if event.total else ""
    return f" It was doing: {brief(doing, _LONG)}{count}."
