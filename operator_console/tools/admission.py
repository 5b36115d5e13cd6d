"""Whether a tool may carry out a grant: seal, single use, expiry, epoch; as the acting child does for input.

Called by every effect port of this room before it does anything.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from operator_console.domain.decisions import ActResult, Grant, Outcome
from operator_console.domain.errors import RejectedReason


class Admission:
    """Remembers which grants were used.

    Args:
        key: the per-run key that grants are sealed with.
        epoch: the epoch that a grant must be of.
    """

    def __init__(self, key: Callable[[], bytes], epoch: Callable[[], int]) -> None:
        self._key = key
        self._epoch = epoch
        self._used: dict[str, float] = {}

    def refusal(self, grant: Grant) -> Outcome | None:
        """The refusal; None admits it, once."""
        why = self._why(grant)
        return failed(f"The grant was refused: {why}.", RejectedReason.BAD_GRANT) if why else None

    def _why(self, grant: Grant) -> str:
        now = time.monotonic()
        self._used = {grant_id: expiry for grant_id, expiry in self._used.items() if expiry > now}
        if not grant.genuine(self._key()):
            return "its seal does not fit"
        if grant.expires_s <= now:
            return "it has expired"
        if grant.grant_id in self._used:
            return "it was used before"
        if grant.epoch != self._epoch():
            return "it is of another epoch"
        self._used[grant.grant_id] = grant.expires_s
        return ""


def failed(detail: str, reason: RejectedReason) -> Outcome:
    """The outcome of something that was not done."""
    return Outcome(result=ActResult.FAILED, detail=detail, reason=reason.value)
