"""Sends the operator's own pointer and keys by XTEST, to one X server that this process has started.

It is the person's hand on an isolated desktop, and needs no grant: what uses it asks before each event whether the
session is handed over. It cannot be opened on any other server, and so not on the person's own: the process at the
other end of its connection must be the server that was started.
"""

from __future__ import annotations

import socket
import struct
import threading
import time
from collections.abc import Callable
from typing import Any

from Xlib import X
from Xlib.display import Display as XlibDisplay
from Xlib.error import ConnectionClosedError, DisplayError
from Xlib.ext import xtest

from operator_console.desktop.stoppable_thread import StoppableThread
from operator_console.desktop.x11.clipboard import Content, Owning
from operator_console.desktop.x11.display import Display, losing
from operator_console.desktop.x11.input_keysyms import SHIFT_L, keysym_of, keysyms_of_key
from operator_console.desktop.x11.keyboard_map import Keyboard, KeyboardMap, keycode_for, spare_keycodes, strokes
from operator_console.domain.errors import ComputerUnavailable
from operator_console.domain.geometry import Size
from operator_console.domain.keys import Key

_OWNED_WITHIN_S = 2.0
_ASKED_AGAIN_S = 0.02
_READ_WITHIN_S = 1.0
"""How long an application may take to read a key: its keycode gets no other character sooner."""
_ONE_LEVEL = 0


class NotTheStartedServer(OSError):
    """Another process answers at the display's name."""


class OperatorInput:
    """A connection that acts. It belongs to one thread. Raises OSError from every method once it is lost.

    Args:
        name: the display.
        server: the process that was started for it.
    """

    pointer_is_relative = None
    takes_positions = True
    has_extended_clipboard = True

    def __init__(self, name: str, server: int) -> None:
        self._name = name
        self._offer: _Offer | None = None
        self._down: set[int] = set()
        self._borrowed: dict[str, int] = {}
        self._used: dict[int, float] = {}
        self._mask = 0
        try:
            self._display: Any = XlibDisplay(name)
        except (DisplayError, ConnectionClosedError) as error:
            raise ConnectionError(str(error)) from error
        try:
            if _process_at(self._display.display.socket) != server:
                raise NotTheStartedServer("another process has the display")
            self._keyboard = Keyboard(self._display)
            self._keyboard.watch()
            self._map: KeyboardMap = self._keyboard.map()
        except BaseException:
            self._display.close()
            raise

    @property
    def size(self) -> Size:
        """Of the screen, native pixels."""
        shown = self._display.screen().root.get_geometry()
        return Size(int(shown.width), int(shown.height))

    def pointer(self, x: int, y: int, mask: int) -> None:
        """Move the pointer and hold the buttons of `mask`: bit 0 is button 1."""
        self._fake(X.MotionNotify, 0, x=x, y=y)
        changed = mask ^ self._mask
        for number in range(1, changed.bit_length() + 1):
            bit = 1 << (number - 1)
            if changed & bit:
                self._fake(X.ButtonPress if mask & bit else X.ButtonRelease, number)
        self._mask = mask
        self._flush()

    def key(self, keysym: int, down: bool, scancode: int = 0) -> None:
        """Press or release the key with this keycode (`scancode`). The server repeats one that is held."""
        if down == (scancode in self._down):
            return
        (self._down.add if down else self._down.discard)(scancode)
        self._fake(X.KeyPress if down else X.KeyRelease, scancode)
        self._flush()

    def named(self, name: Key) -> int | None:
        """The keycode of a key; None where there is none."""
        return keycode_for(self._map, keysyms_of_key(name), self._keyboard.state().group)

    def character(self, character: str) -> tuple[int, bool] | None:
        """A keycode that types it, and whether with Shift. Where AltGr would be needed, or no key has it, a spare one
        is given the character until this is closed."""
        stroke = strokes(self._map, self._keyboard.state(), without=self._borrowed.values()).get(character)
        shift = keycode_for(self._map, (SHIFT_L,), 0)
        if stroke is not None and set(stroke.holding) <= {shift}:
            return stroke.keycode, bool(stroke.holding)
        if character not in self._borrowed and not self._borrow(character):
            return None
        self._used[self._borrowed[character]] = time.monotonic()
        return self._borrowed[character], False

    def read_waiting(self) -> None:
        """Notice another layout."""
        changed = False
        while self._display.pending_events():
            changed = self._keyboard.tells_of_a_change(self._display.next_event()) or changed
        if changed:
            self._map = self._keyboard.map()

    def clipboard(self, text: str) -> None:
        """Offer text until this is closed, another is offered, or a program there copies something."""
        if self._offer is not None:
            self._offer.stop()
        self._offer = _Offer(self._name, text)
        self._offer.owned.wait(_OWNED_WITHIN_S)

    def wait_until_fetched(self, within_s: float, wanted: Callable[[], bool]) -> bool:
        """Wait until the offered text was fetched; False where it was not in time, or is not wanted any more."""
        deadline = time.monotonic() + within_s
        while self._offer is not None and not self._offer.fetched.wait(_ASKED_AGAIN_S):
            if time.monotonic() > deadline or not wanted():
                return False
        return True

    def acknowledge(self, within_s: float, wanted: Callable[[], bool] | None = None) -> bool:
        """Wait until the server has handled what was sent."""
        try:
            self._display.sync()
        except ConnectionClosedError as error:
            raise ConnectionError(str(error)) from error
        return True

    def close(self) -> None:
        """Give back the keycodes, give up the clipboard, and disconnect."""
        if self._offer is not None:
            self._offer.stop()
        try:
            for keycode in self._borrowed.values():
                self._wait_until_read(keycode)
            self._keyboard.clear_keys(self._borrowed.values())
            self._display.sync()
            self._display.close()
        except ConnectionClosedError as error:
            raise ConnectionError(str(error)) from error

    def _borrow(self, character: str) -> bool:
        free = [code for code in spare_keycodes(self._map) if code not in self._borrowed.values()]
        if not free:
            if not self._borrowed:
                return False
            oldest = min(self._borrowed, key=lambda each: self._used[self._borrowed[each]])
            free = [self._borrowed.pop(oldest)]
            self._wait_until_read(free[0])
        self._keyboard.set_keys(_ONE_LEVEL, {free[0]: (keysym_of(character),)})
        self._display.sync()
        self._map = self._keyboard.map()
        self._borrowed[character] = free[0]
        return True

    def _wait_until_read(self, keycode: int) -> None:
        time.sleep(max(0.0, self._used[keycode] + _READ_WITHIN_S - time.monotonic()))

    def _fake(self, kind: int, detail: int, *, x: int = 0, y: int = 0) -> None:
        try:
            xtest.fake_input(self._display, kind, detail, x=x, y=y)
        except ConnectionClosedError as error:
            raise ConnectionError(str(error)) from error

    def _flush(self) -> None:
        try:
            self._display.flush()
        except ConnectionClosedError as error:
            raise ConnectionError(str(error)) from error


