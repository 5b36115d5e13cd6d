"""Real viewers on a desktop, each showing a machine: an Xvnc with X clients that judge, or QEMU without a system."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.display.rig import AccessibleDesktop
from tests.display.vm.viewers import GUEST, paint
from tests.display.vnc.machine import Machine


@pytest.fixture
def telling(accessible_desktop: AccessibleDesktop) -> Iterator[AccessibleDesktop]:
    """A desktop whose display names its accessibility bus, as those of people do."""
    with accessible_desktop.tree.announced():
        yield accessible_desktop


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A painted machine that keeps its size, whatever its viewer asks for."""
    made = Machine(folder=tmp_path / "machine", size=GUEST, options=("-AcceptSetDesktopSize=0",))
    made.start()
    paint(made)
    yield made
    made.stop()
