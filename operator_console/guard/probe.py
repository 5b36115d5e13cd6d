"""The probe: a key that types nothing, pressed and released for real, to prove that a stop would be heard.

Its keycode carries no symbol and is kept from the injector, which borrows such keycodes for text; that it still
carries none is read again before each press. Called by the guard's process; sends nothing else.
"""

from __future__ import annotations

from typing import Any

from Xlib import X
from Xlib.ext import xtest


class Probe:
    """Presses over a connection of its own on the display that is listened to."""

    def __init__(self, display: Any) -> None:
        self._display = display
        self.keycode = 0

    def reserve(self) -> int:
        """Choose a keycode (or keep the one there is); 0 where the map has no spare one."""
        info = self._display.display.info
        first = info.min_keycode + 1
        rows = self._display.get_keyboard_mapping(first, info.max_keycode - first + 1)
        blank = [first + i for i, row in enumerate(rows) if not any(row)]
        modifiers = {code for row in self._display.get_modifier_mapping() for code in row}
        if self.keycode not in blank:
            self.keycode = next((code for code in reversed(blank) if code not in modifiers), 0)
        return self.keycode

    def press(self) -> bool:
        """Press and release it once; False where no keycode may be pressed."""
        if not self.reserve():
            return False
        for kind in (X.KeyPress, X.KeyRelease):
            xtest.fake_input(self._display, kind, self.keycode)
        self._display.flush()
        return True
