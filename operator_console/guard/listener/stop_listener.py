"""What the guard needs of a platform to hear the stop. `backend.open_listener` gives the implementation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from operator_console.domain.stopping import StopLiveness
from operator_console.guard.listener.corners import Corners


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenerCalls:
    """What a listener calls, always on the guard's loop.

    Attributes:
        stop: (detail, heard_ns): the stop chord. `heard_ns`: time.monotonic_ns() when the press arrived.
        pause: the pause chord.
        approve: the approve chord, every key of it held on a real device.
        drained: everything that had arrived is heard; see `StopListener.drained_ns`.
        corner: the pointer was put to a corner pixel; None at the first other place.
        lost: the display is gone; why.
        liveness: whether the stop would be heard.
    """

    stop: Callable[[str, int], None]
    pause: Callable[[], None]
    approve: Callable[[], None]
    drained: Callable[[], None]
    corner: Callable[[tuple[int, int] | None], None]
    lost: Callable[[str], None]
    liveness: Callable[[StopLiveness], None]


class StopListener(Protocol):
    """Hears chords, corners and the person's devices. Made on the guard's loop; listens until `close`."""

    @property
    def liveness(self) -> StopLiveness:
        """As last proven or found dead."""
        ...

    @property
    def probe_keycode(self) -> int:
        """A keycode that the injector must not use; 0: none."""
        ...

    @property
    def drained_ns(self) -> int:
        """time.monotonic_ns() up to which every key was heard."""
        ...

    @property
    def human_input_s(self) -> float:
        """time.monotonic() of the last input by a real device; 0: none yet."""
        ...

    async def prove(self) -> StopLiveness:
        """Let a key that no application sees pass through every listener, and say whether each heard it."""
        ...

    def check_alive(self) -> None:
        """A quick look between proofs: `ListenerCalls.liveness` is called where a listener has died."""
        ...

    def watch_corners(self) -> Corners:
        """Call `corner` from now on; the result follows monitors that come, go or change."""
        ...

    def close(self) -> None:
        """Stop listening."""
        ...
