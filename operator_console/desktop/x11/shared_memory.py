"""Memory shared with the X server, for grabbing windows without sending pixels through a socket, nor copying them.

System V shared memory through libc (xcffib cannot pass file descriptors). A segment is marked for removal as soon as
both sides have it, so that nothing is left behind even after a kill. What the server wrote is lent out as it lies
there: a fresh copy of a whole screen takes as long as the grab, most of it for the system to find two thousand clean
pages. A segment is written again only when nobody looks at it any more. Called by pixmaps.py.
"""

from __future__ import annotations

import ctypes
import functools
import weakref
from collections import deque
from collections.abc import Callable

_IPC_PRIVATE = 0
_IPC_CREAT = 0o1000
_IPC_RMID = 0
_MODE = 0o600
_FAILED = ctypes.c_void_p(-1).value


class SharedMemory:
    """`size` bytes; `number` is what the X server attaches by, `segment` the name it got there."""

    def __init__(self, size: int) -> None:
        """Raises OSError where the system has none to give."""
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
        """The first `size` bytes. `back` is called, in whatever thread, when the view and all made of it are gone."""
        lent = _array(size).from_address(self._address)
        weakref.finalize(lent, back, self).atexit = False
        return memoryview(lent).cast("B")

    def copy(self, size: int) -> bytearray:
        """A copy of the first `size` bytes."""
        return bytearray(_array(size).from_address(self._address))

    def forget(self) -> None:
        """Let the system remove it once nobody has it attached. To be called when the server has it, or never will."""
        _libc().shmctl(self.number, _IPC_RMID, None)

    def close(self) -> None:
        """Detach; nothing may look at it any more."""
        _libc().shmdt(self._address)


class Pool:
    """Segments that are free. They come back in any thread, and are taken in one; without locks, because a segment may
    come back in the middle of anything."""

    def __init__(self) -> None:
        self._free: deque[SharedMemory] = deque()
        self._closed = False

    def put(self, memory: SharedMemory) -> None:
        """It is free again."""
        self._free.append(memory)
        if self._closed:
            self._drain()

    def take(self, size: int) -> SharedMemory | None:
        """A free one of at least that size, the last that came back: its pages are still in the cache."""
        for _ in range(len(self._free)):
            memory = self._free.pop()
            if memory.size >= size:
                return memory
            self._free.appendleft(memory)
        return None

    def surplus(self, keep: int) -> list[SharedMemory]:
        """Those beyond `keep`, the longest free first: for the caller to let go of."""
        return [self._free.popleft() for _ in range(len(self._free) - keep)]

    def close(self) -> None:
        """Detach what is free; what is lent is detached when it comes back."""
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
