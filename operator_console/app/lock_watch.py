"""Pauses a session while the screen is locked: what is typed then would land in the locker's password field.

Called around every session that can act.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from operator_console.desktop.platform import watch_screen_lock
from operator_console.domain.events import PauseCause
from operator_console.domain.intents import Intent, Pause


@asynccontextmanager
async def pausing_on_lock(post: Callable[[Intent], None]) -> AsyncIterator[None]:
    """While the block lasts, a lock posts a pause. It never resumes: that is the human's, after unlocking."""
    loop = asyncio.get_running_loop()

    def changed(locked: bool) -> None:
        if locked:
            loop.call_soon_threadsafe(post, Pause(by=PauseCause.SCREEN_LOCK, detail="The screen was locked."))

    watch = watch_screen_lock(changed)
    # Connecting waits for a bus: the session does not.
    starting = asyncio.create_task(asyncio.to_thread(watch.start), name="screen lock")
    try:
        yield
    finally:
        await asyncio.wait({starting})
        await asyncio.to_thread(watch.stop)
