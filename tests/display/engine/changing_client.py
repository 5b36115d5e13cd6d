"""A plain X client whose windows a test opens, repaints, moves and closes, and that counts what they receive.

Told by lines of JSON on its input, each answered by one on its output when the server has done it. Nothing is done
unasked, so that a picture stands still between two words.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from Xlib import X, Xatom, Xutil
from Xlib.display import Display

_EVENTS = X.ButtonPressMask | X.KeyPressMask | X.ExposureMask | X.StructureNotifyMask


class Client:
    """Windows by name; each shows a ground and a labelled button on it."""

    def __init__(self) -> None:
        self._display = Display()
        self._screen = self._display.screen()
        self._windows: dict[str, Any] = {}
        self._looks: dict[str, tuple[int, int, int]] = {}
        self._received: dict[str, int] = {}
        self._font = self._display.open_font("fixed")

    def open(self, name: str, rect: tuple[int, int, int, int], ground: int, button: int, override: bool) -> int:
        """Map a window and wait until it is there."""
        window = self._screen.root.create_window(
            *rect, 0, self._screen.root_depth, background_pixel=ground, override_redirect=override, event_mask=_EVENTS
        )
        window.set_wm_name(name)
        window.set_wm_class("changing", "Changing")
        window.change_property(self._display.intern_atom("_NET_WM_PID"), Xatom.CARDINAL, 32, [os.getpid()])
        window.set_wm_normal_hints(flags=Xutil.USPosition | Xutil.USSize, x=rect[0], y=rect[1])
        self._windows[name], self._looks[name] = window, (ground, button, 0)
        self._received.setdefault(name, 0)
        window.map()
        while self._hear(self._display.next_event()) != (X.Expose, name):
            pass
        self._paint(name)
        return int(window.id)

    def look(self, name: str, ground: int, button: int, down: int) -> None:
        """Paint it anew: in these colours, the button `down` pixels lower."""
        self._looks[name] = (ground, button, down)
        self._windows[name].change_attributes(background_pixel=ground)
        self._paint(name)

    def close(self, name: str) -> None:
        """Destroy a window."""
        self._windows.pop(name).destroy()
        self._display.sync()

    def focus(self, name: str) -> None:
        """Take the focus."""
        self._windows[name].set_input_focus(X.RevertToParent, X.CurrentTime)
        self._display.sync()

    def received(self) -> int:
        """How many presses of buttons and keys came so far."""
        self._display.sync()
        while self._display.pending_events():
            self._hear(self._display.next_event())
        return sum(self._received.values())

    def _hear(self, event: Any) -> tuple[int, str]:
        if event.type == X.MappingNotify:
            self._display.refresh_keyboard_mapping(event)
            return event.type, ""
        name = next((name for name, window in self._windows.items() if window.id == event.window.id), "")
        # A key without a symbol is no typing: the guard proves its path with one.
        typed = event.type == X.KeyPress and self._display.keycode_to_keysym(event.detail, 0) != X.NoSymbol
        if typed or event.type == X.ButtonPress:
            self._received[name] = self._received.get(name, 0) + 1
        elif event.type == X.Expose and name and event.count == 0:
            self._paint(name)
        return event.type, name

    def _paint(self, name: str) -> None:
        window, (ground, button, down) = self._windows[name], self._looks[name]
        gc = window.create_gc(foreground=button, background=ground, font=self._font)
        window.clear_area()
        for row in range(3):
            gc.change(foreground=button)
            window.fill_rectangle(gc, 150, 40 + 70 * row + down, 100, 32)
            gc.change(foreground=0x202020)
            window.rectangle(gc, 150, 40 + 70 * row + down, 100, 32)
            window.draw_text(gc, 170, 60 + 70 * row + down, f"Button {row}".encode())
        gc.free()
        self._display.sync()


def main() -> None:
    """Serve until the input ends."""
    client = Client()
    for line in sys.stdin:
        word, arguments = json.loads(line)
        answer = getattr(client, word)(**arguments)
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
