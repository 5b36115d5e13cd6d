"""A person who works through x11vnc: whose keys stopped a session cannot be told, which is said; the stop keys stop."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from operator_console.domain.errors import ExitCode
from tests.cli.command import ROOT
from tests.display.rig import Child, Desktop, start_xvfb, wait_until
from tests.display.rig.vnc_servers import x11vnc

pytestmark = pytest.mark.full


def test_the_stop_keys_stop_through_a_viewer_and_it_is_said_that_anybody_may_have_pressed_them(tmp_path: Path) -> None:
    if shutil.which("xtigervncviewer") is None:
        pytest.skip("xtigervncviewer is not installed")
    there, here = tmp_path / "there", tmp_path / "here"
    for folder in (there, here):
        folder.mkdir()
    server = start_xvfb(here)
    seat = Desktop.start(server, here)
    try:
        with x11vnc(there) as remote:
            assert remote.display is not None
            viewing = ["xtigervncviewer", "-RemoteResize=0", f"127.0.0.1::{remote.port}"]
            viewer = Child(viewing, env=seat.env, log=tmp_path / "viewer.log")
            task = 'wait for "Done" up to 600 s'
            words = ["run", task, "--provider", "runbook", "--answer", "deny", "--target", "monitor:1"]
            console = Child(
                [sys.executable, "-m", "operator_console", *words],
                env={**remote.display.env, "PYTHONPATH": str(ROOT)}, log=tmp_path / "console.log", cwd=ROOT,
            )  # fmt: skip
            try:
                wait_until(lambda: "Working on" in console.log.read_text(), "the session")
                assert "Input of this session cannot be told from programs'." in console.log.read_text()
                wait_until(lambda: _has_focus(seat), "the viewer")
                seat.xdo("key", "ctrl+alt+x")
                wait_until(lambda: console.popen.poll() is not None, "the end of the session")
                assert console.popen.returncode == ExitCode.STOPPED, console.log.read_text()
                assert "Whether a person or a program sent the keys cannot be told" in console.log.read_text()
            finally:
                console.stop()
                viewer.stop()
    finally:
        seat.close()
        server.stop()


def _has_focus(seat: Desktop) -> bool:
    asked = ["xdotool", "getactivewindow", "getwindowname"]
    return "TigerVNC" in subprocess.run(asked, env=seat.env, capture_output=True, text=True).stdout
