"""The top of the page, how the session ended and its figures, and its end, whether the record is intact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from operator_console.domain.events import EndedOutcome
from operator_console.domain.proposals import CallStatus
from operator_console.domain.translations import _
from operator_console.ui.reading_page.markup import Markup, tag
from operator_console.ui.reading_page.reading import Reading, Run, Spent
from operator_console.ui.texts import reading_page as texts
from operator_console.ui.view.call_words import outcome_word
from operator_console.ui.view.session_view import Call
from operator_console.ui.view.timeline_entries import call_badge, decided_by_you
from operator_console.ui.view.usage_words import costs_words, tokens_words, usage_line
from operator_console.ui.view.words import duration_words, names_of, stopped_words, task_line


class Finding(StrEnum):
    """What the verification of the record found."""

    INTACT = "intact"
    ELSEWHERE = "elsewhere"
    DAMAGED = "damaged"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The verification of the record, made together with the page.

    Attributes:
        last_hash: of the last event; "" if there is none.
        sentences: what is wrong, and what the verification does not cover.
        live: whether the session was still being written.
        time: when it was verified, RFC 3339.
        version: of the program that made the page.
    """

    finding: Finding
    events: int
    blobs: int
    last_hash: str
    sentences: tuple[str, ...]
    live: bool
    time: str
    version: str


def heading(reading: Reading) -> str:
    """The title of the page: the first line of the task."""
    started = reading.started
    if started is None or not started.task.strip():
        return texts.NO_TASK
    return task_line(started.task, 200, runbook=started.provider == "runbook")


def header(reading: Reading, checked: Checked) -> Markup:
    """The top of the page."""
    title, task = heading(reading), reading.started.written.strip() if reading.started is not None else ""
    whole = tag("details", tag("summary", texts.WHOLE_TASK), tag("pre", task)) if task and task != title else ""
    damaged = tag("p", texts.DAMAGED, class_="damaged") if checked.finding is Finding.DAMAGED else ""
    return tag(
        "header",
        tag("p", f"{texts.RECORD} · {date(reading.created)}", class_="kind"),
        tag("h1", title),
        whole,
        damaged,
        _outcome(reading, live=checked.live),
        tag("dl", *_figures(reading, checked), class_="figures"),
        tag("p", texts.TYPED, class_="notice"),
        tag("p", texts.YOU, class_="quiet"),
    )


def footer(reading: Reading, checked: Checked) -> Markup:
    """The end of the page."""
    facts = (
        (texts.CHECKED, f"{date(checked.time)} · {texts.extent(checked.events, checked.blobs)}"),
        (texts.SESSION_ID, reading.session_id),
        (texts.LAST_HASH, checked.last_hash),
    )
    return tag(
        "footer",
        tag("h2", texts.INTEGRITY, id="integrity"),
        tag("p", tag("strong", _FINDINGS[checked.finding]), class_=f"finding {checked.finding.value}"),
        *(tag("p", sentence) for sentence in checked.sentences),
        facts_list(facts),
        tag("p", texts.made_by(checked.version), class_="quiet"),
    )


def run_line(run: Run, *, live: bool) -> str:
    """One run among several, in one line."""
    words, _, _ = _ending(run, live=live)
    started = run.started
    about = (started.target.title, _model(run), _autonomy(run)) if started is not None else ()
    return " · ".join(part for part in (words, duration_words(run.spent.whole_s), *about) if part)


def facts_list(facts: Iterable[tuple[str, str]]) -> Markup:
    """Names and values, without the empty ones."""
    rows = [tag("div", tag("dt", name), tag("dd", value)) for name, value in facts if value]
    return tag("dl", *rows, class_="facts-list") if rows else Markup()


def date(time: str) -> str:
    """An RFC 3339 time in UTC to the second."""
    return f"{time.partition('.')[0].replace('T', ' ').removesuffix('Z')} UTC"


def went_well(call: Call) -> bool:
    """Whether a call was carried out."""
    return call.performed is not None and call.performed.status is CallStatus.DONE


_FINDINGS = {Finding.INTACT: texts.INTACT, Finding.ELSEWHERE: texts.ELSEWHERE, Finding.DAMAGED: texts.DAMAGED}
_FINDINGS_BRIEF = {
    Finding.INTACT: texts.INTACT_BRIEF,
    Finding.ELSEWHERE: texts.ELSEWHERE_BRIEF,
    Finding.DAMAGED: texts.DAMAGED_BRIEF,
}
_TONES = {
    EndedOutcome.FINISHED: "good",
    EndedOutcome.FAILED: "bad",
    EndedOutcome.STOPPED: "bad",
    EndedOutcome.LIMIT: "warn",
}


