"""Folds a session's records into the view shown in the window; the same code for a live session and a file.

Not a copy of the engine's state machine: `fold` reads events only, in order, and `with_state` adds a live session's
exact state. Pure.
"""

from __future__ import annotations

from dataclasses import replace

from operator_console.domain import events as ev
from operator_console.domain import states as st
from operator_console.domain.decisions import DecidedBy, DecisionKind, Question
from operator_console.domain.events import APPROVED_NEXT, Event, Record
from operator_console.domain.hand_input import HandUse
from operator_console.domain.message_texts import with_words, worded
from operator_console.domain.permissions import Permission
from operator_console.domain.prices import Money
from operator_console.domain.proposals import Usage
from operator_console.domain.translations import _, ngettext
from operator_console.engine.action_wording import news_words
from operator_console.engine.visible_text import shown
from operator_console.ui.view.autonomy_words import autonomy_name
from operator_console.ui.view.call_words import question_text
from operator_console.ui.view.cause_words import paused_words, stopped_words
from operator_console.ui.view.page_words import address_of
from operator_console.ui.view.runbook_lines import after
from operator_console.ui.view.session_view import (
    Away,
    AwayKind,
    Call,
    Note,
    NoteKind,
    Phase,
    Retry,
    SessionView,
    Step,
    Used,
    seconds_between,
)
from operator_console.ui.view.words import (
    duration_words,
    ended_words,
    revoked_words,
    size_words,
    snapshot_words,
    task_line,
)


def fold(view: SessionView, record: Record) -> SessionView:
    """The view after one more record."""
    stamped = replace(view, last_time=record.time, last_seq=record.seq, load=view.load.after(record.event))
    return _fold_step(stamped, record, with_words(record.event))


def _fold_step(view: SessionView, record: Record, event: Event) -> SessionView:
    match event:
        case ev.Observed():
            return _observed(view, record, event)
        case ev.Proposed():
            return _proposed(view, record, event)
        case ev.Decided():
            return _decided(view, record, event)
        case ev.Granted():
            changed = _change_call(
                view, event.step, event.call, granted=True, action=event.action, granted_at=record.time
            )
            return replace(changed, phase=Phase.ACTING)
        case ev.Performed():
            return _performed(view, record, event)
        case ev.Settled():
            return _settled(view, record, event)
        case ev.Asked(question=question):
            changed = view
            if question.call is not None and question.step is not None:
                changed = _reopened(view, question.step, question.call)
                if question.assessment is not None:
                    changed = _change_call(changed, question.step, question.call, assessment=question.assessment)
            waiting = _wait(changed, record, AwayKind.QUESTION)
            asked = replace(question, text=question_text(question), text_notices=())
            return replace(waiting, question=asked, phase=Phase.REVIEWING, retry=None)
        case ev.Answered():
            return _answered(view, record, event)
        case ev.Retrying():
            retry = Retry(attempt=event.attempt, of=event.of, wait_s=event.wait_s, reason=event.reason)
            return replace(view, phase=Phase.RETRYING, retry=retry)
        case _:
            return _fold_session(view, record, event)


