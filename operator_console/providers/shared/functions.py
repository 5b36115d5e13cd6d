"""Calls of functions, in dialects that offer the console's functions beside a computer tool of their own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from operator_console.domain.actions import CallFunction
from operator_console.domain.errors import ActionError
from operator_console.domain.geometry import FrameGeometry, SentPoint
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.providers.shared import own_tools
from operator_console.providers.shared.arguments import Arguments
from operator_console.providers.shared.parsed_calls import ParsedCall, read_with


@dataclass(frozen=True, slots=True, kw_only=True)
class Vocabulary:
    """What is offered: functions of the session, those of the console, and actions that are withheld."""

    tools: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    excluded: frozenset[str] = frozenset()


def in_picture(arguments: Mapping[str, object], geometry: FrameGeometry) -> Arguments:
    """Arguments with points in pixels of the picture that was sent."""
    return Arguments(values=arguments, geometry=geometry, locate=lambda x, y: geometry.from_sent(SentPoint(x, y)))


def parse_function(
    name: str, arguments: Mapping[str, object], geometry: FrameGeometry, vocabulary: Vocabulary
) -> ParsedCall:
    """Translate a call of a function. Raises ActionError, whose text is for the model."""
    if name in vocabulary.tools:
        given = json.dumps(arguments, ensure_ascii=False)
        return ParsedCall(action=CallFunction(name=name, arguments_json=given))
    if name not in vocabulary.own:
        raise unknown_function(name, vocabulary.own | vocabulary.tools)
    return read_with(own_tools.readers(browser=True)[name], in_picture(arguments, geometry))


def unknown_function(name: str, known: frozenset[str]) -> ActionError:
    """The error for a function or action that does not exist."""
    return ActionError(notice(NoticeCode.NO_SUCH_FUNCTION, name=name[:80], functions=", ".join(sorted(known))))
