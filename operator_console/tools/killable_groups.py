"""The process groups that the guard kills at a stop: one list for everything in a session that starts processes."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Sequence

from operator_console.domain.errors import OperatorError

SetKillable = Callable[[Sequence[int]], Awaitable[None]]
"""Sets the process groups that the guard kills at a stop. Raises OperatorError if it cannot."""


class KillableGroups:
    """Keeps the guard's list.

    Args:
        set_killable: Replaces the list.
    """

    def __init__(self, set_killable: SetKillable) -> None:
        self._set_killable = set_killable
        self._groups: dict[int, None] = {}

    async def add(self, group: int) -> None:
        """Have the guard kill this group too. Raises OperatorError if it would not."""
        self._groups[group] = None
        try:
            await self._set_killable(tuple(self._groups))
        except BaseException:
            self._groups.pop(group, None)
            raise

    async def remove(self, group: int) -> None:
        """Take the group off the list, before it is reaped: its id may be reused then. Never raises OperatorError."""
        if group in self._groups:
            del self._groups[group]
            with contextlib.suppress(OperatorError):
                await self._set_killable(tuple(self._groups))
