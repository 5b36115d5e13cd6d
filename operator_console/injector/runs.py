"""Which way each stretch of a text goes, and by which method how many characters went: decided and counted here alone.

Pure: knows no display. A stretch goes by keys, and then each character by the method that its key is (typing.py), by
the input method of a field that takes part (committing.py), or by the clipboard (pasting.py). Called by these.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from enum import Enum, StrEnum, auto

# Below these the clipboard is slower than keys.
_LONG_TEXT, _LONG_RUN = 200, 40
# As much as an application fetches at once.
_MOST_AT_ONCE = 20_000


class Method(StrEnum):
    """How a character was typed, as the record says it."""

    MAPPED = "mapped keys"
    LENT = "temporary mapping"
    COMMITTED = "input method"
    PASTED = "clipboard paste"


METHODS = tuple(Method)


class Tally(Counter[Method]):
    """How many characters went by each method."""

    @classmethod
    def of(cls, numbers: Iterable[int]) -> Tally:
        """In the order of METHODS."""
        return cls(dict(zip(METHODS, numbers, strict=False)))

    def __str__(self) -> str:
        """The method where it was one for all ("mapped keys"), else each with its number, in the order of METHODS."""
        used = [(method, self[method]) for method in METHODS if self[method]]
        if len(used) == 1:
            return used[0][0].value
        return ", ".join(f"{method.value} {number}" for method, number in used)


class Way(Enum):
    """How a stretch goes."""

    KEYS = auto()
    COMMIT = auto()
    PASTE = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A stretch of text that goes one way."""

    text: str
    way: Way


def by_keys(text: str) -> list[Run]:
    """All of it by keys."""
    return [Run(text=text, way=Way.KEYS)] if text else []


def commits_of(text: str) -> list[Run]:
    """The stretches of a text of which an input method takes what is no key of lines and cells."""
    pieces = re.findall(r"[^\n\t]+|[\n\t]+", text)
    return [Run(text=piece, way=Way.KEYS if piece[0] in "\n\t" else Way.COMMIT) for piece in pieces]


def runs_of(text: str, *, carried: Callable[[str], bool], lendable: Callable[[set[str]], bool]) -> list[Run]:
    """The stretches of a text of which long ones may be pasted.

    Args:
        carried: whether the keyboard itself has the character.
        lendable: whether all these characters can be lent keys at once; where they can, keys are as fast.
    """
    missing = [character for character in text if character not in "\n\t" and not carried(character)]
    if len(text) <= _LONG_TEXT or lendable(set(missing)):
        return by_keys(text)
    runs: list[Run] = []
    for piece in re.findall(r"[^\n\t]+|[\n\t]+", text):
        # What is pasted is never a command: lines and cells go one by one, with Return and Tab as keys between them.
        if piece[0] in "\n\t" or sum(not carried(character) for character in piece) < _LONG_RUN:
            _add_keys(runs, piece)
            continue
        # The first key clears away what an empty line may hold for a filler; Chromium would keep it behind a paste.
        _add_keys(runs, piece[0])
        starts = range(1, len(piece), _MOST_AT_ONCE)
        runs += [Run(text=piece[start : start + _MOST_AT_ONCE], way=Way.PASTE) for start in starts]
    return runs


def _add_keys(runs: list[Run], text: str) -> None:
    if runs and runs[-1].way is Way.KEYS:
        runs[-1] = replace(runs[-1], text=runs[-1].text + text)
    else:
        runs += by_keys(text)
