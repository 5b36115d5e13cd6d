"""The guard as the window shows it: one value, and word of each change of it. Called by `backend`."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from operator_console.app.station import Station
from operator_console.domain.events import StopCause
from operator_console.guard.latch import LatchState, LatchStatus
from operator_console.ui.backend import GuardStatus, Latch

LOOK_S = 0.5
"""How often the liveness is looked at: it is proven by the guard's own messages, which nobody announces further."""


class GuardView:
    """Watches the guard from the window's loop until `close`."""

    def __init__(self, station: Station) -> None:
        self._station = station
        self._hearers: list[Callable[[GuardStatus], None]] = []
        self._told = self.status
        self._unwatch = station.guard.watch(lambda _status: self.refresh())
        self._timer = asyncio.get_running_loop().call_later(LOOK_S, self._look)

    @property
    def status(self) -> GuardStatus:
        """As last heard."""
        hotkeys = self._station.settings.hotkeys
        return GuardStatus(
            liveness=self._station.guard.liveness,
            latch=_latch(self._station.guard.status),
            stop_chord=chord_words(hotkeys.stop),
            pause_chord=chord_words(hotkeys.pause),
            approve_chord=chord_words(hotkeys.approve),
        )

    def subscribe(self, hear: Callable[[GuardStatus], None]) -> Callable[[], None]:
        """Hear of each change; the returned callable ends that."""
        self._hearers.append(hear)
        return lambda: self._hearers.remove(hear) if hear in self._hearers else None

    def refresh(self) -> None:
        """Tell it where it changed."""
        status = self.status
        if status != self._told:
            self._told = status
            for hear in tuple(self._hearers):
                hear(status)

    def close(self) -> None:
        """Watch no longer."""
        self._timer.cancel()
        self._unwatch()

    def _look(self) -> None:
        self.refresh()
        self._timer = asyncio.get_running_loop().call_later(LOOK_S, self._look)


def chord_words(chord: str) -> str:
    """A chord in pynput's notation as people write it: "Ctrl+Alt+X"."""
    parts = chord.replace("<", "").replace(">", "").split("+")
    return "+".join(part.replace("_", " ").title() for part in parts if part) + ("+" if chord.endswith("++") else "")


def _latch(status: LatchStatus) -> Latch | None:
    if status.state is not LatchState.STOPPED:
        return None
    known = {cause.value for cause in StopCause}
    reason = StopCause(status.reason) if status.reason in known else None
    return Latch(reason=reason, detail=status.detail, since=status.since)
