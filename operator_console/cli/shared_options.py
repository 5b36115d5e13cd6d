"""Options of `run` that concern the terminal rather than the session."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class AnswerMode(StrEnum):
    """Whether questions are asked on the terminal or declined at once."""

    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Output and questions of a run in a terminal.

    Attributes:
        json: print one JSON object per event instead of one line per step.
        answer: what happens to questions.
        verbose: write log lines to stderr as well.
    """

    json: bool = False
    answer: AnswerMode = AnswerMode.ASK
    verbose: bool = False
