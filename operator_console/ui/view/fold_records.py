"""Folds a session's records into the view shown in the window; the same code for a live session and a file.

Not a copy of the engine's state machine: `fold` reads events only, in order, and `with_state` adds a live session's
exact state. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from operator_console.domain import events as ev
from operator_console.domain import states as st
from operator_console.domain.decisions import DecidedBy, DecisionKind, Question
from operator_console.domain.events import Event, Record
from operator_console.domain.message_texts import with_words, worded
from operator_console.domain.prices import Money
from operator_console.domain.proposals import Usage
from operator_console.ui.view.call_words import call_title
from operator_console.ui.view.session_view import Call, Note, NoteKind, Phase, Retry, SessionView, Step, Used
from operator_console.ui.view.words import ACCESSIBILITY_WORDS, task_line


def fold(view: SessionView, record: Record) -> SessionView:
    """The view after one more record."""
    stamped = replace(view, last_time=record.time, last_seq=record.seq)
    return _fold_step(stamped, record, with_words(record.event))


def fold_all(records: Iterable[Record], view: SessionView | None = None) -> SessionView:
    """The view after all of them; `view` is the one before, an empty one by default."""
    view = view or SessionView()
    for record in records:
        view = fold(view, record)
    return view


def _fold_step(view: SessionView, record: Record, event: Event) -> SessionView:
    match event:
        case ev.Observed():
            return _observed(view, record, event)
        case ev.Proposed():
            return _proposed(view, record, event)
        case ev.Decided():
            return _decided(view, record, event)
        case ev.Granted():
            changed = _change_call(view, event.step, event.call, granted=True, action=event.action)
            return replace(changed, phase=Phase.ACTING)
        case ev.Performed():
            return _performed(view, record, event)
        case ev.Settled():
            return _settled(view, event)
        case ev.Asked(question=question):
            changed = view
            if question.call is not None and question.step is not None and question.assessment is not None:
                changed = _change_call(view, question.step, question.call, assessment=question.assessment)
            return replace(changed, question=question, phase=Phase.REVIEWING, retry=None)
        case ev.Answered():
            return _answered(view, record, event)
        case ev.Retrying():
            retry = Retry(attempt=event.attempt, of=event.of, wait_s=event.wait_s, reason=event.reason)
            return replace(view, phase=Phase.RETRYING, retry=retry)
        case _:
            return _fold_session(view, record, event)


def _fold_session(view: SessionView, record: Record, event: Event) -> SessionView:  # noqa: PLR0911 - one arm an event
    match event:
        case ev.SessionStarted():
            return _started(view, record, event)
        case ev.Paused():
            return replace(view, phase=Phase.PAUSED, pause=event, retry=None)
        case ev.Resumed(by=by):
            noted = _note(view, record, NoteKind.HUMAN, "Resumed by you") if by == "human" else view
            return replace(noted, phase=Phase.OBSERVING, pause=None)
        case ev.HandedOver(by=by, reason=reason):
            title = "You took over" if by == "human" else "Handed over to you"
            noted = _note(view, record, NoteKind.HUMAN, title, reason)
            return replace(noted, phase=Phase.HANDED_OVER, handed_over=reason or title)
        case ev.HandedBack(note=note):
            noted = _note(view, record, NoteKind.HUMAN, "You handed back", note)
            return replace(noted, phase=Phase.OBSERVING, handed_over="")
        case ev.Stopped():
            noted = _note(view, record, NoteKind.STOP, "STOPPED", event.detail)
            return replace(
                noted,
                phase=Phase.STOPPED,
                stopped=event,
                stopped_time=record.time,
                question=None,
                retry=None,
                pause=None,
            )
        case ev.Message(text=text, by=by):
            title = "Your message" if by == "operator" else "Console to the model"
            return _note(view, record, NoteKind.MESSAGE, title, text)
        case ev.Warned(title=title, detail=detail):
            return _note(view, record, NoteKind.WARNING, title, detail)
        case ev.Reset():
            noted = _note(view, record, NoteKind.HUMAN, "Stop reset")
            return replace(noted, phase=Phase.IDLE if noted.phase is Phase.STOPPED else noted.phase)
        case ev.Ended():
            return _ended(view, record, event)
        case _:
            return view  # an event of a newer console: readers ignore unknown events


def _started(view: SessionView, record: Record, event: ev.SessionStarted) -> SessionView:
    title = "Continued" if event.resumed else "Started"
    noted = _note(view, record, NoteKind.RUN, title, task_line(event.task))
    if event.accessibility:
        noted = _note(noted, record, NoteKind.RUN, *ACCESSIBILITY_WORDS)
    return replace(
        noted, phase=Phase.STARTING, started=event, run_began=record.time,
        question=None, retry=None, pause=None, handed_over="", stopped=None, ended=None,
        used_before=noted.used, projection=None,
    )  # fmt: skip


def _ended(view: SessionView, record: Record, event: ev.Ended) -> SessionView:
    titles = {
        ev.EndedOutcome.FINISHED: "Finished",
        ev.EndedOutcome.FAILED: "Failed",
        ev.EndedOutcome.STOPPED: "Ended after a stop",
        ev.EndedOutcome.LIMIT: "Limit reached",
    }
    if view.step is not None and not view.step.finished:
        view = _change_step(view, view.step.number, finished=record.time)
    noted = _note(view, record, NoteKind.RUN, titles[event.outcome], event.message)
    stopped = event.outcome is ev.EndedOutcome.STOPPED and view.stopped is not None
    phase = Phase.STOPPED if stopped else Phase.ENDED
    used = view.used
    if event.usage.reported:  # it also counts the requests after the last step
        used = view.used_before + _used(event.usage, event.cost, event.unreported_steps)
    return replace(
        noted, phase=phase, ended=event, question=None, retry=None, pause=None, used=used, projection=None
    )  # fmt: skip


def failed(view: SessionView, message: str) -> SessionView:
    """The view of a live session that ended without an Ended event in its record."""
    ended = ev.Ended(
        outcome=ev.EndedOutcome.FAILED, message=message, steps=view.step.number if view.step is not None else 0,
        usage=Usage(), elapsed_s=view.elapsed_s() or 0.0,
    )  # fmt: skip
    return _ended(view, Record(seq=view.last_seq + 1, time=view.last_time, event=ended), ended)


def _note(view: SessionView, record: Record, kind: NoteKind, title: str, detail: str = "") -> SessionView:
    step = view.step
    picture = step.observed.picture if step and step.observed else ""
    note = Note(seq=record.seq, kind=kind, title=title, detail=detail, time=record.time, picture=picture)
    return replace(view, items=(*view.items, note))


def _observed(view: SessionView, record: Record, event: ev.Observed) -> SessionView:
    before = view.step
    if before is not None and before.number != event.step:
        view = _change_step(view, before.number, after=event.picture, finished=before.finished or record.time)
    if before is not None and before.number == event.step:
        return replace(_change_step(view, event.step, observed=event), phase=Phase.THINKING)
    step = Step(number=event.step, observed=event, began=record.time)
    return replace(view, items=(*view.items, step), phase=Phase.THINKING, retry=None)


def _proposed(view: SessionView, record: Record, event: ev.Proposed) -> SessionView:
    calls = tuple(
        Call(step=event.step, proposed=call, action=call.action, assessment=call.assessment) for call in event.calls
    )
    if view.step is None or view.step.number != event.step:
        view = replace(view, items=(*view.items, Step(number=event.step, began=record.time)))
    priced = view.started is not None and view.started.price is not None
    unreported = not event.usage.reported and (priced or event.request_bytes > 0)
    used = view.used + _used(event.usage, event.cost, int(unreported))
    changed = _change_step(view, event.step, proposed=event, calls=calls)
    return replace(changed, phase=Phase.ACTING, used=used, projection=event.projection, retry=None)


def _used(usage: Usage, cost: Money | None, unreported_steps: int) -> Used:
    return Used(usage=usage, costs=() if cost is None else (cost,), unreported_steps=unreported_steps)


def _decided(view: SessionView, record: Record, event: ev.Decided) -> SessionView:
    call = view.call(event.step, event.call)
    if call is None:
        return view
    action = event.action if event.action is not None else call.action
    assessment = event.assessment
    if assessment is None and event.action is None:
        assessment = call.assessment  # that of the model's action says nothing about an edited one
    changed = _change_call(
        view, event.step, event.call, decision=event.decision, by=event.by, rule=event.rule, feedback=event.feedback,
        lead_s=event.lead_s, action=action, assessment=assessment,
    )  # fmt: skip
    if event.by is not DecidedBy.HUMAN or event.decision is DecisionKind.TAKE_OVER:
        return changed  # the event that follows reports taking over
    title = {
        DecisionKind.APPROVE: "You approved",
        DecisionKind.MODIFY: "You edited",
        DecisionKind.SKIP: "You skipped",
        DecisionKind.DENY: "You denied",
        DecisionKind.STOP: "You stopped",
        DecisionKind.NOT_DONE: "Not done",
    }[event.decision]
    what = call_title(replace(call, action=action, assessment=assessment))
    return _note(changed, record, NoteKind.HUMAN, f"{title}: {what}", event.feedback)


def _performed(view: SessionView, record: Record, event: ev.Performed) -> SessionView:
    changed = _change_call(view, event.step, event.call, performed=event)
    changed = _change_step(changed, event.step, finished=record.time)
    if not changed.phase.active or changed.open_calls:
        return changed
    return replace(changed, phase=Phase.SETTLING)


def _settled(view: SessionView, event: ev.Settled) -> SessionView:
    view = _change_call(view, event.step, event.call, changed=event.changed)
    return view if view.open_calls else replace(view, phase=Phase.OBSERVING)


def _answered(view: SessionView, record: Record, event: ev.Answered) -> SessionView:
    question = view.question
    if question is None or question.question_id != event.question_id:
        return view
    noted = view
    if event.by is DecidedBy.LAPSE:
        noted = _note(view, record, NoteKind.HUMAN, "Not answered in time: denied", question.text)
    elif question.about not in ("review", "safety") and event.by is DecidedBy.HUMAN:
        noted = _note(
            view, record, NoteKind.HUMAN, f"You answered: {_answer_words(question, event.answer)}", question.text
        )
    phase = Phase.ACTING if view.phase is Phase.REVIEWING else view.phase
    return replace(noted, question=None, phase=phase)


def _answer_words(question: Question, answer: str) -> str:
    if question.choices and answer.isdecimal() and int(answer) < len(question.choices):
        return question.choices[int(answer)].label
    return answer


def _change_step(view: SessionView, number: int, **changes: object) -> SessionView:
    for place in range(len(view.items) - 1, -1, -1):
        item = view.items[place]
        if isinstance(item, Step) and item.number == number:
            changed = replace(item, **changes)  # type: ignore[arg-type]
            return replace(view, items=(*view.items[:place], changed, *view.items[place + 1 :]))
    return view


def _change_call(view: SessionView, step: int, index: int, **changes: object) -> SessionView:
    for item in reversed(view.items):
        if isinstance(item, Step) and item.number == step:
            calls = tuple(replace(c, **changes) if c.index == index else c for c in item.calls)  # type: ignore[arg-type]
            return _change_step(view, step, calls=calls)
    return view


def with_state(view: SessionView, state: st.State) -> SessionView:  # noqa: C901, PLR0911 - one arm a state
    """The view of a live session, updated with its state."""
    match state:
        case st.Idle():
            return replace(view, phase=Phase.IDLE)
        case st.Starting():
            return replace(view, phase=Phase.STARTING)
        case st.Observing():
            return replace(view, phase=Phase.OBSERVING, retry=None)
        case st.Thinking():
            return replace(view, phase=Phase.THINKING, retry=None)
        case st.Retrying(until_s=until_s, reason=reason):
            retry = view.retry or Retry(attempt=1, of=0, wait_s=0.0, reason=worded(reason))
            return replace(view, phase=Phase.RETRYING, retry=replace(retry, until_s=until_s))
        case st.Reviewing(request=request):
            return replace(view, phase=Phase.REVIEWING, question=with_words(request))
        case st.Acting():
            return replace(view, phase=Phase.ACTING, question=None)
        case st.Settling():
            return replace(view, phase=Phase.SETTLING)
        case st.WaitingForDisk():
            return replace(view, phase=Phase.WAITING_FOR_DISK)
        case st.Paused():
            return replace(view, phase=Phase.PAUSED)
        case st.HandedOver():
            return replace(view, phase=Phase.HANDED_OVER)
        case st.Stopped():
            return replace(view, phase=Phase.STOPPED, question=None)
        case st.Ended():
            return replace(view, phase=Phase.ENDED, question=None)
