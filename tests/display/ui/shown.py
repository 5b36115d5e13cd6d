"""The process of `showing`, which shows one window after another."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from tests.display.rig import Child, Desktop, WindowInfo, wait_until

_ROOT = Path(__file__).resolve().parents[3]


class Shown:
    """Windows on a desktop, one at a time, all of one process: to start one takes longer than to show a window."""

    def __init__(self, desktop: Desktop, folder: Path, env: Mapping[str, str]) -> None:
        self._desktop = desktop
        self._window = 0
        args = [sys.executable, "-m", "tests.display.ui.showing"]
        env = {**env, "QT_QPA_PLATFORM": "xcb", "PYTHONPATH": str(_ROOT)}
        log = folder / f"showing-{len([*folder.iterdir()])}.log"
        self.child = desktop.adopt(Child(args, env=env, log=log, cwd=folder, told=True))

    def show(self, *words: object) -> WindowInfo:
        """Show this in the place of what was shown before, as `showing` is told it; returns its window."""
        self.child.tell(" ".join(map(str, words)))

        def there() -> WindowInfo | None:
            self.child.checked()
            window = self._desktop.find_window(pid=self.child.pid)
            other = window is not None and window.xid != self._window and self._desktop.viewable(window.xid)
            return window if other else None

        window = wait_until(there, f"the window of {words}", interval_s=0.02)
        assert window is not None
        self._window = window.xid
        return window
