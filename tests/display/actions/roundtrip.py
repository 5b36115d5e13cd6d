"""Types texts into one field with one layout and lock state, and compares what arrived."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from operator_console.domain.actions import TypeText
from operator_console.domain.decisions import ActResult
from tests.display.actions.pairs import Section
from tests.display.actions.sinks import Sink, holds
from tests.display.actions.texts import LAYOUTS, LOCKS, TEXTS
from tests.display.guard.acting import Acting, FocusRule
from tests.display.rig import Desktop
from tests.display.rig.xkb_locks import read_locks, set_locks


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    """One text as sent and as received; `why` names any other fault."""

    section: Section
    text: str
    method: str
    sent: str
    got: str
    why: str = ""

    @property
    def right(self) -> bool:
        """Whether the text arrived exactly and nothing else was wrong."""
        return self.sent == self.got and not self.why

    def __str__(self) -> str:
        where = f"{self.section.field} / {self.section.layout.name} / {self.section.lock} / {self.text}"
        return f"{where} ({self.method}): {self.sent!r} -> {self.got!r} {self.why}"


def choose(desktop: Desktop, section: Section) -> list[tuple[int, ...]]:
    """Set the layout and locks of the section; returns the keyboard map without assigned symbols."""
    locks = LOCKS[section.lock]
    desktop.set_layout(*section.layout.arguments(second=locks.group == 1))
    set_locks(desktop.name, locks)
    return desktop.keyboard_mapping()


async def trips(acting: Acting, sink: Sink, section: Section) -> list[Trip]:
    """Type the texts of the section, each into the cleared field, the last one followed by Enter."""
    found: list[Trip] = []
    for name in section.texts:
        submit = sink.always_submit or name == section.texts[-1]
        text = TEXTS[name]
        if sink.ready is not None:
            await sink.ready()
        outcome = await acting.do(
            TypeText(text=text, clear=True, submit=submit), focus=FocusRule(), terminal=sink.terminal
        )
        sent = text + sink.enter if submit else text
        got = await holds(sink, acting, sent)
        why = "" if outcome.result is ActResult.DONE else f"{outcome.result}: {outcome.detail}"
        found.append(Trip(section=section, text=name, method=outcome.method, sent=sent, got=got, why=why))
    wrong = _left(acting.desktop, section.lock)
    if wrong:
        found.append(Trip(section=section, text="", method="", sent="", got="", why=wrong))
    return found


def _left(desktop: Desktop, lock: str) -> str:
    if desktop.keys_down():
        return f"keys down: {desktop.keys_down()}"
    return "" if read_locks(desktop.name) == LOCKS[lock] else f"locks: {read_locks(desktop.name)}"


def table(found: Sequence[Trip]) -> str:
    """A table of passed and total texts: one row per field, one column per layout."""
    lines = [
        "| field | " + " | ".join(layout.name for layout in LAYOUTS) + " |",
        "|---|" + "---|" * len(LAYOUTS),
    ]
    right = Counter((trip.section.field, trip.section.layout.name) for trip in found if trip.right)
    count = Counter((trip.section.field, trip.section.layout.name) for trip in found)
    for field in dict.fromkeys(trip.section.field for trip in found):
        cells = (f"{right[field, layout.name]} / {count[field, layout.name]}" for layout in LAYOUTS)
        lines.append(f"| {field} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
