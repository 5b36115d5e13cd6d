"""Writes the page: outcome first, contents, then each run with its steps, and last whether the record is intact.

One file without scripts and without foreign resources; its content security policy allows nothing but its own style and
pictures. It is written bit by bit, so that a long session does not need more memory than a short one.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterator
from typing import TextIO

from operator_console.engine.action_wording import cancelled_words, in_flight_words
from operator_console.resource_files import resource_path
from operator_console.ui.reading_page.call_facts import as_json
from operator_console.ui.reading_page.head_and_foot import Checked, facts_list, footer, header, heading, run_line
from operator_console.ui.reading_page.markup import Markup, closed, joined, opened, tag
from operator_console.ui.reading_page.pictures import ShownPicture
from operator_console.ui.reading_page.reading import Reading, Run
from operator_console.ui.reading_page.step_section import StepSections, clock, kinds
from operator_console.ui.texts import reading_page as texts
from operator_console.ui.view.session_view import Note, NoteKind
from operator_console.ui.view.timeline_entries import Row, WaitsRow, entry_of_row


def write_page(
    out: TextIO,
    reading: Reading,
    checked: Checked,
    pictures: Iterator[ShownPicture | None],
    answer: Callable[[str], bytes | None],
    *,
    picture_files: bool = False,
    on_progress: Callable[[int, int], None] | None = None,
) -> None:
    """Write the whole page. Raises OSError, and RecordError from `pictures` and `answer`.

    Args:
        pictures: those of `Reading.pictures`, in that order.
        answer: gives a model's stored answer by its digest.
        picture_files: whether the pictures are files beside the page.
        on_progress: called with how many steps are written, of how many. What it raises ends the writing.
    """
    style = resource_path("styles", "reading_page.css").read_text(encoding="utf-8")
    several = len(reading.runs) > 1
    out.write('<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n')
    out.write(tag("meta", http_equiv="Content-Security-Policy", content=_policy(style, picture_files=picture_files)))
    out.write('\n<meta name="viewport" content="width=device-width, initial-scale=1">\n')
    out.write('<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">\n')
    out.write(tag("title", f"{heading(reading)} — {texts.RECORD}"))
    out.write(f"\n<style>{style}</style></head>\n<body>\n")
    out.write(tag("a", texts.SKIP, class_="skip", href="#steps"))
    out.write(header(reading, checked))
    out.write(f'\n<div class="columns">\n{_contents(reading)}\n')
    out.write(opened("main", id="steps", tabindex=-1))
    sections = StepSections(reading, pictures, answer)
    count = sum(1 for _ in reading.steps)
    for run in reading.runs:
        last = run is reading.runs[-1]
        line = run_line(run, live=checked.live and last) if several else ""
        for part in _run(run, reading, sections, line):
            out.write(part)
            out.write("\n")
            if on_progress is not None:
                on_progress(sections.made, count)
    if not any(reading.steps):
        out.write(tag("p", texts.NO_STEPS, class_="quiet"))
    out.write(_unknown(reading))
    out.write(f"</main>\n</div>\n{footer(reading, checked)}\n</body></html>\n")


def _policy(style: str, *, picture_files: bool) -> str:
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii")
    pictures = "file: 'self'" if picture_files else "data:"
    return f"default-src 'none'; img-src {pictures}; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def _contents(reading: Reading) -> Markup:
    choices = [
        tag("label", tag("input", type="radio", name="show", id=f"show-{key}", checked=key == "all"), words)
        for key, words in (("all", texts.ALL_STEPS), ("you", texts.BY_YOU), ("off", texts.NOT_AS_PLANNED))
    ]
    details = tag("label", tag("input", type="checkbox", id="all-details"), texts.ALL_DETAILS)
    lists = []
    for run in reading.runs:
        link = tag("a", texts.run(run.number, len(reading.runs)), href=f"#run-{run.number}")
        rows = tag("ol", *(_content(run, row) for row in run.rows))
        lists.append(joined(tag("h3", link) if len(reading.runs) > 1 else "", rows))
    return tag(
        "nav",
        tag("h2", texts.CONTENTS, id="contents"),
        tag("fieldset", tag("legend", texts.SHOW), *choices, details),
        tag("div", *lists, class_="lists"),
        aria_labelledby="contents",
    )


def _content(run: Run, row: Row) -> Markup:
    entry = entry_of_row(row)
    words = joined(tag("b", entry.number), entry.title) if entry.number else entry.title
    if isinstance(row, WaitsRow):
        return tag("li", tag("a", words, href=f"#waits-{run.anchor(row.steps[0])}"))
    if isinstance(row.item, Note):
        if row.item.kind in (NoteKind.RUN, NoteKind.END):
            return Markup()
        return tag("li", tag("a", words, href=f"#event-{row.item.seq}"), class_=f"event {row.item.kind.value}")
    return tag("li", tag("a", words, href=f"#{run.anchor(row.item)}"), class_=" ".join(kinds(row.item)) or None)


def _run(run: Run, reading: Reading, sections: StepSections, line: str) -> Iterator[Markup]:
    name = f"run-{run.number}"
    title = texts.run(run.number, len(reading.runs)) if line else texts.STEPS
    yield joined(opened("section", aria_labelledby=name, class_="run"), tag("h2", title, id=name))
    if line:
        yield tag("p", line, class_="quiet run-line")
    for place, row in enumerate(run.rows):
        if isinstance(row, WaitsRow):
            entry = entry_of_row(row)
            facts = " · ".join(part for part in (entry.detail, entry.time) if part)
            words = joined(tag("b", entry.number), " ", entry.title, " ", tag("span", facts, class_="quiet"))
            anchor = f"waits-{run.anchor(row.steps[0])}"
            yield joined(opened("details", class_="waits", id=anchor), tag("summary", words))
            for step in row.steps:
                yield sections.section(run, step)
            yield closed("details")
        elif isinstance(row.item, Note):
            # The head of the page has said how the first run started.
            if place or run.number > 1 or row.item.kind is not NoteKind.RUN:
                yield _note(row.item, reading)
        else:
            yield sections.section(run, row.item)
    yield closed("section")


def _note(note: Note, reading: Reading) -> Markup:
    name = f"event-{note.seq}"
    return tag(
        "section",
        tag("p", clock(note.time), " ", tag("strong", note.title, id=f"{name}-title"), class_="head"),
        tag("p", note.detail, class_="said") if note.detail else "",
        _receipt(note, reading),
        class_=f"note {note.kind.value}", id=name, aria_labelledby=f"{name}-title",
    )  # fmt: skip


def _receipt(note: Note, reading: Reading) -> Markup:
    stop = reading.stops.get(note.seq)
    if stop is None:
        return Markup()
    after_ms = stop.press_to_last_event_ms
    facts = (
        (texts.WAS_DOING, in_flight_words(stop)),
        (texts.SENT, texts.sent_of(stop.delivered, stop.total) if stop.total else ""),
        (texts.DROPPED, "\n".join(cancelled_words(stop))),
        (texts.RELEASED, texts.released(stop.released_keys, stop.released_buttons)),
        (texts.LAST_EVENT, texts.NOTHING_SENT if after_ms is None else texts.after_ms(after_ms)),
        (texts.NEW_SESSIONS, texts.LATCHED if stop.latched else texts.NOT_LATCHED),
    )
    return facts_list(facts)


def _unknown(reading: Reading) -> Markup:
    if not reading.unknown:
        return Markup()
    lines = [tag("pre", as_json(dict(each))) for each in reading.unknown]
    return tag("details", tag("summary", texts.unknown(len(lines))), *lines, class_="unknown")
