"""Sends single key, button and motion events to the X server, each checked against the gate first.

Every press and motion is entered in the ledger before it is sent, and `Halted` is raised where the injector may not go
on; a release is always allowed. pyautogui moves the pointer and presses its three buttons; keys and other buttons go by
keycode over XTEST, written onto a connection of their own because python-xlib packs and flushes each request anew,
which made typing fifteen times slower. Source: X Test Extension Protocol 2.2, FakeInput.
"""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from operator_console.desktop.ledger import Gate, Ledger, Word
from operator_console.desktop.values import Window
from operator_console.desktop.x11.input_xkb import Keyboard, State, packed_state_request, parse_state
from operator_console.domain.errors import RejectedReason
from operator_console.domain.stopping import INJECTOR_SILENCE_LIMIT_S


class Refused(Exception):
    """Nothing (more) was sent; `reason` and the text say why."""

    def __init__(self, reason: RejectedReason, text: str) -> None:
        super().__init__(text)
        self.reason = reason


def named(window: Window | None) -> str:
    """A window for people."""
    if window is None:
        return "the desktop"
    title = window.title or window.app
    return f"“{title}”" if title else f"window 0x{window.window_id:x}"


_FAKE_INPUT = struct.Struct("=BBHBB2xII8xhh7xB")
_FAKE_INPUT_MINOR, _FAKE_INPUT_WORDS = 2, 9
_GET_INPUT_FOCUS = struct.pack("=BBH", 43, 0, 1)
_HEAD, _REPLY, _GENERIC = 32, 1, 35

KEY_PRESS, KEY_RELEASE, BUTTON_PRESS, BUTTON_RELEASE = 2, 3, 4, 5


class DisplayGone(ConnectionError):
    """The X server closed the connection."""


class XTestLine:
    """Takes over an opened python-xlib Display."""

    def __init__(self, display: Any) -> None:
        found = display.query_extension("XTEST")
        if found is None or not found.present:
            raise DisplayGone("the X server has no XTEST extension")
        self._opcode = int(found.major_opcode)
        self._get_state = packed_state_request(Keyboard(display).opcode)
        display.sync()
        self._display = display  # kept: its end closes the socket
        self._socket: socket.socket = display.display.socket
        self._socket.setblocking(True)
        self._buffer = bytearray()
        self._ahead = False

    @property
    def ahead(self) -> bool:
        """Whether something was sent of which it is not known that the server has done it."""
        return self._ahead

    def send(self, kind: int, detail: int) -> None:
        """One event: `kind` of the constants above, `detail` a keycode or button."""
        self._write(self._packed(kind, detail))

    def stroke(self, keycodes: Iterable[int]) -> None:
        """Press these keys in order and release them in reverse, all in one write."""
        codes = tuple(keycodes)
        presses = b"".join(self._packed(KEY_PRESS, code) for code in codes)
        self._write(presses + b"".join(self._packed(KEY_RELEASE, code) for code in reversed(codes)))

    def sync(self) -> None:
        """Return when the server has done all that was sent on this line."""
        self._ask(_GET_INPUT_FOCUS)

    def state(self) -> State:
        """As sync, and the keyboard's modifiers and group after it."""
        return parse_state(self._ask(self._get_state))

    def _packed(self, kind: int, detail: int) -> bytes:
        return _FAKE_INPUT.pack(self._opcode, _FAKE_INPUT_MINOR, _FAKE_INPUT_WORDS, kind, detail, 0, 0, 0, 0, 0)

    def _ask(self, packet: bytes) -> bytes:
        self._write(packet)
        while (reply := self._reply()) is None:
            data = self._socket.recv(1 << 14)
            if not data:
                raise DisplayGone("closed")
            self._buffer += data
        self._ahead = False
        return reply

    def _write(self, packet: bytes) -> None:
        self._ahead = True
        try:
            self._socket.sendall(packet)
        except OSError as error:
            raise DisplayGone(str(error)) from error

    def _reply(self) -> bytes | None:
        """Take whole packets off; events (every client is told of a changed map) and errors are nobody's here."""
        while len(self._buffer) >= _HEAD:
            code = self._buffer[0] & 0x7F
            size = _HEAD
            if code in {_REPLY, _GENERIC}:
                size += 4 * int.from_bytes(self._buffer[4:8], "little")
            if len(self._buffer) < size:
                return None
            packet = bytes(self._buffer[:size])
            del self._buffer[:size]
            if code == _REPLY:
                return packet
        return None


BEAT_LIMIT_NS = int(INJECTOR_SILENCE_LIMIT_S * 1e9)
HEARD_LIMIT_S = 0.5
_PACE_EVERY = 80
_POLL_S = 0.0005
_POINTER_BUTTONS = {1: "left", 2: "middle", 3: "right"}


