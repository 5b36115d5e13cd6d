"""The protocol of a platform's stop listener. `platform.open_listener` opens one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from operator_console.domain.stopping import StopLiveness
from operator_console.guard.listener.corners import Corners


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenerCalls:
    """Callbacks of a listener, always called on the guard's loop.

    Attributes:
        stop: (detail, heard_ns): the stop chord was pressed; `heard_ns` is time.monotonic_ns() when the press arrived.
        pause: the pause chord was pressed.
        approve: the approve chord was pressed, with every key of it held on a physical device.
        drained: all input that had arrived is handled; see `StopListener.drained_ns`.
        corner: the pointer reached a corner pixel (x, y); None when it left the corner.
        lost: the display is lost; why.
        liveness: whether a stop would be received.
    """

    stop: Callable[[str, int], None]
    pause: Callable[[], None]
    approve: Callable[[], None]
    drained: Callable[[], None]
    corner: Callable[[tuple[int, int] | None], None]
    lost: Callable[[str], None]
    liveness: Callable[[StopLiveness], None]


class StopListener(Protocol):
    """Detects chords, the pointer in a corner, and input from physical devices, from its creation on the guard's loop
    until `close`."""

    @property
    def liveness(self) -> StopLiveness:
        """Result of the last proof or check."""
        ...

    @property
    def probe_keycode(self) -> int:
        """A keycode that the injector must not use; 0 for none."""
        ...

    @property
    def drained_ns(self) -> int:
        """time.monotonic_ns() up to which all input was handled."""
        ...

    @property
    def human_input_s(self) -> float:
        """time.monotonic() of the last input from a physical device; 0 for none yet."""
        ...

    async def prove(self) -> StopLiveness:
        """Send a test event that no application receives, and check that every listener receives it."""
        ...

    def check_alive(self) -> None:
        """Quick check between proofs: calls `ListenerCalls.liveness` if a listener has died."""
        ...

    def watch_corners(self) -> Corners:
        """Call `corner` from now on; the result is updated when monitors change."""
        ...

    def close(self) -> None:
        """Stop listening."""
        ...
