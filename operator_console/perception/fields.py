"""Finds the input field of a label in the pixels of a frame: beside, below or around the label (a placeholder).

A field is a rectangle of one colour that another colour encloses on all sides. No text is read here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from operator_console.domain.frames import Frame
from operator_console.domain.geometry import Rect

_Picture: TypeAlias = npt.NDArray[np.int16]
_Mask: TypeAlias = npt.NDArray[np.bool_]
_Colour: TypeAlias = npt.NDArray[np.int16]

_TOLERANCE = 6  # largest difference per channel within one colour
_MIN_RUN = 3  # this many pixels of one colour in a row are an interior, fewer are a border
_BORDER_REACH = 12
_REACH_RIGHT = 420
_REACH_AROUND = 900
_MIN_WIDTH = 40
_MIN_ENCLOSED = 0.75  # per side; rounded corners leave part of a side open
_MIN_FILL = 0.75  # share of a field that has its background colour, even with text in it
_BELOW_PENALTY = 16
_BELOW_REACH = 18
_SAME_ROW = 4


def field_of(frame: Frame, label: Rect) -> Rect | None:
    """Find the field of a label.

    Args:
        frame: the frame to search.
        label: bounding box of the label's text, native pixels.

    Returns:
        The interior of the field, native pixels; None if no field was found.
    """
    native = frame.geometry.native
    raw = np.frombuffer(frame.pixels, dtype=np.uint8).reshape(native.height, native.width, 4)
    reach_y = 30 * label.height
    view = Rect(label.x - _REACH_AROUND, label.y - reach_y, 2 * _REACH_AROUND + label.width, 2 * reach_y)
    view = view.intersect(Rect(0, 0, native.width, native.height))
    picture: _Picture = raw[view.y : view.bottom, view.x : view.right, :3].astype(np.int16)
    found = _choose(picture, label.moved(-view.x, -view.y))
    return None if found is None else found.moved(view.x, view.y)


def _choose(picture: _Picture, label: Rect) -> Rect | None:
    around = _enclosing_field(picture, label)
    beside = _first_field(picture, _seeds_beside(picture, label), label)
    if around is not None and (beside is None or around.intersect(beside).empty):
        return around
    below = _first_field(picture, _seeds_below(picture, label), label)
    if beside is None or below is None:
        return beside or below
    if abs(beside.centre[1] - label.centre[1]) <= _SAME_ROW:
        return beside
    return beside if beside.x - label.right <= below.y - label.bottom + _BELOW_PENALTY else below


def _enclosing_field(picture: _Picture, label: Rect) -> Rect | None:
    """The box around the label itself, unless it is much taller than the text."""
    for x in range(label.x - 1, max(-1, label.x - 1 - _MIN_RUN), -1):
        box = _grow(picture, x, label.centre[1])
        if box is not None and box.height <= 4 * label.height and box.right >= label.right:
            return box
    return None


def _seeds_beside(picture: _Picture, label: Rect) -> Iterator[tuple[int, int]]:
    y = label.centre[1]
    line = picture[y, label.right : label.right + _REACH_RIGHT]
    return ((label.right + offset, y) for offset in _interiors(line, _background(picture, label)))


def _seeds_below(picture: _Picture, label: Rect) -> Iterator[tuple[int, int]]:
    x = label.x + min(label.width // 2, 12)
    reach = max(2 * label.height, _BELOW_REACH) + _BORDER_REACH
    line = picture[label.bottom : label.bottom + reach, x]
    return ((x, label.bottom + offset) for offset in _interiors(line, _background(picture, label)))


def _background(picture: _Picture, label: Rect) -> _Colour:
    """The background colour of the label: the most frequent colour in its rectangle."""
    inside = picture[label.y : label.bottom, label.x : label.right].reshape(-1, 3)
    colours, counts = np.unique(inside, axis=0, return_counts=True)
    return np.asarray(colours[counts.argmax()])


def _interiors(line: _Picture, background: _Colour) -> Iterator[int]:
    """Offsets on a line of pixels at which a uniform colour starts, behind the first border."""
    plain = np.flatnonzero(_matches(line, background))
    if plain.size == 0:
        return
    border = np.flatnonzero(~_matches(line[plain[0] :], background))
    if border.size == 0:
        return
    first = int(plain[0] + border[0])
    for offset in range(first, min(first + _BORDER_REACH, len(line) - _MIN_RUN)):
        run = line[offset : offset + _MIN_RUN + 1]
        if _matches(run, run[0]).all() and (offset == first or not _matches(line[offset - 1 : offset], run[0]).all()):
            yield offset + 1


def _first_field(picture: _Picture, seeds: Iterator[tuple[int, int]], label: Rect) -> Rect | None:
    for x, y in seeds:
        box = _grow(picture, x, y)
        if (
            box is not None
            and box.width >= _MIN_WIDTH
            and box.height >= label.height
            and not box.contains(*label.centre)
        ):
            return box
    return None


def _grow(picture: _Picture, x: int, y: int) -> Rect | None:
    """The rectangle of one colour around a pixel, if another colour encloses it on all four sides."""
    colour = picture[y, x]
    top, bottom = _run(_matches(picture[:, x], colour), y)
    left, right = _widest_run(picture, _sample_lines(top, bottom), x, colour)
    top, bottom = _widest_run(picture.transpose(1, 0, 2), _sample_lines(left, right), y, colour)
    box = Rect(left, top, right - left, bottom - top)
    if not _is_enclosed(picture, box, colour):
        return None
    inside = picture[box.y : box.bottom, box.x : box.right]
    return box if _matches(inside, colour).mean() >= _MIN_FILL else None


def _sample_lines(first: int, last: int) -> set[int]:
    """Sample lines across a field: text may cover the middle ones, rounded corners shorten the outer ones."""
    length = last - first
    return {min(first + 1, last - 1), first + length // 5, first + length * 4 // 5, max(first, last - 2)}


def _widest_run(picture: _Picture, lines: set[int], at: int, colour: _Colour) -> tuple[int, int]:
    runs = [_run(_matches(picture[line], colour), at) for line in lines if _matches(picture[line, at], colour)]
    return min((run[0] for run in runs), default=at), max((run[1] for run in runs), default=at + 1)


def _run(same: _Mask, at: int) -> tuple[int, int]:
    """Start and end (exclusive) of the run of True around `at`."""
    before = np.flatnonzero(~same[:at])
    after = np.flatnonzero(~same[at:])
    return (int(before[-1]) + 1 if before.size else 0), (at + int(after[0]) if after.size else len(same))


def _is_enclosed(picture: _Picture, box: Rect, colour: _Colour) -> bool:
    height, width = picture.shape[:2]
    if box.x < 1 or box.y < 1 or box.right >= width or box.bottom >= height or box.height < 6 or box.width < 6:
        return False
    sides = (
        picture[max(0, box.y - _MIN_RUN) : box.y, box.x : box.right].transpose(1, 0, 2),
        picture[box.bottom : box.bottom + _MIN_RUN, box.x : box.right].transpose(1, 0, 2),
        picture[box.y : box.bottom, max(0, box.x - _MIN_RUN) : box.x],
        picture[box.y : box.bottom, box.right : box.right + _MIN_RUN],
    )
    return all((~_matches(side, colour)).any(axis=1).mean() >= _MIN_ENCLOSED for side in sides)


def _matches(pixels: _Picture, colour: _Colour) -> _Mask:
    same: _Mask = np.abs(pixels - colour).max(axis=-1) <= _TOLERANCE
    return same
