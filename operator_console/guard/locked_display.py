"""The protocol of a locked display, which also releases the input held there. `platform.lock_display` returns one.

Input that does not go to a display is released by the process at its other end, once the injector's connection closes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from operator_console.desktop.ledger import Ledger


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
