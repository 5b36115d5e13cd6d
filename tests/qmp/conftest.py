"""A monitor for each test, on a path that is short enough for a socket."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.qmp_server import QmpServer


@pytest.fixture
def place() -> Iterator[Path]:
    """Where a socket can be made."""
    with tempfile.TemporaryDirectory() as folder:
        yield Path(folder) / "qmp.sock"


@pytest.fixture
def qemu(place: Path) -> Iterator[QmpServer]:
    with QmpServer(place) as server:
        yield server
