"""Reads a text that may be longer than its region of the screen, by scrolling and joining the pieces.

The text is read, scrolled by a little more than half of the region's height and read again, until it no longer moves or
enough is read; then it is scrolled back. Each scroll needs a grant like any input.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from operator_console.domain.actions import QuoteText, Scroll
from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import ConsoleError, RejectedReason
from operator_console.domain.frames import Frame, TextBox
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.message_texts import joined, notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import CallStatus
from operator_console.engine.operator_channel import Holding, Stopping
from operator_console.engine.session_context import SessionContext
from operator_console.engine.targeting import middle, settle_bounds
from operator_console.engine.turn.act import Acted, Actor
from operator_console.engine.turn.decide import Ruling

LONGEST = 20_000
"""The most characters of a text that a model is given."""

_BAR_PX = 24  # a scroll bar at the right edge moves the other way
_EDGE_PX = 1  # text that touches the edge may be cut off
_SEAM_PX = 28
_LEAST_ROWS = 8
_KEPT_SHARE = 0.6
_MANY = 40  # a row that occurs more often is not used to determine the shift
_ALIKE = 0.8

Rows = tuple[bytes, ...]


def rows_of(frame: Frame, region: Rect) -> Rows:
    """The region's rows of pixels, without the strip where a scroll bar may be."""
    width = region.width - min(_BAR_PX, region.width // 8)
    part, stride = bytearray(frame.crop(Rect(region.x, region.y, width, region.height))), width * 4
    part[3::4] = bytes(len(part) // 4)  # the fourth byte is unused
    return tuple(bytes(part[place : place + stride]) for place in range(0, len(part), stride))


def moved_up(before: Rows, after: Rows) -> int | None:
    """How many pixels the content of `before` moved up in `after`: 0 for none, None where it cannot be determined.

    Most rows must match, so a caret or a highlight that changed does not matter.
    """
    if before == after:
        return 0
    places: dict[bytes, list[int]] = {}
    for place, row in enumerate(before):
        if _is_distinct(row):
            places.setdefault(row, []).append(place)
    votes: Counter[int] = Counter()
    for place, row in enumerate(after):
        found = places.get(row, ())
        votes.update(there - place for there in found if there >= place and len(found) <= _MANY)
    for shift, count in votes.most_common(1):
        overlap = sum(map(_is_distinct, after[: len(after) - shift]))
        if count >= _LEAST_ROWS and count >= _KEPT_SHARE * overlap:
            return shift
    return None


def _is_distinct(row: bytes) -> bool:
    """Whether the row has more than one colour."""
    return row != row[:4] * (len(row) // 4)


def cut_short(text: str) -> tuple[str, str]:
    """The text shortened for the model, and a note on that; "" where it is complete."""
    note = notice(NoticeCode.TEXT_SHORTENED, shown=LONGEST, total=len(text)) if len(text) > LONGEST else ""
    return text[:LONGEST], note


def lines_of(boxes: Sequence[TextBox]) -> list[TextBox]:
    """The texts joined to lines, top to bottom."""
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
    """A line of the joined text: its centre from the top, and whether the region's lower edge may cut it off."""

    y: float
    text: str
    cut: bool


@dataclass(slots=True)
class Joined:
    """The text joined so far.

    Attributes:
        gaps: whether a piece may be missing or repeated somewhere.
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
        """Add the texts of one more screen, `shift` pixels further down than the one before (None: not known)."""
        found = lines_of(boxes)
        if shift is None and self._lines:
            self._offset += region.height
            self._lines = self._by_text([box for box in found if box.box.y > region.y + _EDGE_PX], region)
        else:
            self._offset += shift or 0
            # Lines near the lower edge may have been cut off before; they are higher up now and are read again.
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
"""The most notches in one scroll, where a notch scrolls only a little."""

_PART = 0.6  # of the region's height per scroll, so that each line is fully visible once


Send: TypeAlias = Callable[[Scroll, Frame, Frame | None], Awaitable[Acted]]
"""Has a scroll granted and carried out: the scroll, the frame it is made on, the picture before the first one."""


@dataclass(slots=True)
class _Progress:
    """Progress of a reading.

    Attributes:
        per_notch: pixels, 0 while unknown.
        moved_px: None once it cannot be determined.
        before: the picture right before the first scroll; None: there was none.
    """

    frame: Frame
    at: NativePoint
    first: Rows
    send: Send
    joined: Joined = field(default_factory=Joined)
    screens: int = 1
    sent: int = 0
    moved_px: int | None = 0
    per_notch: float = 0.0
    ended: bool = False
    before: Frame | None = None
    problem: Outcome | None = None

    def step(self, height: int) -> int:
        """Notches of the next scroll: one to measure by, then as many as fit."""
        return max(1, min(MOST_NOTCHES, int(_PART * height / self.per_notch))) if self.per_notch else 1

    def moved(self, shift: int | None, notches: int) -> None:
        """Record a scroll. The last one may be cut short by the end, so the largest distance per notch counts."""
        self.moved_px = None if shift is None or self.moved_px is None else self.moved_px + shift
        self.per_notch = max(self.per_notch, (shift or 0) / notches)

    def back(self) -> int:
        """How many notches up lead back to the start."""
        if self.moved_px is None or not self.per_notch:
            return self.sent
        return round(self.moved_px / self.per_notch)


class Quoter:
    """Reads texts with scrolling."""

    def __init__(self, session: SessionContext, actor: Actor) -> None:
        self._session = session
        self._actor = actor

    async def quote(self, ruled: Ruling, action: QuoteText, frame: Frame, send: Send) -> Acted:
        """Read the text of `action`'s region. Raises Holding, Stopping before anything was sent."""
        native = frame.geometry.native
        region = action.region.intersect(Rect(0, 0, native.width, native.height))
        if self._session.ports.reader is None:
            return self._refused(ruled, notice(NoticeCode.READING_UNAVAILABLE))
        if region.empty:
            return self._refused(ruled, notice(NoticeCode.REGION_OUTSIDE_PICTURE))
        progress = _Progress(frame=frame, at=middle(action.region), send=send, first=rows_of(frame, region))
        try:
            progress.joined.add(await self._read(frame, region), region, None)
            while progress.screens < MOST_SCREENS and await self._go_on(progress, region):
                progress.screens += 1
            if progress.problem is not None and not progress.sent:
                return self._actor.record_outcome(ruled, progress.problem)
            returned = await self._return(progress, region)
        except (Holding, Stopping):
            if not progress.sent:
                raise
            words = notice(NoticeCode.READING_INTERRUPTED, count=progress.screens)
            return self._ended(ruled, progress, Outcome(result=ActResult.STOPPED, detail=words))
        except ConsoleError as error:
            return self._ended(ruled, progress, Outcome(result=ActResult.FAILED, detail=error.text))
        text, shortened = cut_short(progress.joined.text)
        detail = joined(_told(progress), shortened, returned)
        return self._ended(ruled, progress, Outcome(result=ActResult.DONE, detail=detail, output=text))

    def _ended(self, ruled: Ruling, progress: _Progress, outcome: Outcome) -> Acted:
        return replace(self._actor.record_outcome(ruled, outcome), before=progress.before)

    def _refused(self, ruled: Ruling, why: str) -> Acted:
        reason = RejectedReason.UNSUPPORTED.value
        return self._actor.record_outcome(ruled, Outcome(result=ActResult.FAILED, detail=why, reason=reason))

    async def _go_on(self, progress: _Progress, region: Rect) -> bool:
        """Scroll down and read; whether there was more."""
        before, notches = rows_of(progress.frame, region), progress.step(region.height)
        if not await self._scroll(progress, notches):
            return False
        shift = moved_up(before, rows_of(progress.frame, region))
        if shift == 0:
            progress.ended = True
            return False
        progress.moved(shift, notches)
        progress.joined.add(await self._read(progress.frame, region), region, shift)
        return True

    async def _scroll(self, progress: _Progress, notches: int) -> bool:
        """Scroll, wait and capture a new frame; whether the scroll was sent."""
        part = Scroll(at=progress.at, dy=notches)
        acted = await progress.send(part, progress.frame, progress.before)
        if acted.status is not CallStatus.DONE:
            progress.problem = acted.outcome
            return False
        progress.before = acted.before
        progress.sent += notches
        progress.frame = await self._settled(part, progress.frame)
        return True

    async def _return(self, progress: _Progress, region: Rect) -> str:
        """Scroll back to the start; returns a note on the result."""
        left = progress.back() if progress.screens > 1 else 0
        if not left:
            return ""
        while left > 0 and await self._scroll(progress, -min(left, MOST_NOTCHES)):
            left -= MOST_NOTCHES
        if progress.problem is not None:
            return notice(NoticeCode.NOT_SCROLLED_BACK, problem=progress.problem.detail)
        if moved_up(progress.first, rows_of(progress.frame, region)):
            await self._scroll(progress, -1)  # the last scroll down was cut short by the end
        there = moved_up(progress.first, rows_of(progress.frame, region)) == 0
        return notice(NoticeCode.SCROLLED_BACK if there else NoticeCode.SCROLLED_BACK_NOT_EXACTLY)

    async def _settled(self, part: Scroll, before: Frame) -> Frame:
        session, (lower_s, upper_s) = self._session, settle_bounds(part)
        computer = session.ports.computer
        await session.channel.run(computer.settle(before, at=part.at, lower_s=lower_s, upper_s=upper_s))
        return await session.channel.run(computer.observe(session.ports.provider.image_needs))

    async def _read(self, frame: Frame, region: Rect) -> Sequence[TextBox]:
        reader = self._session.ports.reader
        assert reader is not None
        return await self._session.channel.run(reader.read(frame, region))


def _told(progress: _Progress) -> str:
    """How much was read, as a sentence."""
    count = progress.screens
    if progress.ended:
        end = NoticeCode.TEXT_READ_TO_END if count > 1 else NoticeCode.TEXT_READ_DOES_NOT_SCROLL
        how = notice(end, count=count)
    elif progress.problem is not None:
        how = notice(NoticeCode.TEXT_READ_SCROLL_FAILED, count=count, problem=progress.problem.detail)
    else:
        how = notice(NoticeCode.TEXT_READ_MORE_BELOW, count=count)
    return joined(how, notice(NoticeCode.TEXT_PIECE_MAY_BE_MISSING) if progress.joined.gaps else "")
