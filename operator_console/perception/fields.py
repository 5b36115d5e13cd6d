"""Where the field of a label is, by its pixels: beside it, below it, or around it (a placeholder).

A field is a rectangle of one colour with something else all around it. No text is read here.
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

_SAME = 6  # difference of a colour channel that is still the same colour
_STABLE = 3  # pixels of one colour in a row that make an interior, not a border
_BORDER_REACH = 12
_REACH_RIGHT = 420
_REACH_AROUND = 900
_MIN_WIDTH = 40
_CLOSED = 0.75  # rounded corners leave some of a side open
_EVEN = 0.75  # how much of a field is its own colour, whatever is written in it
_BELOW_HANDICAP = 16
_BELOW_REACH = 18
_IN_ROW = 4


def field_of(frame: Frame, label: Rect) -> Rect | None:
    """The interior of the field that `label` (native pixels, its ink) names; None where none can be made out."""
    native = frame.geometry.native
    raw = np.frombuffer(frame.pixels, dtype=np.uint8).reshape(native.height, native.width, 4)
    reach_y = 30 * label.height
    view = Rect(label.x - _REACH_AROUND, label.y - reach_y, 2 * _REACH_AROUND + label.width, 2 * reach_y)
    view = view.intersect(Rect(0, 0, native.width, native.height))
    picture: _Picture = raw[view.y : view.bottom, view.x : view.right, :3].astype(np.int16)
    found = _choose(picture, label.moved(-view.x, -view.y))
    return None if found is None else found.moved(view.x, view.y)


def _choose(picture: _Picture, label: Rect) -> Rect | None:
    around = _around(picture, label)
    beside = _first_field(picture, _seeds_beside(picture, label), label)
    if around is not None and (beside is None or around.intersect(beside).empty):
        return around
    below = _first_field(picture, _seeds_below(picture, label), label)
    if beside is None or below is None:
        return beside or below
    if abs(beside.centre[1] - label.centre[1]) <= _IN_ROW:
        return beside
    return beside if beside.x - label.right <= below.y - label.bottom + _BELOW_HANDICAP else below


def _around(picture: _Picture, label: Rect) -> Rect | None:
    """The box that the text itself stands in, where that is hardly higher than the text."""
    for x in range(label.x - 1, max(-1, label.x - 1 - _STABLE), -1):
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
    """What the label stands on: the commonest colour of its rectangle."""
    inside = picture[label.y : label.bottom, label.x : label.right].reshape(-1, 3)
    colours, counts = np.unique(inside, axis=0, return_counts=True)
    return np.asarray(colours[counts.argmax()])


def _interiors(line: _Picture, background: _Colour) -> Iterator[int]:
    """Offsets on a line of pixels at which an even colour begins, behind the first border that it meets."""
    plain = np.flatnonzero(_alike(line, background))
    if plain.size == 0:
        return
    border = np.flatnonzero(~_alike(line[plain[0] :], background))
    if border.size == 0:
        return
    first = int(plain[0] + border[0])
    for offset in range(first, min(first + _BORDER_REACH, len(line) - _STABLE)):
        run = line[offset : offset + _STABLE + 1]
        if _alike(run, run[0]).all() and (offset == first or not _alike(line[offset - 1 : offset], run[0]).all()):
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
    """The even rectangle around a pixel, if something else encloses it on all four sides."""
    colour = picture[y, x]
    top, bottom = _run(_alike(picture[:, x], colour), y)
    left, right = _widest(picture, _inner(top, bottom), x, colour)
    top, bottom = _widest(picture.transpose(1, 0, 2), _inner(left, right), y, colour)
    box = Rect(left, top, right - left, bottom - top)
    if not _closed(picture, box, colour):
        return None
    inside = picture[box.y : box.bottom, box.x : box.right]
    return box if _alike(inside, colour).mean() >= _EVEN else None


def _inner(first: int, last: int) -> set[int]:
    """Some lines across a field: text stands in the middle ones, rounded corners cut the outer ones."""
    length = last - first
    return {min(first + 1, last - 1), first + length // 5, first + length * 4 // 5, max(first, last - 2)}


def _widest(picture: _Picture, lines: set[int], at: int, colour: _Colour) -> tuple[int, int]:
    runs = [_run(_alike(picture[line], colour), at) for line in lines if _alike(picture[line, at], colour)]
    return min((run[0] for run in runs), default=at), max((run[1] for run in runs), default=at + 1)


def _run(same: _Mask, at: int) -> tuple[int, int]:
    """First and past-the-last index of the run of True around `at`."""
    before = np.flatnonzero(~same[:at])
    after = np.flatnonzero(~same[at:])
    return (int(before[-1]) + 1 if before.size else 0), (at + int(after[0]) if after.size else len(same))


def _closed(picture: _Picture, box: Rect, colour: _Colour) -> bool:
    height, width = picture.shape[:2]
    if box.x < 1 or box.y < 1 or box.right >= width or box.bottom >= height or box.height < 6 or box.width < 6:
        return False
    sides = (
        picture[max(0, box.y - _STABLE) : box.y, box.x : box.right].transpose(1, 0, 2),
        picture[box.bottom : box.bottom + _STABLE, box.x : box.right].transpose(1, 0, 2),
        picture[box.y : box.bottom, max(0, box.x - _STABLE) : box.x],
        picture[box.y : box.bottom, box.right : box.right + _STABLE],
    )
    return all((~_alike(side, colour)).any(axis=1).mean() >= _CLOSED for side in sides)


def _alike(pixels: _Picture, colour: _Colour) -> _Mask:
    same: _Mask = np.abs(pixels - colour).max(axis=-1) <= _SAME
    return same
