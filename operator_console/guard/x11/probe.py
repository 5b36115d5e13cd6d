"""The probe: tests every few seconds that both listeners work, without any application receiving anything.

It sends two events:
- An XTEST release of a key that is not down. The server reports it to XInput2 as a raw event of the master keyboard,
  like that of any key, and then discards it because it changes nothing: neither the focused window nor a client that
  grabs the keyboard receives it.
- A KeyPress sent to the probe's own window. The XRecord context that records all keys also records the events
  delivered to this client.

What it proves: for the first listener, that a raw release passes through its connection, parser and matcher. For the
second, that the record stream passes through its connection, thread, parser and matcher. What it does not prove: that
the server reports raw presses, and that it records the events of devices. A client that freezes the keyboard (a
synchronous grab) blocks the first listener, and the probe reports that.

Other ways to test a press were measured (Xvfb and openbox, X.Org 21.1, XInput 2.2) and rejected:
- Pressing the key: the focused window receives it, and Chromium passes it to the page.
- Pressing a key that is already down on the XTEST keyboard: gives a raw press that is neither delivered nor recorded,
  provided that auto-repeat is on for the key. But the first press is delivered, and the key would have to stay down
  (with auto-repeat off, the second press gives no raw event either).
- A passive XGrabKey on the root or on the focused window, or a short active grab: FocusOut and FocusIn (NotifyGrab) at
  each probe, which GTK takes for a loss of focus; while a menu grabs the keyboard, the menu receives the key.
- XIGrabDevice of the XTEST keyboard around the press, which detaches it from the master: both listeners receive the
  press and no application does, but Xephyr crashes when the device is attached again.
- A second master keyboard: it brings a second pointer on the screen, and every client is notified of new devices.

The keycode carries no symbol. It is kept from the injector, which borrows such keycodes for text and could hold it
down. Before each probe its symbols are read again.
"""

from __future__ import annotations

import struct
from typing import Any

from operator_console.desktop.x11.xcffib_loading import prepare_xcffib

_KEY_PRESS, _KEY_RELEASE = 2, 3
_INPUT_ONLY = 2


class Probe:
    """Sends the events on its own connection to the display. Raises xcffib's errors if the connection is lost.

    Attributes:
        keycode: reserved for the probe; 0 if none is free.
        window: the probe's own window; the second listener must record the events delivered to it.
    """

    def __init__(self, display_name: str) -> None:
        prepare_xcffib()
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
        """Choose a keycode without a symbol, keeping the current one if possible; 0 if every keycode carries one."""
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
        """Send the reserved keycode once to each listener."""
        self._xtest.FakeInput(_KEY_RELEASE, self.keycode, 0, 0, 0, 0, 0)
        event = struct.pack("=BB2x4I4hHB", _KEY_PRESS, self.keycode, 0, self._root, self.window, 0, 0, 0, 0, 0, 0, True)
        self._core.SendEvent(False, self.window, 0, event.ljust(32, b"\0"))
        # A round trip, because XRecord sends its data when the server next writes to a client.
        self._core.GetInputFocus().reply()

    def close(self) -> None:
        """Disconnect."""
        self._connection.disconnect()