def _fold_session(view: SessionView, record: Record, event: Event) -> SessionView:  # noqa: C901, PLR0911 - one arm an event
    match event:
        case ev.SessionStarted():
            return _started(view, record, event)
        case ev.Paused(by=by, detail=detail):
            noted = _note(view, record, NoteKind.PAUSE, paused_words(by), detail)
            waiting = replace(_wait(noted, record, AwayKind.PAUSE), waiting_note=record.seq)
            return replace(waiting, phase=Phase.PAUSED, pause=event, retry=None)
        case ev.Resumed(by=by):
            return replace(
                _waited(view, record, (_("Resumed by you") if by == "human" else _("Resumed automatically"))),
                phase=Phase.OBSERVING,
                pause=None,
            )
        case ev.HandedOver(by=by, reason=reason):
            title = _("You took over") if by == "human" else _("Handed over to you")
            noted = _note(view, record, NoteKind.HUMAN, title, reason)
            waiting = replace(_wait(noted, record, AwayKind.CONTROL), waiting_note=record.seq)
            return replace(waiting, phase=Phase.HANDED_OVER, handed_over=reason or title)
        case ev.HandedBack(note=note, by_hand=used):
            return replace(_waited(view, record, _handed_back(used), note), phase=Phase.OBSERVING, handed_over="")
        case ev.Snapshot(act=act, name=name):
            return _note(view, record, NoteKind.HUMAN, snapshot_words(act), name)
        case ev.AutonomyChanged():
            return _autonomy_changed(view, record, event)
        case ev.Stopped():
            over = _waited(view, record)
            noted = _note(over, record, NoteKind.STOP, stopped_words(event.reason), _stop_detail(event), stopped=event)
            return replace(
                noted,
                phase=Phase.STOPPED,
                stopped=event,
                stopped_time=record.time,
                stop_note=record.seq,
                question=None,
                retry=None,
                pause=None,
            )
        case ev.Message(text=text, by=by):
            title = _("Your message") if by == "operator" else _("Sent to the model")
            return _note(view, record, NoteKind.MESSAGE, title, text)
        case ev.Warned(title=title, detail=detail):
            return _note(view, record, NoteKind.WARNING, title, detail)
        case ev.Reset():
            noted = _on_stop(view, _("The stop was reset.")) or _note(
                view, record, NoteKind.HUMAN, _("The stop was reset.")
            )
            return replace(noted, phase=Phase.IDLE if noted.phase is Phase.STOPPED else noted.phase)
        case ev.Ended():
            return _ended(view, record, event)
        case _:
            return _fold_news(view, record, event)


def _fold_permission(view: SessionView, record: Record, event: ev.Permitted | ev.PermissionRevoked) -> SessionView:
    if isinstance(event, ev.Permitted):
        noted = _note(view, record, NoteKind.HUMAN, _("Permitted by you"), event.text)
        permission = Permission(permission_id=event.permission_id, coverage=event.coverage)
        return replace(noted, permissions=(*view.permissions, permission))
    [*ended] = (each for each in view.permissions if each.permission_id == event.permission_id)
    what = worded(ended[0].coverage.what) if ended else ""
    noted = _note(view, record, NoteKind.HUMAN, revoked_words(event.by), what)
    return replace(noted, permissions=tuple(each for each in view.permissions if each not in ended))


def _autonomy_changed(view: SessionView, record: Record, event: ev.AutonomyChanged) -> SessionView:
    changed = replace(view, autonomy=event.autonomy, approve_next=event.approve_next)
    if event.autonomy is not view.autonomy:
        title = _("Autonomy is now {level}").format(level=autonomy_name(event.autonomy))
    elif event.approve_next:
        count = event.approve_next
        title = ngettext("You approved the next action", "You approved the next {count} actions", count)
        title = title.format(count=count)
    else:
        title = _("The next actions are asked about again")
    return _note(changed, record, NoteKind.HUMAN, title)


def _fold_news(view: SessionView, record: Record, event: Event) -> SessionView:
    match event:
        case ev.Downloaded(complete=False):
            return _note(view, record, NoteKind.WARNING, worded(news_words(event)))
        case ev.Downloaded(name=name, url=url, size_bytes=size_bytes, folder=folder):
            detail = _("{size} from {address}. It is in {folder}; nothing opens it.").format(
                size=size_words(size_bytes), address=address_of(url).whole, folder=folder
            )
            return _note(view, record, NoteKind.FILE, _("Saved “{name}”").format(name=shown(name)), detail)
        case ev.Blocked(site=site, by=by, count=count):
            return _note(
                view,
                record,
                NoteKind.BLOCKED,
                _("Blocked: {site}").format(site=shown(site)),
                _blocked_detail(by, count),
            )
        case ev.Permitted() | ev.PermissionRevoked():
            return _fold_permission(view, record, event)
        case _:
            return view  # an event of a newer console: readers ignore unknown events


