"""What a client says: RFC 6143 section 7.5, and the community's extensions (rfbproto) that are used here.

All numbers are big-endian. Coordinates are native pixels of the machine's screen.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from enum import IntEnum, IntFlag


class Encoding(IntEnum):
    """How pixels come (RFC 6143 section 7.7; Tight: rfbproto), by the number on the wire."""

    RAW = 0
    COPY_RECT = 1
    TIGHT = 7
    ZRLE = 16


class PseudoEncoding(IntEnum):
    """What else an update may tell, and what a client says that it understands (RFC 6143 section 7.8; rfbproto)."""

    DESKTOP_SIZE = -223
    LAST_RECT = -224
    CURSOR = -239
    QEMU_POINTER_MOTION_CHANGE = -257
    QEMU_EXTENDED_KEY_EVENT = -258
    EXTENDED_DESKTOP_SIZE = -308
    FENCE = -312
    EXTENDED_CLIPBOARD = 0xC0A1E5CE - (1 << 32)


class FenceFlag(IntFlag):
    """Of a fence (rfbproto, Fence)."""

    BLOCK_BEFORE = 1 << 0
    BLOCK_AFTER = 1 << 1
    SYNC_NEXT = 1 << 2
    REQUEST = 1 << 31


class ClipboardFlag(IntFlag):
    """Of a message of the extended clipboard (rfbproto, Extended Clipboard Pseudo-Encoding)."""

    TEXT = 1 << 0
    CAPS = 1 << 24
    REQUEST = 1 << 25
    PEEK = 1 << 26
    NOTIFY = 1 << 27
    PROVIDE = 1 << 28


MAX_TEXT = 1 << 20
"""Bytes of a clipboard's text that are taken and given; what is longer is left out whole."""

SERVER_FENCE = CLIENT_FENCE = 248
_QEMU = 255

# 32 bits, depth 24, little-endian, true colour: a pixel is the bytes blue, green, red and one without meaning.
SET_PIXEL_FORMAT_BGRX = struct.pack(">B3xBBBBHHHBBB3x", 0, 32, 24, 0, 1, 255, 255, 255, 16, 8, 0)


def set_encodings(encodings: Sequence[int]) -> bytes:
    """SetEncodings, the preferred one first."""
    return struct.pack(f">BxH{len(encodings)}i", 2, len(encodings), *encodings)


def update_request(x: int, y: int, width: int, height: int, *, incremental: bool) -> bytes:
    """FramebufferUpdateRequest."""
    return struct.pack(">BBHHHH", 3, incremental, x, y, width, height)


def key_event(keysym: int, down: bool) -> bytes:
    """KeyEvent."""
    return struct.pack(">BBxxI", 4, down, keysym)


def extended_key_event(keysym: int, down: bool, scancode: int) -> bytes:
    """QEMU Extended Key Event (rfbproto); `scancode` is XT set 1, with 0x80 set where it is preceded by 0xE0."""
    return struct.pack(">BBHII", _QEMU, 0, down, keysym, scancode)


def pointer_event(x: int, y: int, mask: int) -> bytes:
    """PointerEvent."""
    return struct.pack(">BBHH", 5, mask, x, y)


def fence(flags: FenceFlag, payload: bytes) -> bytes:
    """ClientFence (rfbproto)."""
    return struct.pack(">B3xIB", CLIENT_FENCE, flags, len(payload)) + payload


def clipboard_caps() -> bytes:
    """What of the extended clipboard is understood here: text; none is sent unasked."""
    flags = (
        ClipboardFlag.TEXT | ClipboardFlag.CAPS | ClipboardFlag.REQUEST | ClipboardFlag.NOTIFY | ClipboardFlag.PROVIDE
    )
    return _extended_cut_text(flags, struct.pack(">I", 0))


def clipboard_notify() -> bytes:
    """That there is text to be asked for."""
    return _extended_cut_text(ClipboardFlag.TEXT | ClipboardFlag.NOTIFY)


def clipboard_request() -> bytes:
    """Asks for the text."""
    return _extended_cut_text(ClipboardFlag.TEXT | ClipboardFlag.REQUEST)


def clipboard_provide(text: str) -> bytes:
    """The text: lines end with CR LF, and its length counts the NUL at its end."""
    lines = text.replace("\r\n", "\n").replace("\n", "\r\n")
    data = lines.encode("utf-8", "replace") + b"\0"
    packed = zlib.compress(struct.pack(">I", len(data)) + data)
    return _extended_cut_text(ClipboardFlag.TEXT | ClipboardFlag.PROVIDE, packed)


def _extended_cut_text(flags: ClipboardFlag, data: bytes = b"") -> bytes:
    return struct.pack(">B3xiI", 6, -(4 + len(data)), flags) + data
