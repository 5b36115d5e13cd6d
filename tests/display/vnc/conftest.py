"""Machines over VNC: Xvnc, one for each test."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

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
