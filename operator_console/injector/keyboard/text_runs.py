"""Splits a text into runs, each typed by one route: keys, input method or clipboard.

Newlines and tabs are always typed as the keys Return and Tab.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import Enum, auto

from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.injector.action_errors import Untypable

# Shorter texts and runs are typed faster by keys than by the clipboard.
_LONG_TEXT, _LONG_RUN = 200, 40
# Applications fetch this much from the clipboard in one transfer.
_MAX_PASTE = 20_000


class Route(Enum):
    """How a run is typed."""

    KEYS = auto()
    COMMIT = auto()
    PASTE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A part of a text that is typed by one route."""

    text: str
    route: Route


def normalised(text: str) -> str:
    """Replace all line ends by "\\n". Raises Untypable for control characters and lone surrogates."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    for character in text:
        if character not in "\n\t" and unicodedata.category(character) in {"Cc", "Cs"}:
            raise Untypable(notice(NoticeCode.CHARACTER_UNTYPABLE, code_point=f"U+{ord(character):04X}"))
    return text


def key_runs(text: str) -> list[Run]:
    """The whole text as keys."""
    return [Run(text=text, route=Route.KEYS)] if text else []


def commit_runs(text: str) -> list[Run]:
    """Runs for an input method: everything but newlines and tabs is committed."""
    pieces = re.findall(r"[^\n\t]+|[\n\t]+", text)
    return [Run(text=piece, route=Route.KEYS if piece[0] in "\n\t" else Route.COMMIT) for piece in pieces]


def paste_runs(text: str, *, in_layout: Callable[[str], bool], assignable: Callable[[set[str]], bool]) -> list[Run]:
    """Runs of which long ones with many characters outside the layout are pasted.

    Args:
        in_layout: whether the keyboard layout has the character.
        assignable: whether spare keycodes suffice for all these characters at once; keys are then as fast as pasting.
    """
    missing = [character for character in text if character not in "\n\t" and not in_layout(character)]
    if len(text) <= _LONG_TEXT or assignable(set(missing)):
        return key_runs(text)
    runs: list[Run] = []
    for piece in re.findall(r"[^\n\t]+|[\n\t]+", text):
        # Return and Tab stay keys, so that what is pasted never contains a command.
        if piece[0] in "\n\t" or sum(not in_layout(character) for character in piece) < _LONG_RUN:
            _append_keys(runs, piece)
            continue
        # The first character is typed: it replaces a placeholder in an empty line, which Chromium keeps after a paste.
        _append_keys(runs, piece[0])
        starts = range(1, len(piece), _MAX_PASTE)
        runs += [Run(text=piece[start : start + _MAX_PASTE], route=Route.PASTE) for start in starts]
    return runs


def _append_keys(runs: list[Run], text: str) -> None:
    if runs and runs[-1].route is Route.KEYS:
        runs[-1] = replace(runs[-1], text=runs[-1].text + text)
    else:
        runs += key_runs(text)
