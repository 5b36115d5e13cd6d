"""The connection that looks: the whole picture of a machine, kept up to date by a thread that reads and draws."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import select
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from operator_console.domain.geometry import Rect, Size
from operator_console.rfb.authentication import ServerInit, log_in
from operator_console.rfb.channel import Channel
from operator_console.rfb.errors import ConnectionLost, NoAnswer, RfbError
from operator_console.rfb.framebuffer import Framebuffer
from operator_console.rfb.protocol_messages import (
    SET_PIXEL_FORMAT_BGRX,
    Encoding,
    PseudoEncoding,
    ServerTraits,
    clipboard_request,
    set_encodings,
    update_request,
)
from operator_console.rfb.server_login import Login

PREFERRED = (Encoding.TIGHT, Encoding.ZRLE, Encoding.COPY_RECT, Encoding.RAW)
_PACE_S = 1 / 60
"""No more updates than a display shows are asked for, but at once where a picture is wanted."""
_LOOK_S = 1.0
_MAX_RECTANGLES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    """The machine's pointer, which its picture does not show.

    Attributes:
        pixels: BGRA rows; alpha is 0 or 255. Empty where it has no pixels.
        width, height: in pixels.
        hotspot: the pixel of it that points.
    """

    pixels: bytes
    width: int
    height: int
    hotspot: tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Listener:
    changed: Callable[[tuple[Rect, ...]], None]
    resized: Callable[[Size], None]
    lost: Callable[[], None]
    clipboard: Callable[[str], None]


Picture = tuple[bytes, Size, float]


class Screen(ServerTraits):
    """One connection that only looks. It belongs to one event loop; a thread of its own reads and draws.

    Attributes:
        name: what the machine calls itself.
        size: of its screen now.
        lost: whether the connection has ended.
        error: why it has; None while it has not, or where `close` ended it.
        cursor: None until it was told.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.name = ""
        self.size = Size(1, 1)
        self.lost = False
        self.error: RfbError | None = None
        self.cursor: Cursor | None = None
        self._loop = loop
        self._listener: _Listener | None = None
        self._ready: asyncio.Future[None] = loop.create_future()
        self._ended: asyncio.Future[None] = loop.create_future()
        self._reader: _Reader | None = None

    @classmethod
    async def connect(
        cls, login: Login, *, within_s: float = 10.0, encodings: Sequence[Encoding] = PREFERRED
    ) -> Screen:
        """Logs in, and waits until the server has said what it can do.

        Args:
            login: where and how.
            within_s: how long that may take.
            encodings: how pixels may come, the preferred one first. Each server may also send Raw.

        Raises:
            RfbError: Any of them.
        """
        screen = cls(asyncio.get_running_loop())
        screen._reader = _Reader(screen, login, time.monotonic() + within_s, encodings)
        screen._reader.start()
        try:
            await screen._ready
        except asyncio.CancelledError:
            screen._reader.stop()
            raise
        except RfbError:
            await screen._ended
            raise
        return screen

    def listen(
        self,
        changed: Callable[[tuple[Rect, ...]], None],
        resized: Callable[[Size], None],
        lost: Callable[[], None],
        clipboard: Callable[[str], None],
    ) -> None:
        """Whom to tell, on the loop.

        Args:
            changed: what was drawn since it was called last, in native pixels.
            resized: the new size, before anything is drawn in it.
            lost: the connection has ended by itself; `error` says why.
            clipboard: text that was put into the machine's clipboard.
        """
        self._listener = _Listener(changed=changed, resized=resized, lost=lost, clipboard=clipboard)

    async def picture(self, within_s: float) -> Picture:
        """The whole screen, asked for now: BGRX rows, its size, and the time (`time.monotonic()`) it is valid for.

        It shows all that the server showed at that time, and is not older than it.

        Raises:
            NoAnswer: It did not come in time.
            ConnectionLost: The connection has ended.
            NotVnc: The server broke the protocol.
        """
        if self.lost:
            raise self.error or ConnectionLost("closed")
        wanted: asyncio.Future[Picture] = self._loop.create_future()
        self._thread.want(wanted)
        try:
            async with asyncio.timeout(within_s):
                return await wanted
        except TimeoutError:
            raise NoAnswer from None

    async def close(self) -> None:
        """Ends the connection. Once is enough; more do nothing."""
        self._thread.stop()
        await self._ended

    @property
    def _thread(self) -> _Reader:
        assert self._reader is not None
        return self._reader

    @property
    def _told(self) -> _Messages:
        assert self._thread.messages is not None
        return self._thread.messages

    # Called on the loop, by the thread.

    def _on_login(self, told: ServerInit) -> None:
        self.name = told.name
        self.size = told.size

    def _on_ready(self) -> None:
        if not self._ready.done():
            self._ready.set_result(None)

    def _on_changed(self) -> None:
        rects = self._thread.take_changes()
        if self._listener and rects:
            self._listener.changed(rects)

    def _on_resized(self, size: Size) -> None:
        self.size = size
        if self._listener:
            self._listener.resized(size)

    def _on_cursor(self, cursor: Cursor) -> None:
        self.cursor = cursor

    def _on_clipboard(self, text: str) -> None:
        if self._listener:
            self._listener.clipboard(text)

    def _on_picture(self, wanted: Sequence[asyncio.Future[Picture]], picture: Picture) -> None:
        for future in wanted:
            if not future.done():
                future.set_result(picture)

    def _on_end(self, error: RfbError, *, by_us: bool) -> None:
        self.lost = True
        self.error = None if by_us else error
        for future in self._thread.take_wanted():
            if not future.done():
                future.set_exception(error)
        if not self._ready.done():
            self._ready.set_exception(error)
        elif self._listener and not by_us:
            self._listener.lost()
        self._ended.set_result(None)


