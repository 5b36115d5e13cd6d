"""The virtual display that ``bootstrap.py run`` makes where there is none."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import bootstrap
import setup_display
import setup_python


def test_a_managed_display_for_as_long_as_it_is_needed() -> None:
    with setup_display.virtual_display() as env:
        size = subprocess.run(["xdpyinfo"], env=env, capture_output=True, text=True, check=True).stdout
        manager = subprocess.run(
            ["xprop", "-root", "_NET_SUPPORTING_WM_CHECK"], env=env, capture_output=True, text=True, check=True
        ).stdout
        connected = subprocess.Popen(["xprop", "-spy", "-root"], env=env, stdout=subprocess.DEVNULL)
    assert "1440x900 pixels" in size
    assert "window id" in manager
    assert connected.wait(30) != 0, "its server has ended; another one may have its number by now"


def test_run_without_a_display_says_where_the_files_are(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    program = tmp_path / "operator-console"
    program.write_text(
        f"#!{sys.executable}\nimport os, sys\nassert os.environ['DISPLAY'].startswith(':')\n"
        "print(*sys.argv[1:])\nprint('session: /home/a.ocsession')\nprint('picture: /home/a.png')\n"
    )
    program.chmod(0o755)
    venv = setup_python.Venv(tmp_path)
    monkeypatch.setattr(setup_python.Venv, "script", lambda self, name: str(tmp_path / name))
    assert bootstrap.run(venv, ["--verbose"]) == 0
    said = capsys.readouterr().out
    assert "practice --verbose --headless" in said
    assert "session file:                 /home/a.ocsession" in said
    assert "picture of the final screen:  /home/a.png" in said
