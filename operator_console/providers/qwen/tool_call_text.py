"""Reads the calls in an answer of Qwen: `<tool_call>{"name": ..., "arguments": {...}}</tool_call>`.

Models leave out tags, wrap calls in code fences, write several into one tag, or write JSON that is damaged. Damaged
JSON is repaired by `json_repair`, which evaluates nothing; such a call is marked. What cannot be read becomes a call
with a problem.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from operator_console.providers.qwen.actions import ACTIONS, COMPUTER_USE
from operator_console.providers.shared.arguments import can_be_kept
from operator_console.providers.shared.written_values import without_thinking

MOST_CALLS = 20
_LONGEST_REPAIR = 20_000
_PROBLEM_LENGTH = 80

_TAG = re.compile(r"</?(?:tool_call|function_call|tool_code)>|<\|/?tool_call\|>|<\|python_tag\|>|\[TOOL_CALLS\]")
_FENCE = re.compile(r"```(?:json|tool_call|xml)?[ \t]*\n?(.*?)```", re.DOTALL)
_FENCE_MARK = re.compile(r"^```\w*\s*|\s*```$")
_CALL_KEYS = re.compile(r"\"(?:name|action)\"\s*:")
_IN_SENTENCE = re.compile(
    rf'\{{\s*"(?:name"\s*:\s*"{COMPUTER_USE}"[^{{}}]*\{{?|action"\s*:\s*"(?:{"|".join(ACTIONS)})")'
)
_IN_TAGS = re.compile(
    r"<function=(?P<name>[^>\s]{1,64})>(?P<arguments>.*?)(?:</function>|\Z)|"
    r"(?P<first>[\w.]{1,64})\s*(?P<pairs>(?:<arg_key>[^<]{1,64}</arg_key>\s*<arg_value>.*?</arg_value>\s*)+)",
    re.DOTALL,
)
"""A call as Qwen3-Coder writes it, and as GLM does."""
_ARGUMENT_IN_TAGS = re.compile(
    r"<parameter=([^>\s]{1,64})>\n?(.*?)\n?</parameter>|<arg_key>([^<]{1,64})</arg_key>\s*<arg_value>(.*?)</arg_value>",
    re.DOTALL,
)
_GAP = re.compile(r"[\s,;]*")
_LABEL = re.compile(r"^[ \t*]*(?:Thought|Action|动作|思考)[ \t*]*[:：][ \t*]*", re.MULTILINE)
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,63}")
_NAME_KEYS = ("name", "tool", "tool_name", "function")
_ARGUMENT_KEYS = ("arguments", "parameters", "args")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenCall:
    """One call. If it cannot be read, `problem` is its text; `repaired` is whether its JSON was damaged."""

    name: str = ""
    arguments: Mapping[str, object] = field(default_factory=dict)
    problem: str = ""
    repaired: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenAnswer:
    """An answer in its parts: what stands in tags of thinking, the rest of the text, and the calls."""

    thoughts: str
    said: str
    calls: tuple[WrittenCall, ...]


def read_written(text: str) -> WrittenAnswer:
    """The parts of an answer. There is at most one call more than MOST_CALLS."""
    thoughts, rest = without_thinking(text)
    prose, bodies = _divided(rest)
    calls: list[WrittenCall] = []
    for body in bodies:
        calls.extend(_calls_in(body))
        if len(calls) > MOST_CALLS:
            break
    said = _LABEL.sub("", prose).strip()
    return WrittenAnswer(thoughts="\n".join(filter(None, thoughts)), said=said, calls=tuple(calls[: MOST_CALLS + 1]))


def read_arguments(name: str, given: object) -> WrittenCall:
    """A native call, whose arguments are usually JSON text."""
    name = _bare(name)
    if isinstance(given, str):
        value, repaired = _json(given.strip() or "{}")
        if isinstance(value, str):  # some servers encode the text once more
            value, repaired = _json(value)
    else:
        value, repaired = given, False
    if not isinstance(value, dict) or not _NAME.fullmatch(name) or not can_be_kept(value):
        return WrittenCall(problem=f"{name} {given}".strip()[:_PROBLEM_LENGTH])
    return WrittenCall(name=name, arguments=value, repaired=repaired)


def _bare(name: str) -> str:
    """The name of a function without what some servers put before and after it: `functions.name:0`."""
    return re.sub(r"^(?:functions|default_api|tools)[.:]|:\d+$", "", name.strip())


def _divided(text: str) -> tuple[str, list[str]]:
    """The text without its calls, and the texts of the calls."""
    tags = list(_TAG.finditer(text))
    if tags:
        return _between_tags(text, tags)
    bodies = [match[1] for match in _FENCE.finditer(text) if _CALL_KEYS.search(match[1])]
    if bodies:
        return _FENCE.sub("", text), bodies
    if _has_tags(text):
        return _IN_TAGS.sub("", text), [match[0] for match in _IN_TAGS.finditer(text)]
    start = re.search(r"^[ \t]*[{\[]", text, re.MULTILINE)
    if start is None:
        start = next(reversed(list(_IN_SENTENCE.finditer(text))), None)
    if start is not None and _CALL_KEYS.search(text, start.start()):
        return text[: start.start()], [text[start.start() :]]
    return text, []


def _between_tags(text: str, tags: list[re.Match[str]]) -> tuple[str, list[str]]:
    """An opening tag begins a call, which the next tag ends. A closing tag without one ends what stands before it."""
    prose: list[str] = []
    bodies: list[str] = []
    at, inside = 0, False
    for tag in tags:
        piece = text[at : tag.start()]
        orphan = "/" in tag[0] and not inside and _CALL_KEYS.search(piece) is not None
        if inside or orphan:
            bodies.append(piece[piece.find("{") :] if orphan else piece)
            prose.append(piece[: piece.find("{")] if orphan else "")
        else:
            prose.append(piece)
        at, inside = tag.end(), "/" not in tag[0]
    (bodies if inside else prose).append(text[at:])
    return "\n".join(filter(None, map(str.strip, prose))), bodies


def _calls_in(body: str) -> Iterator[WrittenCall]:
    """The calls in the text of one tag."""
    plain = _FENCE_MARK.sub("", body.strip()).strip()
    if _has_tags(plain):
        yield from map(_call_in_tags, _IN_TAGS.finditer(plain))
        return
    at, found = 0, False
    while at < len(plain):
        try:
            value, at = json.JSONDecoder().raw_decode(plain, at)
            repaired = False
        except (ValueError, RecursionError):
            (value, repaired), at = _json(plain[at:]), len(plain)
        for each in value if isinstance(value, list) and value else [value]:
            if isinstance(each, dict) or not repaired:
                found = True
                yield _call(each, repaired, plain)
        gap = _GAP.match(plain, at)
        at = gap.end() if gap is not None else at
    if not found:
        yield WrittenCall(problem=plain[:_PROBLEM_LENGTH] or "(nothing)")


def _has_tags(text: str) -> bool:
    """Whether the arguments of calls stand in tags, not in JSON."""
    return not text.lstrip().startswith(("{", "[")) and len(text) <= _LONGEST_REPAIR and bool(_IN_TAGS.search(text))


def _call_in_tags(match: re.Match[str]) -> WrittenCall:
    """A call whose arguments stand in tags. Those of `computer_use` are left as texts, which its reader takes."""
    name, given = match["name"] or match["first"], match["arguments"] or match["pairs"] or ""
    arguments: dict[str, object] = {
        each[1] or each[3]: each[2] or each[4] or "" for each in _ARGUMENT_IN_TAGS.finditer(given)
    }
    if name != COMPUTER_USE:
        arguments = {key: _json_or_text(str(value)) for key, value in arguments.items()}
    return _call({"name": name, "arguments": arguments}, False, match[0])


def _json_or_text(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _call(value: object, repaired: bool, text: str) -> WrittenCall:
    unreadable = WrittenCall(problem=text[:_PROBLEM_LENGTH])
    if not isinstance(value, dict):
        return unreadable
    inner = value.get("function")
    if isinstance(inner, dict):  # {"type": "function", "function": {"name", "arguments"}}
        value = inner
    name = next((value[key] for key in _NAME_KEYS if isinstance(value.get(key), str)), None)
    if name is None and value.get("action") in ACTIONS:  # the arguments alone
        name, value = COMPUTER_USE, {"arguments": value}
    if name is None or not _NAME.fullmatch(name := _bare(name)):
        return unreadable
    beside = {key: each for key, each in value.items() if key not in (*_NAME_KEYS, "id", "type")}
    given: object = next((value[key] for key in _ARGUMENT_KEYS if key in value), beside)
    made = read_arguments(name, given)
    if name in ACTIONS:  # an action in place of the function
        made = WrittenCall(
            name=COMPUTER_USE,
            arguments={"action": name, **made.arguments},
            problem=made.problem,
            repaired=made.repaired,
        )
    return WrittenCall(
        name=made.name, arguments=made.arguments, problem=made.problem, repaired=made.repaired or repaired
    )


def _json(text: str) -> tuple[object, bool]:
    """The value of a JSON text, repaired if needed; None if it cannot be repaired. And whether it was damaged."""
    try:
        return json.loads(text), False
    except (ValueError, RecursionError):
        pass
    if len(text) > _LONGEST_REPAIR:
        return None, True
    import json_repair

    try:
        made: object = json_repair.loads(text, skip_json_loads=True)
    except (ValueError, RecursionError):
        return None, True
    return made, True
