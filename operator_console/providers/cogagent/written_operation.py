"""Reads an operation as CogAgent writes it: `CLICK(box=[[387,248,727,317]], element_info='Search')`.

The text is read into names and plain values, and never evaluated. Models differ from the documented form: numbers with
leading zeros, quotes in texts that are not escaped, brackets and commas in texts, raw line breaks, full-width
punctuation, or no last bracket.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

_DEEPEST = 8
_MOST_ITEMS = 200

_IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_]{0,63}"
_NAME = re.compile(rf"({_IDENTIFIER})")
_OPENING = re.compile(r"[ \t]*[(（]")
_KEY = re.compile(rf"({_IDENTIFIER})\s*[=＝:：]\s*")
_NESTED = re.compile(rf"{_IDENTIFIER}[ \t]*[(（]")
_COLON = re.compile(r"\s*[:：]\s*")
_GAP = re.compile(r"[\s,，]*")
_CLOSING = ")）"
_PLAIN = re.compile(r"[^,，)）\r\n\]}]*")
_QUOTES = {"'": "'", '"': '"', "‘": "’", "“": "”"}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "'": "'", '"': '"', "\\": "\\"}
_WORDS: Mapping[str, object] = {"true": True, "false": False, "none": None, "null": None}

# What follows a quote that ends a text: the next argument, or the end of the operation, of the call or of the item.
_NEXT_ARGUMENT = rf"\s*[,，]\s*{_IDENTIFIER}\s*[=＝]"
_MARK = r"(?:<<|《|«)[^<>《》«»\r\n]{1,40}(?:>>|》|»)"
_WITHOUT_BRACKET = re.compile(rf"[\s`]*(?:$|{_MARK})")
_AFTER_TEXT = {
    "operation": re.compile(
        rf"{_NEXT_ARGUMENT}|\s*[)）][ \t`*]*(?:[\r\n;；。.]|$|{_MARK})|[\s`]*(?:$|[\r\n]\s*{_MARK})"
    ),
    "nested": re.compile(rf"{_NEXT_ARGUMENT}|\s*[)）]\s*[,，\]]"),
    "item": re.compile(r"\s*[,，\]}:]"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenOperation:
    """An operation. Values are text, numbers, booleans, None, lists, objects, and operations in a list."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)


class Unreadable(Exception):
    """There is no operation at this position."""


def read_operation(text: str, at: int = 0) -> tuple[WrittenOperation, int]:
    """The operation that begins here, and where it ends. `END` needs no brackets. Raises Unreadable."""
    return _operation(text, at, 0)


def as_json(operation: WrittenOperation) -> str:
    """The arguments as a JSON object; an operation in a list is an object with its name."""
    return json.dumps(operation.arguments, ensure_ascii=False, default=_plain)


def _plain(value: object) -> object:
    assert isinstance(value, WrittenOperation)
    return {value.name: value.arguments}


def _operation(text: str, at: int, depth: int) -> tuple[WrittenOperation, int]:
    name = _NAME.match(text, at)
    if name is None or depth > _DEEPEST:
        raise Unreadable
    opening = _OPENING.match(text, name.end())
    if opening is None:
        if depth or text[name.end() : name.end() + 1].isalnum():
            raise Unreadable
        return WrittenOperation(name=name[1]), name.end()
    arguments: dict[str, object] = {}
    at = _end(_GAP, text, opening.end())
    while at < len(text):
        if text[at] in _CLOSING:
            return WrittenOperation(name=name[1], arguments=arguments), at + 1
        if not depth and arguments and _WITHOUT_BRACKET.match(text, at):
            break
        key = _KEY.match(text, at)
        if key is None or key[1] in arguments or len(arguments) >= _MOST_ITEMS:
            raise Unreadable
        value, after = _value(text, key.end(), depth, "nested" if depth else "operation")
        if after == key.end():
            raise Unreadable
        arguments[key[1]] = value
        at = _end(_GAP, text, after)
    if depth:
        raise Unreadable
    return WrittenOperation(name=name[1], arguments=arguments), at


def _value(text: str, at: int, depth: int, within: str) -> tuple[object, int]:
    """The value that begins here, and where it ends."""
    first = text[at : at + 1]
    if depth > _DEEPEST:
        raise Unreadable
    if first in _QUOTES:
        return _quoted(text, at, within)
    if first == "[":
        return _list(text, at + 1, depth + 1)
    if first == "{":
        return _object(text, at + 1, depth + 1)
    if within == "item" and _NESTED.match(text, at):
        return _operation(text, at, depth + 1)
    plain = _PLAIN.match(text, at)
    assert plain is not None
    return _word(plain[0].strip()), plain.end()


def _word(word: str) -> object:
    if word.lower() in _WORDS:
        return _WORDS[word.lower()]
    if re.fullmatch(r"[-+]?[0-9]{1,15}", word):
        return int(word)
    if re.fullmatch(r"[-+]?[0-9]{1,15}\.[0-9]{0,15}", word):
        return float(word)
    return word


def _list(text: str, at: int, depth: int) -> tuple[list[object], int]:
    items: list[object] = []
    at = _end(_GAP, text, at)
    while at < len(text) and len(items) < _MOST_ITEMS:
        if text[at] == "]":
            return items, at + 1
        item, after = _value(text, at, depth, "item")
        if after == at:
            break
        items.append(item)
        at = _end(_GAP, text, after)
    raise Unreadable


def _object(text: str, at: int, depth: int) -> tuple[dict[str, object], int]:
    made: dict[str, object] = {}
    at = _end(_GAP, text, at)
    while at < len(text) and len(made) < _MOST_ITEMS:
        if text[at] == "}":
            return made, at + 1
        if text[at] not in _QUOTES:
            break
        key, at = _quoted(text, at, "item")
        colon = _COLON.match(text, at)
        if colon is None:
            break
        value, after = _value(text, colon.end(), depth, "item")
        if after == colon.end():
            break
        made[key] = value
        at = _end(_GAP, text, after)
    raise Unreadable


def _quoted(text: str, at: int, within: str) -> tuple[str, int]:
    """The text between quotes. A quote that nothing follows which ends a text is part of it."""
    closing = _QUOTES[text[at]]
    made: list[str] = []
    at += 1
    while at < len(text):
        character = text[at]
        if character == "\\" and text[at + 1 : at + 2] in _ESCAPES and at + 1 < len(text):
            made.append(_ESCAPES[text[at + 1]])
            at += 2
            continue
        at += 1
        if character == closing and _AFTER_TEXT[within].match(text, at):
            return "".join(made), at
        made.append(character)
    raise Unreadable


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    return match.end() if match is not None else at
