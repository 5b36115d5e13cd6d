"""A whole record with its view at every place. Pure; `Replay.of` takes long for a large record: run it on a thread."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from operator_console.domain.events import Record
from operator_console.ui.view.fold_records import cut_off, fold
from operator_console.ui.view.session_view import Item, Note, NoteKind, SessionView, Step

EVERY = 64
"""Records between two kept views."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepName:
    """A step's number in its run, of the last one there, and which of the record's runs that is."""

    run: int
    runs: int
    number: int
    of: int


def _is_step(item: Item) -> bool:
    """Whether the model answered: a look that the end of a run came into is counted nowhere."""
    return isinstance(item, Step) and item.proposed is not None


def _is_start(item: Item) -> bool:
    return isinstance(item, Note) and item.kind is NoteKind.RUN


class Replay:
    """The places of a record are counted in records shown, from the first; 0 is before the first one.

    Attributes:
        records: all of them.
        whole: the view after all of them.
    """

    def __init__(self, records: Sequence[Record], views: Sequence[SessionView], begins: Sequence[int]) -> None:
        """For `of`. `views`: after every `EVERY` records and at the end; `begins`: the place of each item."""
        self.records = records
        self.whole = views[-1]
        self._views = views
        self._begins = begins
        items = self.whole.items
        steps = [(place, item) for place, item in zip(begins, items, strict=True) if _is_step(item)]
        self._steps = [place for place, _item in steps]
        starts = [place for place, item in zip(begins, items, strict=True) if _is_start(item)]
        later = sorted((*self._steps, *starts, len(records) + 1))
        self._ends = [later[bisect_right(later, place)] - 1 for place in self._steps]
        self._numbers = [item.number for _place, item in steps if isinstance(item, Step)]
        self._last = (len(records), self.whole)

    @classmethod
    def of(cls, records: Sequence[Record], *, interrupted: bool = False) -> Replay:
        """Folds every record once. `interrupted`: the last run was cut off."""
        view = SessionView()
        views = [view]
        begins: list[int] = []
        for place, record in enumerate(records, start=1):
            view = fold(view, record)
            begins += [place] * (len(view.items) - len(begins))
            if place % EVERY == 0:
                views.append(view)
        views.append(cut_off(view) if interrupted else view)
        return cls(records, views, begins)

    @property
    def steps(self) -> int:
        """How many steps the model answered, in all runs."""
        return len(self._steps)

    def name_of(self, step: int) -> StepName:
        """The run of a step, which is counted from 1 through all runs, and its number there, as its row has it."""
        firsts = [0, *(at for at in range(1, len(self._numbers)) if self._numbers[at] <= self._numbers[at - 1])]
        run = bisect_right(firsts, step - 1)
        last = firsts[run] if run < len(firsts) else len(self._numbers)
        return StepName(run=run, runs=len(firsts), number=self._numbers[step - 1], of=self._numbers[last - 1])

    def view_at(self, place: int) -> SessionView:
        """The view at a place; near the one before, or near a kept one, few records are folded."""
        if place == len(self.records):
            return self.whole
        known, view = self._last
        kept = place // EVERY
        if known > place or known < kept * EVERY:
            known, view = kept * EVERY, self._views[kept]
        for record in self.records[known:place]:
            view = fold(view, record)
        self._last = (place, view)
        return view

    def step_at(self, place: int) -> int:
        """How many steps that the model answered have begun at a place."""
        return bisect_right(self._steps, place)

    def end_of_step(self, step: int) -> int:
        """The place at the end of a step of those answered, counted from 1; 0: just before the first step."""
        if not step:
            return self._steps[0] - 1 if self._steps else len(self.records)
        return self._ends[min(step, len(self._steps)) - 1] if self._steps else len(self.records)

    def end_of(self, item: Item) -> int:
        """The place at which a step of the whole record is over, or a note has come."""
        for number in range(len(self._begins) - 1, -1, -1):
            if self.whole.items[number].seq == item.seq:
                begin = self._begins[number]
                return self.end_of_step(self.step_at(begin)) if isinstance(item, Step) else begin
        return len(self.records)

    def item_at(self, place: int) -> Item | None:
        """The step that a place is in, else the note that came last before it; None at the very beginning."""
        step = self.step_at(place)
        reached = bisect_right(self._begins, place)
        if reached and isinstance(begun := self.whole.items[reached - 1], Step):
            return begun
        number = bisect_right(self._begins, self._steps[step - 1]) - 1 if step else reached - 1
        return self.whole.items[number] if number >= 0 else None
