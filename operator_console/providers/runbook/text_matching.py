"""Finds the places on the screen that match a text.

Exact matches take precedence over matches that ignore case, those over words inside a longer text, and those over
matches that ignore what OCR confuses (O and 0, l and 1, lost accents). All places of the best kind are returned.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise

from operator_console.domain.frames import TextBox
from operator_console.domain.geometry import Rect

_TRAILING = " \t:：*."
_CONFUSED = str.maketrans({"0": "o", "1": "l", "i": "l", "|": "l", "ı": "l", "ł": "l", "đ": "d", "ø": "o"})
_MIN_FOLDED = 3
_ROW_GAP_PER_HEIGHT = 3
_MAX_JOINED = 4
_SURE, _WEAK = 0.95, 0.8


def find(boxes: Sequence[TextBox], wanted: str) -> tuple[TextBox, ...]:
    """The places that match `wanted` best, in reading order: several if it is ambiguous, none if it is not found."""
    for key in (exact, plain):
        for places in (_whole, _joined):
            if found := _matching(places(boxes), wanted, key):
                return found
    if found := _matching(_runs(boxes, len(wanted.split())), wanted, plain):
        return found
    if found := _inside_unspaced(boxes, wanted):
        return found
    if len(_folded(wanted)) < _MIN_FOLDED:
        return ()
    return _matching(_whole(boxes), wanted, _folded) or _matching(_runs(boxes, len(wanted.split())), wanted, _folded)


def nearest(candidates: Sequence[TextBox], marks: Sequence[TextBox]) -> TextBox:
    """The candidate closest to any of `marks`."""
    return min(candidates, key=lambda box: min(apart(box.box, mark.box) for mark in marks))


def neighbour(boxes: Sequence[TextBox], place: TextBox) -> TextBox | None:
    """The nearest other text, which helps a person to distinguish places with the same text."""
    others = [box for box in boxes if box.box.intersect(place.box).empty and plain(box.text) != plain(place.text)]
    return min(others, key=lambda box: apart(box.box, place.box), default=None)


def apart(a: Rect, b: Rect) -> float:
    """The distance of two rectangles in pixels; 0 if they touch."""
    dx = max(a.x - b.right, b.x - a.right, 0)
    dy = max(a.y - b.bottom, b.y - a.bottom, 0)
    return float((dx * dx + dy * dy) ** 0.5)


def exact(text: str) -> str:
    """The text with single spaces, composed characters and three dots for an ellipsis."""
    return " ".join(unicodedata.normalize("NFC", text).replace("…", "...").split())


def plain(text: str) -> str:
    """As `exact`, without case and the punctuation around it."""
    return exact(text).casefold().strip(_TRAILING)


def _folded(text: str) -> str:
    bare = "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))
    return re.sub(r"[\W_]+", "", bare.translate(_CONFUSED))


def _matching(places: Iterator[TextBox], wanted: str, key: Callable[[str], str]) -> tuple[TextBox, ...]:
    goal = key(wanted)
    found = [place for place in places if goal and key(place.text) == goal]
    surest = max((place.confidence for place in found), default=0.0)
    # OCR may read "/" as "1" with low confidence; that must not make a confident match ambiguous.
    return tuple(place for place in found if place.confidence >= _WEAK or surest < _SURE)


def _whole(boxes: Sequence[TextBox]) -> Iterator[TextBox]:
    return iter(boxes)


def _joined(boxes: Sequence[TextBox]) -> Iterator[TextBox]:
    """Joined neighbours in a row, because OCR may split a text at a wide gap."""
    for start in range(len(boxes)):
        for end in range(start + 2, min(start + _MAX_JOINED, len(boxes)) + 1):
            run = boxes[start:end]
            if all(_adjacent(a.box, b.box) for a, b in pairwise(run)):
                yield _union(run)


def _adjacent(left: Rect, right: Rect) -> bool:
    height = max(left.height, right.height)
    in_row = abs(left.centre[1] - right.centre[1]) * 2 <= height
    return in_row and 0 <= right.x - left.right <= _ROW_GAP_PER_HEIGHT * height


def _runs(boxes: Sequence[TextBox], count: int) -> Iterator[TextBox]:
    """All sequences of `count` words inside longer texts."""
    for box in boxes:
        for start in range(len(box.parts) - count + 1):
            if len(box.parts) > count:
                yield _union(box.parts[start : start + count])


def _inside_unspaced(boxes: Sequence[TextBox], wanted: str) -> tuple[TextBox, ...]:
    """Matches inside texts without known word boxes, whose place is estimated from the position in the text."""
    goal = plain(wanted)
    found = []
    for box in boxes:
        text = plain(box.text)
        at = text.find(goal)
        if box.parts or at < 0 or not goal or not _bounded(text, at, at + len(goal)):
            continue
        left = box.box.x + round(box.box.width * at / len(text))
        width = max(1, round(box.box.width * len(goal) / len(text)))
        place = Rect(left, box.box.y, width, box.box.height)
        found.append(TextBox(text=wanted, box=place, confidence=box.confidence, source=box.source))
    return tuple(found)


def contains(text: str, wanted: str) -> bool:
    """Whether the text has `wanted` among other words, ignoring case."""
    goal, words = plain(wanted), plain(text)
    at = words.find(goal) if goal else -1
    while at >= 0 and not _bounded(words, at, at + len(goal)):
        at = words.find(goal, at + 1)
    return at >= 0


def _bounded(text: str, start: int, end: int) -> bool:
    """Whether text[start:end] begins and ends at word boundaries. Scripts without spaces have them everywhere."""
    return not (
        (start > 0 and _same_word(text[start - 1], text[start]))
        or (end < len(text) and _same_word(text[end - 1], text[end]))
    )


def _same_word(a: str, b: str) -> bool:
    return a.isalnum() and b.isalnum() and not (_unspaced(a) or _unspaced(b))


def _unspaced(character: str) -> bool:
    """Han and kana, which are written without spaces."""
    return "\u2e80" <= character <= "\u9fff" or "\uf900" <= character <= "\ufaff"


def _union(run: Sequence[TextBox]) -> TextBox:
    x, y = min(b.box.x for b in run), min(b.box.y for b in run)
    right, bottom = max(b.box.right for b in run), max(b.box.bottom for b in run)
    return TextBox(
        text=" ".join(b.text for b in run),
        box=Rect(x, y, right - x, bottom - y),
        confidence=min(b.confidence for b in run),
        source=run[0].source,
    )
