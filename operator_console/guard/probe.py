"""The probe: proves every few seconds that both listeners would hear a stop, without any application noticing.

Decision. For the first listener, XTEST releases a key that is not down: the server tells XInput2 of it as of any key
(a raw event of the master keyboard) and then drops it, because it changes nothing; it is delivered to nobody, neither
to the focused window nor to a client that holds the keyboard for a menu. For the second listener, a
KeyPress is sent to a window of the probe's own, and the XRecord context that records all keys records what is
delivered to this client too: it takes the same connection, thread, parser and matcher as a stop.
A client that *freezes* the keyboard (a synchronous grab) makes the first listener deaf, and the probe says so.
Not proven by this: that the server still records *device* keys into a context into which it records others.
Rejected, each measured on Xvfb and openbox (X.Org 21.1, XInput 2.2):
- pressing the key (what was here): the focused window is told, and Chromium passes it to the page;
- a passive XGrabKey on the root or on the focused window, or a short active grab: FocusOut and FocusIn (NotifyGrab)
  at each probe, which GTK takes for a lost focus; while a menu holds the keyboard, the key goes to the menu;
- XIGrabDevice of the XTEST keyboard around the press, which detaches it from the master: both listeners hear the
  press and no application does, but Xephyr crashes when the device is attached again;
- a second master keyboard: a second pointer on the screen, and every client is told of new devices.

The keycode carries no symbol and is kept from the injector, which borrows such keycodes for text and could hold it
down; that it still carries none is read again before each probe.
"""

from __future__ import annotations

import struct
from typing import Any

_KEY_PRESS, _KEY_RELEASE = 2, 3
_INPUT_ONLY = 2


class Probe:
    """Sends over a connection of its own to the display that is listened to. Raises xcffib's errors if it is lost.

    Attributes:
        keycode: reserved for the probe; 0: none is free.
        window: the window of its own that the second listener must record.
    """

    def __init__(self, display_name: str) -> None:
        import xcffib
        import xcffib.xtest

        connect: Any = xcffib.connect
        self._connection = connect(display=display_name)
        self._core = self._connection.core
        self._xtest = self._connection(xcffib.xtest.key)
        self._setup = self._connection.get_setup()
        self._root = self._setup.roots[0].root
        self.window = int(self._connection.generate_id())
        self._core.CreateWindow(0, self.window, self._root, -10, -10, 1, 1, 0, _INPUT_ONLY, 0, 0, [])
        self.keycode = 0
        self.reserve()

    def reserve(self) -> int:
        """Choose a keycode, or keep the current one if it still carries no symbol; 0 if every keycode carries one."""
        first = self._setup.min_keycode + 1
        modifiers_asked = self._core.GetModifierMapping()
        mapping = self._core.GetKeyboardMapping(first, self._setup.max_keycode - first + 1).reply()
        width, symbols = mapping.keysyms_per_keycode, list(mapping.keysyms)
        blank = [first + at // width for at in range(0, len(symbols), width) if not any(symbols[at : at + width])]
        modifiers = set(modifiers_asked.reply().keycodes)
        if self.keycode not in blank:
            self.keycode = next((code for code in reversed(blank) if code not in modifiers), 0)
        return self.keycode

    def send(self) -> None:
        """Let both listeners hear the reserved keycode once."""
        self._xtest.FakeInput(_KEY_RELEASE, self.keycode, 0, 0, 0, 0, 0)
        event = struct.pack("=BB2x4I4hHB", _KEY_PRESS, self.keycode, 0, self._root, self.window, 0, 0, 0, 0, 0, 0, True)
        self._core.SendEvent(False, self.window, 0, event.ljust(32, b"\0"))
        # A round trip: XRecord hands out what it recorded when the server next writes to somebody.
        self._core.GetInputFocus().reply()

    def close(self) -> None:
        """Disconnect."""
        self._connection.disconnect()
