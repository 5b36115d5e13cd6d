"""Connections to an X server: opening one, and holding a display so that no second console works it.

The lock is a selection on the server itself, which holds whatever user or home the other console has.
"""

from __future__ import annotations

import contextlib
from typing import Any, Self

from operator_console.desktop.ledger import Ledger
from operator_console.domain.errors import OperatorError
from operator_console.guard.x11.release import X11Releaser

_SELECTION = "_OPERATOR_CONSOLE_LOCK"


def open_display(name: str) -> Any:
    """A python-xlib Display of its own. Raises OperatorError where there is none."""
    from Xlib.display import Display
    from Xlib.error import DisplayError, XError

    try:
        return Display(name)
    except (DisplayError, XError, OSError) as error:
        raise OperatorError(
            f"The display {name} cannot be opened" if name else "There is no display",
            detail=str(error) or "No X server answers there, or it does not let this user in.",
            remedy="Start from a desktop session, set DISPLAY, or use the isolated desktop: --target virtual.",
        ) from error


class X11LockedDisplay(X11Releaser):
    """A backend.LockedDisplay: a connection that owns the selection which stands for the lock."""

    @classmethod
    def take(cls, name: str) -> Self | None:
        """None where another client owns the selection. Raises OperatorError where the display cannot be opened."""
        from Xlib import X

        display = open_display(name)
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
            return None
        return cls(display)

    def fileno(self) -> int:
        """Of the connection."""
        return int(self._display.fileno())

    def lost(self) -> bool:
        """Read what came; whether the connection is broken."""
        try:
            while self._display.pending_events():
                self._display.next_event()
        except Exception:  # noqa: BLE001  python-xlib's ways to say that the server is gone are many
            return True
        return False

    def close(self) -> None:
        """Disconnect, which gives the selection up."""
        with contextlib.suppress(Exception):  # a dead server refuses the goodbye in several ways
            self._display.close()


def release_left(name: str, ledger: Ledger) -> None:
    """Release what a dead guard's ledger names. Raises OperatorError where the display cannot be opened."""
    display = open_display(name)
    X11Releaser(display).finish(ledger)
    display.close()
