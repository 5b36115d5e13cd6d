"""What the page says about the session, its runs, steps, calls and stops: words, and names with values. Pure.

How it is laid out is in `resources/templates/session.html.jinja`. A value that is "" is left out there.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from operator_console.domain.actions import AskOperator
from operator_console.domain.decisions import DecisionKind
from operator_console.domain.events import EndedOutcome, Observed, Proposed, SessionStarted, Stopped
from operator_console.domain.prices import money_text
from operator_console.domain.proposals import CallStatus
from operator_console.domain.risk import Autonomy, RiskClass
from operator_console.domain.scope import ScopeSource
from operator_console.domain.translations import _, ngettext
from operator_console.engine.action_wording import action_words, cancelled_words, exact_text, in_flight_words
from operator_console.ui.reading_page.reading import Reading, Run, Spent
from operator_console.ui.view.call_words import (
    action_title,
    call_title,
    outcome_of,
    outcome_word,
    reasons_of,
    unread_words,
)
from operator_console.ui.view.cause_words import stopped_words
from operator_console.ui.view.page_words import page_facts
from operator_console.ui.view.session_view import Call, Step
from operator_console.ui.view.step_times import times_of
from operator_console.ui.view.target_words import target_title
from operator_console.ui.view.timeline_entries import call_badge, decided_by_you, entry_of, wait_title
from operator_console.ui.view.usage_words import (
    asked_details,
    asked_words,
    costs_words,
    tokens_words,
    usage_kinds,
    usage_line,
)
from operator_console.ui.view.words import category_words, duration_words, names_of, risk_phrase, size_words, task_line

Facts: TypeAlias = Iterator[tuple[str, str]]
_LINE = 160
"""Characters of a text in the line of a call; a longer one is also there in full, folded."""


class Figure(NamedTuple):
    """A figure of the session, and more about it."""

    name: str
    value: str
    more: str = ""


class Ending(NamedTuple):
    """How a run ended; `tone`: good, warn or bad."""

    words: str
    tone: str
    detail: str = ""


# The session and its runs


def heading(reading: Reading) -> str:
    """The title of the page: the first line of the task."""
    started = reading.started
    if started is None or not started.task.strip():
        return _("Session without a task")
    return task_line(started.task, 200, runbook=started.provider == "runbook")


def whole_task(reading: Reading) -> str:
    """The task as written, where the title does not show all of it."""
    task = reading.started.written.strip() if reading.started is not None else ""
    return task if task != heading(reading) else ""


def ending(run: Run | None, *, live: bool) -> Ending:
    """How a run ended; None: there was none."""
    if run is not None and run.ended is not None:
        outcome, message = run.ended.outcome, run.ended.message
        match outcome:
            case EndedOutcome.FINISHED:
                return Ending(_("Finished"), "good", message)
            case EndedOutcome.FAILED:
                return Ending(_("Failed"), "bad", message)
            case EndedOutcome.STOPPED:
                stopped = run.stopped
                return Ending(stopped_words(stopped.reason) if stopped is not None else _("Stopped"), "bad", message)
            case EndedOutcome.LIMIT:
                return Ending(_("Limit reached"), "warn", message)
    if live:
        return Ending(_("Still running when this page was made"), "warn")
    if run is not None and run.stopped is not None:
        return Ending(stopped_words(run.stopped.reason), "bad", run.stopped.detail)
    return Ending(_("Interrupted"), "warn", _("The record ends without an end of the run."))


def run_line(run: Run, *, live: bool) -> str:
    """One run among several, in one line."""
    about = (target_title(run.started.target), _model(run), _autonomy(run)) if run.started is not None else ()
    return _in_line(ending(run, live=live).words, duration_words(run.spent.whole_s), *about)


def spent(reading: Reading) -> Spent:
    """The time of all runs."""
    return sum((run.spent for run in reading.runs), start=Spent(whole_s=0.0, you_s=0.0, paused_s=0.0))


def figures(reading: Reading) -> Iterator[Figure]:
    """What the session took and did, and with what."""
    started, runs = reading.started, len(reading.runs)
    took = spent(reading)
    # Translators: how long the machine worked, as in: machine 3 min · you 12 s.
    machine = _("machine {time}").format(time=duration_words(took.machine_s))
    yield Figure(
        _("Duration"), duration_words(took.whole_s), _in_line(machine, _yours(took.you_s), _paused(took.paused_s))
    )
    # Translators: the number of steps that the session might take.
    limit = _("limit {steps}").format(steps=started.max_steps) if started is not None else ""
    count = sum(step.proposed is not None for step in reading.steps)
    several = ngettext("{count} run", "{count} runs", runs).format(count=runs)
    yield Figure(_("Steps"), str(count), several if runs > 1 else limit)
    calls = [call for step in reading.steps for call in step.calls]
    yield _counted(_("Actions"), (outcome_word(outcome_of(call)) for call in calls))
    yield _counted(_("Your decisions"), map(_decision, filter(decided_by_you, calls)))
    if asked := asked_words(reading.load.questions, reading.load.actions):
        yield Figure(_("Questions"), asked, asked_details(reading.load.answer_s))
    if tokens := tokens_words(reading.used):
        usage = reading.used.usage
        kinds = usage_kinds(usage) if usage.reported else ""
        yield Figure(_("Tokens"), tokens, kinds)
    if costs := costs_words(reading.used.costs):
        yield Figure(_("Cost"), costs)
    if started is not None:
        first = reading.runs[0]
        provider = started.provider if started.model not in ("", started.provider) else ""
        profile = _("profile {name}").format(name=started.profile) if started.profile else ""
        yield Figure(_("Target"), target_title(started.target), started.target.spec)
        if started.accessibility:
            yield Figure(_("Accessibility"), _("switched on"), _("in the desktop session, while it ran"))
        yield Figure(_("Model"), _model(first), _in_line(provider, profile))
        yield Figure(_("Autonomy"), _autonomy(first))
        if said := _scope(started):
            yield Figure(_("Scope"), said, _scope_source(started.scope_by))


def _counted(name: str, words: Iterable[str]) -> Figure:
    counts = Counter(words)
    if not counts:
        return Figure(name, _("none"))
    return Figure(name, str(counts.total()), _in_line(*(f"{count} {word}" for word, count in counts.most_common())))


def _decision(call: Call) -> str:
    """What the person did about a call, to count it."""
    match call.decision:
        case DecisionKind.APPROVE if isinstance(call.action, AskOperator):
            return _("answered") if went_well(call) else _("declined")
        case DecisionKind.APPROVE:
            return _("approved")
        case DecisionKind.MODIFY:
            return _("edited")
        case DecisionKind.SKIP:
            return _("skipped")
        case DecisionKind.DENY:
            return _("denied")
        case DecisionKind.TAKE_OVER:
            return _("withdrawn")
        case _:
            return _("not done")


def _model(run: Run) -> str:
    return run.started.model or run.started.provider if run.started is not None else ""


def _autonomy(run: Run) -> str:
    if run.started is None:
        return ""
    words = _autonomy_words(run.started.autonomy)
    if not run.started.allow:
        return words
    return _("{autonomy}; also allowed: {categories}").format(autonomy=words, categories=names_of(run.started.allow))


def _autonomy_words(autonomy: Autonomy) -> str:
    match autonomy:
        case Autonomy.OBSERVE:
            return _("Observe: nothing is sent")
        case Autonomy.STEP:
            return _("Step: every action waits for you")
        case Autonomy.GUARDED:
            return _("Guarded: ordinary actions run")
        case Autonomy.AUTO:
            return _("Auto")
        case Autonomy.HOLD:
            return _("Hold to run: acts while a key or button is held")


def _scope(started: SessionStarted) -> str:
    """What was in scope, in a line; "" for everything."""
    places = (*started.apps, *started.sites)
    if started.effects is None:
        return ", ".join(places)
    return _in_line(", ".join(places), names_of(started.effects) or _("no kind of effect"))


def _scope_source(source: ScopeSource) -> str:
    match source:
        case ScopeSource.OPERATOR:
            return ""
        case ScopeSource.MODEL:
            return _("suggested by the model")
        case ScopeSource.EDITED:
            return _("suggested by the model, and edited")


def of_stop(stop: Stopped) -> Facts:
    """What a stop did."""
    after_ms = stop.press_to_last_event_ms
    keys = ngettext("{count} key", "{count} keys", stop.released_keys).format(count=stop.released_keys)
    buttons = ngettext("{count} button", "{count} buttons", stop.released_buttons).format(count=stop.released_buttons)
    yield _("It was doing"), in_flight_words(stop)
    yield _("Sent"), _sent(stop.delivered, stop.total)
    yield _("Dropped"), "\n".join(cancelled_words(stop))
    yield _("Released"), f"{keys}, {buttons}"
    yield (
        _("Last press or motion"),
        _("nothing was being sent")
        if after_ms is None
        else _("{milliseconds:.0f} ms after the stop").format(milliseconds=after_ms),
    )
    yield _("New sessions"), _("blocked until a person resets the stop") if stop.latched else _("not blocked")


def date(time: str) -> str:
    """An RFC 3339 time in UTC to the second."""
    return _("{time} UTC").format(time=time.partition(".")[0].replace("T", " ").removesuffix("Z"))


def time_of_day(time: str) -> str:
    """That of an RFC 3339 time."""
    return time.partition("T")[2].partition(".")[0].removesuffix("Z")


# Steps


def title(step: Step) -> str:
    """A step in one line."""
    match step.calls:
        case ():
            return entry_of(step).title
        case (call,):
            return line(call)
        case calls:
            return ngettext("{count} action", "{count} actions", len(calls)).format(count=len(calls))


def kinds(step: Step) -> list[str]:
    """For the filter: whether the human decided something, and whether something did not go as planned."""
    found = ["you"] if any(map(decided_by_you, step.calls)) else []
    planned = step.proposed is not None and all(map(went_well, step.calls))
    return found if planned else [*found, "off"]


def said(run: Run, step: Step) -> Facts:
    """What the model thought and said."""
    if step.proposed is not None:
        runbook = run.started is not None and run.started.provider == "runbook"
        yield _("Thoughts (not verified)"), step.proposed.thoughts.strip()
        says = _("Runbook line") if runbook else _("The model says (not verified)")
        yield says, step.proposed.narration.strip()


def of_step(step: Step, window: str) -> Facts:
    """All facts about a step. `window`: that gets the input."""
    seen, proposed = step.observed, step.proposed
    yield _("Times"), _times(step)
    yield _("Window"), window
    if seen is not None:
        yield from zip((_("Address"), _("Tabs"), _("The page waits")), page_facts(seen), strict=True)
        yield _("Picture sent"), _picture(seen)
        yield _("SHA-256 of it"), seen.picture
    if proposed is not None:
        yield _("Request"), _request(proposed)
        yield _("SHA-256 of the answer"), proposed.raw


def _times(step: Step) -> str:
    times = times_of(step)
    shares = (
        (_("thinking {time}"), times.think_s),
        (_("deciding {time}"), times.decide_s),
        (_("acting {time}"), times.act_s),
        (_("settling {time}"), times.settle_s),
    )
    parts = (words.format(time=duration_words(value)) for words, value in shares if value >= 0.05)
    return _in_line(*parts, _yours(times.you_s), _paused(times.paused_s))


def _yours(value_s: float) -> str:
    return _("you {time}").format(time=duration_words(value_s)) if value_s >= 0.05 else ""


def _paused(value_s: float) -> str:
    return _("paused {time}").format(time=duration_words(value_s)) if value_s >= 0.05 else ""


def _request(proposed: Proposed) -> str:
    return _in_line(
        size_words(proposed.request_bytes) if proposed.request_bytes else "",
        _("answered in {time}").format(time=duration_words(proposed.latency_s)) if proposed.latency_s else "",
        usage_line(proposed.usage) if proposed.usage.reported else "",
        money_text(proposed.cost) if proposed.cost is not None else "",
    )


def _picture(seen: Observed) -> str:
    sent, native = seen.geometry.sent, seen.geometry.native
    scaled = _("of a target of {width} × {height}").format(width=native.width, height=native.height)
    size = size_words(seen.picture_bytes) if seen.picture_bytes else ""
    return _in_line(f"{sent.width} × {sent.height}", scaled if sent != native else "", size, seen.note)


# Calls


def line(call: Call) -> str:
    """One call in a readable line, as in the timeline."""
    words = wait_title(call)
    if call.action is None or words != call_title(call):
        return words
    return action_title(call.action, call.assessment, limit=_LINE)


def went_well(call: Call) -> bool:
    """Whether a call was carried out."""
    return call.performed is not None and call.performed.status is CallStatus.DONE


def long_text(call: Call) -> str:
    """The whole text that was to be typed, run or opened, where the line does not show all of it."""
    if call.action is None:
        return ""
    whole = exact_text(call.action, call.assessment)
    return whole if len(whole) > _LINE or "\n" in whole else ""


def in_sight(call: Call) -> Facts:
    """What is shown without unfolding."""
    if call.decision is DecisionKind.MODIFY and call.proposed.action is not None:
        yield _("The model proposed"), action_title(call.proposed.action, call.proposed.assessment, limit=_LINE)
    yield _("Intent (not verified)"), call.proposed.intent
    found = call.assessment
    if found is not None and found.risk >= RiskClass.C2:
        yield _("Why"), " ".join(reasons_of(found))
    if call.proposed.safety is not None:
        yield _("Why"), _("The model’s service requires your confirmation.")


def of_call(call: Call, asked_s: float | None) -> Facts:
    """All facts about a call. `asked_s`: how long a question about it was open."""
    proposed, found, performed = call.proposed, call.assessment, call.performed
    yield _("Call"), _in_line(proposed.name, proposed.call_id)
    yield _("Arguments"), _arguments(proposed.arguments_json)
    if call.action is not None:
        yield _("Where"), action_words(call.action, limit=_LINE).where
    yield _("Not understood"), proposed.error
    yield _("Assumed"), proposed.note
    if found is not None:
        categories = ", ".join(category_words(category) for category in found.categories)
        risk = f"{found.risk.name}, {risk_phrase(found.risk)}"
        yield _("Class"), f"{risk}: {categories}" if categories else risk
        yield _("Rule"), found.rule
        yield _("Reasons"), "\n".join([*reasons_of(found), unread_words(found)]).strip()
    if proposed.safety is not None:
        safety = proposed.safety
        parts = (safety.source, safety.decision, safety.explanation)
        yield _("The model’s service"), ": ".join(filter(None, parts))
    if (badge := call_badge(call)) is not None:
        yield _("Decision"), badge.text
    yield _("Answered after"), duration_words(asked_s) if asked_s else ""
    yield _("Your note"), call.feedback
    yield _("Shown before it ran"), duration_words(call.lead_s) if call.lead_s else ""
    if performed is not None:
        parts = (outcome_word(outcome_of(call)), performed.detail, performed.reason)
        yield _("Result"), ": ".join(filter(None, parts))
        yield _("Method"), performed.method
        yield _("Sent"), _sent(performed.delivered, performed.total)
        took_ms = performed.duration_s * 1000
        yield _("Carried out in"), _("{milliseconds:.0f} ms").format(milliseconds=took_ms) if took_ms else ""


def _sent(delivered: int, total: int) -> str:
    return _("{delivered:,} of {total:,}").format(delivered=delivered, total=total) if total else ""


def readable(data: bytes) -> str:
    """A stored answer as text; JSON with line breaks."""
    words = data.decode("utf-8", "replace")
    try:
        return as_json(json.loads(words))
    except (ValueError, RecursionError):
        return words


def as_json(value: object) -> str:
    """JSON for reading."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def _arguments(source: str) -> str:
    return "" if source in ("", "{}") else readable(source.encode("utf-8", "backslashreplace"))


def _in_line(*parts: str) -> str:
    return " · ".join(filter(None, parts))
