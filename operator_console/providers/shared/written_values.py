"""Reads lists, objects and quoted texts in what a model wrote, where it may differ from the documented form.

The text is read into plain values, and never evaluated.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

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
