"""A display that lets nobody in: what the window, a run and the list of targets say."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from operator_console.domain.errors import ExitCode
from tests.display.rig.server import XServer, start_xvfb


@pytest.fixture
def guarded_server(tmp_path: Path) -> Iterator[XServer]:
    """Whoever does not know the cookie is refused."""
    cookies = tmp_path / "cookies"
    cookie = bytes(range(16))
    name, kind = b"", b"MIT-MAGIC-COOKIE-1"
    # A record of Xau(3): any family, an empty address and number, the name and the data, each with its length.
    parts = (b"", name, kind, cookie)
    cookies.write_bytes(b"\xff\xff" + b"".join(len(part).to_bytes(2, "big") + part for part in parts))
    server = start_xvfb(tmp_path, options=("-auth", str(cookies)))
    try:
        yield server
    finally:
        server.stop()


@pytest.mark.parametrize(
    "words",
    [
        ("targets",),
        pytest.param((), marks=pytest.mark.full),
        pytest.param(("run", "press Enter", "--provider", "runbook", "--target", "monitor:1"), marks=pytest.mark.full),
    ],
)
def test_a_server_that_refuses_the_user_is_told_from_none(
    guarded_server: XServer, words: tuple[str, ...], tmp_path: Path
) -> None:
    absent = tmp_path / "absent"
    done = subprocess.run(
        [sys.executable, "-m", "operator_console", *words],
        env={**guarded_server.env, "XAUTHORITY": str(absent)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == ExitCode.REFUSED, done
    said = done.stdout + done.stderr
    assert f"does not let this user in: XAUTHORITY is {absent}" in said
    assert "echo $XAUTHORITY" in said
    assert "No X server answers" not in said
