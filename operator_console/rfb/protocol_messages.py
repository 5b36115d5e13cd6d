"""What client and server say (RFC 6143 sections 7.5 and 7.6), with the community's extensions (rfbproto) used here.

All numbers are big-endian. Coordinates are native pixels of the machine's screen. What a server says is read as it
comes, with a limit on every size. Nothing here waits: a parser is given bytes and goes on once it has enough of them.
"""

from __future__ import annotations

import struct
import time
import zlib
from abc import ABC, abstractmethod
from collections.abc import Generator, Sequence
from enum import IntEnum, IntFlag

from operator_console.domain.geometry import Rect, Size
from operator_console.rfb.errors import NotVnc

MAX_TEXT = 1 << 20
"""Bytes of a clipboard's text that are taken and given; what is longer is left out whole."""
SERVER_FENCE = CLIENT_FENCE = 248
_QEMU = 255
# 32 bits, depth 24, little-endian, true colour: a pixel is the bytes blue, green, red and one without meaning.
SET_PIXEL_FORMAT_BGRX = struct.pack(">B3xBBBBHHHBBB3x", 0, 32, 24, 0, 1, 255, 255, 255, 16, 8, 0)
Parser = Generator[int, bytes, None]
"""Yields how many bytes it needs next, and is given exactly these."""
BAND = 1 << 20
"""So many bytes of pixels are asked for at once at most."""
MESSAGE_S = 60.0
_MAX_SIDE = 16_384
_MAX_PIXELS = 1 << 25
"""7680 x 4320 fits; 128 MiB."""
_MAX_CUT_TEXT = 1 << 24
_MAX_CURSOR_SIDE = 1024
_MAX_FENCE = 64
# Of an update, in areas of the screen: a copied rectangle may be drawn again, but not for ever.
_MAX_DRAWN = 8
_MARKER_STEP = 16
"""QEMU sends pixels in groups of 16. wayvnc's Tight leaves out a single pixel at the edge of its tiles of 64."""


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


def checked_size(width: int, height: int) -> Size:
    """The size of a screen. Raises NotVnc where nothing is shown, or more than this client takes."""
    if not (0 < width <= _MAX_SIDE and 0 < height <= _MAX_SIDE and width * height <= _MAX_PIXELS):
        raise NotVnc(f"a screen of {width} x {height}")
    return Size(width, height)


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


class _Kind(IntEnum):
    UPDATE = 0
    COLOURS = 1
    BELL = 2
    CUT_TEXT = 3
    FENCE = SERVER_FENCE


