"""Makes a `Call` of what a model called, and reads arguments that several dialects have in common."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from operator_console.domain.actions import Action, Navigate
from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import Rect
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.proposals import Call, SafetySignal
from operator_console.providers.shared.arguments import Arguments

MAX_WHEEL_CLICKS = 100
_DIRECTIONS = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedCall:
    """An action.

    Attributes:
        action: what the call stands for.
        note: tells the operator what was assumed if the call left something open.
        box: the box that the model gave, in native pixels.
    """

    action: Action
    note: str = ""
    box: Rect | None = None


Reader: TypeAlias = Callable[[Arguments], Action | ParsedCall]
"""Reads the arguments of one function. Raises ActionError."""


def read_with(reader: Reader, arguments: Arguments) -> ParsedCall:
    """What the reader makes of the arguments. Raises ActionError."""
    made = reader(arguments)
    return made if isinstance(made, ParsedCall) else ParsedCall(action=made)


def read_direction(arguments: Arguments, name: str) -> tuple[int, int]:
    """The signs of dx and dy for "up", "down", "left" or "right". Raises ActionError."""
    word = arguments.text(name).strip().lower()
    if word not in _DIRECTIONS:
        raise ActionError(notice(NoticeCode.ARGUMENT_NOT_DIRECTION, argument=name, value=word[:40]))
    return _DIRECTIONS[word]


def read_address(arguments: Arguments, name: str, *, new_tab: bool = False) -> ParsedCall:
    """Going to the address of an argument; https:// is added where it has no scheme. Raises ActionError."""
    url = arguments.text(name).strip()
    if not url:
        raise ActionError(notice(NoticeCode.ARGUMENT_EMPTY, argument=name))
    return going_to(url, new_tab=new_tab)


def going_to(url: str, *, new_tab: bool = False) -> ParsedCall:
    """Going to an address; https:// is added where it has no scheme."""
    if "://" in url or url.startswith(("about:", "data:", "mailto:")):
        return ParsedCall(action=Navigate(url=url, new_tab=new_tab))
    return ParsedCall(action=Navigate(url=f"https://{url}", new_tab=new_tab), note=notice(NoticeCode.HTTPS_ADDED))


def make_call(
    parse: Callable[[], ParsedCall],
    *,
    index: int,
    call_id: str,
    name: str,
    arguments: object,
    intent: str = "",
    safety: SafetySignal | None = None,
) -> Call:
    """The call with the action that `parse` returns, or with the text of the ActionError that it raises.

    `arguments` are the model's, unchanged; any JSON value, None where it gave none.
    """
    parsed: ParsedCall | None = None
    error = ""
    try:
        parsed = parse()
    except ActionError as problem:
        error = problem.text
    return Call(
        index=index,
        call_id=call_id,
        name=name,
        arguments_json=json.dumps(arguments if arguments is not None else {}, ensure_ascii=False),
        action=parsed.action if parsed is not None else None,
        error=error,
        intent=intent,
        safety=safety,
        box=parsed.box if parsed is not None else None,
        note=parsed.note if parsed is not None else "",
    )


def given_arguments(value: object) -> Mapping[str, object]:
    """The arguments if they are an object, else none."""
    return value if isinstance(value, dict) else {}


def can_be_kept(arguments: object) -> bool:
    """Whether arguments that were read from a model's text can be written as JSON in UTF-8."""
    try:
        json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):  # a lone surrogate, NaN, a number of thousands of digits, or too deep
        return False
    return True
