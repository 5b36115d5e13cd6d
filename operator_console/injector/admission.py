"""Whether a grant may be carried out: seal, single use, expiry, epoch.

Pure bookkeeping, no input and no operating system; asked by the acting child once per grant, and by the in-memory
injector of the tests, so that both refuse the same things.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from operator_console.domain.decisions import ActResult, Grant, Outcome
from operator_console.domain.errors import RejectedReason


class Admission:
    """Remembers which grants were used under one per-run key.

    Args:
        key: the per-run key (32 bytes).
        monotonic: the machine's monotonic clock, the one `Grant.expires_s` is read on.
    """

    def __init__(self, key: bytes, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._key = key
        self._monotonic = monotonic
        self._used: dict[str, float] = {}

    def refusal(self, grant: Grant, *, epoch: int) -> str:
        """Why the grant is refused, in words; "" admits it, once: the same id is refused from then on."""
        now = self._monotonic()
        self._used = {grant_id: expiry for grant_id, expiry in self._used.items() if expiry > now}
        if not grant.genuine(self._key):
            return "its seal does not fit"
        if grant.expires_s <= now:
            return "it has expired"
        if grant.grant_id in self._used:
            return "it was used before"
        self._used[grant.grant_id] = grant.expires_s
        if grant.epoch != epoch:
            return f"it is of epoch {grant.epoch}, now is {epoch}"
        return ""


def refused(detail: str, reason: RejectedReason) -> Outcome:
    """The outcome of an action of which nothing was sent."""
    return Outcome(result=ActResult.FAILED, detail=detail, reason=reason.value)
