"""Where Qt cannot open a window, the command says why and exits with 5, and dumps no core."""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from operator_console.app.qt_failures import from_load_error, missing_library
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
    assert "operator-console: The display :7777 cannot be opened.\n  " in said
    assert "No X server answers there." in said
    assert "XAUTHORITY" not in said


def test_this_computer_has_all_libraries() -> None:
    assert missing_library() is None


@pytest.mark.parametrize(
    ("library", "package"),
    [
        ("libEGL.so.1", "libegl1"),
        ("libxcb-cursor.so.0", "libxcb-cursor0"),
        ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
        ("libX11-xcb.so.1", "libx11-xcb1"),
        ("libdbus-1.so.3", "libdbus-1-3"),
        ("libglib-2.0.so.0", "libglib2.0-0"),
    ],
)
def test_a_library_that_is_missing_is_told_with_its_package(library: str, package: str) -> None:
    error = from_load_error(ImportError(f"{library}: cannot open shared object file: No such file or directory"))
    assert error is not None
    assert f"The library {library} is missing." in str(error) and f"sudo apt install {package}" in str(error)


def test_another_reason_is_none_of_a_library() -> None:
    assert from_load_error(ImportError("No module named 'PySide6'")) is None


_HIDES = """\
set -e
folder=$(dirname "$1")
mount -t tmpfs none "$2"
mkdir "$2/upper" "$2/work"
mount -t overlay none -o "userxattr,lowerdir=$folder,upperdir=$2/upper,workdir=$2/work" "$folder"
rm "$1"
shift 2
exec "$@"
"""
"""Runs a command where a file is missing, which nobody else sees."""


def test_a_library_that_is_not_there_is_found_out(tmp_path: Path) -> None:
    ctypes.CDLL("libxcb-cursor.so.0")
    maps = Path("/proc/self/maps").read_text().splitlines()
    library = next(line.split()[-1] for line in maps if "libxcb-cursor" in line)
    within = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", _HIDES, "sh", library, str(tmp_path)]
    if subprocess.run([*within, "true"], capture_output=True).returncode != 0:
        pytest.skip("no file can be hidden here")
    asks = "from operator_console.app.qt_failures import missing_library; print(missing_library())"
    done = subprocess.run([*within, sys.executable, "-c", asks], capture_output=True, text=True, timeout=60)
    assert "The library libxcb-cursor.so.0 is missing." in done.stdout, done.stderr
