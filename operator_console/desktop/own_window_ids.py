"""Identifies the console's own windows, which are left out of pictures of a monitor and get no input of the agent.

They are identified by process, or by window id (the terminal of `run`, by $WINDOWID). And the windows that have joined
a target window: all that capture it show them. Thread-safe.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable


class OwnWindows:
    """Process ids and window ids of the console.

    Attributes:
        version: increases with every change, to invalidate caches.
    """

    def __init__(self, pids: Iterable[int] = (), window_ids: Iterable[int] = ()) -> None:
        self._lock = threading.Lock()
        self._pids = frozenset(pids)
        self._window_ids = frozenset(window_ids)
        self._joined: dict[int, tuple[int, ...]] = {}
        self.version = 0

    @property
    def pids(self) -> frozenset[int]:
        """The console's processes."""
        return self._pids

    @property
    def window_ids(self) -> frozenset[int]:
        """Windows of other processes that count as the console's (its terminal)."""
        return self._window_ids

    def add(self, *, pids: Iterable[int] = (), window_ids: Iterable[int] = ()) -> None:
        """Add processes and windows."""
        with self._lock:
            self._pids |= frozenset(pids)
            self._window_ids |= frozenset(window_ids)
            self.version += 1

    def remove(self, *, pids: Iterable[int] = (), window_ids: Iterable[int] = ()) -> None:
        """Remove processes and windows."""
        with self._lock:
            self._pids -= frozenset(pids)
            self._window_ids -= frozenset(window_ids)
            self.version += 1

    def joined(self, target_id: int) -> tuple[int, ...]:
        """The windows that count as a part of a target window, in the order in which they came."""
        return self._joined.get(target_id, ())

    def join(self, target_id: int, window_ids: Iterable[int]) -> None:
        """Let windows count as a part of a target window."""
        with self._lock:
            self._joined[target_id] = tuple(dict.fromkeys((*self.joined(target_id), *window_ids)))

    def part(self, target_id: int) -> None:
        """Nothing counts as a part of this window any more."""
        with self._lock:
            self._joined.pop(target_id, None)
