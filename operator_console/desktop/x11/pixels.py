"""Reads pixels from the X server, and composes pictures.

A rectangle of the root or of a window is read by MIT-SHM if the server can share memory with this process, else by mss
(the root) or over the connection (a window). A covered window is read from its own pixmap: all children of the root are
redirected once (XComposite, automatic mode, which does not change the screen), and from then on the server keeps the
contents of each window. A pixmap is named anew for each grab, which takes microseconds and makes resizes harmless.

A Grabber belongs to one Display and thread. Pixels are BGRX rows without padding.
"""

from __future__ import annotations

import ctypes
import functools
import weakref
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from operator_console.desktop.values import Pixels
from operator_console.desktop.x11.display import Display
from operator_console.domain.errors import ComputerUnavailable, UnavailableReason
from operator_console.domain.geometry import Rect
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode

if TYPE_CHECKING:  # imported where pixels are drawn: the injector mostly draws none, and starts faster without it
    import numpy as np
    import numpy.typing as npt

_IPC_PRIVATE = 0
_IPC_CREAT = 0o1000
_IPC_RMID = 0
_MODE = 0o600
_FAILED = ctypes.c_void_p(-1).value


class SharedMemory:
    """A System V shared memory segment. `number` is its system-wide id, `segment` the X resource it is attached as."""

    def __init__(self, size: int) -> None:
        """Raises OSError if the system provides none."""
        libc = _libc()
        self.size = size
        self.segment = 0
        self.number = libc.shmget(_IPC_PRIVATE, size, _IPC_CREAT | _MODE)
        if self.number < 0:
            raise OSError(ctypes.get_errno(), "no shared memory")
        address = libc.shmat(self.number, None, 0)
        if address in {None, _FAILED}:
            self.forget()
            raise OSError(ctypes.get_errno(), "shared memory cannot be attached")
        self._address = address

    def lend(self, size: int, back: Callable[[SharedMemory], None]) -> memoryview:
        """A view of the first `size` bytes. `back` is called, in any thread, once it and all views of it are gone."""
        lent = _array(size).from_address(self._address)
        weakref.finalize(lent, back, self).atexit = False
        return memoryview(lent).cast("B")

    def copy(self, size: int) -> bytearray:
        """A copy of the first `size` bytes."""
        return bytearray(_array(size).from_address(self._address))

    def forget(self) -> None:
        """Mark it for removal once no process has it attached. Call it after the server has attached it, or refused."""
        _libc().shmctl(self.number, _IPC_RMID, None)

    def close(self) -> None:
        """Detach. No view of it may exist any more."""
        _libc().shmdt(self._address)


class Pool:
    """Free segments. They are returned in any thread and taken in one.

    There are no locks, because a finalizer may return a segment at any point of the program.
    """

    def __init__(self) -> None:
        self._free: deque[SharedMemory] = deque()
        self._closed = False

    def put(self, memory: SharedMemory) -> None:
        """Return a segment."""
        self._free.append(memory)
        if self._closed:
            self._drain()

    def take(self, size: int) -> SharedMemory | None:
        """The last returned segment of at least that size (its pages are still cached); None if there is none."""
        for _ in range(len(self._free)):
            memory = self._free.pop()
            if memory.size >= size:
                return memory
            self._free.appendleft(memory)
        return None

    def surplus(self, keep: int) -> list[SharedMemory]:
        """Remove and return all but `keep` segments, the longest unused first. The caller releases them."""
        return [self._free.popleft() for _ in range(len(self._free) - keep)]

    def close(self) -> None:
        """Detach free segments; lent ones are detached when they are returned."""
        self._closed = True
        self._drain()

    def _drain(self) -> None:
        while True:
            try:
                memory = self._free.popleft()
            except IndexError:
                return
            memory.close()


@functools.cache
def _libc() -> ctypes.CDLL:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
    libc.shmdt.argtypes = [ctypes.c_void_p]
    libc.shmget.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_int]
    return libc


@functools.lru_cache(maxsize=16)
def _array(size: int) -> type[ctypes.Array[ctypes.c_ubyte]]:
    return ctypes.c_ubyte * size


_GREY = 0x00808080


