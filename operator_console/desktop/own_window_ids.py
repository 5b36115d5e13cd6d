"""Identifies the console's own windows, which are left out of pictures of a monitor and get no input of the agent.

They are identified by process, or by window id (the terminal of `run`, by $WINDOWID). Thread-safe.
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
