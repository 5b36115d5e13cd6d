"""A whole record with its view at every place. Pure; `Replay.of` takes long for a large record: run it on a thread."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from operator_console.domain.events import Record
from operator_console.ui.view.fold_records import cut_off, fold
from operator_console.ui.view.session_view import Item, SessionView, Step

EVERY = 64
"""Records between two kept views."""


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
        self._steps = [place for place, item in zip(begins, items, strict=True) if isinstance(item, Step)]
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
        """How many steps there are."""
        return len(self._steps)

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
        """How many steps have begun at a place."""
        return bisect_right(self._steps, place)

    def end_of_step(self, step: int) -> int:
        """The place at the end of a step, counted from 1; 0: just before the first step."""
        return self._steps[step] - 1 if step < len(self._steps) else len(self.records)

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
        number = bisect_right(self._begins, self._steps[step - 1]) - 1 if step else reached - 1
        return self.whole.items[number] if number >= 0 else None