class _Offer:
    """Text on the clipboard of a display, handed out by a thread."""

    def __init__(self, name: str, text: str) -> None:
        self._name = name
        self._text = text
        self.owned, self.fetched = threading.Event(), threading.Event()
        self._thread = StoppableThread("hand-clipboard", self._serve)
        self._thread.start()

    def stop(self) -> None:
        """Give it up."""
        self._thread.stop()

    def _serve(self, thread: StoppableThread) -> None:
        try:
            display = Display(self._name)
        except ComputerUnavailable:
            return
        try:
            with losing(display):
                utf8, plain = display.atom("UTF8_STRING"), display.atom("text/plain;charset=utf-8")
                formats = {each: Content(kind=each, bits=8, data=self._text.encode()) for each in (utf8, plain)}
                owning = Owning(display, lambda _: formats, lambda *_: None, lambda *_: self.fetched.set())
                owning.own()
                display.sync()
                self.owned.set()
                while not (thread.stopping or owning.lost):
                    display.wait_until(lambda: thread.stopping or owning.lost, 1.0, interval_s=0.1)
                owning.disown()
        except ComputerUnavailable:
            return  # the desktop has ended
        finally:
            display.close()


def _process_at(connection: socket.socket) -> int:
    """The process that listens at the other end of a local connection; 0 for one that is not local."""
    if connection.family != socket.AF_UNIX:
        return 0
    credentials = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    process, _, _ = struct.unpack("3i", credentials)
    return int(process)
