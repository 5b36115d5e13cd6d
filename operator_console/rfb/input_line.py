"""The connection that acts: pointer, keys and clipboard, on a blocking socket, without a decoder."""

from __future__ import annotations

from collections.abc import Sequence

from operator_console.rfb.login import Login


class InputLine:
    """One connection that acts. Used by one thread.

    Attributes:
        has_fence: whether the server answers fences.
        has_extended_keys: whether it takes QEMU's extended key events.
        has_extended_clipboard: whether it takes Unicode text.
        pointer_is_relative: how QEMU takes the pointer; None where the server does not tell. May change: see
            `read_waiting`.
    """

    has_fence: bool
    has_extended_keys: bool
    has_extended_clipboard: bool
    pointer_is_relative: bool | None

    @classmethod
    def connect(cls, login: Login, *, within_s: float = 10.0) -> InputLine:
        """Logs in, and waits until the server has said what it can do. Raises RfbError."""
        raise NotImplementedError

    def pointer(self, x: int, y: int, mask: int) -> None:
        """Moves the pointer and holds the buttons of `mask` (bit 0 left, 1 middle, 2 right, 3 to 6 the wheel)."""
        raise NotImplementedError

    def key(self, keysym: int, down: bool, scancode: int = 0) -> None:
        """A key. With `scancode` (XT set 1, 0xE0 as 0x80) as QEMU's extended event. Raises ConnectionLost."""
        raise NotImplementedError

    def clipboard(self, text: str) -> None:
        """Offers text by the extended clipboard; it is handed over while this line is read, when asked for.

        Raises:
            NotVnc: The server has no extended clipboard.
        """
        raise NotImplementedError

    def acknowledge(self, within_s: float) -> bool:
        """Waits until what was sent before has been handled: a fence, else an update of one pixel.

        Returns False where no answer came in time.
        """
        raise NotImplementedError

    def fileno(self) -> int:
        """To wait for what the server sends; then `read_waiting`."""
        raise NotImplementedError

    def read_waiting(self) -> None:
        """Reads and answers what the server has sent, without blocking. Raises ConnectionLost, NotVnc."""
        raise NotImplementedError

    def close(self) -> None:
        """Ends the connection. Once is enough; more do nothing."""
        raise NotImplementedError


def release(line: InputLine, keysyms: Sequence[int], mask: int, at: tuple[int, int]) -> None:
    """Releases what another connection, which was killed, held down. Takes at most 0.3 s; never raises RfbError.

    Args:
        line: logged in before, and read since.
        keysyms: keys that were down.
        mask: buttons that were down.
        at: the last position that was sent, in native pixels.
    """
    raise NotImplementedError