def _started(view: SessionView, record: Record, event: ev.SessionStarted) -> SessionView:
    if (before := view.step) is not None:
        view = _change_step(view, before.number, calls=_over(before.calls))
    title = _("Continued") if event.resumed else _("Started")
    noted = _note(view, record, NoteKind.RUN, title, task_line(event.task, runbook=event.provider == "runbook"))
    return replace(
        noted, phase=Phase.STARTING, started=event, run_began=record.time,
        question=None, retry=None, pause=None, handed_over="", stopped=None, ended=None,
        used_before=noted.used, used_in_run=Used(), projection=None, waiting=None, waiting_note=0, stop_note=0,
        line=0, looks=0, run_seq=record.seq, permissions=(), autonomy=event.autonomy, approve_next=0,
        load_before=noted.load,
    )  # fmt: skip


def _ended(view: SessionView, record: Record, event: ev.Ended) -> SessionView:
    if (step := view.step) is not None:
        view = _change_step(view, step.number, finished=step.finished or record.time, calls=_over(step.calls))
    view = _waited(view, record)
    stopped = event.outcome is ev.EndedOutcome.STOPPED and view.stopped is not None
    kind = NoteKind.END if event.outcome is ev.EndedOutcome.FINISHED else NoteKind.WARNING
    by_words = event.outcome is ev.EndedOutcome.FINISHED and _ended_in_words_alone(step)
    detail = event.message if not by_words else ""  # the row of the step shows them
    noted = view if stopped else _note(view, record, kind, ended_words(event.outcome), detail)
    phase = Phase.STOPPED if stopped else Phase.ENDED
    used = view.used_in_run
    if event.usage.reported:  # it also counts the requests after the last step
        used = _used(event.usage, event.cost, event.unreported_steps)
    return replace(
        noted, phase=phase, ended=event, question=None, retry=None, pause=None, used_in_run=used, projection=None,
        permissions=(),
    )  # fmt: skip


def _ended_in_words_alone(step: Step | None) -> bool:
    said = step.proposed if step is not None else None
    return said is not None and said.finished and not said.calls


def cut_off(view: SessionView) -> SessionView:
    """The view of a record whose last run was cut off: what it left open is over."""
    step = view.step
    if step is None or not view.phase.active:
        return view
    return _change_step(view, step.number, finished=step.finished or view.last_time, calls=_over(step.calls))


def _over(calls: tuple[Call, ...]) -> tuple[Call, ...]:
    return tuple(replace(call, over=True) if call.open else call for call in calls)


def failed(view: SessionView, message: str) -> SessionView:
    """The view of a live session that ended without an Ended event in its record."""
    ended = ev.Ended(
        outcome=ev.EndedOutcome.FAILED, message=message, steps=view.step.number if view.step is not None else 0,
        usage=Usage(), elapsed_s=view.elapsed_s() or 0.0,
    )  # fmt: skip
    return _ended(view, Record(seq=view.last_seq + 1, time=view.last_time, event=ended), ended)


def _note(
    view: SessionView, record: Record, kind: NoteKind, title: str, detail: str = "", *,
    stopped: ev.Stopped | None = None,
) -> SessionView:  # fmt: skip
    step = view.step
    picture = step.observed.picture if step and step.observed else ""
    note = Note(
        seq=record.seq, kind=kind, title=title, detail=detail, time=record.time, picture=picture, stopped=stopped
    )
    return replace(view, items=view.items.appended(note))


def _wait(view: SessionView, record: Record, kind: AwayKind) -> SessionView:
    """From here on the machine waits."""
    return replace(_waited(view, record), waiting=Away(kind=kind, began=record.time))


def _waited(view: SessionView, record: Record, words: str = "", more: str = "") -> SessionView:
    """The wait is over: the newest step knows it, and the note that announced it says how (`words`, `more`)."""
    waiting, step = view.waiting, view.step
    if waiting is None:
        return view
    ended = replace(waiting, ended=record.time)
    if step is not None:
        view = _change_step(view, step.number, away=(*step.away, ended))
    if view.waiting_note and words:
        seconds = seconds_between(ended.began, ended.ended)
        # Translators: {end} is how a wait ended, as in: Resumed by you after 5 s.
        after = _("{end} after {time}")
        lasted = after.format(end=words, time=duration_words(seconds)) if seconds is not None else words
        view = _add_to_note(view, view.waiting_note, f"{lasted}: {more}" if more else lasted) or view
    return replace(view, waiting=None, waiting_note=0)