class _Reader:
    """The thread that reads and draws. What it has to tell, it hands to the loop."""

    def __init__(self, screen: Screen, login: Login, deadline: float, encodings: Sequence[Encoding]) -> None:
        self.messages: _Messages | None = None
        self._screen = screen
        self._loop = screen._loop
        self._login = login
        self._deadline = deadline
        self._encodings = (*encodings, *PseudoEncoding)
        self._lock = threading.Lock()
        self._wake_in, self._wake_out = os.pipe()
        self._channel: Channel | None = None
        self._stopped = False
        self._wanted: list[asyncio.Future[Picture]] = []
        self._asked: list[asyncio.Future[Picture]] = []
        self._asked_at = 0.0
        self._changes: list[Rect] = []
        self._requested_at = 0.0
        self._request_due = False
        self._all_due = False
        self._sizes_until = 0

    def start(self) -> None:
        """Begins."""
        threading.Thread(target=self._run, name="rfb-screen", daemon=True).start()

    def stop(self) -> None:
        """Ends the connection from any thread."""
        with self._lock:
            self._stopped = True
            if self.messages is not None:
                self.messages.closed = True
            if self._channel is not None:
                self._channel.cut()

    def want(self, wanted: asyncio.Future[Picture]) -> None:
        """Asks for a picture from the loop."""
        with self._lock:
            self._wanted.append(wanted)
            if self._channel is not None:
                os.write(self._wake_out, b"\0")

    def take_wanted(self) -> list[asyncio.Future[Picture]]:
        """All pictures that were asked for and have not come."""
        with self._lock:
            wanted = [*self._asked, *self._wanted]
            self._asked, self._wanted = [], []
            return wanted

    def take_changes(self) -> tuple[Rect, ...]:
        """What was drawn since this was called last."""
        with self._lock:
            changes, self._changes = tuple(self._changes), []
            return changes

    def tell(self, told: Callable[..., None], *values: object) -> None:
        """Calls on the loop."""
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(told, *values)

    def _run(self) -> None:
        error = RfbError()
        try:
            channel, told = log_in(self._login, self._deadline)
            try:
                self._begin(channel, told)
                while True:
                    self._turn(channel)
            finally:
                with self._lock:
                    self._channel = None
                    channel.close()
        except RfbError as ended:
            error = ended
        finally:
            with self._lock:
                os.close(self._wake_in)
                os.close(self._wake_out)
                self._wake_in = self._wake_out = -1
            self.tell(functools.partial(self._screen._on_end, error, by_us=self._stopped))

    def _begin(self, channel: Channel, told: ServerInit) -> None:
        with self._lock:
            if self._stopped:
                raise ConnectionLost("closed")
            self._channel = channel
            self.messages = _Messages(told.size, self)
        self.tell(self._screen._on_login, told)
        channel.send(SET_PIXEL_FORMAT_BGRX + set_encodings(self._encodings))
        self._all_due = True
        self._request(channel)

    def _turn(self, channel: Channel) -> None:
        """Waits for the server, a wish or the next request, and serves what there is."""
        poll = select.poll()
        poll.register(channel.fileno(), select.POLLIN)
        poll.register(self._wake_in, select.POLLIN)
        messages = self.messages
        assert messages is not None
        until = self._requested_at + _PACE_S if self._request_due else time.monotonic() + _LOOK_S
        if not messages.is_ready:
            until = min(until, self._deadline)
        ready = [fd for fd, _ in poll.poll(max(0.0, 1000 * (until - time.monotonic())))]
        if self._wake_in in ready:
            os.read(self._wake_in, 4096)
        self._request(channel)
        while data := channel.receive():
            messages.give(data)
            self._request(channel)
        messages.check_time()
        if not messages.is_ready and time.monotonic() > self._deadline:
            raise NoAnswer

    def _request(self, channel: Channel) -> None:
        """Sends what is due: answers, the mark of a picture that is wanted, and the next request."""
        messages = self.messages
        assert messages is not None
        if messages.closed:
            raise ConnectionLost("closed")
        now = time.monotonic()
        with self._lock:
            if self._wanted and self._can_mark(messages) and all(future.done() for future in self._asked):
                self._asked, self._wanted = self._wanted, []
                self._asked_at = now
                messages.answers += messages.mark()
        whole = 0, 0, messages.size.width, messages.size.height
        if self._all_due:
            # TigerVNC answers with the size alone; what is drawn comes for the incremental request.
            messages.answers += update_request(*whole, incremental=False)
            self._sizes_until = messages.sizes_told + 1
        if self._all_due or (self._request_due and (self._asked or now >= self._requested_at + _PACE_S)):
            messages.answers += update_request(*whole, incremental=True)
            self._all_due = self._request_due = False
            self._requested_at = now
        if messages.answers:
            channel.send(messages.answers)
            messages.answers.clear()

    def _can_mark(self, messages: _Messages) -> bool:
        """Whether the request of everything has been answered: else its answer could be taken for a mark's."""
        size_told = messages.sizes_told >= self._sizes_until or not messages.has_extended_size
        return messages.complete and size_told and not self._all_due

    # Called by the messages, on this thread.

    def on_update(self, messages: _Messages) -> None:
        """An update has been read to its end: the picture is whole, if it has been drawn at all."""
        self._request_due = True
        if messages.is_ready:
            self.tell(self._screen._on_ready)
        if messages.drawn:
            with self._lock:
                announced = bool(self._changes)
                self._changes += messages.drawn
                if len(self._changes) > _MAX_RECTANGLES:
                    self._changes = [functools.reduce(Rect.union, self._changes)]
            messages.drawn.clear()
            if not announced:
                self.tell(self._screen._on_changed)
        if self._asked and messages.marker is None and messages.complete:
            with self._lock:
                asked, self._asked = self._asked, []
            self.tell(self._screen._on_picture, asked, (messages.picture(), messages.size, self._asked_at))

    def on_resize(self, messages: _Messages) -> None:
        """The size is another one: everything must be drawn again, before a picture is marked."""
        self._all_due = True
        messages.marker = None
        with self._lock:
            self._changes = []
            self._asked, self._wanted = [], [*self._asked, *self._wanted]
        self.tell(self._screen._on_resized, messages.size)

    def on_cursor(self, cursor: Cursor) -> None:
        """The pointer looks different."""
        self.tell(self._screen._on_cursor, cursor)

    def on_clipboard(self, text: str) -> None:
        """Text was put into the machine's clipboard."""
        self.tell(self._screen._on_clipboard, text)


