"""Reads a text that may be longer than its place on the screen, by scrolling it and joining what was read.

Each notch needs a grant like any input. The text is read, scrolled on by a little more than half of its height, and
read again, until nothing moves or enough is read; then it is scrolled back.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from operator_console.domain.actions import QuoteText, Scroll
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import ConsoleError, RejectedReason
from operator_console.domain.frames import Frame, TextBox
from operator_console.domain.geometry import Rect
from operator_console.domain.proposals import CallStatus
from operator_console.engine.context import SessionContext
from operator_console.engine.operator_channel import Holding, Stopping
from operator_console.engine.targeting import settle_bounds
from operator_console.engine.turn.act import Actor
from operator_console.engine.turn.approve import Approval, Ruling

LONGEST = 20_000
"""Characters that a model is given of a text at most."""

_BAR_PX = 24  # a scroll bar at the right moves the other way
_EDGE_PX = 1  # what touches the edge may be cut through
_SEAM_PX = 28
_LEAST_ROWS = 8
_KEPT_SHARE = 0.6
_MANY = 40  # places that one row is looked for at; a row that stands oftener tells nothing
_ALIKE = 0.8

Rows = tuple[bytes, ...]


def rows_of(frame: Frame, region: Rect) -> Rows:
    """The region's rows of pixels, without where a scroll bar may be."""
    width = region.width - min(_BAR_PX, region.width // 8)
    part, stride = bytearray(frame.crop(Rect(region.x, region.y, width, region.height))), width * 4
    part[3::4] = bytes(len(part) // 4)  # the fourth byte is no colour
    return tuple(bytes(part[place : place + stride]) for place in range(0, len(part), stride))


def moved_up(before: Rows, after: Rows) -> int | None:
    """By how many pixels what `before` shows stands higher in `after`: 0 for not at all, None where it cannot be told.

    A caret or a highlight that changed meanwhile is no hindrance; most rows must fit.
    """
    if before == after:
        return 0
    places: dict[bytes, list[int]] = {}
    for place, row in enumerate(before):
        if _tells(row):
            places.setdefault(row, []).append(place)
    votes: Counter[int] = Counter()
    for place, row in enumerate(after):
        found = places.get(row, ())
        votes.update(there - place for there in found if there >= place and len(found) <= _MANY)
    for shift, count in votes.most_common(1):
        overlap = sum(map(_tells, after[: len(after) - shift]))
        if count >= _LEAST_ROWS and count >= _KEPT_SHARE * overlap:
            return shift
    return None


def _tells(row: bytes) -> bool:
    """Whether it is more than one colour."""
    return row != row[:4] * (len(row) // 4)


def cut_short(text: str) -> tuple[str, str]:
    """The text as far as a model is given it, and what is to be said of that, "" where it is whole."""
    said = f"Only the first {LONGEST:,} of {len(text):,} characters." if len(text) > LONGEST else ""
    return text[:LONGEST], said


def lines_of(boxes: Sequence[TextBox]) -> list[TextBox]:
    """The pieces that were read, those of one row as one line, left to right."""
    rows: list[list[TextBox]] = []
    for box in sorted((box for box in boxes if box.text.strip()), key=lambda box: box.box.centre[1]):
        last = rows[-1][-1].box if rows else None
        if last is not None and last.y <= box.box.centre[1] < last.bottom and box.box.y <= last.centre[1]:
            rows[-1].append(box)
        else:
            rows.append([box])
    return [_one(sorted(row, key=lambda box: box.box.x)) for row in rows]


def _one(row: Sequence[TextBox]) -> TextBox:
    x, y = row[0].box.x, min(box.box.y for box in row)
    whole = Rect(x, y, max(box.box.right for box in row) - x, max(box.box.bottom for box in row) - y)
    return TextBox(text=" ".join(box.text.strip() for box in row), box=whole)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Line:
    """A line of the whole: its middle, from the top, and whether it may go on below the edge."""

    y: float
    text: str
    cut: bool


@dataclass(slots=True)
class Joined:
    """The text so far.

    Attributes:
        gaps: whether a piece may be missing, or double, somewhere.
    """

    gaps: bool = False
    _lines: list[_Line] = field(default_factory=list)
    _offset: int = 0
    _bottom: int = 0

    @property
    def text(self) -> str:
        """All lines, top to bottom."""
        return "\n".join(line.text for line in self._lines)

    def add(self, boxes: Sequence[TextBox], region: Rect, shift: int | None) -> None:
        """What was read of one more screen, which stands `shift` pixels lower in the whole than the one before."""
        found = lines_of(boxes)
        if shift is None and self._lines:
            self._offset += region.height
            self._lines = self._by_text([box for box in found if box.box.y > region.y + _EDGE_PX], region)
        else:
            self._offset += shift or 0
            # What touched the lower edge before may have been cut through: it stands higher now, and is taken anew.
            seam = self._bottom - (min(region.height // 4, _SEAM_PX) if self._bottom else 0)
            lines = [self._line(box, region) for box in found]
            self._lines = [line for line in self._lines if line.y < seam] + [line for line in lines if line.y >= seam]
        self._bottom = self._offset + region.height

    def _line(self, box: TextBox, region: Rect) -> _Line:
        y = box.box.centre[1] - region.y + self._offset
        return _Line(y=y, text=box.text, cut=box.box.bottom >= region.bottom - _EDGE_PX)

    def _by_text(self, found: Sequence[TextBox], region: Rect) -> list[_Line]:
        known = [line for line in self._lines if not (line.cut and line.y > self._bottom - _SEAM_PX)]
        new = [self._line(box, region) for box in found]
        most = min(len(known), len(new))
        common = next((n for n in range(most, 0, -1) if all(map(_alike, known[-n:], new[:n]))), 0)
        self.gaps = self.gaps or not common
        return known + new[common:]


def _alike(one: _Line, other: _Line) -> bool:
    return difflib.SequenceMatcher(None, one.text, other.text, autojunk=False).ratio() >= _ALIKE


MOST_SCREENS = 30
MOST_NOTCHES = 20
"""At most so many at once, where a notch moves only a little."""

_PART = 0.6  # of the place's height a step goes on, so that each line is seen whole once


@dataclass(slots=True)
class _Course:
    """How far it came. `per_notch` in pixels, 0 while it is not known; `moved_px` None where that was lost."""

    frame: Frame
    first: Rows
    joined: Joined = field(default_factory=Joined)
    screens: int = 1
    sent: int = 0
    moved_px: int | None = 0
    per_notch: float = 0.0
    ended: bool = False
    problem: Outcome | None = None

    def step(self, height: int) -> int:
        """The notches of the next step: one to measure with, then as many as fit."""
        return max(1, min(MOST_NOTCHES, int(_PART * height / self.per_notch))) if self.per_notch else 1

    def moved(self, shift: int | None, notches: int) -> None:
        """Take note of a step. At the end it goes less far than its notches: the best of all is what one does."""
        self.moved_px = None if shift is None or self.moved_px is None else self.moved_px + shift
        self.per_notch = max(self.per_notch, (shift or 0) / notches)

    def back(self) -> int:
        """How many notches up lead to where it began."""
        if self.moved_px is None or not self.per_notch:
            return self.sent
        return round(self.moved_px / self.per_notch)


class Quoter:
    """One session's reading with scrolling."""

    def __init__(self, session: SessionContext, approval: Approval, actor: Actor) -> None:
        self._session = session
        self._approval = approval
        self._actor = actor

    async def quote(self, ruled: Ruling, action: QuoteText, frame: Frame) -> tuple[CallStatus, Outcome]:
        """The text, and in words how much was read. Raises Holding, Stopping before anything was sent."""
        native = frame.geometry.native
        region = action.region.intersect(Rect(0, 0, native.width, native.height))
        if self._session.ports.reader is None:
            return self._refused(ruled, "Reading text off the screen is not available here.")
        if region.empty:
            return self._refused(ruled, "The region lies outside the picture.")
        self._actor.before = None
        course = _Course(frame=frame, first=rows_of(frame, region))
        try:
            course.joined.add(await self._read(frame, region), region, None)
            while course.screens < MOST_SCREENS and await self._go_on(ruled, course, region):
                course.screens += 1
            if course.problem is not None and not course.sent:
                return self._actor.said(ruled, course.problem)
            returned = await self._return(ruled, course, region)
        except (Holding, Stopping):
            if not course.sent:
                raise
            words = f"Cut short after {_screens(course)}; it was not scrolled back."
            return self._actor.said(ruled, Outcome(result=ActResult.STOPPED, detail=words))
        except ConsoleError as error:
            return self._actor.said(ruled, Outcome(result=ActResult.FAILED, detail=str(error)))
        text, shortened = cut_short(course.joined.text)
        detail = " ".join(filter(None, (_told(course), shortened, returned)))
        return self._actor.said(ruled, Outcome(result=ActResult.DONE, detail=detail, output=text))

    def _refused(self, ruled: Ruling, why: str) -> tuple[CallStatus, Outcome]:
        reason = RejectedReason.UNSUPPORTED.value
        return self._actor.said(ruled, Outcome(result=ActResult.FAILED, detail=why, reason=reason))

    async def _go_on(self, ruled: Ruling, course: _Course, region: Rect) -> bool:
        """Scroll on and read; whether there was more."""
        before, notches = rows_of(course.frame, region), course.step(region.height)
        if not await self._scroll(ruled, course, notches):
            return False
        shift = moved_up(before, rows_of(course.frame, region))
        if shift == 0:
            course.ended = True
            return False
        course.moved(shift, notches)
        course.joined.add(await self._read(course.frame, region), region, shift)
        return True

    async def _scroll(self, ruled: Ruling, course: _Course, notches: int) -> bool:
        """Send notches on the newest picture, wait, and look; whether they were sent."""
        part, make = self._approval.scroll(ruled, course.frame, notches)
        status, outcome = await self._actor.part(ruled, part, make, course.frame)
        if status is not CallStatus.DONE:
            course.problem = outcome
            return False
        course.sent += notches
        course.frame = await self._settled(part, course.frame)
        return True

    async def _return(self, ruled: Ruling, course: _Course, region: Rect) -> str:
        """Scroll back to where it began; what became of that, in words."""
        left = course.back() if course.screens > 1 else 0
        if not left:
            return ""
        while left > 0 and await self._scroll(ruled, course, -min(left, MOST_NOTCHES)):
            left -= MOST_NOTCHES
        if course.problem is not None:
            return f"It could not be scrolled back: {course.problem.detail}"
        if moved_up(course.first, rows_of(course.frame, region)):
            await self._scroll(ruled, course, -1)  # the last step down went less far than its notches
        there = moved_up(course.first, rows_of(course.frame, region)) == 0
        return "It was scrolled back." if there else "It was scrolled back, but does not stand exactly as before."

    async def _settled(self, part: Scroll, before: Frame) -> Frame:
        session, (lower_s, upper_s) = self._session, settle_bounds(part)
        computer = session.ports.computer
        await session.channel.run(computer.settle(before, at=part.at, lower_s=lower_s, upper_s=upper_s))
        return await session.channel.run(computer.observe(session.ports.provider.image_needs))

    async def _read(self, frame: Frame, region: Rect) -> Sequence[TextBox]:
        reader = self._session.ports.reader
        assert reader is not None
        return await self._session.channel.run(reader.read(frame, region))


def _screens(course: _Course) -> str:
    return "1 screen" if course.screens == 1 else f"{course.screens} screens"


def _told(course: _Course) -> str:
    """How much was read."""
    if course.ended:
        how = "to its end" if course.screens > 1 else "it does not scroll further"
    elif course.problem is not None:
        how = f"then it could not be scrolled on: {course.problem.detail.rstrip('.')}"
    else:
        how = "there is more below"
    gaps = " A piece may be missing between two of them." if course.joined.gaps else ""
    return f"Read {_screens(course)}, {how}.{gaps}"
