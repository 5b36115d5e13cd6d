"""XTEST key and button events written straight onto a connection of their own: microseconds each.

python-xlib packs and flushes each request anew, which made typing fifteen times slower than the server is. It still
opens the connection (names, authority); from then on nothing else may use it, for it would lose count of requests.
Questions asked here are answered after all that was sent here. Source: X Test Extension Protocol 2.2, FakeInput.
Called by hands.py only.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterable
from typing import Any

from operator_console.desktop.x11.input_xkb import Keyboard, State, packed_state_request, parse_state

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
