"""The practice window for the app, and where it stands: in an isolated desktop, else beside the console's window.

The isolated desktop is as large as the practice window. Where none can be started, the window is shown on the human's
own display, where it covers neither Start nor Approve; in a Wayland session, where it could not be seen, not at all.
"""

from __future__ import annotations

import asyncio
import logging
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from operator_console.computers.targets import connect
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.platform import start_virtual_desktop
from operator_console.desktop.protocols import StartedDesktop
from operator_console.domain.display_names import in_wayland_session
from operator_console.domain.errors import ConsoleError
from operator_console.domain.frames import TargetRef, VirtualTarget, WindowTarget
from operator_console.domain.geometry import Size
from operator_console.practice.launcher import RunningPractice, start_practice
from operator_console.practice.placement import Screen, place_window

if TYPE_CHECKING:
    from operator_console.computers.desktop_computer import DesktopComputer

DESKTOP = Size(800, 600)
TITLE = "Plant diary (practice)"
_SCALING = ("QT_SCALE_FACTOR", "QT_SCREEN_SCALE_FACTORS", "QT_FONT_DPI", "QT_AUTO_SCREEN_SCALE_FACTOR")

_log = logging.getLogger(__name__)


@dataclass(slots=True, kw_only=True)
class PracticePlace:
    """The open practice window with its target. `close` it.

    Attributes:
        ref: its target.
        desktop: the isolated desktop that it fills; None: it stands on the human's display.
        used: whether a session was started on it, so that its fields are filled.
    """

    log: Path
    ref: TargetRef
    window: RunningPractice
    desktop: StartedDesktop | None = None
    used: bool = False

    @property
    def isolated(self) -> bool:
        """Whether it stands in a desktop of its own."""
        return self.desktop is not None

    @property
    def open(self) -> bool:
        """Whether the window is still there: a person may have closed it."""
        return self.window.process.returncode is None

    async def open_computer(self, own: OwnWindows, *, goes_on: bool) -> DesktopComputer:
        """Connect a session to it. One that does not go on from an earlier one gets a fresh window."""
        if self.used and not goes_on and self.desktop is not None:
            await self.window.stop()
            self.window = await _start_filling(self.log, self.desktop.display)
        self.used = True
        return await connect(self.ref, own, started=self.desktop)

    async def close(self) -> None:
        """End the window, then its desktop."""
        try:
            await self.window.stop()
        finally:
            if self.desktop is not None:
                await self.desktop.close()


async def open_practice_place(log: Path, screen: Screen) -> PracticePlace:
    """Open the practice window.

    Args:
        log: the file with what the window receives, replaced if it exists.
        screen: where it may stand, where no isolated desktop can be started.

    Raises:
        OperatorError: the window did not open.
    """
    try:
        desktop = await start_virtual_desktop(DESKTOP)
    except ConsoleError as error:
        if in_wayland_session(os.environ):
            raise
        _log.warning("practice runs on the display of the console: %s", error)
        at = place_window(screen)
        window = await start_practice(log, at=at)
        ref = WindowTarget(spec=window.target, title=TITLE, window_id=window.ready.window_id)
        return PracticePlace(log=log, ref=ref, window=window)
    try:
        window = await _start_filling(log, desktop.display)
    except BaseException:
        await asyncio.shield(desktop.close())
        raise
    spec = f"virtual:{DESKTOP.width}x{DESKTOP.height}"
    there = VirtualTarget(spec=spec, title=TITLE, display=desktop.display)
    return PracticePlace(log=log, ref=there, window=window, desktop=desktop)


async def _start_filling(log: Path, display: str) -> RunningPractice:
    return await start_practice(log, fill=True, env=unscaled_on(display))


def unscaled_on(display: str) -> dict[str, str]:
    """The environment of a window on a display whose logical pixels are the display's own."""
    kept = {name: value for name, value in os.environ.items() if name not in (*_SCALING, "WAYLAND_DISPLAY")}
    return {**kept, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}
