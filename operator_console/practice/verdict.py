"""Did everything of the practice runbook arrive? Judged by the practice window's own file, by nothing we believe.

Pure. Called by the `practice` command and by tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from operator_console.practice.log import Chosen, Clicked, Drawn, PracticeEvent, Saved, Scrolled, Slid

PLANT = "Fern"
ROOM = "Kitchen"
NOTES = "Zażółć gęślą jaźń"
MONTH = "October"
PINNED_MONTH = "December"
LEAST_WATER = 90


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """`missing` says in plain words what did not arrive, or arrived wrongly; empty: everything did."""

    missing: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """Whether everything arrived."""
        return not self.missing

    @property
    def words(self) -> str:
        """One sentence for people."""
        if self.passed:
            return "Everything arrived in the practice window."
        return "Not everything arrived in the practice window: " + "; ".join(self.missing) + "."


def judge(events: Sequence[PracticeEvent]) -> Verdict:
    """Compare what was done to the window with what the practice runbook asks for."""
    saves = [event for event in events if isinstance(event, Saved)]
    missing = [*_actions(events), *_saves(saves)]
    if saves:
        missing += _content(saves[-1])
    return Verdict(missing=tuple(missing))


def _actions(events: Sequence[PracticeEvent]) -> list[str]:
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


def _saves(saves: Sequence[Saved]) -> list[str]:
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


def _content(saved: Saved) -> list[str]:
    pairs = (
        ("Plant", saved.plant, PLANT),
        ("Room", saved.room, ROOM),
        ("Notes", saved.notes, NOTES),
        ("the month", saved.month, MONTH),
    )
    missing = [f"{name} was saved as “{got}” instead of “{want}”" for name, got, want in pairs if got != want]
    if saved.water < LEAST_WATER:
        missing.append(f"the water was saved as {saved.water} instead of {LEAST_WATER} or more")
    if saved.strokes < 1:
        missing.append("the sketch was saved empty")
    return missing


def pressed_saves(events: Sequence[PracticeEvent]) -> list[str]:
    """The Save buttons that were clicked, by name (with two of them a run must have asked which)."""
    return [event.button for event in events if isinstance(event, Clicked) and event.button.startswith("Save")]
