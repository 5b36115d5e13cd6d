"""The connection that acts: pointer, keys and clipboard, on a blocking socket, without a decoder."""

from __future__ import annotations

import struct
import time
from collections.abc import Callable, Sequence

from operator_console.domain.geometry import Rect, Size
from operator_console.rfb.authentication import log_in
from operator_console.rfb.channel import Channel
from operator_console.rfb.errors import NoAnswer, NotVnc, RfbError
from operator_console.rfb.protocol_messages import (
    SET_PIXEL_FORMAT_BGRX,
    Encoding,
    FenceFlag,
    Parser,
    PseudoEncoding,
    ServerMessages,
    ServerTraits,
    clipboard_notify,
    clipboard_provide,
    extended_key_event,
    fence,
    key_event,
    pointer_event,
    set_encodings,
    skip,
    update_request,
)
from operator_console.rfb.server_login import Login

# Both sizes, because TigerVNC ends a connection that cannot be told of a new one.
_ENCODINGS = (
    Encoding.RAW,
    PseudoEncoding.DESKTOP_SIZE,
    PseudoEncoding.EXTENDED_DESKTOP_SIZE,
    PseudoEncoding.FENCE,
    PseudoEncoding.EXTENDED_CLIPBOARD,
    PseudoEncoding.QEMU_EXTENDED_KEY_EVENT,
    PseudoEncoding.QEMU_POINTER_MOTION_CHANGE,
)
_POSITION_S = 0.0125
"""QEMU takes a key event every 10 ms and drops what its queue has no room for; 40 keys a second arrive."""

_MAX_PARTS = 64
_ASKED_AGAIN_S = 0.02
_REPEAT_FOR_S = 0.3
_REPEAT_S = 0.02
_NOTICED_WITHIN_S = 1.0


