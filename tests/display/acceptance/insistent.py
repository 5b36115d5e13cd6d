"""A scripted model that asks again for what a pause of a busy machine left undone."""

from __future__ import annotations

from collections.abc import Sequence

from tests.providers.contract.dialect import Dialect
from tests.servers.scripted_server import Json, Seen, Turn


class Insistent:
    """Says its turns one by one, and one again where a pause of a busy machine left its calls undone."""

    def __init__(self, dialect: Dialect, turns: Sequence[Turn]) -> None:
        self._dialect = dialect
        self._turns = turns
        self._place = -1

    def __call__(self, seen: Seen) -> Json:
        if self._place < 0 or not self._undone(seen):
            self._place += 1
        turn = self._turns[self._place]
        return turn(seen) if callable(turn) else turn

    def _undone(self, seen: Seen) -> bool:
        """Whether the turn before was called off, then without a trace if it was the first, or a call was not done."""
        return seen.again or seen.begins or any(told.failed for told in self._dialect.told(seen.request))


def answered(turn: Turn, seen: Seen) -> Json:
    """The answer of a turn to a request."""
    return turn(seen) if callable(turn) else turn
