"""Releases what the agent holds, as the ledger names it: keys, buttons, borrowed keycodes.

Only entries of the ledger are touched, never what a person holds. By XTEST over python-xlib: pyautogui's own releases
raise in a fail-safe corner.
"""

from __future__ import annotations

import select
import time
from typing import Any

from Xlib import X
from Xlib.error import XError
from Xlib.ext import xtest

from operator_console.desktop.ledger import Ledger, Word
from operator_console.guard.backend import Held

_DRAIN_S = 2.0
_LOOKS = 5
_MARKS = (Word.MARK_1, Word.MARK_2, Word.MARK_3)


class X11Releaser:
    """A backend.Releaser over a python-xlib connection to the display that is acted on."""

    def __init__(self, display: Any) -> None:
        self._display = display

    def sweep(self, ledger: Ledger) -> Held:
        """Release keys and buttons at once; entries stay until `finish`, for a press may still be on its way."""
        keys, buttons = ledger.keys, ledger.buttons
        for button in buttons:
            xtest.fake_input(self._display, X.ButtonRelease, button)
        for keycode in keys:
            xtest.fake_input(self._display, X.KeyRelease, keycode)
        self._display.flush()
        return Held(keys=len(keys), buttons=len(buttons))

    def finish(self, ledger: Ledger) -> None:
        """After the injector's death: release until the server has read all it sent, then restore the map."""
        self._until_its_end(ledger)
        self._until_up(ledger)
        keys, buttons, borrowed = ledger.keys, ledger.buttons, ledger.borrowed
        ledger.confirm()
        for keycode in borrowed:
            self._display.change_keyboard_mapping(keycode, [[0]])
        self._display.sync()
        ledger.forget(keys=keys, buttons=buttons, borrowed=borrowed)

    def _until_its_end(self, ledger: Ledger) -> None:
        """A press that was on its way when the injector died comes after the first release: release on meanwhile."""
        deadline = time.monotonic() + _DRAIN_S
        marks = [mark for mark in map(ledger.get, _MARKS) if mark]
        while (marks := [mark for mark in marks if self._exists(mark)]) and time.monotonic() < deadline:
            self.sweep(ledger)
            select.select([], [], [], 0.001)
        for word in _MARKS:
            ledger.set(word, 0)

    def _until_up(self, ledger: Ledger) -> None:
        """Release and look, a few times: what stays down then is held by a person, and not ours to release.

        A server that fails to write to the dead injector drops what it has not read of it: releases too, which the
        ledger counts as done. A person's own hold of such a key is another device's, and stays.
        """
        for _ in range(_LOOKS):
            self.sweep(ledger)
            down = self._display.query_keymap()
            left = [code for code in {*ledger.keys, *ledger.sent} if down[code // 8] >> code % 8 & 1]
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
