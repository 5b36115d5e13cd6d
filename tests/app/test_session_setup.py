"""A locked screen pauses the session, from whichever thread the word comes; unlocking resumes nothing."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from operator_console.app import session_setup
from operator_console.app.target_parts import desktop_elements
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.frames import MonitorTarget
from operator_console.domain.intents import Intent, Pause
from operator_console.domain.stopping import PauseCause
from operator_console.settings.model import Accessibility, Settings


class Saver:
    """Stands for the desktop's own word: locks and unlocks in a thread of its own, at once."""

    def __init__(self, on_change: Callable[[bool], None]) -> None:
        self._on_change = on_change
        self._thread = threading.Thread(target=self._lock_and_unlock)

    def _lock_and_unlock(self) -> None:
        for locked in (True, False):
            self._on_change(locked)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._thread.join()


async def test_a_lock_posts_a_pause_on_the_sessions_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_setup, "watch_screen_lock", Saver)
    posted: list[Intent] = []
    heard = asyncio.Event()

    def post(intent: Intent) -> None:
        asyncio.get_running_loop()  # raises in any other thread
        posted.append(intent)
        heard.set()

    async with asyncio.timeout(10), session_setup.pausing_on_lock(post):
        await heard.wait()
    assert posted == [Pause(by=PauseCause.SCREEN_LOCK, detail="The screen was locked.")]


@pytest.mark.parametrize("on", [True, False])
def test_the_setting_says_whether_accessibility_is_switched_on(on: bool, tmp_path: Path) -> None:
    own = OwnWindows(pids=[7])
    settings = Settings(accessibility=Accessibility(switch_on=on))
    services = SimpleNamespace(settings=settings, own=own, paths=SimpleNamespace(run=tmp_path))
    target = MonitorTarget(spec="monitor:1", title="", display=":7777")
    options = desktop_elements(cast(Any, services), target)._options
    assert (options.switch_on, options.run_folder) == (on, tmp_path)
    own.add(pids=[8])
    assert options.own_pids() == {7, 8}
    assert options.bus_address() == "", "there is no such display"
