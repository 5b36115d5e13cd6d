"""What is known of a virtual machine beside its picture: whether it runs. A paused one shows a picture as ever."""

from __future__ import annotations

from typing import Protocol


class Guest(Protocol):
    """A virtual machine whose monitor can be asked."""

    async def require_running(self) -> None:
        """Raise ComputerUnavailable if it is known not to run."""
        ...


class UnknownGuest:
    """A machine whose monitor is not known."""

    async def require_running(self) -> None:
        """Nothing is known."""


UNKNOWN_GUEST = UnknownGuest()