class Canvas:
    """Pixels of `rect` (root coordinates), changed in place; `hidden` is True once a part was greyed out."""

    def __init__(self, pixels: bytearray | memoryview, rect: Rect) -> None:
        self.pixels = pixels
        self.hidden = False
        self._rect = rect
        self._blends: bool | None = None

    def blends(self, display: Display) -> bool:
        """Whether a compositing manager blends translucent windows."""
        if self._blends is None:
            reply = display.answer(display.core.GetSelectionOwner(display.atom("_NET_WM_CM_S0")))
            self._blends = bool(reply is not None and reply.owner)
        return self._blends

    def paste(self, pixels: bytearray | memoryview, part: Rect, *, blend: bool = False) -> None:
        """Draw `pixels` at `part` (root coordinates, inside the canvas)."""
        import numpy as np

        source = np.frombuffer(pixels, dtype=np.uint32).reshape(part.height, part.width)
        target = self._part(part)
        target[:] = over(source, target) if blend else source

    def hide(self, part: Rect) -> None:
        """Grey out the part of a rectangle that is on the canvas."""
        inside = part.intersect(self._rect)
        if not inside.empty:
            self._part(inside)[:] = _GREY
            self.hidden = True

    def _part(self, part: Rect) -> npt.NDArray[np.uint32]:
        import numpy as np

        x, y = part.x - self._rect.x, part.y - self._rect.y
        view: npt.NDArray[np.uint32] = np.frombuffer(
            self.pixels, dtype=np.uint32
        )  # made on demand: mostly nothing is drawn
        return view.reshape(self._rect.height, self._rect.width)[y : y + part.height, x : x + part.width]


