"""The practice window and its runbook. Needs no key and no network; the window's own log decides whether it passed."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from operator_console.app.headless import work
from operator_console.app.human_display import find_display
from operator_console.app.services import Services, open_services, our_windows
from operator_console.cli.terminal import RunOptions
from operator_console.computers.model_image import encode
from operator_console.computers.targets import open_computer, resolve, snapshot
from operator_console.desktop.platform import wayland_error
from operator_console.domain.display_names import NO_DISPLAY
from operator_console.domain.errors import ExitCode
from operator_console.domain.frames import ImageNeeds
from operator_console.domain.session_request import SessionRequest
from operator_console.practice.launcher import LOG_SUFFIX, RunningPractice, practice_runbook, start_practice
from operator_console.private_files import open_private

PICTURE_SUFFIX = ".png"


@dataclass(frozen=True, slots=True, kw_only=True)
class Practice:
    """The open practice window and the session request for it."""

    window: RunningPractice
    request: SessionRequest


@asynccontextmanager
async def practice_window(services: Services, *, lead_time_s: float) -> AsyncIterator[Practice]:
    """Open the practice window and close it afterwards. Raises OperatorError if it does not appear."""
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
