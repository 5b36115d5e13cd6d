"""A piece of memory shared with the X server, for grabbing windows without sending pixels through a socket.

System V shared memory through libc (xcffib cannot pass file descriptors). The segment is marked for removal as soon
as both sides have it, so that nothing is left behind even after a kill. Called by pixmaps.py.
"""

from __future__ import annotations

import ctypes

_IPC_PRIVATE = 0
_IPC_CREAT = 0o1000
_IPC_RMID = 0
_MODE = 0o600
_FAILED = ctypes.c_void_p(-1).value


class SharedMemory:
    """`size` bytes; `number` is what the X server attaches by."""

    def __init__(self, size: int) -> None:
        """Raises OSError where the system has none to give."""
        libc = ctypes.CDLL(None, use_errno=True)
        libc.shmat.restype = ctypes.c_void_p
        libc.shmat.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_int]
        libc.shmdt.argtypes = [ctypes.c_void_p]
        libc.shmget.argtypes = [ctypes.c_int, ctypes.c_size_t, ctypes.c_int]
        self._libc = libc
        self.size = size
        self.number = libc.shmget(_IPC_PRIVATE, size, _IPC_CREAT | _MODE)
        if self.number < 0:
            raise OSError(ctypes.get_errno(), "no shared memory")
        address = libc.shmat(self.number, None, 0)
        if address in {None, _FAILED}:
            self.forget()
            raise OSError(ctypes.get_errno(), "shared memory cannot be attached")
        self._address = address
        self.view = memoryview((ctypes.c_ubyte * size).from_address(address)).cast("B")

    def forget(self) -> None:
        """Let the system remove it once nobody has it attached. To be called when the server has it, or never will."""
        self._libc.shmctl(self.number, _IPC_RMID, None)

    def close(self) -> None:
        """Detach; the view must not be used any more."""
        self.view.release()
        self._libc.shmdt(self._address)
