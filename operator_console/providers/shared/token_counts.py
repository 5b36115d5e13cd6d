"""Reads the tokens that a service reports, and keeps those of answers that no proposal came of.

`Usage` counts all kinds in one way. What a service leaves out is None, and so is what cannot be a count: an answer is
usable whatever its count of tokens says.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from operator_console.domain.proposals import Usage

_MOST = 10**12
"""More tokens than a request can have; such a number is an error of the service."""


def reported(body: bytes, name: str) -> Mapping[str, Any]:
    """The object of this name in an answer; an empty one if there is none."""
    try:
        return part(json.loads(body), name)
    except (ValueError, RecursionError):
        return {}


def part(holder: object, name: str) -> Mapping[str, Any]:
    """The object of this name in another; an empty one if there is none."""
    found = holder.get(name) if isinstance(holder, dict) else None
    return found if isinstance(found, dict) else {}


def count(holder: Mapping[str, Any], name: str) -> int | None:
    """The count of this name; None if there is none."""
    value = holder.get(name)
    is_count = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST
    return value if is_count else None


def without(whole: int | None, part_of_it: int | None) -> int | None:
    """The rest of a count; never negative."""
    return whole if whole is None or part_of_it is None else max(0, whole - part_of_it)


class UntoldTokens:
    """The tokens of answers that no proposal tells. `usage_of` reads those of an answer."""

    def __init__(self, usage_of: Callable[[bytes], Usage]) -> None:
        self._usage_of = usage_of
        self._usage = Usage()

    def add(self, body: bytes) -> None:
        """Count an answer."""
        self._usage += self._usage_of(body)

    @contextmanager
    def unless_used(self, bodies: Sequence[bytes]) -> Iterator[None]:
        """Count these answers if the block raises, also where it is cancelled."""
        used = False
        try:
            yield
            used = True
        finally:
            for body in () if used else bodies:
                self.add(body)

    def take(self) -> Usage:
        """All tokens since the last call."""
        usage, self._usage = self._usage, Usage()
        return usage
