"""One step of the page: a readable line a call, the picture with its marks, and everything else folded. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from operator_console.domain.events import Observed, Retrying
from operator_console.domain.geometry import Size
from operator_console.ui.reading_page import call_facts
from operator_console.ui.reading_page.head_and_foot import facts_list, went_well
from operator_console.ui.reading_page.marks_svg import marks_svg
from operator_console.ui.reading_page.markup import Markup, joined, tag, text
from operator_console.ui.reading_page.pictures import ShownPicture
from operator_console.ui.reading_page.reading import Reading, Run
from operator_console.ui.stage.plan_marks import marks_of_step
from operator_console.ui.texts import reading_page as texts
from operator_console.ui.view.call_words import call_result, ways_words
from operator_console.ui.view.session_view import Call, Step
from operator_console.ui.view.timeline_entries import Badge, call_badge, decided_by_you, entry_of
from operator_console.ui.view.words import window_words

_MOST_TEXT, _MOST_RAW = 200_000, 20_000
"""Characters of a text that was typed, and of an answer; more is in the session file only."""


@dataclass(frozen=True, slots=True)
class _Placed:
    """A picture that is in the page: its number, and the run and step that it was first shown with."""

    number: int
    run: int
    step: int
    shown: ShownPicture | None


class StepSections:
    """Makes the sections of the steps, in their order. `made`: how many it has made."""

    def __init__(
        self, reading: Reading, pictures: Iterator[ShownPicture | None], answer: Callable[[str], bytes | None]
    ) -> None:
        """As for `page.write_page`."""
        self.made = 0
        self._reading = reading
        self._pictures = pictures
        self._answer = answer
        self._placed: dict[str, _Placed] = {}
        self._uses = Counter(step.observed.picture for step in reading.steps if step.observed is not None)

    def section(self, run: Run, step: Step) -> Markup:
        """The section of a step. Raises RecordError."""
        self.made += 1
        name = run.anchor(step)
        number = tag("a", str(step.number), href=f"#{name}", aria_label=texts.step(step.number), class_="no")
        return tag(
            "section",
            tag("h3", number, " ", _title(step), id=f"{name}-title"),
            tag("p", *_facts(step), class_="facts"),
            _said(run, step),
            _retries(self._reading.retries.get((run.number, step.number), ())),
            _calls(step),
            self._picture(run, step),
            self._details(run, step),
            class_=" ".join(["step", *kinds(step)]), aria_labelledby=f"{name}-title", id=name,
        )  # fmt: skip

    def _picture(self, run: Run, step: Step) -> Markup:
        seen = step.observed
        if seen is None or not seen.picture:
            return Markup()
        placed = self._placed.get(seen.picture)
        first = placed is None
        if placed is None:
            placed = _Placed(len(self._placed) + 1, run.number, step.number, next(self._pictures, None))
            self._placed[seen.picture] = placed
        if placed.shown is None:
            return tag("p", texts.PICTURE_MISSING, class_="quiet missing")
        marks = marks_of_step(step)
        alt = texts.picture_of(step.number, window_words(seen, None), [f"{m.number}. {m.label}" for m in marks])
        box = f"zoom-{run.anchor(step)}"
        words = (tag("span", texts.ACTUAL_SIZE, class_="larger"), tag("span", texts.CLOSE, class_="smaller"))
        caption = [tag("label", *words, for_=box, aria_hidden="true")]
        if not first:
            other = placed.run if placed.run != run.number else None
            caption.append(tag("span", texts.same_picture(placed.step, other)))
        if placed.shown.lossy:
            caption.append(tag("span", texts.LIGHTER_PICTURE))
        switch = tag("input", type="checkbox", id=box, class_="zoom", aria_label=texts.actual_size_of(step.number))
        screen = self._screen(seen, placed, placed.shown, alt, first=first)
        frame = tag("label", screen, marks_svg(marks, seen.geometry.native), class_="frame", for_=box)
        return tag("figure", switch, frame, tag("figcaption", *caption))

    def _screen(self, seen: Observed, placed: _Placed, shown: ShownPicture, alt: str, *, first: bool) -> Markup:
        # Each distinct picture is stored once. SVG can show one again, but loads more slowly than `img`.
        native = seen.geometry.native
        if self._uses[seen.picture] == 1:
            return tag("img", alt=alt, loading="lazy", decoding="async", src=shown.address, class_="screen",
                       width=native.width, height=native.height)  # fmt: skip
        return _shared_screen(f"picture-{placed.number}", shown.address if first else "", native, alt)

    def _details(self, run: Run, step: Step) -> Markup:
        seen, proposed = step.observed, step.proposed
        parts: list[Markup] = []
        for call in step.calls:
            facts = facts_list(call_facts.of_call(call, self._reading.asked.get((run.number, call.step, call.index))))
            parts += [tag("h4", texts.action(call.index + 1)) if len(step.calls) > 1 else Markup(), facts]
        window = window_words(seen, run.started.target if run.started is not None else None) if seen is not None else ""
        parts.append(tag("h4", texts.THE_STEP))
        parts.append(facts_list(call_facts.of_step(step, window)))
        data = self._answer(proposed.raw) if proposed is not None and proposed.raw else None
        if data is not None:
            raw = tag("pre", _cut(call_facts.readable(data), _MOST_RAW))
            parts.append(tag("details", tag("summary", texts.RAW_ANSWER), raw, class_="raw"))
        return tag("details", tag("summary", texts.DETAILS), *parts, class_="more")


def kinds(step: Step) -> list[str]:
    """For the filter: whether the human decided something, and whether something did not go as planned."""
    found = ["you"] if any(map(decided_by_you, step.calls)) else []
    planned = step.proposed is not None and all(map(went_well, step.calls))
    return found if planned else [*found, "off"]


def clock(time: str) -> Markup:
    """The time of day of an RFC 3339 time."""
    words = time.partition("T")[2].partition(".")[0].removesuffix("Z")
    return tag("time", words, datetime=time) if words else Markup()


def _title(step: Step) -> str:
    match step.calls:
        case ():
            return entry_of(step).title
        case (call,):
            return call_facts.line(call)
        case calls:
            return texts.actions(len(calls))


def _facts(step: Step) -> Iterator[Markup]:
    entry = entry_of(step)
    yield clock(step.began)
    if entry.badge is not None:
        yield joined(" ", _chip(entry.badge))
    for words, kind in ((entry.detail, None), (entry.time, "quiet"), (entry.human, "quiet")):
        if words:
            yield joined(" ", tag("span", words, class_=kind))


def _said(run: Run, step: Step) -> Markup:
    if step.proposed is None:
        return Markup()
    runbook = run.started is not None and run.started.provider == "runbook"
    says = texts.RUNBOOK_SAYS if runbook else texts.MODEL_SAYS
    said = ((texts.MODEL_THINKS, step.proposed.thoughts), (says, step.proposed.narration))
    return joined(*(_quote(heading, words) for heading, words in said if words.strip()))


def _quote(heading: str, words: str) -> Markup:
    return tag("blockquote", tag("p", heading, class_="quiet"), tag("pre", words.strip()))


def _retries(retries: tuple[Retrying, ...]) -> Markup:
    if not retries:
        return Markup()
    lines = [tag("li", texts.retry(each.attempt, each.of, each.wait_s, each.reason)) for each in retries]
    return tag("details", tag("summary", texts.retried(len(retries))), tag("ul", *lines))


def _calls(step: Step) -> Markup:
    alone = len(step.calls) == 1
    parts = [_call(call, alone=alone) for call in step.calls]
    if alone:
        return tag("div", parts[0], class_="calls") if parts[0] else Markup()
    return tag("ol", *(tag("li", part) for part in parts), class_="calls") if parts else Markup()


def _call(call: Call, *, alone: bool) -> Markup:
    """A call alone has its line and its result in the head of the step."""
    parts: list[Markup] = []
    if not alone:
        badge, result = call_badge(call), call_result(call)
        parts.append(tag("p", call_facts.line(call), class_="line"))
        words = tag("span", result) if result else ""
        parts.append(tag("p", _chip(badge) if badge is not None else "", " ", words, class_="facts"))
    for name, value in call_facts.in_sight(call):
        parts.append(tag("p", tag("span", f"{name}: ", class_="quiet"), value))
    if not alone and (ways := ways_words(call.proposed)):
        parts.append(tag("p", ways, class_="quiet"))
    if whole := call_facts.long_text(call):
        parts.append(tag("details", tag("summary", texts.whole_text(len(whole))), tag("pre", _cut(whole, _MOST_TEXT))))
    return joined(*parts)


def _shared_screen(name: str, address: str, native: Size, alt: str) -> Markup:
    """A picture of several steps; `address`: where it is stored, "" if that is at an earlier step."""
    size = {"width": str(native.width), "height": str(native.height)}
    image = tag("image", id=name, preserveAspectRatio="none", href=address, **size) if address else ""
    return tag(
        "svg", image or tag("use", href=f"#{name}"), viewBox=f"0 0 {native.width} {native.height}", role="img",
        aria_label=alt, class_="screen", **size,
    )  # fmt: skip


def _chip(badge: Badge) -> Markup:
    return tag("span", badge.text, class_=f"chip {badge.tone.value}")


def _cut(words: str, limit: int) -> Markup:
    if len(words) <= limit:
        return text(words)
    return joined(text(words[:limit]), "\n", texts.rest_left_out(len(words) - limit))