class _Messages(Framebuffer):
    """The picture, which tells the reader what happens to it."""

    def __init__(self, size: Size, reader: _Reader) -> None:
        super().__init__(size)
        self._reader = reader

    @property
    def is_ready(self) -> bool:
        """Whether the server has said what it can do: it does so before it tells its size or all pixels."""
        return self.has_extended_size or self.complete

    def _update_ended(self) -> None:
        super()._update_ended()
        self._reader.on_update(self)

    def _resized(self) -> None:
        super()._resized()
        self._reader.on_resize(self)

    def _cursor(self, rect: Rect, pixels: bytes, mask: bytes) -> None:
        shown = np.frombuffer(pixels, np.uint8).reshape(rect.height, rect.width, 4).copy()
        if not rect.empty:
            bits = np.frombuffer(mask, np.uint8).reshape(rect.height, -1)
            shown[..., 3] = 255 * np.unpackbits(bits, axis=1)[:, : rect.width]
        self._reader.on_cursor(
            Cursor(pixels=shown.tobytes(), width=rect.width, height=rect.height, hotspot=(rect.x, rect.y))
        )

    def _clipboard_text(self, text: str) -> None:
        self._reader.on_clipboard(text)

    def _clipboard_notified(self) -> None:
        self.answers += clipboard_request()
