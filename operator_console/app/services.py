"""What lives as long as the program: settings, the guard, the injector's client, OCR, and which windows are ours.

Opened once a process; each session is prepared from it.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.domain.errors import ConsoleError
from operator_console.guard.client import GuardClient, open_guard
from operator_console.guard.launch import Launched, launch
from operator_console.injector.client import InjectorClient
from operator_console.providers.registry import options_of
from operator_console.settings.file import load_settings
from operator_console.settings.file_locations import Paths, find_paths, make_folder
from operator_console.settings.model import Settings

if TYPE_CHECKING:
    from operator_console.perception.picture_reader import OcrReader

_log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class Services:
    """The parts that outlive a session.

    Attributes:
        display: the display where the human's stop is heard; NO_DISPLAY: it comes from terminals only.
        settings: as last read or changed; replaced as a whole.
    """

    paths: Paths
    settings: Settings
    own: OwnWindows
    guard: GuardClient
    injector: InjectorClient
    display: str
    _warming: asyncio.Task[None] | None = None
    _reader: OcrReader | None = None

    @property
    def reader(self) -> OcrReader:
        """What reads the screen, made when it is first needed."""
        if self._reader is None:
            self._reader = _new_reader()
        return self._reader

    def warm_reader(self) -> None:
        """Load the OCR models while a session is set up, so that the first read does not wait for them."""
        if self._warming is None:
            self._warming = asyncio.get_running_loop().create_task(_warm(self.reader), name="warm up the reader")

    async def close(self) -> None:
        """End the reader and the guard."""
        if self._warming is not None:
            self._warming.cancel()
            await asyncio.wait({self._warming})
        with suppress(OSError):
            if self._reader is not None:
                await self._reader.close()
        await self.guard.close()


def our_windows() -> OwnWindows:
    """Our processes' windows, and the terminal that runs us where it says which it is."""
    terminal = terminal_window()
    return OwnWindows(pids=[os.getpid()], window_ids=[] if terminal is None else [terminal])


def terminal_window() -> int | None:
    """The window of the terminal that runs us; None where it does not say which it is."""
    terminal = os.environ.get("WINDOWID", "")
    return int(terminal) if terminal.isascii() and terminal.isdigit() and int(terminal) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class StartingServices:
    """Folders created, settings read, and the guard's process launched but not yet awaited."""

    paths: Paths
    settings: Settings
    hotkeys: tuple[str, str, str]
    launched: Launched


def begin_services(display: str) -> StartingServices:
    """Read the settings and launch the guard, so that slow imports can run while it starts.

    From any thread; needs no event loop. Pass the result to `open_services`, or abandon what was launched. Raises
    OperatorError.
    """
    paths = find_paths()
    settings = load_settings(paths.settings, options_of)
    for folder in (paths.sessions, paths.anchors):
        make_folder(folder)
    keys = (settings.hotkeys.stop, settings.hotkeys.pause, settings.hotkeys.approve)
    return StartingServices(paths=paths, settings=settings, hotkeys=keys, launched=launch(display, keys))


@asynccontextmanager
async def open_services(
    display: str, own: OwnWindows, starting: StartingServices | None = None
) -> AsyncIterator[Services]:
    """The services for a display, or for NO_DISPLAY; ends the guard and the reader afterwards. Raises OperatorError."""
    starting = starting or begin_services(display)
    try:
        injector = InjectorClient(own)
    except BaseException:
        await asyncio.to_thread(starting.launched.abandon)
        raise
    paths, settings = starting.paths, starting.settings
    guard = await open_guard(display, injector, hotkeys=starting.hotkeys, launched=starting.launched)
    services = Services(paths=paths, settings=settings, own=own, guard=guard, injector=injector, display=display)
    try:
        yield services
    finally:
        await services.close()


def _new_reader() -> OcrReader:
    from operator_console.perception.picture_reader import OcrReader  # with numpy, which the window does without

    return OcrReader()


async def _warm(reader: OcrReader) -> None:
    try:
        await reader.warm_up()
    except ConsoleError as error:  # the first read reports it to the user
        _log.warning("the reader of the screen cannot work: %s", error)