def _add_to_note(view: SessionView, seq: int, sentence: str) -> SessionView | None:
    """With a sentence more in the detail of a note; None if there is no such note."""
    for place in range(len(view.items) - 1, -1, -1):
        item = view.items[place]
        if isinstance(item, Note) and item.seq == seq:
            detail = _joined(item.detail, sentence)
            return replace(view, items=view.items.changed(place, replace(item, detail=detail)))
    return None


def _on_stop(view: SessionView, sentence: str) -> SessionView | None:
    """With a sentence more in the note about the newest stop; None without one."""
    return _add_to_note(view, view.stop_note, sentence) if view.stop_note else None


def _observed(view: SessionView, record: Record, event: ev.Observed) -> SessionView:
    before = view.step
    another = before is None or before.number != event.step or before.seq < view.run_seq
    if before is not None and another:
        calls = _over(before.calls)
        view = _change_step(
            view, before.number, after=event.picture, finished=before.finished or record.time, calls=calls
        )
    if before is not None and not another:
        return replace(_change_step(view, event.step, observed=event), phase=Phase.THINKING)
    step = Step(number=event.step, seq=record.seq, observed=event, began=record.time)
    return replace(view, items=view.items.appended(step), phase=Phase.THINKING, retry=None)


def _proposed(view: SessionView, record: Record, event: ev.Proposed) -> SessionView:
    calls = tuple(
        Call(step=event.step, proposed=call, action=call.action, assessment=call.assessment) for call in event.calls
    )
    before = view.step
    if before is None or before.number != event.step or before.seq < view.run_seq:
        step = Step(number=event.step, seq=record.seq, began=record.time)
        view = replace(view, items=view.items.appended(step))
    priced = view.started is not None and view.started.price is not None
    unreported = not event.usage.reported and (priced or event.request_bytes > 0)
    used = view.used_in_run + _used(event.usage, event.cost, int(unreported))
    changed = _change_step(view, event.step, proposed=event, calls=calls, proposed_at=record.time)
    line, looks = after(event, view.line, view.looks) if view.plays_runbook else (0, 0)
    return replace(
        changed, phase=Phase.ACTING, used_in_run=used, projection=event.projection, retry=None, line=line, looks=looks
    )


def _used(usage: Usage, cost: Money | None, unreported_steps: int) -> Used:
    return Used(usage=usage, costs=() if cost is None else (cost,), unreported_steps=unreported_steps)


def _decided(view: SessionView, record: Record, event: ev.Decided) -> SessionView:
    call = view.call(event.step, event.call)
    if call is None:
        return view
    if event.rule == APPROVED_NEXT:
        view = replace(view, approve_next=max(0, view.approve_next - 1))
    action = event.action if event.action is not None else call.action
    assessment = event.assessment
    if assessment is None and event.action is None:
        assessment = call.assessment  # that of the model's action says nothing about an edited one
    return _change_call(
        view, event.step, event.call, decision=event.decision, by=event.by, rule=event.rule, feedback=event.feedback,
        lead_s=event.lead_s, action=action, assessment=assessment, decided_at=record.time,
        permission=event.permission,
    )  # fmt: skip


def _performed(view: SessionView, record: Record, event: ev.Performed) -> SessionView:
    changed = _change_call(view, event.step, event.call, performed=event, performed_at=record.time)
    changed = _change_step(changed, event.step, finished=record.time)
    if not changed.phase.active or changed.open_calls:
        return changed
    return replace(changed, phase=Phase.SETTLING)


def _settled(view: SessionView, record: Record, event: ev.Settled) -> SessionView:
    view = _change_call(view, event.step, event.call, changed=event.changed, settled_at=record.time)
    view = _change_step(view, event.step, finished=record.time)
    return view if view.open_calls else replace(view, phase=Phase.OBSERVING)


