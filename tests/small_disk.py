"""A disk that is soon full, for tests of what happens then."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[None]:
    """Lay a tmpfs of this size ("64k") over an existing folder. Skips the test where that is not permitted."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs Linux and root")
    try:
        yield
    finally:
        subprocess.run(["umount", str(folder)], check=True)
