"""What the guard needs of a platform: a listener for the stop, a lock on a display, the release of held input.

Input that does not go to a display is released by the process at its other end, once the injector's connection closes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from operator_console.desktop.ledger import Ledger
from operator_console.domain.stopping import StopLiveness
from operator_console.guard.corners import Corners


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenerCalls:
    """Callbacks of a listener, always called on the guard's loop.

    Attributes:
        stop: (detail, heard_ns): the stop chord was pressed; `heard_ns` is time.monotonic_ns() when the press arrived.
        pause: the pause chord was pressed.
        approve: the approve chord was pressed, with every key of it held on a physical device.
        hand: a person pressed a key that is no modifier, or a button, or (True) moved a pointing device by more than a
            few pixels.
        hold: the key of hold-to-run went down, or up, on a physical device where devices can be told.
        drained: all input that had arrived is handled; see `StopListener.drained_ns`.
        corner: the pointer reached a corner pixel (x, y); None when it left the corner.
        lost: the display is lost; why.
        liveness: whether a stop would be received.
    """

    stop: Callable[[str, int], None]
    pause: Callable[[], None]
    approve: Callable[[], None]
    hand: Callable[[bool], None]
    hold: Callable[[bool], None]
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

    @property
    def tells_devices(self) -> bool:
        """Whether input of physical devices can be told from that of programs."""
        ...

    def hear_hold(self, key: str) -> None:
        """Report this key from now on; "" for none. Raises OperatorError for an unknown key."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """How many keys and buttons the ledger listed."""

    keys: int
    buttons: int


class Releaser(Protocol):
    """Releases what the ledger lists, and nothing that a person holds down."""

    def sweep(self, ledger: Ledger) -> Held:
        """Release keys and buttons now. Keeps the ledger's entries until `finish`: a press may still be on its way."""
        ...

    def finish(self, ledger: Ledger) -> None:
        """Once the injector is dead: release until nothing of it is left, restore the keyboard, clear the ledger."""
        ...


class ReleasedElsewhere:
    """A Releaser that sends nothing: what the injector was connected to releases what is held."""

    def sweep(self, ledger: Ledger) -> Held:
        """How much the ledger lists."""
        return Held(keys=len(ledger.keys), buttons=len(ledger.buttons))

    def finish(self, ledger: Ledger) -> None:
        """Clear the ledger."""
        ledger.confirm()
        ledger.forget(keys=ledger.keys, buttons=ledger.buttons, borrowed=ledger.borrowed)


class LockedDisplay(Releaser, Protocol):
    """A display locked against other guards until `close`."""

    def fileno(self) -> int:
        """Descriptor of the connection; it also becomes readable when the display is lost."""
        ...

    def lost(self) -> bool:
        """Read pending events; whether the display is lost."""
        ...

    def close(self) -> None:
        """Unlock and disconnect. Never raises."""
        ...
