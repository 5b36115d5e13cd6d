"""Writes the settings file off the window's loop, in order.

A write waits for the disk (fsync), which can take seconds. While one is under way, newer settings replace those that
still wait: the file ends with the last.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from operator_console.settings.model import Settings


@dataclass(slots=True)
class _Waiting:
    settings: Settings
    written: asyncio.Future[None]


class SettingsWriter:
    """Owns the writing task; `close` it before the loop ends.

    Args:
        save: writes the settings; blocking, called in a worker thread, never twice at once.
    """

    def __init__(self, save: Callable[[Settings], None]) -> None:
        self._save = save
        self._waiting: _Waiting | None = None
        self._task: asyncio.Task[None] | None = None

    async def write(self, settings: Settings) -> None:
        """Returns when these settings, or newer ones, are on the disk. Cancelling stops the waiting, not the writing.

        Raises:
            OperatorError: the file cannot be written or must not be overwritten.
        """
        if self._waiting is None:
            self._waiting = _Waiting(settings, asyncio.get_running_loop().create_future())
        else:
            self._waiting.settings = settings
        written = self._waiting.written
        if self._task is None or self._task.done():
            self._task = asyncio.get_running_loop().create_task(self._work(), name="settings writer")
        await asyncio.shield(written)

    async def close(self) -> None:
        """Wait until everything is written."""
        if self._task is not None:
            await asyncio.wait({self._task})

    async def _work(self) -> None:
        while (now := self._waiting) is not None:
            self._waiting = None
            try:
                await asyncio.to_thread(self._save, now.settings)
            except Exception as error:  # noqa: BLE001  raised where `write` waits
                now.written.set_exception(error)
            else:
                now.written.set_result(None)