def _answered(view: SessionView, record: Record, event: ev.Answered) -> SessionView:
    question = view.question
    if question is None or question.question_id != event.question_id:
        return view
    noted = _waited(view, record) if view.waiting and view.waiting.kind is AwayKind.QUESTION else view
    about_call = question.about in ("review", "safety")  # its decision stands on the step
    if event.by is DecidedBy.LAPSE and not about_call:
        noted = _note(noted, record, NoteKind.HUMAN, _("Not answered in time: denied"), question.text)
    elif event.by is DecidedBy.HUMAN and not about_call:
        answered = _("You answered: {answer}").format(answer=_answer_words(question, event.answer))
        noted = _note(noted, record, NoteKind.HUMAN, answered, question.text)
    phase = Phase.ACTING if view.phase is Phase.REVIEWING else view.phase
    return replace(noted, question=None, phase=phase)


def _answer_words(question: Question, answer: str) -> str:
    if question.choices and answer.isdecimal() and int(answer) < len(question.choices):
        return question.choices[int(answer)].label
    return answer


def _reopened(view: SessionView, step: int, index: int) -> SessionView:
    """With the calls from `index` on open again, where a pause had cut the one at `index` off.

    The engine carries out an interrupted turn after a pause that ended by itself.
    """
    newest, asked = view.step, view.call(step, index)
    if newest is None or newest.number != step or asked is None or asked.decision is not DecisionKind.NOT_DONE:
        return view
    calls = tuple(
        replace(call, decision=None, by=None, rule="", feedback="", decided_at="")
        if call.index >= index and call.decision is DecisionKind.NOT_DONE
        else call
        for call in newest.calls
    )
    return _change_step(view, step, calls=calls)


def _change_step(view: SessionView, number: int, **changes: object) -> SessionView:
    for place in range(len(view.items) - 1, -1, -1):
        item = view.items[place]
        if isinstance(item, Step) and item.number == number:
            changed = replace(item, **changes)  # type: ignore[arg-type]
            return replace(view, items=view.items.changed(place, changed))
    return view


def _change_call(view: SessionView, step: int, index: int, **changes: object) -> SessionView:
    for place in range(len(view.items) - 1, -1, -1):
        item = view.items[place]
        if isinstance(item, Step) and item.number == step:
            calls = tuple(replace(c, **changes) if c.index == index else c for c in item.calls)  # type: ignore[arg-type]
            return replace(view, items=view.items.changed(place, replace(item, calls=calls)))
    return view


def _handed_back(used: HandUse) -> str:
    """That the operator is done, and how much was done in the preview."""
    parts = [
        words.format(count=number)
        for number, words in (
            (used.presses, ngettext("{count} button press", "{count} button presses", used.presses)),
            (used.keys, ngettext("{count} key", "{count} keys", used.keys)),
            (used.texts, ngettext("{count} pasted or composed text", "{count} pasted or composed texts", used.texts)),
        )
        if number
    ]
    said = _("{what} in the preview; handed back")
    return said.format(what=", ".join(parts)) if parts else _("Handed back")


def _stop_detail(event: ev.Stopped) -> str:
    """What a stop did, in a few sentences."""
    dropped = len(event.cancelled_actions) or len(event.cancelled)
    waiting = ngettext("{count} waiting action was dropped.", "{count} waiting actions were dropped.", dropped)
    interrupted = _("One action was interrupted.") if event.in_flight or event.in_flight_action else ""
    return _joined(event.detail, interrupted, waiting.format(count=dropped) if dropped else "")


def _blocked_detail(by: ev.BlockedBy, count: int) -> str:
    """By which rule a site was blocked, and how often."""
    match by:
        case ev.BlockedBy.BLOCKED_SITE:
            why = _("The settings block this site.")
        case ev.BlockedBy.NOT_ALLOWED_SITE:
            why = _("This site is not among those that the session may reach.")
        case _:
            why = _("Addresses of this computer and its network are blocked.")
    sent = ngettext("{count} request, not sent.", "{count} requests, none sent.", count).format(count=count)
    return f"{why} {sent}"


def _joined(*sentences: str) -> str:
    """Sentences one after another; each but the last ends in a full stop."""
    said = [sentence for sentence in sentences if sentence]
    return " ".join(s if s[-1] in ".!?…" or s is said[-1] else f"{s}." for s in said)


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