def over(source: npt.NDArray[np.uint32], below: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32]:
    """Premultiplied `source` over `below` (Porter-Duff), both 0xAARRGGBB."""
    import numpy as np

    front = source.view(np.uint8).reshape(*source.shape, 4).astype(np.uint16)
    back = np.ascontiguousarray(below).view(np.uint8).reshape(*below.shape, 4).astype(np.uint16)
    clear = 255 - front[..., 3:4]
    mixed = np.minimum(front + (back * clear + 127) // 255, 255).astype(np.uint8)
    result: npt.NDArray[np.uint32] = mixed.view(np.uint32).reshape(source.shape)
    return result


_Z_PIXMAP = 2
_ALL_PLANES = 0xFFFFFFFF
_AUTOMATIC = 0
_DEPTHS = frozenset({24, 32})
_LEAST_SEGMENT = 1 << 18
_FREE_SEGMENTS = 2


class Grabber:
    """Grabs pixels of drawables; `close` releases the shared memory."""

    def __init__(self, display: Display) -> None:
        self._display = display
        self._shm = display.extension("shm")
        self._pool = Pool()
        self._mss: Any | None = None
        self._composite = display.extension("composite")
        self.redirected = False

    def shares_memory(self) -> bool:
        """Whether the server, which may be in another container, can share memory with this process."""
        memory = self._memory(_LEAST_SEGMENT) if self._shm is not None else None
        if memory is not None:
            self._pool.put(memory)
        return memory is not None

    @property
    def can_uncover(self) -> bool:
        """Whether covered windows can be read (the server has XComposite)."""
        return self._composite is not None

    def redirect(self) -> bool:
        """Make the server keep the contents of every window; False if it already does or cannot."""
        if self.redirected or self._composite is None:
            return False
        self.redirected = self._display.done(
            self._composite.RedirectSubwindows(self._display.root, _AUTOMATIC, is_checked=True)
        )
        return self.redirected

    def keeps(self, layer_id: int) -> bool:
        """Whether the server keeps a layer's contents already, for a compositing manager or another connection."""
        if self._composite is None:
            return False
        pixmap = self._display.connection.generate_id()
        if not self._display.done(self._composite.NameWindowPixmap(layer_id, pixmap, is_checked=True)):
            return False
        self._display.core.FreePixmap(pixmap)
        return True

    def window(self, layer_id: int, part: Rect) -> Pixels | None:
        """A part of a layer's contents (its coordinates, including the border); None if it is gone."""
        if self._composite is None:
            return None
        pixmap = self._display.connection.generate_id()
        self._composite.NameWindowPixmap(layer_id, pixmap)
        pixels = self.drawable(pixmap, part)
        self._display.core.FreePixmap(pixmap)
        return pixels

    def drawable(self, drawable: int, part: Rect) -> Pixels | None:
        """A part of a drawable; None if it is gone, or the part is not inside it."""
        size = part.width * part.height * 4
        memory = self._memory(size) if self._shm is not None else None
        if memory is not None:
            return self._shared(memory, drawable, part, size)
        if drawable == self._display.root and (grabber := self._mss_grabber()) is not None:
            return self._by_mss(grabber, part)
        reply = self._display.image(drawable, part)
        if reply is None:
            return None
        depth, pixels = reply
        _require_depth(depth)
        return pixels

    def _mss_grabber(self) -> Any | None:
        """mss with its own connection, created once in the thread that grabs; None if it cannot read the screen."""
        if self._mss is None:
            import mss

            try:
                self._mss = mss.MSS(display=self._display.name, backend="xgetimage")
            except mss.ScreenShotError:  # unsupported depth
                return None
        return self._mss

    def _by_mss(self, grabber: Any, part: Rect) -> Pixels | None:
        import mss

        try:
            shot = grabber.grab({"left": part.x, "top": part.y, "width": part.width, "height": part.height})
        except (mss.ScreenShotError, AssertionError):  # outside the screen; or the connection is lost, which it asserts
            self._display.sync()
            return None
        # The reply came on another connection. Wait for this one's events until now, because they tell whether the
        # console's windows have moved.
        self._display.sync()
        pixels: bytearray = shot.raw
        return pixels

    def _shared(self, memory: SharedMemory, drawable: int, part: Rect, size: int) -> Pixels | None:
        """Grab by shared memory. A large picture is lent, to save a copy; a small one is copied."""
        lent = False
        try:
            reply = self._display.answer(
                self._shm.GetImage(  # type: ignore[union-attr]
                    drawable, part.x, part.y, part.width, part.height, _ALL_PLANES, _Z_PIXMAP, memory.segment, 0
                )
            )
            if reply is None:
                return None
            _require_depth(reply.depth)
            lent = size > _LEAST_SEGMENT
            return memory.lend(size, self._pool.put) if lent else memory.copy(size)
        finally:
            if not lent:
                self._pool.put(memory)

    def _memory(self, size: int) -> SharedMemory | None:
        """A free shared segment of that size; None if this connection cannot share memory."""
        found = self._pool.take(size)
        if found is not None:
            return found
        self._release(self._pool.surplus(_FREE_SEGMENTS - 1))
        try:
            memory = SharedMemory(max(size, _LEAST_SEGMENT))
        except OSError:
            self._shm = None
            return None
        memory.segment = self._display.connection.generate_id()
        attached = self._display.done(self._shm.Attach(memory.segment, memory.number, False, is_checked=True))  # type: ignore[union-attr]
        memory.forget()
        if not attached:  # a server on another machine, or in another container
            memory.close()
            self._shm = None
            return None
        return memory

    def _release(self, surplus: list[SharedMemory]) -> None:
        for memory in surplus:
            assert self._shm is not None
            self._shm.Detach(memory.segment)
            memory.close()

    def close(self) -> None:
        """Release the shared memory and mss. Lent memory lives until its last view is gone.

        The server releases its side, and the redirection, with the connection.
        """
        self._pool.close()
        if self._mss is not None:
            self._mss.close()
            self._mss = None


def _require_depth(depth: int) -> None:
    if depth not in _DEPTHS:
        raise ComputerUnavailable(
            notice(NoticeCode.DISPLAY_DEPTH_UNREADABLE, bits=depth),
            reason=UnavailableReason.NO_DISPLAY,
            remedy=notice(NoticeCode.SET_DISPLAY_DEPTH),
        )


def root_background(display: Display, grabber: Grabber, part: Rect) -> Pixels:
    """The root's background in `part`: its wallpaper pixmap, else its colour or tile.

    The colour cannot be queried; it is read from a window off the screen with background ParentRelative.
    """
    pixmap = next(iter(display.words(display.ask(display.root, "_XROOTPMAP_ID"))), 0)
    if pixmap:
        pixels = grabber.drawable(pixmap, part)
        if pixels is not None:
            return pixels
    probe = display.connection.generate_id()
    # Shifted by a multiple of 64 so that small tiles stay aligned.
    left = part.x - (part.right + 63) // 64 * 64
    override_redirect, parent_relative = 512, 1
    display.core.CreateWindow(
        0, probe, display.root, left, part.y, part.width, part.height, 0, 1, 0, 1 | override_redirect,
        [parent_relative, 1],
    )  # fmt: skip
    display.core.MapWindow(probe)
    pixels = grabber.window(probe, Rect(0, 0, part.width, part.height))
    display.core.DestroyWindow(probe)
    return pixels if pixels is not None else bytearray(part.width * part.height * 4)
