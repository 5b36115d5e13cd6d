"""Releases what the ledger lists: keys and buttons that the injector holds down, and keycodes that it borrowed.

Never releases what a person holds down. Uses XTEST over python-xlib, because pyautogui raises an error in its fail-safe
corners.
"""

from __future__ import annotations

import select
import time
from typing import Any

from Xlib import X
from Xlib.error import XError
from Xlib.ext import xtest

from operator_console.desktop.ledger import Ledger, Word
from operator_console.desktop.x11.keys_down import keys_down
from operator_console.guard.locked_display import Held

_DRAIN_S = 2.0
_ATTEMPTS = 5
_MARKS = (Word.MARK_1, Word.MARK_2, Word.MARK_3)


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
        for keycode in borrowed:
            self._display.change_keyboard_mapping(keycode, [[0]])
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