class InputLine(ServerTraits):
    """One connection that acts. It belongs to one thread.

    Every method raises ConnectionLost once the connection has ended.
    What the server sends must be read now and then: `read_waiting` when `fileno` is readable, or `acknowledge`.
    """

    def __init__(self, channel: Channel, size: Size) -> None:
        self._channel = channel
        self._messages = _Messages(size)
        self._draws_pointer = False
        self._positions = 0

    @classmethod
    def connect(cls, login: Login, *, within_s: float = 10.0) -> InputLine:
        """Logs in, and waits until the server has said what it can do. Raises RfbError."""
        deadline = time.monotonic() + within_s
        channel, told = log_in(login, deadline)
        line = cls(channel, told.size)
        try:
            line._begin(deadline)
        except BaseException:
            channel.close()
            raise
        return line

    @property
    def size(self) -> Size:
        """Of the machine's screen."""
        return self._messages.size

    @property
    def _told(self) -> ServerMessages:
        return self._messages

    @property
    def takes_positions(self) -> bool:
        """Whether the server is one of QEMU's, which takes positions of keys."""
        return self.pointer_is_relative is not None

    def pointer(self, x: int, y: int, mask: int) -> None:
        """Moves the pointer and holds the buttons of `mask` (bit 0 left, 1 middle, 2 right, 3 to 6 the wheel)."""
        self._channel.send(pointer_event(x, y, mask))

    def key(self, keysym: int, down: bool, scancode: int = 0) -> None:
        """A key; with `scancode` (XT set 1, 0x80 set where 0xE0 precedes it) as QEMU's extended event."""
        if scancode:
            self._positions += 1
            self._channel.send(extended_key_event(keysym, down, scancode))
        else:
            self._channel.send(key_event(keysym, down))

    def position_pause_s(self) -> float:
        """How long the positions take that were sent since this was asked last, in seconds: QEMU confirms none."""
        sent, self._positions = self._positions, 0
        return _POSITION_S * max(2, sent)

    def clipboard(self, text: str) -> None:
        """Offers text by the extended clipboard. The machine fetches it when it is pasted: this line must be read then.

        Raises:
            NotVnc: The server has no extended clipboard.
        """
        if not self.has_extended_clipboard:
            raise NotVnc("no extended clipboard")
        self._messages.offered, self._messages.fetched = text, False
        self._channel.send(clipboard_notify())

    @property
    def clipboard_fetched(self) -> bool:
        """Whether the machine has fetched the text that was offered last."""
        return self._messages.fetched

    def acknowledge(self, within_s: float, wanted: Callable[[], bool] | None = None) -> bool:
        """Waits until what was sent before has been handled: a fence, else an update of one pixel.

        Returns False where no answer came in time, or once it is not `wanted` any more, which is asked every 20 ms; a
        late one does not count for the next.
        """
        deadline = time.monotonic() + within_s
        if self.has_fence:
            self._messages.fences += 1
            payload = struct.pack(">I", self._messages.fences)
            self._channel.send(fence(FenceFlag.REQUEST | FenceFlag.BLOCK_BEFORE, payload))
            return self._read_until(lambda: self._messages.answered == payload, deadline, wanted)
        self._channel.send(self._messages.mark())
        return self._read_until(lambda: self._messages.marker is None, deadline, wanted)

    def wait_until_fetched(self, within_s: float, wanted: Callable[[], bool]) -> bool:
        """Hands the offered text over, once the machine asks for it; False where `acknowledge` would return False."""
        return self._read_until(lambda: self._messages.fetched, time.monotonic() + within_s, wanted)

    def part(self, rect: Rect, within_s: float) -> tuple[bytes, Size] | None:
        """A part of the screen, asked for now: BGRX rows, and the size of the screen.

        Returns None where no answer came in time, and no rows where the part is not on a screen of that size.
        """
        messages, deadline = self._messages, time.monotonic() + within_s
        self.read_waiting()
        if rect.empty or rect.intersect(Rect(0, 0, self.size.width, self.size.height)) != rect:
            return b"", self.size
        if not (self.has_fence or self._draws_pointer):
            # The part must show the pointer where `Screen` does. TigerVNC draws it for a client that does not move it;
            # others only for one that cannot draw it.
            self._channel.send(set_encodings((*_ENCODINGS, PseudoEncoding.CURSOR)))
            self._draws_pointer = True
        self._channel.send(messages.want(rect))
        if not self._read_until(lambda: messages.part is None, deadline):
            messages.part = None
            return None
        messages.pixels[3::4] = b"\xff" * (len(messages.pixels) // 4)  # as `Screen.picture` has it
        return bytes(messages.pixels), self.size

    def fileno(self) -> int:
        """To wait for what the server sends; then `read_waiting`."""
        return self._channel.fileno()

    def read_waiting(self) -> None:
        """Reads and answers what the server has sent, without blocking; of a flood a part.

        Raises:
            ConnectionLost: The connection has ended.
            NotVnc: The server broke the protocol.
        """
        for _ in range(_MAX_PARTS):
            data = self._channel.receive()
            if not data:
                break
            self._take(data)
        self._messages.check_time()

    def close(self) -> None:
        """Ends the connection. Once is enough; more do nothing."""
        self._channel.close()

    def _begin(self, deadline: float) -> None:
        # What a server can do it says when it is told the encodings, before it tells its size or a pixel.
        self._channel.send(SET_PIXEL_FORMAT_BGRX + set_encodings(_ENCODINGS) + self._messages.mark())
        messages = self._messages
        if not self._read_until(lambda: messages.marker is None or messages.has_extended_size, deadline):
            raise NoAnswer

    def _read_until(
        self, done: Callable[[], bool], deadline: float, wanted: Callable[[], bool] | None = None
    ) -> bool:  # fmt: skip
        while not done():
            if data := self._channel.receive():
                self._take(data)
            elif wanted is None:
                self._channel.wait(deadline)
            else:
                self._channel.wait(min(deadline, time.monotonic() + _ASKED_AGAIN_S))
            if time.monotonic() > deadline or not (wanted is None or wanted()):
                return done()
        return True

    def _take(self, data: bytes) -> None:
        self._messages.give(data)
        if self._messages.answers:
            self._channel.send(self._messages.answers)
            self._messages.answers.clear()


class _Messages(ServerMessages):
    """Forgets pixels, except those of a part that is wanted.

    Attributes:
        part: the rectangle that is wanted, until all of it has come or the size has changed.
        pixels: what came of it, BGRX rows; nothing once the size has changed.
        offered: text for the machine's clipboard.
        fetched: whether it was handed over.
        fences: how many were sent.
        answered: what the last one that came back carried.
    """

    def __init__(self, size: Size) -> None:
        super().__init__(size)
        self.offered: str | None = None
        self.fetched = False
        self.fences = 0
        self.answered = b""
        self.part: Rect | None = None
        self.pixels = bytearray()
        self._come = bytearray()

    def want(self, part: Rect) -> bytes:
        """The request of a part, which is no larger than the screen."""
        self.mark()  # its answer begins as that of a mark
        self.marker, self.part = (part.x, part.y), part
        self.pixels, self._come = bytearray(4 * part.width * part.height), bytearray(part.width * part.height)
        asked = update_request(part.x, part.y, part.width, part.height, incremental=False)
        asked += update_request(0, 0, 1, 1, incremental=True)
        if self.has_fence:
            return fence(FenceFlag.REQUEST | FenceFlag.BLOCK_BEFORE, self._marker_payload) + asked
        return asked

    def _pixels(self, rect: Rect, encoding: int) -> Parser:
        if encoding != Encoding.RAW:
            raise NotVnc(f"an encoding of {encoding}")
        part = self.part if self._marker_begun else None
        common = Rect(0, 0, 0, 0) if part is None else rect.intersect(part)
        if part is None or common.empty:
            yield from skip(4 * rect.width * rect.height)
            return
        for y in range(rect.y, rect.bottom):
            row = yield 4 * rect.width
            if self.part is part and common.y <= y < common.bottom:  # it may have been given up meanwhile
                at = (y - part.y) * part.width + common.x - part.x
                start = 4 * (common.x - rect.x)
                self.pixels[4 * at : 4 * (at + common.width)] = row[start : start + 4 * common.width]
                self._come[at : at + common.width] = b"\1" * common.width

    def _update_ended(self) -> None:
        if self.part is not None:
            if all(self._come):
                self.part = self.marker = None
            else:
                part = self.part
                self.answers += update_request(part.x, part.y, part.width, part.height, incremental=True)
        elif self.marker is not None:  # only the size was told: pixels must be asked for again
            self.answers += update_request(*self.marker, 1, 1, incremental=True)

    def _resized(self) -> None:
        if self.part is not None:
            self.part = self.marker = None
            self.pixels = bytearray()

    def _fence_answered(self, payload: bytes) -> None:
        super()._fence_answered(payload)
        self.answered = payload

    def _clipboard_requested(self) -> None:
        if self.offered is not None:
            self.answers += clipboard_provide(self.offered)
            self.fetched = True


def release(line: InputLine, keysyms: Sequence[int], mask: int, at: tuple[int, int]) -> None:
    """Releases what another connection, which was killed, held down. Never raises RfbError.

    A server ignores others until it has noticed that the killed connection ended. Then TigerVNC releases the buttons at
    a mask of 0, which is repeated for 0.3 s. x11vnc and QEMU release them only at the mask that was held followed by 0.
    Where they are up already that is a click, so it is sent once: when the server has answered a request that was sent
    after the kill, at the latest after 1 s.

    Args:
        line: logged in before, and read since.
        keysyms: keys that were down.
        mask: buttons that were down.
        at: the last position that was sent, in native pixels.
    """

    def lift_keys() -> None:
        for keysym in keysyms:
            line.key(keysym, down=False)

    try:
        if line.has_fence:
            until = time.monotonic() + _REPEAT_FOR_S
            while time.monotonic() < until:
                lift_keys()
                line.pointer(*at, 0)
                line.read_waiting()
                time.sleep(_REPEAT_S)
        else:
            lift_keys()
            line.acknowledge(_NOTICED_WITHIN_S)
            lift_keys()
            if mask:
                line.pointer(*at, mask)
                line.pointer(*at, 0)
            line.read_waiting()
    except RfbError:
        return