def _outcome(reading: Reading, *, live: bool) -> Markup:
    words, tone, detail = _ending(reading.runs[-1] if reading.runs else None, live=live)
    took = f" · {duration_words(_spent(reading).whole_s)}" if reading.runs else ""
    said = tag("p", detail, class_="said") if detail else ""
    head = tag("p", tag("strong", words), took, class_="result")
    return tag("div", head, said, class_=f"outcome {tone}", role="group", aria_label=texts.OUTCOME)


def _ending(run: Run | None, *, live: bool) -> tuple[str, str, str]:
    """How a run ended: its words, their tone, and a sentence."""
    if run is not None and run.ended is not None:
        outcome = run.ended.outcome
        stopped = outcome is EndedOutcome.STOPPED and run.stopped is not None
        words = stopped_words(run.stopped.reason) if stopped and run.stopped else texts.OUTCOMES[outcome]
        return words, _TONES[outcome], run.ended.message
    if live:
        return texts.RUNNING, "warn", ""
    if run is not None and run.stopped is not None:
        return stopped_words(run.stopped.reason), "bad", run.stopped.detail
    return texts.INTERRUPTED, "warn", texts.INTERRUPTED_DETAIL


def _figures(reading: Reading, checked: Checked) -> Iterator[Markup]:
    spent, several = _spent(reading), len(reading.runs) > 1
    first = reading.runs[0] if reading.runs else None
    started = reading.started
    yield _figure(texts.DURATION, duration_words(spent.whole_s), _shares(spent))
    limit = texts.step_limit(started.max_steps) if started is not None and not several else ""
    count = sum(step.proposed is not None for step in reading.steps)
    yield _figure(texts.STEPS, str(count), texts.runs(len(reading.runs)) if several else limit)
    calls = [call for step in reading.steps for call in step.calls]
    yield _figure(texts.ACTIONS, *_counts(outcome_word(call) for call in calls))
    badges = (call_badge(call) for call in calls if decided_by_you(call))
    yield _figure(texts.DECISIONS, *_counts(texts.without_you(badge.text) for badge in badges if badge is not None))
    if tokens := tokens_words(reading.used):
        usage = reading.used.usage
        kinds = usage_line(usage).partition(" (")[2].removesuffix(")") if usage.reported else ""
        yield _figure(texts.TOKENS, tokens, kinds)
    if costs := costs_words(reading.used.costs):
        yield _figure(texts.COST, costs)
    if first is not None and started is not None:
        yield _figure(texts.TARGET, started.target.title, started.target.spec)
        also = [started.provider if started.model not in ("", started.provider) else ""]
        also += [texts.profile(started.profile) if started.profile else ""]
        yield _figure(texts.MODEL, _model(first), " · ".join(filter(None, also)))
        yield _figure(texts.AUTONOMY, _autonomy(first))
    link = tag("a", _FINDINGS_BRIEF[checked.finding], href="#integrity")
    yield tag("div", tag("dt", texts.INTEGRITY), tag("dd", link))


def _figure(name: str, value: str, more: str = "") -> Markup:
    also = tag("span", more, class_="quiet") if more else ""
    return tag("div", tag("dt", name), tag("dd", value, " " if more else "", also))


def _model(run: Run) -> str:
    return run.started.model or run.started.provider if run.started is not None else ""


def _autonomy(run: Run) -> str:
    if run.started is None:
        return ""
    words = texts.AUTONOMIES[run.started.autonomy]
    return texts.also_allowed(words, names_of(run.started.allow)) if run.started.allow else words


def _spent(reading: Reading) -> Spent:
    return sum((run.spent for run in reading.runs), start=Spent(whole_s=0.0, you_s=0.0, paused_s=0.0))


def _shares(spent: Spent) -> str:
    parts = [texts.machine_time(duration_words(spent.machine_s))]
    parts += [_("you {time}").format(time=duration_words(spent.you_s))] if spent.you_s >= 0.05 else []
    parts += [_("paused {time}").format(time=duration_words(spent.paused_s))] if spent.paused_s >= 0.05 else []
    return " · ".join(parts)


def _counts(words: Iterable[str]) -> tuple[str, str]:
    counted = Counter(words)
    parts = " · ".join(f"{count} {word}" for word, count in counted.most_common())
    return (str(counted.total()), parts) if counted else (texts.NONE, "")