class ServerMessages:
    """Reads all messages of a server. Subclasses say what becomes of pixels and of what is told.

    Attributes:
        size: of the screen.
        has_fence: the server has sent a fence, which says that it answers them.
        has_extended_keys: it takes QEMU's extended key events.
        has_extended_clipboard: it exchanges Unicode text.
        has_extended_size: it tells its size with ExtendedDesktopSize, and so at each request that is not incremental.
        pointer_is_relative: how QEMU takes the pointer; None: not told.
        answers: what must be sent to the server; whoever sends it clears it.
        updates: how many updates have been read to their end.
        sizes_told: how often the size was told by ExtendedDesktopSize.
        closed: nothing more is to be read.
        marker: the request whose answer is waited for, until the end of the update that answered it.
    """

    def __init__(self, size: Size) -> None:
        self.size = size
        self.has_fence = False
        self.has_extended_keys = False
        self.has_extended_clipboard = False
        self.has_extended_size = False
        self.pointer_is_relative: bool | None = None
        self.answers = bytearray()
        self.updates = 0
        self.sizes_told = 0
        self.closed = False
        self.marker: tuple[int, int] | None = None
        self._markers = 0
        self._marker_begun = False
        self._marker_met = False
        self._began: float | None = None
        self._buffer = bytearray()
        self._parser = self._messages()
        self._needed = next(self._parser)

    def give(self, data: bytes) -> None:
        """Reads on. Raises NotVnc, after which nothing more can be read."""
        self._buffer += data
        while len(self._buffer) >= self._needed and not self.closed:
            self.check_time()
            part = bytes(self._buffer[: self._needed])
            del self._buffer[: self._needed]
            self._needed = self._parser.send(part)

    def check_time(self) -> None:
        """Raises NotVnc where a message has been under way for too long."""
        if self._began is not None and time.monotonic() - self._began > MESSAGE_S:
            raise NotVnc("a message without an end")

    def mark(self) -> bytes:
        """The request of one pixel whose answer shows that all before it was handled; `marker` is None then.

        The pixel is another one each time, so that a late answer is not taken for the next. What was on its way before
        the request was read does not count: a fence comes back first, else the size, which the standard demands for a
        request that is not incremental. Where the screen has become smaller without our knowing, some servers ignore
        the request: the first pixel is asked for too, for which the size comes.

        Without ExtendedDesktopSize the answer may show that pixel alone, so all else that has changed is asked for
        first, and is sent first.
        """
        self._markers += 1
        at = self._markers * _MARKER_STEP - _MARKER_STEP // 2
        x, y = at % self.size.width, at // self.size.width % self.size.height
        self.marker = (x, y)
        self._marker_begun = not (self.has_fence or self.has_extended_size)
        self._marker_met = False
        asked = update_request(x, y, 1, 1, incremental=False) + update_request(0, 0, 1, 1, incremental=True)
        if self.has_fence:
            asked = fence(FenceFlag.REQUEST | FenceFlag.BLOCK_BEFORE, self._marker_payload) + asked
        if not self.has_extended_size:
            asked = update_request(0, 0, self.size.width, self.size.height, incremental=True) + asked
        return asked

    # What subclasses do

    def _pixels(self, rect: Rect, encoding: int) -> Parser:
        """Reads a rectangle of the screen. Raises NotVnc for an encoding that was not asked for."""
        raise NotImplementedError

    def _update_ended(self) -> None:
        """An update has been read to its end."""

    def _resized(self) -> None:
        """`size` is another one; what the screen shows is unknown."""

    def _cursor(self, rect: Rect, pixels: bytes, mask: bytes) -> None:
        """The pointer: hotspot and size, BGRX rows, and rows of bits, padded to whole bytes."""

    def _clipboard_text(self, text: str) -> None:
        """Text was put into the machine's clipboard."""

    def _clipboard_notified(self) -> None:
        """There is text to be asked for; `answers` takes the request."""

    def _clipboard_requested(self) -> None:
        """Asks for the text that was offered; `answers` takes it."""

    # The messages

    def _messages(self) -> Parser:
        while True:
            self._began = None
            (kind,) = yield 1
            self._began = time.monotonic()
            match kind:
                case _Kind.UPDATE:
                    yield from self._update()
                case _Kind.COLOURS:
                    (count,) = struct.unpack(">xxxH", (yield 5))
                    yield from skip(6 * count)
                case _Kind.BELL:
                    pass
                case _Kind.CUT_TEXT:
                    yield from self._cut_text()
                case _Kind.FENCE:
                    yield from self._fence()
                case _:
                    raise NotVnc(f"a message of type {kind}")

    def _update(self) -> Parser:
        (count,) = struct.unpack(">xH", (yield 3))
        drawn = 0
        for _ in range(count):  # a server that ends with LastRect says 65535
            x, y, width, height, encoding = struct.unpack(">HHHHi", (yield 12))
            rect = Rect(x, y, width, height)
            if encoding == PseudoEncoding.LAST_RECT:
                break
            if encoding in _TOLD:
                yield from self._told(rect, PseudoEncoding(encoding))
                continue
            if rect.right > self.size.width or rect.bottom > self.size.height:
                raise NotVnc(f"{width} x {height} at {x}, {y} on a screen of {self.size.width} x {self.size.height}")
            drawn += width * height
            if drawn > _MAX_DRAWN * self.size.width * self.size.height:
                raise NotVnc("an update without an end")
            yield from self._pixels(rect, encoding)
            if self.marker is not None and self._marker_begun and rect.contains(*self.marker):
                self._marker_met = True
        if self._marker_met:
            self.marker, self._marker_met = None, False
        self.updates += 1
        self._update_ended()

    def _told(self, rect: Rect, what: PseudoEncoding) -> Parser:
        match what:
            case PseudoEncoding.DESKTOP_SIZE:
                self._set_size(rect)
            case PseudoEncoding.EXTENDED_DESKTOP_SIZE:
                (screens,) = struct.unpack(">Bxxx", (yield 4))
                yield from skip(16 * screens)
                self.has_extended_size = True
                self.sizes_told += 1
                self._marker_begun = self._marker_begun or not self.has_fence
                if rect.y == 0:  # else somebody's wish for another size was refused
                    self._set_size(rect)
            case PseudoEncoding.CURSOR:
                if max(rect.width, rect.height) > _MAX_CURSOR_SIDE:
                    raise NotVnc(f"a pointer of {rect.width} x {rect.height}")
                pixels = yield 4 * rect.width * rect.height
                mask = yield (rect.width + 7) // 8 * rect.height
                self._cursor(rect, pixels, mask)
            case PseudoEncoding.QEMU_POINTER_MOTION_CHANGE:
                self.pointer_is_relative = rect.x == 0
            case PseudoEncoding.QEMU_EXTENDED_KEY_EVENT:
                self.has_extended_keys = True
            case _:
                raise NotVnc(f"an encoding of {what}")

    def _set_size(self, rect: Rect) -> None:
        size = checked_size(rect.width, rect.height)
        if size != self.size:
            self.size = size
            self._resized()
            if self.marker is not None:  # its pixel may be outside now
                self.answers += self.mark()

    def _fence(self) -> Parser:
        flags, length = struct.unpack(">xxxIB", (yield 8))
        if length > _MAX_FENCE:
            raise NotVnc(f"a fence of {length} bytes")
        payload = yield length
        self.has_fence = True
        if flags & FenceFlag.REQUEST:
            known = FenceFlag.BLOCK_BEFORE | FenceFlag.BLOCK_AFTER | FenceFlag.SYNC_NEXT
            self.answers += fence(FenceFlag(flags) & known, payload)
        else:
            self._fence_answered(payload)

    def _fence_answered(self, payload: bytes) -> None:
        """A fence of ours came back."""
        if self.marker is not None and payload == self._marker_payload:
            self._marker_begun = True

    @property
    def _marker_payload(self) -> bytes:
        return b"mark" + struct.pack(">I", self._markers)

    def _cut_text(self) -> Parser:
        (length,) = struct.unpack(">xxxi", (yield 7))
        if abs(length) > _MAX_CUT_TEXT:
            raise NotVnc(f"a clipboard of {abs(length)} bytes")
        if length < 0:
            yield from self._extended_clipboard(-length)
        elif length > MAX_TEXT:
            yield from skip(length)
        else:
            self._clipboard_text((yield length).decode("latin-1"))

    def _extended_clipboard(self, length: int) -> Parser:
        if length < 4:
            raise NotVnc(f"a clipboard of {length} bytes")
        (flags,) = struct.unpack(">I", (yield 4))
        length -= 4
        if length > MAX_TEXT:
            yield from skip(length)
            return
        data = yield length
        if flags & ClipboardFlag.CAPS:
            self.has_extended_clipboard = bool(flags & ClipboardFlag.TEXT)
            self.answers += clipboard_caps()
        elif not flags & ClipboardFlag.TEXT:
            pass
        elif flags & ClipboardFlag.PROVIDE:
            text = _provided_text(data)
            if text is not None:
                self._clipboard_text(text)
        elif flags & ClipboardFlag.NOTIFY:
            self._clipboard_notified()
        elif flags & ClipboardFlag.REQUEST:
            self._clipboard_requested()


