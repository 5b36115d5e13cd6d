"""An X connection that sends key and button events by XTEST, with the requests packed by hand.

Typing 1,000 characters took 2.3 times as long with xcffib's xtest (26.5 ms against 11.6 ms; median of 22 runs each,
Xvfb), and about 15 times as long with python-xlib, which packs and flushes each request separately.
Source: X Test Extension Protocol 2.2, FakeInput.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable
from typing import Any

from operator_console.desktop.x11.keyboard_map import Keyboard, State, packed_state_request, parse_state

_FAKE_INPUT = struct.Struct("=BBHBB2xII8xhh7xB")
_FAKE_INPUT_MINOR, _FAKE_INPUT_WORDS = 2, 9
_GET_INPUT_FOCUS = struct.pack("=BBH", 43, 0, 1)
_HEADER_BYTES, _REPLY, _GENERIC_EVENT = 32, 1, 35
_KEY_PRESS, _KEY_RELEASE, _BUTTON_PRESS, _BUTTON_RELEASE = 2, 3, 4, 5


class DisplayGone(ConnectionError):
    """The X server closed the connection."""


class XTestConnection:
    """Takes over an open python-xlib Display and its socket. Raises DisplayGone without the XTEST extension."""

    def __init__(self, display: Any) -> None:
        found = display.query_extension("XTEST")
        if found is None or not found.present:
            raise DisplayGone("the X server has no XTEST extension")
        self._opcode = int(found.major_opcode)
        self._get_state = packed_state_request(Keyboard(display).opcode)
        display.sync()
        self._display = display  # keeps the socket open
        self._socket: socket.socket = display.display.socket
        self._socket.setblocking(True)
        self._buffer = bytearray()
        self._has_unconfirmed = False

    @property
    def has_unconfirmed(self) -> bool:
        """Whether events were sent since the server last confirmed that it had processed all of them."""
        return self._has_unconfirmed

    def press_key(self, keycode: int) -> None:
        """Send a key press."""
        self._write(self._packed(_KEY_PRESS, keycode))

    def release_key(self, keycode: int) -> None:
        """Send a key release."""
        self._write(self._packed(_KEY_RELEASE, keycode))

    def press_button(self, button: int) -> None:
        """Send a button press."""
        self._write(self._packed(_BUTTON_PRESS, button))

    def release_button(self, button: int) -> None:
        """Send a button release."""
        self._write(self._packed(_BUTTON_RELEASE, button))

    def stroke(self, keycodes: Iterable[int]) -> None:
        """Press keys in order and release them in reverse, in one write."""
        codes = tuple(keycodes)
        presses = b"".join(self._packed(_KEY_PRESS, code) for code in codes)
        self._write(presses + b"".join(self._packed(_KEY_RELEASE, code) for code in reversed(codes)))

    def sync(self) -> None:
        """Return when the server has processed everything sent on this connection."""
        self._request(_GET_INPUT_FOCUS)

    def state(self) -> State:
        """Sync, and return the keyboard's modifiers and group after it."""
        return parse_state(self._request(self._get_state))

    def _packed(self, event_type: int, detail: int) -> bytes:
        return _FAKE_INPUT.pack(self._opcode, _FAKE_INPUT_MINOR, _FAKE_INPUT_WORDS, event_type, detail, 0, 0, 0, 0, 0)

    def _request(self, packet: bytes) -> bytes:
        self._write(packet)
        while (reply := self._next_reply()) is None:
            data = self._socket.recv(1 << 14)
            if not data:
                raise DisplayGone("closed")
            self._buffer += data
        self._has_unconfirmed = False
        return reply

    def _write(self, packet: bytes) -> None:
        self._has_unconfirmed = True
        try:
            self._socket.sendall(packet)
        except OSError as error:
            raise DisplayGone(str(error)) from error

    def _next_reply(self) -> bytes | None:
        """Take packets off the buffer up to a reply. Events (MappingNotify goes to every client) and errors are
        dropped."""
        while len(self._buffer) >= _HEADER_BYTES:
            code = self._buffer[0] & 0x7F
            size = _HEADER_BYTES
            if code in {_REPLY, _GENERIC_EVENT}:
                size += 4 * int.from_bytes(self._buffer[4:8], "little")
            if len(self._buffer) < size:
                return None
            packet = bytes(self._buffer[:size])
            del self._buffer[:size]
            if code == _REPLY:
                return packet
        return None
