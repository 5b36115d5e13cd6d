"""Everything that is known about a step, as named facts for the inspector. Pure."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto

from operator_console.domain.decisions import DecisionKind
from operator_console.domain.translations import _, current
from operator_console.engine.action_wording import control_words, quoted, shortened
from operator_console.engine.visible_text import shown_lines
from operator_console.ui.view.call_words import (
    action_title,
    assessed_words,
    call_result,
    reasons_of,
    said_heading,
    window_hit,
)
from operator_console.ui.view.chunked_list import ChunkedList
from operator_console.ui.view.page_words import page_facts
from operator_console.ui.view.session_view import Call, Note, SessionView, Step, parse_time
from operator_console.ui.view.step_times import times_of
from operator_console.ui.view.timeline_entries import call_badge
from operator_console.ui.view.usage_words import costs_words
from operator_console.ui.view.words import (
    category_words,
    count_words,
    duration_words,
    risk_word,
    size_words,
    window_words,
)

Fact = tuple[str, str]
LONGEST = 4_000
"""Characters of a fact; the exact text is in the documents."""


def call_facts(call: Call, view: SessionView, step: Step) -> tuple[Fact, ...]:
    """What was proposed, decided and done about one call."""
    facts: list[Fact] = []
    proposed = call.proposed
    if call.action is not None:
        facts.append((_("Action"), action_title(call.action, call.assessment, limit=LONGEST)))
        facts.append((_("Where"), assessed_words(call.action, None, limit=300).where))
    else:
        facts.append((_("Action"), proposed.name))
    if call.decision is DecisionKind.MODIFY and proposed.action is not None:
        facts.append((_("Proposed by the model"), action_title(proposed.action, proposed.assessment, limit=LONGEST)))
    facts += _place_facts(call, view, step)
    facts += _risk_facts(call)
    badge = call_badge(call)
    facts.append((_("Decision"), " · ".join(part for part in (badge.text if badge else "", _clock(call)) if part)))
    facts.append((_("Your note"), call.feedback))
    facts += _result_facts(call)
    facts.append((said_heading(view), proposed.intent))
    facts.append((_("Remark"), proposed.note))
    facts.append((_("Problem"), proposed.error))
    return _shown(facts)


def _place_facts(call: Call, view: SessionView, step: Step) -> list[Fact]:
    control = control_words(replace(call.control, window=""), limit=300) if call.control is not None else ""
    window = window_hit(call, replace(view, items=ChunkedList((step,))))
    return [(_("On"), control or (quoted(call.label, 300) if call.label else "")), (_("Window"), window)]


def _risk_facts(call: Call) -> list[Fact]:
    assessment, safety = call.assessment, call.proposed.safety
    facts: list[Fact] = []
    if assessment is not None:
        level = risk_word(assessment.risk)
        categories = ", ".join(category_words(each) for each in assessment.categories)
        facts.append((_("Risk"), f"{level} · {categories}" if categories else level))
        facts.append((_("Rule"), call.rule or assessment.rule))
        facts.append((_("Why"), " ".join(reasons_of(assessment))))
    elif call.rule:
        facts.append((_("Rule"), call.rule))
    if safety is not None:
        facts.append((_("Service’s check"), " · ".join(part for part in (safety.decision, safety.explanation) if part)))
    return facts


def _result_facts(call: Call) -> list[Fact]:
    performed = call.performed
    facts = [(_("Result"), call_result(call))]
    if performed is None:
        return facts
    if performed.detail and performed.detail not in facts[0][1]:
        facts.append((_("Details"), performed.detail))
    facts.append((_("Typed or used by"), performed.method))
    if performed.total:
        facts.append(
            (
                _("Sent"),
                _("{delivered} of {total} characters or events").format(
                    delivered=performed.delivered, total=performed.total
                ),
            )
        )
    return facts


def step_facts(step: Step, view: SessionView) -> tuple[Fact, ...]:
    """What is known about the whole step: what the model saw, said and used."""
    facts: list[Fact] = []
    proposed, seen = step.proposed, step.observed
    if proposed is not None:
        facts.append((_("The model says (not verified)"), proposed.narration))
        facts.append(
            (_("The model thinks (not verified)"), proposed.thoughts if proposed.thoughts != proposed.narration else "")
        )
        size = size_words(proposed.request_bytes) if proposed.request_bytes else ""
        took = proposed.latency_s
        answered = _("answered in {time}").format(time=duration_words(took)) if took else ""
        facts.append((_("Request"), " · ".join(part for part in (size, answered) if part)))
        usage = proposed.usage
        counts = (
            (_("{count} input"), usage.input_tokens), (_("{count} cached"), usage.cached_tokens),
            (_("{count} pictures"), usage.image_tokens), (_("{count} output"), usage.output_tokens),
            (_("{count} thinking"), usage.thought_tokens),
        )  # fmt: skip
        facts.append((_("Tokens"), " · ".join(words.format(count=count_words(n)) for words, n in counts if n)))
        facts.append((_("Cost"), costs_words((proposed.cost,)) if proposed.cost is not None else ""))
    if seen is not None:
        native = seen.geometry.native
        size = size_words(seen.picture_bytes) if seen.picture_bytes else ""
        facts.append((_("Picture"), " · ".join(part for part in (f"{native.width} × {native.height}", size) if part)))
        target = view.started.target if view.started is not None else None
        facts.append((_("Focus"), window_words(seen, target)))
        facts.extend(zip((_("Page"), _("Tabs"), _("The page waits")), page_facts(seen), strict=True))
    facts.append((_("When"), _local(step.began)))
    return _shown(facts)


def note_facts(note: Note) -> tuple[Fact, ...]:
    """What a note says, in full."""
    return _shown([(_("Details"), note.detail), (_("When"), _local(note.time))])


class TimePart(Enum):
    """What a part of a step's time was taken by."""

    THINKING = auto()
    CHECKS = auto()
    YOU = auto()
    PAUSED = auto()
    ACTING = auto()
    SETTLING = auto()


def time_part_words(part: TimePart, seconds: float) -> str:
    """A part of a step's time, and how long it was."""
    time = duration_words(seconds)
    match part:
        case TimePart.THINKING:
            return _("Thinking {time}").format(time=time)
        case TimePart.CHECKS:
            return _("Checks {time}").format(time=time)
        case TimePart.YOU:
            return _("You {time}").format(time=time)
        case TimePart.PAUSED:
            return _("Paused {time}").format(time=time)
        case TimePart.ACTING:
            return _("Acting {time}").format(time=time)
        case TimePart.SETTLING:
            return _("Settling {time}").format(time=time)


def parts_of(step: Step) -> tuple[tuple[TimePart, float], ...]:
    """The parts of a step's time that took at least a twentieth of a second."""
    times = times_of(step)
    parts = (
        (TimePart.THINKING, times.think_s), (TimePart.CHECKS, times.decide_s), (TimePart.YOU, times.you_s),
        (TimePart.PAUSED, times.paused_s), (TimePart.ACTING, times.act_s), (TimePart.SETTLING, times.settle_s),
    )  # fmt: skip
    return tuple((part, seconds) for part, seconds in parts if seconds >= 0.05)


def _shown(facts: list[Fact]) -> tuple[Fact, ...]:
    return tuple(
        (name, shown_lines(shortened(value.strip(), LONGEST, current()))) for name, value in facts if value.strip()
    )


def _clock(call: Call) -> str:
    return _local(call.decided_at)


def _local(time: str) -> str:
    parsed = parse_time(time)
    return parsed.astimezone().strftime("%H:%M:%S") if parsed is not None else ""
