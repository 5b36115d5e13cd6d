"""Which windows are the console's own: they are never in a picture of a monitor and never receive the agent's input.

Known by process, or by window id (the terminal of `run`, by $WINDOWID). Safe to use from several threads.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable


class OwnWindows:
    """Process ids whose windows are ours, and single windows that are.

    Attributes:
        version: moves on with every change, so that a cached answer can be told to be old.
    """

    def __init__(self, pids: Iterable[int] = (), window_ids: Iterable[int] = ()) -> None:
        self._lock = threading.Lock()
        self._pids = frozenset(pids)
        self._window_ids = frozenset(window_ids)
        self.version = 0

    @property
    def pids(self) -> frozenset[int]:
        """Our processes."""
        return self._pids

    @property
    def window_ids(self) -> frozenset[int]:
        """Single windows of others that count as ours (the terminal that runs us)."""
        return self._window_ids

    def add(self, *, pids: Iterable[int] = (), window_ids: Iterable[int] = ()) -> None:
        """These are ours from now on."""
        with self._lock:
            self._pids |= frozenset(pids)
            self._window_ids |= frozenset(window_ids)
            self.version += 1

    def remove(self, *, pids: Iterable[int] = (), window_ids: Iterable[int] = ()) -> None:
        """These are not ours any more."""
        with self._lock:
            self._pids -= frozenset(pids)
            self._window_ids -= frozenset(window_ids)
            self.version += 1
