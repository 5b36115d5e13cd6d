"""The result of a target's Test: what was tried there, and how it went."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Tried(StrEnum):
    """How one thing went."""

    OK = "ok"
    NOT_OK = "not ok"
    NOT_TRIED = "not tried"


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedLine:
    """One thing that was tried.

    Attributes:
        name: what, in a few words.
        said: how it went, or why it was not tried, in sentences.
        remedy: what to do about it; "" where nothing is to be done.
        error_px: how far the pointer arrived from its place, where that was measured.
        late_ms: of the stop: how long after it the last event was sent, where any was being sent.
    """

    name: str
    outcome: Tried
    said: str
    remedy: str = ""
    error_px: float | None = None
    late_ms: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TargetReport:
    """The result of a Test.

    Attributes:
        title: of the target.
        stopped: whether it ended with its own stop, which a person has to reset.
    """

    title: str
    stopped: bool
    lines: tuple[TriedLine, ...]

    @property
    def ok(self) -> bool:
        """Whether everything that was tried went well."""
        return all(line.outcome is not Tried.NOT_OK for line in self.lines)
