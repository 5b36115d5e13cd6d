"""What lives as long as the program: settings, the guard, the reader of the screen, and which windows are ours.

A session is prepared from it (`preparing`). Opened once by each way in (`headless`, `practising`, `desktop`).
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from operator_console.desktop.own import OwnWindows
from operator_console.domain.errors import ComputerUnavailable, ConsoleError, UnavailableReason
from operator_console.guard.client import GuardClient, open_guard
from operator_console.injector.client import InjectorClient
from operator_console.settings.file import load_settings
from operator_console.settings.model import Settings
from operator_console.settings.paths import Paths, find_paths, make_folder

if TYPE_CHECKING:
    from operator_console.perception.reader import OcrReader

_log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Station:
    """The program's lasting parts.

    Attributes:
        display: the display where the human's stop is heard.
        settings: as last read or kept; replaced whole by `preferring`.
    """

    paths: Paths
    settings: Settings
    own: OwnWindows
    guard: GuardClient
    injector: InjectorClient
    reader: OcrReader
    display: str
    _warming: asyncio.Task[None] | None = None

    def warm_reader(self) -> None:
        """Let the reader load its networks while a session is set up; the first read then does not pay for it."""
        if self._warming is None:
            self._warming = asyncio.get_running_loop().create_task(_warm(self.reader), name="warm up the reader")

    async def close(self) -> None:
        """End the reader and the guard."""
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.wait({self._warming})
        with suppress(OSError):
            await self.reader.close()
        await self.guard.close()


def find_display() -> str:
    """The display of this session. Raises ComputerUnavailable, with what to do, where there is none."""
    display = os.environ.get("DISPLAY", "")
    if display:
        return display
    if os.environ.get("WAYLAND_DISPLAY"):
        detail = "This is a Wayland session without Xwayland; programs may not see or drive other windows there."
        remedy = "Log in to an X11 session, or work an isolated desktop: operator-console run … --target virtual"
    else:
        detail = "The variable DISPLAY is not set."
        remedy = "Start it in a graphical session, or work an isolated desktop: run … --target virtual"
    raise ComputerUnavailable(
        "There is no display here.", reason=UnavailableReason.NO_DISPLAY, detail=detail, remedy=remedy
    )


def our_windows() -> OwnWindows:
    """Our processes' windows, and the terminal that runs us where it says which it is."""
    terminal = os.environ.get("WINDOWID", "")
    window_ids = [int(terminal)] if terminal.isdigit() else []
    return OwnWindows(pids=[os.getpid()], window_ids=window_ids)


@asynccontextmanager
async def open_station(
    display: str, own: OwnWindows, meanwhile: Callable[[], None] = lambda: None
) -> AsyncIterator[Station]:
    """Open it for a display, and end the guard and the reader afterwards. Raises OperatorError.

    `meanwhile` is done while the guard's process starts: the place for slow imports.
    """
    paths = find_paths()
    settings = load_settings(paths.settings)
    for folder in (paths.sessions, paths.anchors):
        make_folder(folder)
    injector = InjectorClient(own)
    hotkeys = settings.hotkeys
    keys = (hotkeys.stop, hotkeys.pause, hotkeys.approve)
    starting = asyncio.create_task(open_guard(display, injector, hotkeys=keys), name="start the guard")
    await asyncio.sleep(0)  # its process is begun now
    try:
        reader = _reader()
        meanwhile()
    except BaseException:
        await (await starting).close()
        raise
    guard = await starting
    station = Station(
        paths=paths, settings=settings, own=own, guard=guard, injector=injector, reader=reader, display=display
    )
    try:
        yield station
    finally:
        await station.close()


def _reader() -> OcrReader:
    from operator_console.perception.reader import OcrReader  # what it imports takes as long as the guard's start

    return OcrReader()


async def _warm(reader: OcrReader) -> None:
    try:
        await reader.warm_up()
    except ConsoleError as error:  # the first read says it where somebody can see it
        _log.warning("the reader of the screen cannot work: %s", error)
