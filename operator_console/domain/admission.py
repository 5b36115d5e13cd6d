"""Checks a grant before it is carried out: seal, expiry, single use, epoch.

Everything that has an effect checks its grants here, so that all refuse the same ones.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from operator_console.domain.decisions import ActResult, Outcome
from operator_console.domain.errors import RejectedReason
from operator_console.domain.grants import Grant
from operator_console.domain.message_texts import notice
from operator_console.domain.notices import NoticeCode


class Admission:
    """Checks grants and remembers the used ones.

    Args:
        key: the per-run key (32 bytes) that grants are sealed with; empty while there is none.
        epoch: the current epoch, which a grant must carry.
        monotonic: the machine's monotonic clock, on which `Grant.expires_s` is a time.
    """

    def __init__(
        self, key: Callable[[], bytes], epoch: Callable[[], int], *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._key = key
        self._epoch = epoch
        self._monotonic = monotonic
        self._used: dict[str, float] = {}

    def refusal(self, grant: Grant) -> Outcome | None:
        """The outcome of a refusal; None where the grant is admitted, and its id is used up."""
        why = self._why(grant)
        return refused(why, RejectedReason.BAD_GRANT) if why else None

    def outdated(self, grant: Grant) -> bool:
        """Whether the epoch has moved on since the grant was admitted, so that it must not be carried out any more."""
        return grant.epoch != self._epoch()

    def _why(self, grant: Grant) -> str:
        now, key, epoch = self._monotonic(), self._key(), self._epoch()
        self._used = {grant_id: expiry for grant_id, expiry in self._used.items() if expiry > now}
        if not key:
            return notice(NoticeCode.GRANT_WITHOUT_KEY)
        if not grant.genuine(key):
            return notice(NoticeCode.GRANT_SEAL_INVALID)
        if grant.expires_s <= now:
            return notice(NoticeCode.GRANT_EXPIRED)
        if grant.grant_id in self._used:
            return notice(NoticeCode.GRANT_USED)
        self._used[grant.grant_id] = grant.expires_s
        if grant.epoch != epoch:
            return notice(NoticeCode.GRANT_EPOCH_OUTDATED, epoch=grant.epoch, current=epoch)
        return ""


def refused(detail: str, reason: RejectedReason) -> Outcome:
    """The outcome of an action that was refused before any of it was done."""
    return Outcome(result=ActResult.FAILED, detail=detail, reason=reason.value)
