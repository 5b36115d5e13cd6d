"""The connection that looks: the whole picture of a machine, kept up to date."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from operator_console.domain.geometry import Rect, Size
from operator_console.rfb.login import Login


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


class Screen:
    """One connection that only looks. Used on one event loop.

    Attributes:
        name: what the machine calls itself.
        size: of its screen now.
        lost: whether the connection has ended.
        pointer_is_relative: how QEMU takes the pointer; None where the server does not tell.
        has_extended_keys: whether it takes QEMU's extended key events.
        has_extended_clipboard: whether it exchanges Unicode text.
        has_fence: whether it answers fences.
        cursor: None until it was told.
    """

    name: str
    size: Size
    lost: bool
    pointer_is_relative: bool | None
    has_extended_keys: bool
    has_extended_clipboard: bool
    has_fence: bool
    cursor: Cursor | None

    @classmethod
    async def connect(cls, login: Login, *, within_s: float = 10.0) -> Screen:
        """Logs in. Raises RfbError."""
        raise NotImplementedError

    def listen(
        self,
        changed: Callable[[tuple[Rect, ...]], None],
        resized: Callable[[Size], None],
        lost: Callable[[], None],
        clipboard: Callable[[str], None],
    ) -> None:
        """Whom to tell, on the loop. Rectangles are in native pixels; one call is one update of the server."""
        raise NotImplementedError

    async def picture(self, within_s: float) -> tuple[bytes, Size, float]:
        """The whole screen, asked for now: BGRX rows, its size, and the time (`time.monotonic()`) it is valid for.

        Raises:
            NoAnswer: It did not come in time.
            ConnectionLost: The connection has ended.
            NotVnc: The server broke the protocol.
        """
        raise NotImplementedError

    async def close(self) -> None:
        """Ends the connection. Once is enough; more do nothing."""
        raise NotImplementedError
