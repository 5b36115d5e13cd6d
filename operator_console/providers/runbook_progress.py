"""Where the play of a runbook stands, and how answers and the operator's words move it on. Pure; called by `runbook`.

`Progress` is replaced as a whole when a turn is complete, so that a turn that failed can be repeated.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from operator_console.domain.errors import OperatorError
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.proposals import CallResult, CallStatus
from operator_console.providers.runbook_parse import parse
from operator_console.providers.runbook_steps import AskStep, Named, Step, show

_MOST_REPEATS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where the play stands; replaced as a whole when a turn is complete.

    Attributes:
        at: the step that is next, or under way.
        sent: what the last proposal was about: "" nothing, "act", "which", "look", "resume", "end".
        named, places: what was asked with "which".
        chosen: what the operator chose in this step.
        looking_since_s: when the step's text was first missed; looks: how often since.
        repeats: how often the step was proposed without being done.
        failed: why the play cannot go on.
        last: the point acted on last.
    """

    steps: tuple[Step, ...] = ()
    at: int = 0
    sent: str = ""
    named: Named | None = None
    places: tuple[Rect, ...] = ()
    chosen: Mapping[Named, Rect] = field(default_factory=dict)
    looking_since_s: float | None = None
    looks: int = 0
    repeats: int = 0
    failed: str = ""
    last: NativePoint | None = None

    @property
    def step(self) -> Step | None:
        return self.steps[self.at] if self.at < len(self.steps) else None

    def advanced(self) -> Progress:
        return replace(self, at=self.at + 1, sent="", chosen={}, looking_since_s=None, looks=0, repeats=0)

    def failing(self, why: str) -> Progress:
        return replace(self, failed=why)


def with_messages(progress: Progress, messages: Sequence[str]) -> tuple[Progress, tuple[str, ...]]:
    """Words of the operator that are steps are played next; others are said not to be understood."""
    notes: list[str] = []
    added: list[Step] = []
    for message in messages:
        try:
            added += parse(message)
        except OperatorError:
            notes.append(f"A runbook understands steps only; this was not one: {message}")
    if added:
        at = progress.at + 1 if progress.sent in ("act", "which", "look") else progress.at
        steps = (*progress.steps[:at], *added, *progress.steps[at:])
        progress = replace(progress, steps=steps, failed="", sent="" if progress.sent == "end" else progress.sent)
        notes.append(f"{len(added)} step{'s' if len(added) > 1 else ''} added.")
    return progress, tuple(notes)


def digest(progress: Progress, results: Sequence[CallResult]) -> Progress:
    """Take in how the last call ended."""
    if not results or not progress.sent:
        return progress
    result, step = results[-1], progress.step
    if progress.sent == "resume":
        return _resumed(progress, result)
    if step is None or progress.sent in ("end", "look"):
        return replace(progress, sent="")
    words = f"line {step.line}, {show(step)}"
    said = f": {result.text}" if result.text else "."
    match result.status:
        case CallStatus.DONE | CallStatus.OBSERVING if progress.sent == "which":
            return _chosen(progress, result, words)
        case CallStatus.DONE if isinstance(step, AskStep) and result.output.strip().lower() != "yes":
            return progress.failing(f"The answer was no ({words}).")
        case CallStatus.DONE | CallStatus.SKIPPED | CallStatus.OBSERVING:
            return progress.advanced()
        case CallStatus.NOT_DONE if progress.repeats < _MOST_REPEATS:
            return replace(progress, sent="", repeats=progress.repeats + 1)
        case CallStatus.DECLINED:
            return progress.failing(f"The operator declined {words}{said}")
        case _:
            return progress.failing(f"Not done: {words}{said}")


def _chosen(progress: Progress, result: CallResult, words: str) -> Progress:
    index = result.output.strip()
    if progress.named is None or not index.isdecimal() or int(index) >= len(progress.places):
        return progress.failing(f"Nobody said which place is meant ({words}).")
    chosen = {**progress.chosen, progress.named: progress.places[int(index)]}
    return replace(progress, sent="", chosen=chosen)


def _resumed(progress: Progress, result: CallResult) -> Progress:
    index = result.output.strip()
    if result.status is CallStatus.DONE and index.isdecimal() and int(index) < len(progress.steps):
        return replace(progress, sent="", at=int(index))
    return replace(progress, sent="").failing("Nobody said where the runbook should go on.")
