"""Reads lists, objects and quoted texts in what a model wrote, where it may differ from the documented form.

The text is read into plain values, and never evaluated. Points are read as grounding models write them: lists, pairs as
text, tags of their training data, and boxes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.shared.arguments import Arguments

IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_]{0,63}"
DEEPEST = 8
"""Levels of lists and objects in each other."""

WORDS: Mapping[str, object] = {"true": True, "false": False, "none": None, "null": None}
QUOTES = {"'": "'", '"': '"', "‘": "’", "“": "”"}
"""Each opening quote with its closing one."""

GAP = re.compile(r"[\s,，]*")
"""What may stand between two values."""

_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "'": "'", '"': '"', "\\": "\\"}
_NEXT_ITEM = re.compile(r"\s*[,，\]}:]")

ReadValue: TypeAlias = Callable[[str, int], tuple[object, int]]
"""The value that begins at a position of a text, and where it ends."""


class Unreadable(Exception):
    """There is nothing that can be read at this position."""


_TAG_OF_THINKING = r"(?:[a-z]{1,20}:)?think[a-z_0-9]{0,60}"
_THINKING = re.compile(
    rf"<(?P<tag>{_TAG_OF_THINKING})>(.*?)</(?P=tag)>|\A\s*<(?P<first>thought|reasoning)>(.*?)</(?P=first)>|"
    r"\[THINK\](.*?)\[/THINK\]|◁think▷(.*?)◁/think▷|<\|channel\|>analysis<\|message\|>(.*?)<\|end\|>",
    re.DOTALL,
)
_END_OF_THINKING = re.compile(rf"</{_TAG_OF_THINKING}>|\[/THINK\]|◁/think▷")


def without_thinking(text: str) -> tuple[list[str], str]:
    """What stands in marks of thinking, and the rest. The opening mark may have been part of the prompt."""
    thoughts = ["".join(filter(None, match.group(2, 4, 5, 6, 7))).strip() for match in _THINKING.finditer(text)]
    rest = _THINKING.sub("", text)
    end = _END_OF_THINKING.search(rest)
    return (thoughts, rest) if end is None else ([*thoughts, rest[: end.start()].strip()], rest[end.end() :])


def read_list(text: str, at: int, item: ReadValue, most: float = math.inf) -> tuple[list[object], int]:
    """The list whose bracket is before `at`, and where it ends. Raises Unreadable; with `most` items, too."""
    items: list[object] = []
    at = end_of(GAP, text, at)
    while at < len(text) and len(items) < most:
        if text[at] == "]":
            return items, at + 1
        found, after = item(text, at)
        if after == at:
            break
        items.append(found)
        at = end_of(GAP, text, after)
    raise Unreadable


def read_object(
    text: str, at: int, value: ReadValue, colon: re.Pattern[str], most: float = math.inf
) -> tuple[dict[str, object], int]:
    """The object whose bracket is before `at`, and where it ends. Raises Unreadable; with `most` members, too."""
    made: dict[str, object] = {}
    at = end_of(GAP, text, at)
    while at < len(text) and len(made) < most:
        if text[at] == "}":
            return made, at + 1
        if text[at] not in QUOTES:
            break
        key, at = read_quoted(text, at, ends_item)
        between = colon.match(text, at)
        if between is None:
            break
        made[key], after = value(text, between.end())
        if after == between.end():
            break
        at = end_of(GAP, text, after)
    raise Unreadable


def read_quoted(text: str, at: int, ends: Callable[[str, int], bool]) -> tuple[str, int]:
    """The text between quotes. A quote that nothing follows which ends a text is part of it. Raises Unreadable."""
    closing = QUOTES[text[at]]
    made: list[str] = []
    at += 1
    while at < len(text):
        character = text[at]
        if character == "\\" and text[at + 1 : at + 2] in _ESCAPES and at + 1 < len(text):
            made.append(_ESCAPES[text[at + 1]])
            at += 2
            continue
        at += 1
        if character == closing and ends(text, at):
            return "".join(made), at
        made.append(character)
    raise Unreadable


def ends_item(text: str, at: int) -> bool:
    """Whether what follows ends a text in a list or an object."""
    return _NEXT_ITEM.match(text, at) is not None


def end_of(pattern: re.Pattern[str], text: str, at: int) -> int:
    """Where the match at this position ends; the position itself if there is none."""
    match = pattern.match(text, at)
    return match.end() if match is not None else at


_TAGS = re.compile(r"<\|?/?(?:point|bbox|box|box_start|box_end|box_2d)\|?>", re.IGNORECASE)
_NUMBER = re.compile(r"[-+]?\d{1,7}(?:\.\d{0,20})?")
_BETWEEN = re.compile(r"[\s,;()\[\]]*")
_LONGEST = 200


_POINT_NAMES = ("coordinate", "coordinates", "point", "position", "bbox_2d", "bbox", "box", "start_box")


def given_point(arguments: Arguments) -> tuple[NativePoint | None, Rect | None]:
    """The point under any usual name, as `written_point` reads it, or x and y; None where there is none."""
    name = next(filter(arguments.has, _POINT_NAMES), None)
    return (arguments.point_if_given(), None) if name is None else written_point(arguments, name)


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
        return arguments.at(*numbers), None
    left, top, right, bottom = numbers
    start, end = arguments.at(left, top), arguments.at(right, bottom)
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
    at = end_of(_BETWEEN, plain, 0)
    while at < len(plain):
        number = _NUMBER.match(plain, at)
        if number is None:
            return None
        found.append(float(number[0]))
        after = end_of(_BETWEEN, plain, number.end())
        if after == number.end() < len(plain):
            return None
        at = after
    return found
