"""The guard's python-xlib connections to displays: locks a display, and releases what the ledger lists.

The lock is a selection on the X server, so that it also excludes consoles of another user or with another run folder.
Released are keys and buttons that the injector holds down, and keycodes that it borrowed; never what a person holds
down. That uses XTEST, because pyautogui raises an error in its fail-safe corners.
"""

from __future__ import annotations

import contextlib
import select
import time
from typing import Any, Self

import Xlib.display
from Xlib import X
from Xlib.error import DisplayError, XError, xerror_class
from Xlib.ext import xtest
from Xlib.protocol.event import event_class

from operator_console.desktop.ledger import Ledger, Word
from operator_console.desktop.x11.keyboard_map import Keyboard
from operator_console.desktop.x11.keys_down import keys_down
from operator_console.domain.errors import OperatorError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.guard.protocols import Held

_XWAYLAND = "XWAYLAND"
_SELECTION = "_OPERATOR_CONSOLE_LOCK"
_DRAIN_S = 2.0
_ATTEMPTS = 5
_MARKS = (Word.MARK_1, Word.MARK_2, Word.MARK_3)


class _OwnTables(Xlib.display._BaseDisplay):  # type: ignore[misc]  # python-xlib carries no types
    """A connection with its own tables of what each X server numbers itself: extensions, their events and errors.

    python-xlib 0.33 shares these tables between all connections of a process. With two servers the requests of an
    extension, a release of a key among them, would go out under the number that the other server gave it.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        self.extension_major_opcodes: dict[str, int] = {}
        self.event_classes = event_class.copy()
        self.error_classes = xerror_class.copy()
        super().__init__(*arguments, **named)


# Display makes its connection by this name; it has no parameter for it. This covers the connections of pynput too.
Xlib.display._BaseDisplay = _OwnTables


def open_display(name: str) -> Any:
    """A new python-xlib Display. Raises OperatorError where there is none."""
    try:
        return Xlib.display.Display(name)
    except (DisplayError, XError, OSError) as error:
        raise OperatorError(
            notice(NoticeCode.DISPLAY_NOT_OPENED, display=name) if name else notice(NoticeCode.NO_DISPLAY),
            detail=str(error) or notice(NoticeCode.NO_X_SERVER_ANSWERS),
            remedy=notice(NoticeCode.START_FROM_DESKTOP),
        ) from error


def refuse_xwayland(name: str) -> None:
    """Raise OperatorError if the server is that of a Wayland session: it hears only keys pressed over X windows, but
    would hear the test of the stop keys."""
    display = open_display(name)
    try:
        found = display.has_extension(_XWAYLAND)
        if not found and display.has_extension("RANDR"):  # older ones have no extension, but monitors of that name
            monitors = display.screen().root.xrandr_get_monitors().monitors
            found = any(display.get_atom_name(each.name).upper().startswith(_XWAYLAND) for each in monitors)
    finally:
        display.close()
    if found:
        raise OperatorError(
            notice(NoticeCode.STOP_NOT_HEARD_OVER_XWAYLAND, display=name),
            remedy=notice(NoticeCode.START_IN_WAYLAND_SESSION),
        )


class X11Releaser:
    """A Releaser over a python-xlib connection to the target display."""

    def __init__(self, display: Any) -> None:
        self._display = display

    def sweep(self, ledger: Ledger) -> Held:
        """Release keys and buttons now. Keeps the ledger's entries until `finish`: a press may still be on its way."""
        keys, buttons = ledger.keys, ledger.buttons
        for button in buttons:
            xtest.fake_input(self._display, X.ButtonRelease, button)
        for keycode in keys:
            xtest.fake_input(self._display, X.KeyRelease, keycode)
        self._display.flush()
        return Held(keys=len(keys), buttons=len(buttons))

    def finish(self, ledger: Ledger) -> None:
        """Once the injector is dead: release until the server has read all it sent, then restore the keyboard map."""
        self._release_until_connections_end(ledger)
        self._release_until_up(ledger)
        keys, buttons, borrowed = ledger.keys, ledger.buttons, ledger.borrowed
        ledger.confirm()
        if borrowed:
            Keyboard(self._display).clear_keys(borrowed)
        self._display.sync()
        ledger.forget(keys=keys, buttons=buttons, borrowed=borrowed)

    def _release_until_connections_end(self, ledger: Ledger) -> None:
        """Release repeatedly until the server has closed the injector's connections: presses in transit come late."""
        deadline = time.monotonic() + _DRAIN_S
        marks = [mark for mark in map(ledger.get, _MARKS) if mark]
        while (marks := [mark for mark in marks if self._exists(mark)]) and time.monotonic() < deadline:
            self.sweep(ledger)
            select.select([], [], [], 0.001)
        for word in _MARKS:
            ledger.set(word, 0)

    def _release_until_up(self, ledger: Ledger) -> None:
        """Release and check, a few times. A key that is still down after that is held by a person.

        A server that fails to write to the dead injector discards its unread requests, among them releases that the
        ledger counts as sent. A person's own press of such a key is on another device and is not affected.
        """
        for _ in range(_ATTEMPTS):
            self.sweep(ledger)
            left = keys_down(self._display) & {*ledger.keys, *ledger.sent}
            for keycode in left:
                xtest.fake_input(self._display, X.KeyRelease, keycode)
            if not left:
                return

    def _exists(self, window_id: int) -> bool:
        try:
            self._display.create_resource_object("window", window_id).get_geometry()
        except XError:
            return False
        return True


class X11LockedDisplay(X11Releaser):
    """A LockedDisplay: a connection that owns the lock's selection."""

    @classmethod
    def take(cls, name: str) -> Self | None:
        """Lock a display; None if another client holds the lock. Raises OperatorError if it cannot be opened."""
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
        """Descriptor of the connection."""
        return int(self._display.fileno())

    def lost(self) -> bool:
        """Read pending events; whether the connection is broken."""
        try:
            while self._display.pending_events():
                self._display.next_event()
        except Exception:  # noqa: BLE001  python-xlib's ways to say that the server is gone are many
            return True
        return False

    def close(self) -> None:
        """Disconnect, which releases the selection."""
        with contextlib.suppress(Exception):  # python-xlib raises many types when the server is gone
            self._display.close()


def release_left(name: str, ledger: Ledger) -> None:
    """Release what a dead guard's ledger lists. Raises OperatorError if the display cannot be opened."""
    display = open_display(name)
    X11Releaser(display).finish(ledger)
    display.close()