class Halted(Exception):
    """The injector may not go on: stopped, paused, or nobody is there who could stop it. Says which."""


class InputSender:
    """Sends input over one connection of its own and pyautogui's.

    Args:
        display: a python-xlib Display, this process's own, for questions.
        line: what keys and buttons are sent on.
        pyautogui: the module, imported where DISPLAY names the target's display.
        ledger: shared with the guard.
        guard_alive: whether the guard's end of the pipe is still open.
    """

    def __init__(
        self, display: Any, line: XTestLine, pyautogui: Any, ledger: Ledger, guard_alive: Callable[[], bool]
    ) -> None:
        self._display = display
        self._line = line
        self._pyautogui = pyautogui
        self._ledger = ledger
        self._guard_alive = guard_alive
        self._epoch = ledger.get(Word.EPOCH)
        self._corners: frozenset[tuple[int, int]] = frozenset()
        self._sent = 0
        self._synced_ns = 0
        self._releases: dict[int, int] = {}
        self._last_released = 0
        pyautogui.PAUSE = 0
        pyautogui.FAILSAFE = False

    @property
    def holds_keys(self) -> bool:
        """Whether the agent keeps a key down."""
        return bool(self._ledger.keys)

    def begin(self, epoch: int, corners: frozenset[tuple[int, int]]) -> None:
        """A new action of this epoch; `corners` are pixels whose visits the guard must be told of first."""
        self._epoch = epoch
        self._corners = corners

    def check(self) -> None:
        """Raises Halted where the injector may not go on now."""
        ledger = self._ledger
        gate = ledger.gate
        if gate is not Gate.OPEN:
            raise Halted("stopped" if Gate.STOPPED in gate else "paused")
        if ledger.get(Word.EPOCH) != self._epoch:
            raise Halted("paused")
        now = time.monotonic_ns()
        if now - ledger.get(Word.BEAT_NS) > BEAT_LIMIT_NS or now - ledger.get(Word.LEASE_NS) > BEAT_LIMIT_NS:
            raise Halted("the guard or the session is silent")
        if not self._guard_alive():
            raise Halted("the guard is gone")

    def press_key(self, keycode: int) -> None:
        """Press and keep down."""
        self._pace()
        with self._primitive():
            self._ledger.mark_key(keycode, True)
            self._ledger.mark_sent(keycode)
            self._stamp()
            self._line.send(KEY_PRESS, keycode)

    def release_key(self, keycode: int) -> None:
        """Release; always allowed."""
        self._line.send(KEY_RELEASE, keycode)
        self._ledger.mark_key(keycode, False)
        self._sent += 1
        self._released(keycode)

    def stroke(self, keycodes: tuple[int, ...]) -> None:
        """Press these keys in order and release them in reverse: one primitive, one write."""
        self._pace()
        ledger = self._ledger
        with self._primitive():
            for keycode in keycodes:
                ledger.mark_key(keycode, True)
                ledger.mark_sent(keycode)
            self._stamp(len(keycodes))
            self._line.stroke(keycodes)
        for keycode in keycodes:
            ledger.mark_key(keycode, False)
        self._sent += 2 * len(keycodes) - 1
        self._released(*reversed(keycodes))

    @property
    def last_release(self) -> tuple[int, int]:
        """The keycode that was released last, and how often it has been so far."""
        return self._last_released, self._releases.get(self._last_released, 0)

    @property
    def releases(self) -> dict[int, int]:
        """How often each key was released so far."""
        return dict(self._releases)

    def commit(self, send: Callable[[], bool]) -> bool:
        """Let `send` hand text to an input method: one primitive; what it returns."""
        with self._primitive():
            self._stamp()
            return send()

    def press_button(self, button: int, at: tuple[int, int], over: int | None = None) -> None:
        """Press an X button (1 left, 2 middle, 3 right, 8 back, 9 forward) and keep it down. Raises Refused where
        the pointer is not `at`, or not `over` that child of the root (0: the bare root; None: whatever it is)."""
        self._before_pointer()
        with self._primitive():
            self._still_at(at, over)
            self._ledger.mark_button(button, True)
            self._stamp()
            if button in _POINTER_BUTTONS:
                self._pyautogui.mouseDown(button=_POINTER_BUTTONS[button], _pause=False)
            else:
                self._line.send(BUTTON_PRESS, button)
                self._line.sync()

    def release_button(self, button: int) -> None:
        """Release; always allowed. By XTEST, because pyautogui's release first moves the pointer."""
        self._line.send(BUTTON_RELEASE, button)
        self._line.sync()
        self._ledger.mark_button(button, False)
        self._sent += 1

    def move(self, x: int, y: int) -> None:
        """Put the pointer there (input units)."""
        self._before_pointer()
        with self._primitive():
            number = self._ledger.announce(x, y) if (x, y) in self._corners else 0
            self._stamp()
            self._pyautogui.moveTo(x, y, _pause=False)
        if number and self._ledger.get(Word.PACED):
            # Until the guard has seen this one arrive, it could take the next visit for a person's.
            self.wait_for(lambda: self._ledger.get(Word.CORNER_SEEN) >= number, HEARD_LIMIT_S)

    def notch(self, at: tuple[int, int], over: int | None = None, *, horizontal: bool, amount: int) -> None:
        """One wheel notch: `amount` is 1 (down, right) or -1 (up, left). Raises Refused as press_button does."""
        self._before_pointer()
        with self._primitive():
            self._still_at(at, over)
            button = (7 if amount > 0 else 6) if horizontal else (5 if amount > 0 else 4)
            self._ledger.mark_button(button, True)
            self._stamp()
            if horizontal:
                self._pyautogui.hscroll(amount, _pause=False)
            else:
                self._pyautogui.vscroll(-amount, _pause=False)
            self._ledger.mark_button(button, False)

    def position(self) -> tuple[int, int]:
        """Where the pointer is."""
        reply = self._display.screen().root.query_pointer()
        return reply.root_x, reply.root_y

    def _still_at(self, place: tuple[int, int], over: int | None) -> None:
        reply = self._display.screen().root.query_pointer()
        if (reply.root_x, reply.root_y) != place:
            raise Refused(RejectedReason.STALE, "The pointer was moved away before the press; somebody uses the mouse.")
        if over is not None and getattr(reply.child, "id", 0) != over:
            raise Refused(RejectedReason.STALE, "Another window came to lie under the pointer right before the press.")

    def sync(self) -> None:
        """Return when the server has done all that was sent."""
        self._line.sync()
        self._ledger.confirm()

    def caught_up(self) -> State:
        """The keyboard's state when the server has done all that was sent. Returns no sooner than the guard has heard
        what had been sent by the time before: its ear is never outrun, or a stop would queue behind."""
        sent, before = self._sent, self._synced_ns
        state = self._line.state()
        self._ledger.confirm()
        self._sent = 0
        if sent and self._ledger.get(Word.PACED):
            self._synced_ns = time.monotonic_ns()
            if before and not self.wait_for(lambda: self._ledger.get(Word.HEARD_NS) >= before, HEARD_LIMIT_S):
                raise Halted("the guard does not hear")
        return state

    def wait(self, seconds: float) -> None:
        """Let time pass with a stop check at least every 10 ms."""
        deadline = time.monotonic() + seconds
        while (left := deadline - time.monotonic()) > 0:
            self.check()
            time.sleep(min(left, 0.01))

    def wait_for(self, condition: Callable[[], bool], seconds: float) -> bool:
        """Whether the condition came true in time; stop checks meanwhile."""
        deadline = time.monotonic() + seconds
        while not condition():
            self.check()
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(left, _POLL_S))
        return True

    def release_all(self) -> int:
        """Release every key and button in the ledger; how many there were."""
        keys, buttons = self._ledger.keys, self._ledger.buttons
        for button in buttons:
            self.release_button(button)
        for keycode in reversed(keys):
            self.release_key(keycode)
        self.sync()
        return len(keys) + len(buttons)

    def together(self, events: int) -> None:
        """So many presses and releases that come now belong together: whatever must be waited for is waited for first.

        Two clicks with half a second between them, because the guard's ear was late, are no double click.
        """
        if self._sent + events >= _PACE_EVERY:
            self.caught_up()

    def _released(self, *keycodes: int) -> None:
        for keycode in keycodes:
            self._releases[keycode] = self._releases.get(keycode, 0) + 1
            self._last_released = keycode

    def _pace(self) -> None:
        self._sent += 1
        if self._sent >= _PACE_EVERY:
            self.caught_up()

    def _before_pointer(self) -> None:
        """pyautogui has a connection of its own, and the server reads each when it likes: a Ctrl that is sent here
        could be pressed after the click that it belongs to."""
        self._pace()
        if self._line.ahead:
            self._line.sync()

    def _stamp(self, events: int = 1) -> None:
        self._ledger.set(Word.EVENTS, self._ledger.get(Word.EVENTS) + events)
        self._ledger.set(Word.LAST_EVENT_NS, time.monotonic_ns())

    @contextmanager
    def _primitive(self) -> Iterator[None]:
        # Said before the gate is read: who shuts it and then sees 0 here knows that nothing more is sent.
        self._ledger.set(Word.IN_PRIMITIVE, 1)
        try:
            self.check()
            yield
        finally:
            self._ledger.set(Word.IN_PRIMITIVE, 0)
