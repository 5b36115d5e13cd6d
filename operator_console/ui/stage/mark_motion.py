"""How marks change with time: a ring closes during its lead time, and what was done fades."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from operator_console.ui.stage.plan_marks import Mark, MarkStage

FADE_S = 0.6


class MarkMotion:
    """Knows when each mark began and was done. `reduced`: nothing moves."""

    def __init__(self, monotonic: Callable[[], float]) -> None:
        self.reduced = False
        self._monotonic = monotonic
        self._begun: dict[str, float] = {}
        self._done: dict[str, float] = {}

    def show(self, marks: Sequence[Mark]) -> None:
        """These marks are shown from now on; those that were shown go on as they were."""
        now_s = self._monotonic()
        keys = {mark.key for mark in marks}
        self._begun = {key: when_s for key, when_s in self._begun.items() if key in keys}
        self._done = {key: when_s for key, when_s in self._done.items() if key in keys}
        for mark in marks:
            if mark.lead_s:
                self._begun.setdefault(mark.key, now_s)
            if mark.stage is MarkStage.DONE:
                self._done.setdefault(mark.key, now_s)

    def lead(self, mark: Mark) -> float | None:
        """The part of its lead time that has passed, 0 to 1; None without one."""
        if not mark.lead_s or mark.key not in self._begun:
            return None
        return 1.0 if self.reduced else min(1.0, (self._monotonic() - self._begun[mark.key]) / mark.lead_s)

    def opacity(self, mark: Mark) -> float:
        """0 to 1, over the live picture."""
        if mark.stage is not MarkStage.DONE:
            return 1.0
        if self.reduced:
            return 0.0
        return max(0.0, 1.0 - (self._monotonic() - self._done.get(mark.key, 0.0)) / FADE_S)

    def moving(self, marks: Sequence[Mark], *, live: bool) -> bool:
        """Whether any of them looks different a moment later. `live`: over the live picture, where marks fade."""
        if self.reduced:
            return False
        leading = any((part := self.lead(mark)) is not None and part < 1.0 for mark in marks)
        return leading or (live and any(mark.stage is MarkStage.DONE and self.opacity(mark) > 0.0 for mark in marks))
