"""Writes the page: outcome first, contents, then each run with its steps, and last whether the record is intact.

One file without scripts and without foreign resources; its content security policy allows nothing but its own style and
pictures. It is written bit by bit, so that a long session does not need more memory than a short one.

The template is `resources/templates/session.html.jinja`. What it writes is text unless this module or the template made
it: characters that would be invisible or reorder a line are written out, as in the window.
"""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TextIO

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from operator_console.domain.geometry import Size
from operator_console.domain.translations import _, current, ngettext
from operator_console.engine.visible_text import shown_lines
from operator_console.resource_files import resource_path
from operator_console.ui.preview.plan_marks import marks_of_step
from operator_console.ui.reading_page import facts
from operator_console.ui.reading_page.marks_svg import marks_svg
from operator_console.ui.reading_page.pictures import ShownPicture
from operator_console.ui.reading_page.reading import Reading, Run, steps_of
from operator_console.ui.view.call_words import call_result, ways_words
from operator_console.ui.view.session_view import Call, NoteKind, Step
from operator_console.ui.view.timeline_entries import Row, WaitsRow, call_badge, entry_of, entry_of_row
from operator_console.ui.view.words import duration_words, window_words

_MOST_TEXT, _MOST_RAW = 200_000, 20_000
"""Characters of a text that was typed, and of an answer; more is in the session file only."""


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
    steps = _Steps(reading, pictures, answer)
    count = sum(1 for step in reading.steps)
    written = (
        _environment()
        .get_template("session.html.jinja")
        .stream(
            reading=reading,
            checked=checked,
            language=current().info().get("language", "en"),
            style_digest=base64.b64encode(hashlib.sha256(style.encode()).digest()).decode("ascii"),
            picture_files=picture_files,
            style=Markup(style),  # noqa: S704 - a file of ours
            steps=steps,
            has_steps=count > 0,
            spent=facts.spent(reading),
            ending=facts.ending(reading.runs[-1] if reading.runs else None, live=checked.live),
        )
    )
    told = 0
    for part in written:
        out.write(part)
        if on_progress is not None and steps.made > told:
            told = steps.made
            on_progress(told, count)


def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(resource_path("templates")),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_visible,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(
        _=_, ngettext=ngettext, facts=facts, seconds=duration_words, contents=_contents, entry_of=entry_of,
        entry_of_row=entry_of_row, steps_of=steps_of, badge_of=call_badge, result_of=call_result, ways_of=_ways,
        is_waits=lambda row: isinstance(row, WaitsRow), is_step=lambda item: isinstance(item, Step),
        NoteKind=NoteKind, cut=_cut, MOST_TEXT=_MOST_TEXT, MOST_RAW=_MOST_RAW,
    )  # fmt: skip
    return made


def _visible(value: object) -> object:
    return shown_lines(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _contents(run: Run) -> Iterator[tuple[str, str, Row]]:
    """The entries of a run in the contents: the anchor that they lead to, their classes, and the row."""
    for row in run.rows:
        if isinstance(row, WaitsRow):
            yield f"waits-{run.anchor(row.steps[0])}", "", row
        elif isinstance(row.item, Step):
            yield run.anchor(row.item), " ".join(facts.kinds(row.item)), row
        elif row.item.kind not in (NoteKind.RUN, NoteKind.END):
            yield f"event-{row.item.seq}", " ".join(("event", row.item.kind.value)), row


def _ways(call: Call) -> str:
    return ways_words(call.proposed)


def _cut(words: str, limit: int) -> str:
    if len(words) <= limit:
        return words
    rest = len(words) - limit
    left_out = ngettext(
        "… {count:,} more character is in the session file.",
        "… {count:,} more characters are in the session file.",
        rest,
    )
    return f"{words[:limit]}\n{left_out.format(count=rest)}"


@dataclass(frozen=True, slots=True)
class _Placed:
    """A picture that is in the page: its number, the run and step that it was first shown with, and whether the record
    has it. Its data is not kept: the pictures of a long session are larger than memory should be."""

    number: int
    run: int
    step: int
    found: bool
    lossy: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figure:
    """The picture of a step. `same`: that an earlier step has it, "" if none; `name`: under which it can be shown
    again, "" where it is shown once; `address` "": it is stored at an earlier step."""

    address: str
    name: str
    size: Size
    alt: str
    same: str
    lossy: bool
    marks: Markup


class _Steps:
    """What the sections of the steps need, asked for in their order. `made`: of how many it was asked."""

    def __init__(
        self, reading: Reading, pictures: Iterator[ShownPicture | None], answer: Callable[[str], bytes | None]
    ) -> None:
        self.made = 0
        self._reading = reading
        self._pictures = pictures
        self._answer = answer
        self._placed: dict[str, _Placed] = {}
        self._uses = Counter(step.observed.picture for step in reading.steps if step.observed is not None)

    def figure(self, run: Run, step: Step) -> _Figure | None:
        """The picture of a step; None where the record lacks it. Raises RecordError."""
        seen = step.observed
        assert seen is not None
        placed, address = self._placed.get(seen.picture), ""
        first = placed is None
        if placed is None:
            shown = next(self._pictures, None)
            placed = _Placed(
                len(self._placed) + 1, run.number, step.number, found=shown is not None,
                lossy=shown is not None and shown.lossy,
            )  # fmt: skip
            self._placed[seen.picture] = placed
            address = shown.address if shown is not None else ""
        if not placed.found:
            return None
        marks, native = marks_of_step(step), seen.geometry.native
        # Each distinct picture is stored once. SVG can show one again, but loads more slowly than `img`.
        return _Figure(
            address=address,
            name="" if self._uses[seen.picture] == 1 else f"picture-{placed.number}",
            size=native,
            alt=_alt(step.number, window_words(seen, None), "; ".join(f"{m.number}. {m.label}" for m in marks)),
            same="" if first else _same(placed, run),
            lossy=placed.lossy,
            marks=marks_svg(marks, native),
        )

    def of_call(self, run: Run, call: Call) -> facts.Facts:
        """All facts about a call."""
        return facts.of_call(call, self._reading.asked.get((run.number, call.step, call.index)))

    def of_step(self, run: Run, step: Step) -> facts.Facts:
        """All facts about a step, which is complete with them."""
        self.made += 1
        target = run.started.target if run.started is not None else None
        return facts.of_step(step, window_words(step.observed, target) if step.observed is not None else "")

    def answer(self, step: Step) -> str:
        """The model's answer as received; "" where there is none. Raises RecordError."""
        data = self._answer(step.proposed.raw) if step.proposed is not None and step.proposed.raw else None
        return facts.readable(data) if data is not None else ""


def _alt(number: int, window: str, marked: str) -> str:
    """The picture for who cannot see it."""
    if window:
        screen = _("Screen before step {number}: {window}.").format(number=number, window=window)
    else:
        screen = _("Screen before step {number}.").format(number=number)
    marks = _("Marked: {marks}.").format(marks=marked) if marked else _("Nothing is marked.")
    return f"{screen} {marks}"


def _same(placed: _Placed, run: Run) -> str:
    if placed.run == run.number:
        return _("Same picture as step {number}.").format(number=placed.step)
    return _("Same picture as step {number} of run {run}.").format(number=placed.step, run=placed.run)
