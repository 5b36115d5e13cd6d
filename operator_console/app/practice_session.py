"""The practice window and its runbook. Needs no key and no network; the window's own log decides whether it passed.

For the app, the window stands in an isolated desktop that is as large as the practice window. Where none can be
started, it is shown on the human's own display, where it covers neither Start nor Approve; in a Wayland session, where
it could not be seen, not at all. Headless, it is shown on the human's display.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from operator_console.app.human_display import find_display
from operator_console.app.qt_failures import require_libraries
from operator_console.app.services import Services, open_services, our_windows
from operator_console.computers.model_image import encode
from operator_console.computers.targets import connect, open_computer, resolve, snapshot
from operator_console.desktop.own_window_ids import OwnWindows
from operator_console.desktop.platform import start_virtual_desktop, wayland_error
from operator_console.desktop.protocols import StartedDesktop
from operator_console.domain.display_names import NO_DISPLAY, in_wayland_session
from operator_console.domain.errors import ConsoleError, ExitCode
from operator_console.domain.frames import ImageNeeds, TargetRef, VirtualTarget, WindowTarget
from operator_console.domain.geometry import Size
from operator_console.domain.session_request import SessionRequest
from operator_console.practice.launcher import (
    LOG_SUFFIX,
    RunningPractice,
    practice_runbook,
    start_practice,
    unscaled_on,
)
from operator_console.practice.placement import Screen, place_window
from operator_console.private_files import open_private

if TYPE_CHECKING:
    from operator_console.computers.desktop_computer import DesktopComputer

PICTURE_SUFFIX = ".png"


@dataclass(frozen=True, slots=True, kw_only=True)
class Practice:
    """The open practice window and the session request for it."""

    window: RunningPractice
    request: SessionRequest


@asynccontextmanager
async def practice_window(services: Services, *, lead_time_s: float) -> AsyncIterator[Practice]:
    """Open the practice window and close it afterwards. Raises OperatorError if it does not appear."""
    require_libraries()
    record = services.paths.new_session()
    window = await start_practice(record.with_suffix(LOG_SUFFIX))
    try:
        request = SessionRequest(
            task=practice_runbook(),
            target=window.target,
            provider="runbook",
            record=record,
            lead_time_s=lead_time_s,
        )
        yield Practice(window=window, request=request)
    finally:
        await window.stop()


def run_practice() -> int:
    """Run the practice session. Prints the result and the paths of its record and of a final picture of the screen."""
    return asyncio.run(_run())


async def _run() -> int:
    from operator_console.app.headless import work  # with the terminal, which the app does without
    from operator_console.cli.terminal import RunOptions

    display = find_display()
    if display == NO_DISPLAY:
        raise wayland_error()
    opened = open_services(display, our_windows())
    async with opened as services, practice_window(services, lead_time_s=0.0) as practice:
        record = practice.request.record
        assert record is not None
        computer = await open_computer(practice.request.target, services.own, services.display)
        try:
            code = await work(services, practice.request, computer, RunOptions())
        finally:
            picture = await asyncio.to_thread(_picture, services, record.with_suffix(PICTURE_SUFFIX))
        verdict = practice.window.verdict()
        print(verdict.words)
        if record.exists():
            print(f"session: {record}")
        print(f"picture: {picture}")
        if code == ExitCode.FINISHED and not verdict.passed:
            return ExitCode.FAILED
        return code


def _picture(services: Services, path: Path) -> Path:
    """The whole screen as it stands at the end."""
    needs = ImageNeeds(max_bytes=None)
    frame = snapshot(resolve("monitor:1", services.own, services.display), services.own, needs)
    with os.fdopen(open_private(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
        file.write(encode(frame, needs).data)
    return path


DESKTOP = Size(800, 600)
TITLE = "Plant diary (practice)"

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
