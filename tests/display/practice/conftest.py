"""The practice window on a desktop of the rig, and a reader with its OCR process."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from pathlib import Path

import pytest

from operator_console.perception.accessibility.accessible_elements import AccessibilityOptions, AccessibleElements
from operator_console.perception.accessibility.atspi.session_service import accessibility_bus
from operator_console.perception.picture_reader import OcrReader
from operator_console.practice.launcher import RunningPractice, start_practice
from tests.display.rig import AccessibleDesktop, Desktop

Start = Callable[..., Awaitable[RunningPractice]]


@pytest.fixture
async def reader() -> AsyncIterator[OcrReader]:
    made = OcrReader()
    yield made
    await made.close()


@pytest.fixture
async def elements(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> AsyncIterator[AccessibleElements]:
    """The elements of what was started with the environment of `accessible_desktop`."""
    bus = await accessibility_bus(accessible_desktop.env)
    made = AccessibleElements(AccessibilityOptions(run_folder=tmp_path, switch_on=False, bus_address=lambda: bus))
    await made.start()
    yield made
    await made.close()


@pytest.fixture
async def practice(desktop: Desktop, tmp_path: Path) -> AsyncIterator[Start]:
    """Starts practice windows (`await practice(ambiguous=True, scale=2)`); all end with the test."""
    running: list[RunningPractice] = []

    async def start(
        *, ambiguous: bool = False, scale: float = 1, env: Mapping[str, str] | None = None
    ) -> RunningPractice:
        env = {**(env or desktop.env), "QT_SCALE_FACTOR": str(scale)}
        window = await start_practice(tmp_path / f"practice-{len(running)}.jsonl", ambiguous=ambiguous, env=env)
        running.append(window)
        desktop.wait_window(pid=window.ready.pid, active=True)
        return window

    yield start
    for window in running:
        await window.stop()
