"""How `run` talks to the terminal: choices that are no part of the session itself. Handed to app with the request."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class AnswerMode(StrEnum):
    """Who answers questions: whoever sits at the terminal, or nobody (each is declined at once)."""

    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunOptions:
    """Options of one `run`.

    Attributes:
        json: one JSON object per event on stdout, instead of one line a step.
        answer: who answers questions.
        verbose: log lines go to stderr as well.
    """

    json: bool = False
    answer: AnswerMode = AnswerMode.ASK
    verbose: bool = False
