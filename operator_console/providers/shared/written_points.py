"""Reads points as grounding models write them: lists, pairs as text, tags of their training data, and boxes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.shared.arguments import Arguments

_TAGS = re.compile(r"<\|?/?(?:point|bbox|box|box_start|box_end|box_2d)\|?>", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?\d{1,7}(?:\.\d{0,20})?")
_BETWEEN = re.compile(r"[\s,;()\[\]]*")
_LONGEST = 200


def written_point(arguments: Arguments, name: str) -> tuple[NativePoint, Rect | None]:
    """The native pixel of a point, or of the centre of a box; and that box.

    Accepts [x, y], [x1, y1, x2, y2], {"x", "y"} and text such as "(x,y)", "<point>x y</point>" or
    "<|box_start|>(x1,y1),(x2,y2)<|box_end|>".

    Raises:
        ActionError: It is missing or no point; OutOfRange outside the picture.
    """
    value = arguments.values.get(name)
    if value is None or value in ("", [], ()):
        raise ActionError(notice(NoticeCode.ARGUMENT_MISSING, argument=name))
    numbers = _numbers(value)
    if numbers is None or len(numbers) not in {2, 4}:
        raise ActionError(notice(NoticeCode.ARGUMENT_NOT_POINT, argument=name, value=str(value)[:40]))
    if len(numbers) == 2:
        return arguments.locate(*numbers), None
    left, top, right, bottom = numbers
    start, end = arguments.locate(left, top), arguments.locate(right, bottom)
    box = Rect(start.x, start.y, end.x - start.x + 1, end.y - start.y + 1)
    if box.empty:
        raise ActionError(notice(NoticeCode.EDGES_IN_WRONG_ORDER))
    return arguments.locate((left + right) / 2, (top + bottom) / 2), box if box.size.width + box.height > 2 else None


def _numbers(value: object) -> list[float] | None:
    if isinstance(value, dict):
        value = [value.get("x"), value.get("y")]
    if isinstance(value, Sequence) and not isinstance(value, str):
        if len(value) == 2 and all(isinstance(item, Sequence) and not isinstance(item, str) for item in value):
            value = [number for pair in value for number in pair]  # [[x1, y1], [x2, y2]]
        elif len(value) == 1 and isinstance(value[0], list):
            value = value[0]  # [[x1, y1, x2, y2]]
        if len(value) > 4 or any(isinstance(item, bool) or not isinstance(item, int | float | str) for item in value):
            return None
        value = " ".join(map(str, value))
    return _numbers_in(value) if isinstance(value, str) else None


def _numbers_in(text: str) -> list[float] | None:
    """The numbers of a text that has nothing else but brackets, commas and tags; None if it does."""
    if len(text) > _LONGEST:
        return None
    plain = _TAGS.sub(" ", text)
    found: list[float] = []
    at = _end_of_gap(plain, 0)
    while at < len(plain):
        number = _NUMBER.match(plain, at)
        if number is None:
            return None
        found.append(float(number[0]))
        after = _end_of_gap(plain, number.end())
        if after == number.end() < len(plain):
            return None
        at = after
    return found


def _end_of_gap(text: str, at: int) -> int:
    gap = _BETWEEN.match(text, at)
    return gap.end() if gap is not None else at
