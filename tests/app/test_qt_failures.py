"""Where Qt cannot open a window, the command says why and exits with 5, and dumps no core."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from operator_console.app import qt_failures
from operator_console.app.qt_failures import from_import_error, missing_library
from operator_console.domain.errors import ExitCode


def opened(home: Path, **environment: str) -> tuple[int, str]:
    """The exit code of the window's command and what it said on stderr."""
    kept = {name: value for name, value in os.environ.items() if name not in ("WAYLAND_DISPLAY", "XAUTHORITY")}
    for name in ("HOME", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        kept[name] = str(home)
    done = subprocess.run(
        [sys.executable, "-m", "operator_console"],
        env={**kept, **environment},
        capture_output=True,
        text=True,
        timeout=60,
    )
    return done.returncode, done.stderr


def test_a_display_without_a_server_is_told(tmp_path: Path) -> None:
    code, said = opened(tmp_path, DISPLAY=":7777")
    assert code == ExitCode.REFUSED
    assert "The display :7777 cannot be opened." in said
    assert "No X server answers there." in said
    assert "XAUTHORITY" not in said


def test_a_library_that_is_missing_is_told_with_the_package(monkeypatch: pytest.MonkeyPatch) -> None:
    assert missing_library() is None
    monkeypatch.setitem(qt_failures._PACKAGES, "libabsent-from-here.so.7", "libabsent7")
    error = missing_library()
    assert error is not None
    assert "libabsent-from-here.so.7" in str(error) and "sudo apt install libabsent7" in str(error)


def test_qt_that_cannot_be_imported_names_the_library() -> None:
    text = "libEGL.so.1: cannot open shared object file: No such file or directory"
    error = from_import_error(ImportError(text))
    assert error is not None and "sudo apt install libegl1" in str(error)
    assert from_import_error(ImportError("No module named 'PySide6'")) is None
