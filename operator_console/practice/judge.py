"""Judges a practice run: compares what the practice window logged with what the practice runbook does.

Nothing that the console reports about the run is taken into account.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from operator_console.practice.event_log import Chosen, Drawn, PracticeEvent, Saved, Scrolled, Slid

PLANT = "Fern"
ROOM = "Kitchen"
NOTES = "Zażółć gęślą jaźń"
MONTH = "October"
PINNED_MONTH = "December"
MIN_WATER = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The result; `missing` describes each input that did not arrive or arrived wrongly."""

    missing: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether everything arrived."""
        return not self.missing

    @property
    def words(self) -> str:
        """The result as one sentence."""
        if self.passed:
            return "The practice window received every action."
        return "The practice window did not receive every action: " + "; ".join(self.missing) + "."


def judge(events: Sequence[PracticeEvent]) -> Verdict:
    """Compare the logged events with the steps of the practice runbook."""
    saves = [event for event in events if isinstance(event, Saved)]
    missing = [*_missing_actions(events), *_missing_saves(saves)]
    if saves:
        missing += _wrong_content(saves[-1])
    return Verdict(missing=tuple(missing))


def _missing_actions(events: Sequence[PracticeEvent]) -> list[str]:
    chosen = [(event.item, event.how) for event in events if isinstance(event, Chosen)]
    checks = {
        "the list was not scrolled": any(isinstance(event, Scrolled) for event in events),
        f"“{MONTH}” was not starred by a double click": (MONTH, "starred") in chosen,
        f"“{PINNED_MONTH}” was not pinned by a right click": (PINNED_MONTH, "pinned") in chosen,
        "the slider was not dragged": any(isinstance(event, Slid) for event in events),
        "no line was drawn from Root to Leaf": any(
            isinstance(event, Drawn) and (event.start, event.end) == ("Root", "Leaf") for event in events
        ),
    }
    return [words for words, holds in checks.items() if not holds]


def _missing_saves(saves: Sequence[Saved]) -> list[str]:
    by = [save.by for save in saves]
    if not by:
        return ["nothing was saved"]
    missing = []
    if by.count("Ctrl+S") != 1:
        missing.append(f"Ctrl+S arrived {by.count('Ctrl+S')} times instead of once")
    presses = len(by) - by.count("Ctrl+S")
    if presses != 1:
        missing.append(f"Save was clicked {presses} times instead of once")
    return missing


def _wrong_content(saved: Saved) -> list[str]:
    pairs = (
        ("Plant", saved.plant, PLANT),
        ("Room", saved.room, ROOM),
        ("Notes", saved.notes, NOTES),
        ("Month", saved.month, MONTH),
    )
    missing = [f"{name} was saved as “{got}” instead of “{want}”" for name, got, want in pairs if got != want]
    if saved.water < MIN_WATER:
        missing.append(f"Water was saved as {saved.water} instead of {MIN_WATER} or more")
    if saved.strokes < 1:
        missing.append("the sketch was empty when saved")
    return missing
