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

from operator_console.providers.shared.written_values import (
    DEEPEST,
    GAP,
    IDENTIFIER,
    QUOTES,
    WORDS,
    Unreadable,
    end_of,
    ends_item,
    read_list,
    read_object,
    read_quoted,
)

_MOST_ITEMS = 200

_NAME = re.compile(rf"({IDENTIFIER})")
_OPENING = re.compile(r"[ \t]*[(（]")
_KEY = re.compile(rf"({IDENTIFIER})\s*[=＝:：]\s*")
_NESTED = re.compile(rf"{IDENTIFIER}[ \t]*[(（]")
_COLON = re.compile(r"\s*[:：]\s*")
_CLOSING = ")）"
_PLAIN = re.compile(r"[^,，)）\r\n\]}]*")

# What follows a quote that ends a text: the next argument, or the end of the operation or of the call.
_NEXT_ARGUMENT = rf"\s*[,，]\s*{IDENTIFIER}\s*[=＝]"
_MARK = r"(?:<<|《|«)[^<>《》«»\r\n]{1,40}(?:>>|》|»)"
_WITHOUT_BRACKET = re.compile(rf"[\s`]*(?:$|{_MARK})")
_AFTER_TEXT = {
    "operation": re.compile(
        rf"{_NEXT_ARGUMENT}|\s*[)）][ \t`*]*(?:[\r\n;；。.]|$|{_MARK})|[\s`]*(?:$|[\r\n]\s*{_MARK})"
    ),
    "nested": re.compile(rf"{_NEXT_ARGUMENT}|\s*[)）]\s*[,，\]]"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenOperation:
    """An operation. Values are text, numbers, booleans, None, lists, objects, and operations in a list."""

    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)


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
    if name is None or depth > DEEPEST:
        raise Unreadable
    opening = _OPENING.match(text, name.end())
    if opening is None:
        if depth or text[name.end() : name.end() + 1].isalnum():
            raise Unreadable
        return WrittenOperation(name=name[1]), name.end()
    arguments: dict[str, object] = {}
    at = end_of(GAP, text, opening.end())
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
        at = end_of(GAP, text, after)
    if depth:
        raise Unreadable
    return WrittenOperation(name=name[1], arguments=arguments), at


def _value(text: str, at: int, depth: int, within: str) -> tuple[object, int]:
    """The value that begins here, and where it ends."""
    first = text[at : at + 1]
    if depth > DEEPEST:
        raise Unreadable
    if first in QUOTES:
        after = _AFTER_TEXT.get(within)
        return read_quoted(text, at, ends_item if after is None else lambda text, at: after.match(text, at) is not None)

    def item(text: str, at: int) -> tuple[object, int]:
        return _value(text, at, depth + 1, "item")

    if first == "[":
        return read_list(text, at + 1, item, _MOST_ITEMS)
    if first == "{":
        return read_object(text, at + 1, item, _COLON, _MOST_ITEMS)
    if within == "item" and _NESTED.match(text, at):
        return _operation(text, at, depth + 1)
    plain = _PLAIN.match(text, at)
    assert plain is not None
    return _word(plain[0].strip()), plain.end()


def _word(word: str) -> object:
    if word.lower() in WORDS:
        return WORDS[word.lower()]
    if re.fullmatch(r"[-+]?[0-9]{1,15}", word):
        return int(word)
    if re.fullmatch(r"[-+]?[0-9]{1,15}\.[0-9]{0,15}", word):
        return float(word)
    return word
