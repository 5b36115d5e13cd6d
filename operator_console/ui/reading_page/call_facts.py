"""What the page says about a call and a request: one line, and the facts in its folded details. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterator

from operator_console.domain.decisions import DecisionKind
from operator_console.domain.events import Observed, Proposed
from operator_console.domain.prices import money_text
from operator_console.domain.risk import RiskClass
from operator_console.domain.translations import _
from operator_console.engine.action_wording import action_words, exact_text
from operator_console.ui.texts import reading_page as texts
from operator_console.ui.texts.timeline import paused_time, seconds, your_time
from operator_console.ui.view.call_words import action_title, call_title, unread_words
from operator_console.ui.view.page_words import page_facts
from operator_console.ui.view.session_view import Call, Step
from operator_console.ui.view.step_times import times_of
from operator_console.ui.view.timeline_entries import call_badge, wait_title
from operator_console.ui.view.usage_words import usage_line
from operator_console.ui.view.words import CATEGORY_WORDS, size_words

_LINE = 160
"""Characters of a text in the line of a call; a longer one is also there in full, folded."""


def line(call: Call) -> str:
    """One call in a readable line, as in the timeline."""
    title = wait_title(call)
    if call.action is None or title != call_title(call):
        return title
    return action_title(call.action, call.assessment, limit=_LINE)


def long_text(call: Call) -> str:
    """The whole text that was to be typed, run or opened, where the line does not show all of it."""
    if call.action is None:
        return ""
    whole = exact_text(call.action, call.assessment)
    return whole if len(whole) > _LINE or "\n" in whole else ""


def in_sight(call: Call) -> Iterator[tuple[str, str]]:
    """What is shown without unfolding."""
    if call.decision is DecisionKind.MODIFY and call.proposed.action is not None:
        yield texts.EDITED_FROM, action_title(call.proposed.action, call.proposed.assessment, limit=_LINE)
    if call.proposed.intent:
        yield texts.INTENT, call.proposed.intent
    found = call.assessment
    if found is not None and found.risk >= RiskClass.C2 and found.reasons:
        yield texts.REASON, " ".join(found.reasons)
    if call.proposed.safety is not None:
        yield texts.REASON, texts.SERVICE_CHECK


def of_call(call: Call, asked_s: float | None) -> Iterator[tuple[str, str]]:
    """All facts about a call, some of them empty. `asked_s`: how long a question about it was open."""
    proposed, found, performed = call.proposed, call.assessment, call.performed
    yield texts.CALL, " · ".join(part for part in (proposed.name, proposed.call_id) if part)
    yield texts.ARGUMENTS, _arguments(proposed.arguments_json)
    if call.action is not None:
        yield texts.PLACE, action_words(call.action, limit=_LINE).where
    yield texts.NOT_UNDERSTOOD, proposed.error
    yield texts.ASSUMED, proposed.note
    if found is not None:
        categories = ", ".join(CATEGORY_WORDS[category] for category in found.categories)
        yield texts.RISK, texts.risk(found.risk.name, found.risk.word, categories)
        yield texts.RULE, found.rule
        yield texts.REASONS, "\n".join([*found.reasons, unread_words(found)]).strip()
    if proposed.safety is not None:
        safety = proposed.safety
        yield texts.SERVICE_SAYS, ": ".join(p for p in (safety.source, safety.decision, safety.explanation) if p)
    badge = call_badge(call)
    if badge is not None:
        yield texts.DECISION, texts.decided_by_rule(badge.text, call.rule)
    yield texts.ANSWERED_AFTER, seconds(asked_s) if asked_s else ""
    yield texts.FEEDBACK, call.feedback
    yield texts.LEAD, seconds(call.lead_s) if call.lead_s else ""
    if performed is not None:
        words = (performed.status.value.replace("_", " "), performed.detail, performed.reason)
        yield texts.RESULT, ": ".join(part for part in words if part)
        yield texts.METHOD, performed.method
        yield texts.SENT, texts.sent_of(performed.delivered, performed.total) if performed.total else ""
        yield texts.TOOK, f"{performed.duration_s * 1000:.0f} ms" if performed.duration_s else ""


def of_step(step: Step, window: str) -> Iterator[tuple[str, str]]:
    """All facts about a step, some of them empty. `window`: that gets the input."""
    seen, proposed = step.observed, step.proposed
    yield texts.TIMES, _times(step)
    yield texts.WINDOW, window
    if seen is not None:
        yield from zip((texts.ADDRESS, _("Tabs"), _("The page waits")), page_facts(seen), strict=True)
        yield texts.PICTURE, _picture(seen)
        yield texts.DIGEST, seen.picture
    if proposed is not None:
        yield texts.REQUEST, _request(proposed)
        yield texts.RAW_DIGEST, proposed.raw


def _times(step: Step) -> str:
    times = times_of(step)
    shares = (times.think_s, times.decide_s, times.act_s, times.settle_s)
    parts = [
        texts.share(name, seconds(value)) for name, value in zip(texts.SHARES, shares, strict=True) if value >= 0.05
    ]
    parts += [your_time(times.you_s)] if times.you_s >= 0.05 else []
    parts += [paused_time(times.paused_s)] if times.paused_s >= 0.05 else []
    return " · ".join(parts)


def _request(proposed: Proposed) -> str:
    parts = [
        size_words(proposed.request_bytes) if proposed.request_bytes else "",
        texts.answered_in(seconds(proposed.latency_s)) if proposed.latency_s else "",
        usage_line(proposed.usage) if proposed.usage.reported else "",
        money_text(proposed.cost) if proposed.cost is not None else "",
    ]
    return " · ".join(part for part in parts if part)


def _picture(seen: Observed) -> str:
    sent, native = seen.geometry.sent, seen.geometry.native
    scaled = texts.of_target(native.width, native.height) if sent != native else ""
    size = size_words(seen.picture_bytes) if seen.picture_bytes else ""
    return " · ".join(part for part in (f"{sent.width} × {sent.height}", scaled, size, seen.note) if part)


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
