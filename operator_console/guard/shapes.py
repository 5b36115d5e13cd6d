"""What the guard's client needs of those beside it, as protocols: who hears it, and whom it hands the injector's pipe.

engine's GuardListener and injector's InjectorClient fit these by shape; rooms do not import each other.
"""

from __future__ import annotations

import socket
from typing import Protocol

from operator_console.domain.events import PauseCause
from operator_console.domain.stopping import StopReport


class Listener(Protocol):
    """The shape of engine's GuardListener."""

    def on_stop(self, report: StopReport) -> None:
        """Stopped and latched."""
        ...

    def on_pause(self, cause: PauseCause, detail: str) -> None:
        """The gate is shut."""
        ...

    def on_resume(self, cause: PauseCause) -> None:
        """A pause that ended by itself."""
        ...

    def on_approve(self) -> None:
        """The approve chord."""
        ...


class Door(Protocol):
    """The shape of injector.client.InjectorClient, as far as the guard's client needs it."""

    def attach(self, channel: socket.socket, ledger_fd: int, key: bytes) -> None:
        """A new child."""
        ...

    def detach(self) -> None:
        """It is gone."""
        ...
