"""Reads the calls in an answer of UI-TARS: `Thought: ... Action: click(start_box='(x,y)')`.

The text is read into names and plain values, and never evaluated. Models differ from the documented form: without
"Thought:" or "Action:", with quotes in texts that are not escaped, without the last bracket, with full-width
punctuation, or with calls as JSON. A call that cannot be read has a problem instead of a name.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from operator_console.providers.shared.arguments import can_be_kept
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
    without_thinking,
)

MOST_CALLS = 20
_PROBLEM_LENGTH = 80

_HEADER = re.compile(r"^[ \t*#]*(?:Action|Actions|动作|操作)[ \t*]*[:：][ \t*]*", re.MULTILINE | re.IGNORECASE)
_LABEL = re.compile(
    r"^[ \t*#]*(Thought|Reflection|Action_Summary|思考|反思|总结)[ \t*]*[:：][ \t*]*", re.MULTILINE | re.IGNORECASE
)
_REFLECTIONS = frozenset({"reflection", "反思"})
_START = re.compile(rf"({IDENTIFIER})[ \t]*[(（]")
_BARE_START = re.compile(rf"^[ \t`]*({IDENTIFIER})[ \t]*[(（]", re.MULTILINE)
_KEY = re.compile(rf"({IDENTIFIER})\s*[=＝]\s*")
_COLON = re.compile(r"\s*:\s*")
_BETWEEN_CALLS = re.compile(r"(?:[\s;；,，`]|\[EOS\]|<\|im_end\|>)*")
_CLOSING = ")）"
# What follows a quote that ends a text: the next argument, or the end of the call.
_NEXT_ARGUMENT = re.compile(rf"\s*[,，]\s*{IDENTIFIER}\s*[=＝]")
_END_OF_CALL = re.compile(
    rf"\s*(?:[)）][ \t]*(?:[\r\n;；`]|$|\[EOS\]|<\||{IDENTIFIER}[(（])|(?:\s|`|\[EOS\]|<\|im_end\|>)*$)"
)
_PLAIN_VALUE = re.compile(r"[^,，)）\r\n\]}]*")
_BRACKETED = re.compile(r"(?:\([^()'\"\r\n]{0,80}\)[\s,，]*){1,2}")
_NAME_KEYS = ("name", "action", "action_type", "function")
_ARGUMENT_KEYS = ("arguments", "args", "parameters", "action_inputs")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenCall:
    """One call. If it cannot be read, `problem` is its text, and the rest is empty.

    Arguments without a name are called "0", "1" and so on.
    """

    name: str = ""
    arguments: Mapping[str, object] = field(default_factory=dict)
    problem: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenAnswer:
    """An answer in its parts.

    Attributes:
        thoughts: What stands in tags of thinking, and reflections.
        said: What stands under "Thought:", or all text if there are no calls.
        calls: In order, at most one more than MOST_CALLS.
        unfinished: Whether there is a thought without an action.
    """

    thoughts: str
    said: str
    calls: tuple[WrittenCall, ...]
    unfinished: bool


def read_written(text: str, known: frozenset[str]) -> WrittenAnswer:
    """The parts of an answer. A line that begins with a function of `known` is a call without "Action:" too."""
    thoughts, text = without_thinking(text)
    calls: list[WrittenCall] = []
    prose: list[str] = []
    at = 0
    while len(calls) <= MOST_CALLS and (start := _next_calls(text, at, known)) is not None:
        prose.append(text[at : start[0]])
        found, at = _calls_at(text, start[1], known)
        calls.extend(found)
    prose.append(text[at:])
    said, reflections = _labelled("\n".join(prose))
    return WrittenAnswer(
        thoughts="\n".join(filter(None, [*thoughts, *reflections])),
        said=said,
        calls=tuple(calls[: MOST_CALLS + 1]),
        unfinished=not calls and _LABEL.search(text) is not None,
    )


def _labelled(prose: str) -> tuple[str, list[str]]:
    """The text without its labels and without reflections, and the reflections."""
    pieces = _LABEL.split(prose)
    said, reflections = [pieces[0]], list[str]()
    for label, piece in zip(pieces[1::2], pieces[2::2], strict=True):
        (reflections if label.lower() in _REFLECTIONS else said).append(piece)
    return "\n".join(filter(None, map(_tidy, said))), list(filter(None, map(_tidy, reflections)))


def _tidy(text: str) -> str:
    return text.replace("[EOS]", "").replace("<|im_end|>", "").strip("`* \t\r\n")


def _next_calls(text: str, at: int, known: frozenset[str]) -> tuple[int, int] | None:
    """The beginning and end of the next header; both are the beginning of a call that has none."""
    header = _HEADER.search(text, at)
    bare = next((match.start(1) for match in _BARE_START.finditer(text, at) if match[1] in known), None)
    if header is not None and (bare is None or header.start() <= bare):
        return header.span()
    return (bare, bare) if bare is not None else None


def _calls_at(text: str, at: int, known: frozenset[str]) -> tuple[list[WrittenCall], int]:
    """The calls that begin here, one after the other, and where they end."""
    calls: list[WrittenCall] = []
    while len(calls) <= MOST_CALLS:
        start = end_of(_BETWEEN_CALLS, text, at)
        try:
            call, at = _json_call(text, start) if text[start : start + 1] == "{" else _call(text, start)
        except Unreadable:
            if calls and _START.match(text, start) is None:
                break
            problem, at = _problem(text, start, known)
            calls.extend(problem)
            if not problem[-1].name:
                break
            continue
        calls.append(call)
    return calls, at


def _problem(text: str, at: int, known: frozenset[str]) -> tuple[list[WrittenCall], int]:
    """The first known call on this line, else the line as a problem; and where it ends."""
    end = text.find("\n", at)
    end = len(text) if end < 0 else end
    for match in _START.finditer(text, at, end):
        if match[1] in known:
            try:
                call, after = _call(text, match.start(1))
            except Unreadable:
                break
            return [call], after
    return [WrittenCall(problem=text[at:end].strip()[:_PROBLEM_LENGTH] or "(nothing)")], end


def _json_call(text: str, at: int) -> tuple[WrittenCall, int]:
    """A call as a JSON object."""
    try:
        made, end = json.JSONDecoder().raw_decode(text, at)
    except (ValueError, RecursionError):
        raise Unreadable from None
    name = next((made[key] for key in _NAME_KEYS if isinstance(made.get(key), str)), "")
    if not re.fullmatch(IDENTIFIER, name):
        raise Unreadable
    arguments = next((made[key] for key in _ARGUMENT_KEYS if isinstance(made.get(key), dict)), None)
    if arguments is None:
        arguments = {key: value for key, value in made.items() if key not in _NAME_KEYS}
    if not can_be_kept(arguments):
        raise Unreadable
    return WrittenCall(name=name, arguments=arguments), end


def _call(text: str, at: int) -> tuple[WrittenCall, int]:
    """A call in the form name(argument=value, ...), and where it ends."""
    start = _START.match(text, at)
    if start is None:
        raise Unreadable
    arguments: dict[str, object] = {}
    at = end_of(GAP, text, start.end())
    while at < len(text):
        if text[at] in _CLOSING:
            return WrittenCall(name=start[1], arguments=arguments), at + 1
        key = _KEY.match(text, at)
        name, at = (key[1], key.end()) if key is not None else (str(len(arguments)), at)
        value, after = _value(text, at, 0, in_call=True)
        if after == at or name in arguments:
            raise Unreadable
        arguments[name] = value
        at = end_of(GAP, text, after)
    return WrittenCall(name=start[1], arguments=arguments), at


def _value(text: str, at: int, depth: int, *, in_call: bool) -> tuple[object, int]:
    """The value that begins here, and where it ends."""
    first = text[at : at + 1]
    if depth > DEEPEST:
        raise Unreadable
    if first in QUOTES:
        return read_quoted(text, at, _ends_argument if in_call else ends_item)

    def item(text: str, at: int) -> tuple[object, int]:
        return _value(text, at, depth + 1, in_call=False)

    if first == "[":
        return read_list(text, at + 1, item)
    if first == "{":
        return read_object(text, at + 1, item, _COLON)
    bracketed = _BRACKETED.match(text, at)
    if bracketed is not None:
        return bracketed[0].strip(" \t,，"), bracketed.end()
    if first == "<" and in_call:  # tags of points hold commas and brackets
        end = _end_of_line_or_call(text, at)
        return text[at:end].strip(), end
    plain = _PLAIN_VALUE.match(text, at)
    assert plain is not None
    return _word(plain[0].strip()), plain.end()


def _end_of_line_or_call(text: str, at: int) -> int:
    line = text.find("\n", at)
    line = len(text) if line < 0 else line
    call, argument = text.rfind(")", at, line), _NEXT_ARGUMENT.search(text, at, line)
    if argument is not None:
        return argument.start()
    return call if call > at else line


def _word(word: str) -> object:
    if word.lower() in WORDS:
        return WORDS[word.lower()]
    try:
        return int(word) if len(word) < 20 else word
    except ValueError:
        pass
    try:
        number = float(word)
    except ValueError:
        return word
    return number if math.isfinite(number) else word


def _ends_argument(text: str, at: int) -> bool:
    return _END_OF_CALL.match(text, at) is not None or _NEXT_ARGUMENT.match(text, at) is not None
