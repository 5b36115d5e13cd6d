"""The round trip: one application, one layout, one state of the locks, some texts; and what came of each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from operator_console.domain.actions import TypeText
from operator_console.domain.decisions import ActResult
from tests.display.actions.sinks import Sink, holds
from tests.display.actions.texts import LAYOUTS, LOCKS, TEXTS, Layout
from tests.display.actions.xkb_locks import read_locks, set_locks
from tests.display.guard.acting import Acting, FocusRule, armed
from tests.display.rig import Desktop


@dataclass(frozen=True, slots=True, kw_only=True)
class Trip:
    """One text as it was typed and as it arrived; `why` names what else was wrong."""

    app: str
    layout: str
    lock: str
    text: str
    method: str
    sent: str
    got: str
    why: str = ""

    @property
    def right(self) -> bool:
        """Whether it arrived and left nothing behind."""
        return self.sent == self.got and not self.why

    def __str__(self) -> str:
        return f"{self.app} / {self.layout} / {self.lock} / {self.text}: {self.sent!r} -> {self.got!r} {self.why}"


async def trips(
    desktop: Desktop, app: str, sink: Sink, layout: Layout, lock: str, texts: Mapping[str, str]
) -> list[Trip]:
    """Type the texts, one after the other, each into the emptied field."""
    locks = LOCKS[lock]
    desktop.set_layout(*layout.arguments(second=locks.group == 1))
    set_locks(desktop.name, locks)
    try:
        before = desktop.keyboard_mapping()
        found: list[Trip] = []
        async with armed(desktop) as acting:
            for name, text in texts.items():
                if sink.takes_text(text):
                    method, got, why = await _one(acting, sink, text)
                    found.append(
                        Trip(app=app, layout=layout.name, lock=lock, text=name, method=method, sent=text, got=got,
                             why=why)
                    )  # fmt: skip
        wrong = _left(desktop, before, lock)
        if wrong:
            found.append(Trip(app=app, layout=layout.name, lock=lock, text="", method="", sent="", got="", why=wrong))
        return found
    finally:
        set_locks(desktop.name, LOCKS["plain"])


async def _one(acting: Acting, sink: Sink, text: str) -> tuple[str, str, str]:
    if sink.before_text is not None:
        await sink.before_text()
    outcome = await acting.do(TypeText(text=text, clear=True), focus=FocusRule())
    why = "" if outcome.result is ActResult.DONE else f"{outcome.result}: {outcome.detail}"
    return outcome.method, await holds(sink, acting, text), why


def _left(desktop: Desktop, before: Sequence[tuple[int, ...]], lock: str) -> str:
    if desktop.keys_down():
        return f"keys down: {desktop.keys_down()}"
    if read_locks(desktop.name) != LOCKS[lock]:
        return f"locks: {read_locks(desktop.name)}"
    return "" if desktop.keyboard_mapping() == before else "another keyboard mapping"


def square(app_index: int) -> list[tuple[Layout, str, list[str]]]:
    """For one application: each layout with a lock and a third of the texts.

    Over all applications each layout meets each lock, and each text each layout, each lock and each application.
    """
    names, locks = list(TEXTS), list(LOCKS)
    return [
        (layout, locks[(app_index + place) % len(locks)], [
            name for index, name in enumerate(names) if (index + app_index + place) % 3 == 0
        ])
        for place, layout in enumerate(LAYOUTS)
    ]  # fmt: skip
