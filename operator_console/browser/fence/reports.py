"""What the fence kept from the network, told in few reports however often a page tries."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from operator_console.domain.events import Blocked, BlockedBy

OTHER_SITES = "*"
"""Stands for the sites beyond `_SITES`."""

_FIRST_WAIT_S = 1.0
_LONGEST_WAIT_S = 60.0
_SITES = 50
"""How many sites are told one by one."""


@dataclass(slots=True)
class _Kept:
    count: int = 0
    wait_s: float = _FIRST_WAIT_S
    timer: asyncio.TimerHandle | None = field(default=None, repr=False)


class BlockedReports:
    """Tells each site and rule at once, and what comes of the same later: after a second, two, four ... a minute."""

    def __init__(self, tell: Callable[[Blocked], None]) -> None:
        self._tell = tell
        self._kept: dict[tuple[str, BlockedBy], _Kept] = {}

    def add(self, site: str, by: BlockedBy) -> None:
        """Count one request that was blocked."""
        if (site, by) not in self._kept and len(self._kept) >= _SITES:
            site = OTHER_SITES
        kept = self._kept.setdefault((site, by), _Kept())
        if kept.timer is not None:
            kept.count += 1
            return
        self._tell(Blocked(site=site, by=by))
        self._wait(site, by, kept)

    def close(self) -> None:
        """Tell what was counted and not told."""
        for (site, by), kept in self._kept.items():
            if kept.timer is not None:
                kept.timer.cancel()
            if kept.count:
                self._tell(Blocked(site=site, by=by, count=kept.count))
        self._kept.clear()

    def _wait(self, site: str, by: BlockedBy, kept: _Kept) -> None:
        kept.timer = asyncio.get_running_loop().call_later(kept.wait_s, self._again, site, by, kept)

    def _again(self, site: str, by: BlockedBy, kept: _Kept) -> None:
        kept.timer = None
        if kept.count:
            self._tell(Blocked(site=site, by=by, count=kept.count))
        elif kept.wait_s >= _LONGEST_WAIT_S:
            del self._kept[site, by]
            return
        kept.count = 0
        kept.wait_s = min(kept.wait_s * 2, _LONGEST_WAIT_S)
        self._wait(site, by, kept)
