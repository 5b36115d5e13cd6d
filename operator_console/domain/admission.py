"""Whether a grant may be carried out: seal, single use, expiry, epoch.

Pure bookkeeping: asked once per grant by everything that has an effect (the acting child, the tools, the in-memory
injector of the tests), so that all refuse the same things.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from operator_console.domain.decisions import ActResult, Grant, Outcome
from operator_console.domain.errors import RejectedReason


class Admission:
    """Remembers which grants were used.

    Args:
        key: the per-run key (32 bytes) that grants are sealed with now; empty while there is none.
        epoch: the epoch that a grant must be of now.
        monotonic: the machine's monotonic clock, the one `Grant.expires_s` is read on.
    """

    def __init__(
        self, key: Callable[[], bytes], epoch: Callable[[], int], *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._key = key
        self._epoch = epoch
        self._monotonic = monotonic
        self._used: dict[str, float] = {}

    def refusal(self, grant: Grant) -> Outcome | None:
        """The refusal, in words; None admits it, once: the same id is refused from then on."""
        why = self._why(grant)
        return refused(f"The grant was refused: {why}.", RejectedReason.BAD_GRANT) if why else None

    def _why(self, grant: Grant) -> str:
        now, key, epoch = self._monotonic(), self._key(), self._epoch()
        self._used = {grant_id: expiry for grant_id, expiry in self._used.items() if expiry > now}
        if not key:
            return "no key was given"
        if not grant.genuine(key):
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
    """The outcome of something of which nothing was done."""
    return Outcome(result=ActResult.FAILED, detail=detail, reason=reason.value)