_TOLD = frozenset(PseudoEncoding)


def skip(count: int) -> Parser:
    """Reads and forgets."""
    while count > 0:
        part = min(count, BAND)
        yield part
        count -= part


def _provided_text(data: bytes) -> str | None:
    """The text of a clipboard; None where it is too long. Text comes first, whatever other formats follow."""
    stream = zlib.decompressobj()
    try:
        text = stream.decompress(data, 4 + MAX_TEXT)
    except zlib.error as error:
        raise NotVnc(f"a clipboard that does not unpack: {error}") from error
    if len(text) < 4:
        raise NotVnc("a clipboard without a length")
    (length,) = struct.unpack_from(">I", text)
    if length > MAX_TEXT:
        return None
    if len(text) - 4 < length:
        raise NotVnc("a clipboard that ends too early")
    return text[4 : 4 + length].decode("utf-8", "replace").removesuffix("\0").replace("\r\n", "\n")


class ServerTraits(ABC):
    """What a connection was told of its server."""

    @property
    @abstractmethod
    def _told(self) -> ServerMessages:
        """Its messages."""

    @property
    def has_fence(self) -> bool:
        """Whether the server answers fences."""
        return self._told.has_fence

    @property
    def has_extended_keys(self) -> bool:
        """Whether it takes QEMU's extended key events."""
        return self._told.has_extended_keys

    @property
    def has_extended_clipboard(self) -> bool:
        """Whether it exchanges Unicode text."""
        return self._told.has_extended_clipboard

    @property
    def pointer_is_relative(self) -> bool | None:
        """How QEMU takes the pointer; None where the server does not tell. A guest may change it."""
        return self._told.pointer_is_relative
