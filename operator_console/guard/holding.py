"""What an armed session holds of one display pair: locks, latch files, ledger, connections. All or nothing.

"The display" is the one where the person's stop is heard, and the one that is acted on where that is another: both are
locked and latched. Called by the guard's process.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from operator_console.desktop.ledger import Gate, Ledger
from operator_console.domain.errors import OperatorError
from operator_console.guard import latch
from operator_console.guard.displays import open_display
from operator_console.guard.latch import LatchState, LatchStatus
from operator_console.guard.release import Releaser

_SELECTION = "_OPERATOR_CONSOLE_LOCK"


def refuse_if_stopped(displays: Iterable[str], *, ours: bool = False) -> None:
    """Raises OperatorError where one of the displays is latched; `ours`: we hold the locks, so nobody else is armed."""
    for display in displays:
        status = latch.read_file(display, held=False if ours else None)
        if status.state is LatchState.STOPPED:
            raise stopped(status)


def stopped(status: LatchStatus) -> OperatorError:
    """The refusal to start while latched."""
    return OperatorError(
        "The display is stopped",
        detail=f"Reason: {status.reason}{f' ({status.detail})' if status.detail else ''}"
        f"{f', since {status.since}' if status.since else ''}."
        f"{f' Its record: {status.session}' if status.session else ''}",
        remedy="Look at the screen, reset (`operator-console reset`, or Reset in the app), then start again.",
    )


class Holding:
    """Take it with `take`, give it up with `give_up`."""

    def __init__(self, displays: tuple[str, ...], target: str) -> None:
        self.displays = displays
        self.target = target
        self._locks: list[int] = []
        self._connections: list[Any] = []
        self.ledger: Ledger
        self.ledger_fd = -1
        self.releaser: Releaser

    @classmethod
    def take(cls, listens: str, target: str) -> Holding:
        """Lock and open everything, undo what a dead owner left. Raises OperatorError (stopped, locked, no display)."""
        displays = tuple(dict.fromkeys((latch.normal_display(listens), latch.normal_display(target))))
        refuse_if_stopped(displays)
        holding = cls(displays, latch.normal_display(target))
        try:
            holding._take()
        except BaseException:
            holding.give_up()
            raise
        return holding

    def _take(self) -> None:
        for display in self.displays:
            lock = latch.take_lock(display)
            if lock is None:
                raise _taken(display)
            self._locks.append(lock)
            self._connections.append(_own_selection(display))
        # Whoever held them may have been stopped, or have died, after the first look.
        refuse_if_stopped(self.displays, ours=True)
        self.releaser = Releaser(self._connections[self.displays.index(self.target)])
        self.ledger, self.ledger_fd = Ledger.open_file(latch.path_of(self.target, "ledger"))
        if not self.ledger.clean:
            self.releaser.finish(self.ledger)
        self.ledger.close()
        self.ledger = Ledger(self.ledger_fd, fresh=True)
        self.ledger.gate = Gate.IDLE

    @property
    def connection_fds(self) -> list[int]:
        """Readable at the loss of a display."""
        return [connection.fileno() for connection in self._connections]

    def display_lost(self, fd: int) -> bool:
        """Read what came on a connection; whether it is broken."""
        for connection in self._connections:
            if connection.fileno() == fd:
                try:
                    while connection.pending_events():
                        connection.next_event()
                except Exception:  # noqa: BLE001  python-xlib's ways to say that the server is gone are many
                    return True
        return False

    def write(self, status: LatchStatus) -> None:
        """Write the latch of each display."""
        for display in self.displays:
            latch.write_latch(replace(status, display=display, pid=os.getpid(), displays=self.displays))

    def clear(self) -> None:
        """An orderly end."""
        for display in self.displays:
            latch.clear_latch(display)

    def give_up(self) -> None:
        """Close and unlock everything."""
        for connection in self._connections:
            with contextlib.suppress(Exception):  # a dead server refuses the goodbye in several ways
                connection.close()
        self._connections.clear()
        if self.ledger_fd >= 0:
            self.ledger.close()
            os.close(self.ledger_fd)
            self.ledger_fd = -1
        for lock in self._locks:
            os.close(lock)
        self._locks.clear()


def _own_selection(display_name: str) -> Any:
    """A connection that owns the lock's selection. Raises OperatorError where another client does, or without it."""
    from Xlib import X

    display = open_display(display_name)
    atom = display.intern_atom(_SELECTION)
    display.grab_server()
    try:
        taken = display.get_selection_owner(atom) != X.NONE
        if not taken:
            window = display.screen().root.create_window(-10, -10, 1, 1, 0, 0)
            window.set_selection_owner(atom, X.CurrentTime)
    finally:
        display.ungrab_server()
        display.sync()
    if taken:
        display.close()
        raise _taken(display_name)
    return display


def _taken(display: str) -> OperatorError:
    return OperatorError(
        "Another console works this display",
        detail=f"A session that can act holds {display}.",
        remedy="End it first; `operator-console status` names it, `operator-console stop` stops it.",
    )


def clean(display: str, path: str) -> None:
    """Release what a dead guard's ledger names (`python -m operator_console.guard --clean`)."""
    from pathlib import Path

    ledger, fd = Ledger.open_file(Path(path))
    try:
        if not ledger.clean:
            connection = open_display(display)
            Releaser(connection).finish(ledger)
            connection.close()
    finally:
        ledger.close()
        os.close(fd)
