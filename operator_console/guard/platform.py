"""What the guard needs of a platform: a listener for the stop, a lock on a display, the release of held input.

The Protocols of these, and the choice of the backend, which is imported when it is used; no other module of the guard
names a platform. X11 is the only backend so far. Input that does not go to a display is released by the process at its
other end, once the injector's connection closes.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from operator_console.desktop.ledger import Ledger
from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.errors import OperatorError
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode
from operator_console.domain.stopping import StopLiveness
from operator_console.guard import latch
from operator_console.guard.corners import Corners
from operator_console.guard.hotkey_matching import Hotkeys


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


def open_listener(display: str, hotkeys: Hotkeys, calls: ListenerCalls) -> StopListener:
    """Listen on a display, or without one on NO_DISPLAY. Raises OperatorError if that is impossible."""
    if display == NO_DISPLAY:
        from operator_console.guard.without_display import ListenerWithoutDisplay

        return ListenerWithoutDisplay(calls)
    _require_x11()
    from operator_console.guard.x11.display import refuse_xwayland
    from operator_console.guard.x11.listener import X11Listener

    refuse_xwayland(display)
    return X11Listener(display, hotkeys, calls)


def lock_display(display: str) -> LockedDisplay | None:
    """Lock a display against consoles of any user and any run folder; None if another console holds it.

    Raises OperatorError if it cannot be opened.
    """
    _require_x11()
    from operator_console.guard.x11.display import X11LockedDisplay

    return X11LockedDisplay.take(display)


def release_left(display: str, ledger: Ledger) -> None:
    """Release what a dead guard's ledger lists. Raises OperatorError if the display cannot be opened."""
    _require_x11()
    from operator_console.guard.x11.display import release_left

    release_left(display, ledger)


def environment_on(display: str) -> dict[str, str]:
    """The environment of a guard or an injector that uses this display; with "" or NO_DISPLAY it knows none."""
    environment = latch.child_environment()
    environment.pop("DISPLAY", None)
    return environment if display in {"", NO_DISPLAY} else {**environment, "DISPLAY": display}


def _require_x11() -> None:
    if sys.platform in {"win32", "darwin"}:
        raise OperatorError(
            notice(NoticeCode.STOP_NOT_HEARD_ON_SYSTEM),
            detail=notice(NoticeCode.NO_LISTENER_FOR_SYSTEM, system=sys.platform),
            remedy=notice(NoticeCode.USE_LINUX_WITH_X),
        )
