"""Puts together the text of a place that was read screen by screen while it was scrolled. Pure.

By how far its pixels moved, where that can be seen: then each line has a place in the whole, and equal lines stay as
many as they are. Else by the lines that both screens show. Called by quoting.
"""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from operator_console.domain.frames import Frame, TextBox
from operator_console.domain.geometry import Rect

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
