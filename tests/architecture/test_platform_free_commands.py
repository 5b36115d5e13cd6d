"""Commands that only read and write files work on every platform: nothing of one platform is imported for them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

_FOREIGN = ["fcntl", "termios", "pwd", "grp", "resource", "pty", "Xlib", "xcffib", "pynput", "pyautogui", "jeepney"]
_RUN = f"""
import sys
for name in {_FOREIGN!r}:
    sys.modules[name] = None
from operator_console.cli import main
try:
    code = main()
except SystemExit as ended:
    code = ended.code
sys.exit(code)
"""


def run_without(tmp_path: Path, program: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "OPERATOR_CONSOLE_HOME": str(tmp_path), "DISPLAY": ":7777"}
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, env=env, timeout=60
    )


@pytest.mark.parametrize("arguments", [["--help"], ["status", "--json"]])
def test_a_command_needs_no_module_of_one_platform(tmp_path: Path, arguments: list[str]) -> None:
    done = run_without(tmp_path, _RUN, *arguments)
    assert done.returncode == 0, done.stderr


_IMPORT = f"""
import sys
for name in {_FOREIGN!r}:
    sys.modules[name] = None
import operator_console.cli.stop, operator_console.cli.reset, operator_console.guard.client
import operator_console.guard.server.dispatch, operator_console.guard.server.session
print("imported")
"""


def test_the_guard_names_no_platform_outside_its_backend(tmp_path: Path) -> None:
    done = run_without(tmp_path, _IMPORT)
    assert done.stdout == "imported\n", done.stderr


def test_a_stop_latches_where_no_lock_of_posix_exists(tmp_path: Path) -> None:
    """Whatever the lock is: `stop` and `status` get it from file_lock, and name no platform themselves."""
    windows = _RUN.replace(
        "from operator_console.cli import main",
        "import operator_console.guard.file_lock as file_lock\n"
        "file_lock._lock = lambda fd, *, shared: None\n"
        "from operator_console.cli import main",
    )
    done = run_without(tmp_path, windows, "stop")
    assert done.returncode == 0, done.stderr
    status = run_without(tmp_path, windows, "status", "--json")
    assert json.loads(status.stdout)["state"] == "stopped"
