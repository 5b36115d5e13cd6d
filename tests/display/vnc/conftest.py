"""Machines over VNC: Xvnc, one for each test; and a guard without a display."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio

from operator_console.domain.display_names import NO_DISPLAY
from tests.display.guard.acting import KeptGuard, kept_guard
from tests.display.rig.vnc_servers import password_file
from tests.display.vnc.machine import SECRET, Machine


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine without a password, American keyboard."""
    made = Machine(folder=tmp_path / "machine")
    made.start()
    yield made
    made.stop()


@pytest.fixture
def locked(tmp_path: Path) -> Iterator[Machine]:
    """A machine with the password SECRET."""
    folder = tmp_path / "locked"
    folder.mkdir()
    options = ("-rfbauth", str(password_file(folder, SECRET)))
    made = Machine(folder=folder, security="VncAuth", options=options, password=SECRET)
    made.start()
    yield made
    made.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def guard_of_module(homes: Iterator[Path]) -> AsyncIterator[KeptGuard]:
    """For `one_guard`: it hears a stop by command."""
    async with kept_guard(NO_DISPLAY, str(next(homes))) as kept:
        yield kept
