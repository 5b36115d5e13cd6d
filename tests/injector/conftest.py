"""Fixtures of the injector's tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from operator_console.desktop.ledger import Ledger


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    """An empty ledger."""
    found, fd = Ledger.open_file(tmp_path / "ledger")
    yield found
    found.close()
    os.close(fd)
