"""Code for one platform stays in that platform's folder and is loaded only when it is used.

Modules that some platform lacks are blocked here: `--help`, `status`, `stop` and `sessions list` work without them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import modules

_OF_A_PLATFORM = ("desktop/x11/", "desktop/freedesktop/")
_OF_X11_IN_INJECTOR = (
    "injector/x11_backend.py",
    "injector/xtest_connection.py",
    "injector/keyboard/wait_for_processing.py",
    "injector/keyboard/spare_keycodes.py",
    "injector/keyboard/typist.py",
)
# The MCP SDK imports fcntl except on Windows, which it tells by sys.platform.
_ASKS_FOR_THE_PLATFORM = ("tools/mcp_worker.py",)
_NOT_EVERYWHERE = (
    "Xlib", "fcntl", "grp", "jeepney", "mss", "pty", "pwd", "pyautogui", "pynput", "resource", "termios", "tty",
    "xcffib",
)  # fmt: skip

_BLOCK = f"""
import importlib, importlib.abc, json, sys
blocked = set({_NOT_EVERYWHERE!r})

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in blocked:
            raise ImportError(f"{{name}} is not on every platform")

sys.meta_path.insert(0, Blocked())
for name in blocked:
    sys.modules.pop(name, None)
"""

_IMPORT = f"""{_BLOCK}
failed = {{}}
for name in json.loads(sys.argv[1]):
    try:
        importlib.import_module(name)
    except ImportError as error:
        failed[name] = str(error)
print(json.dumps(failed))
"""

_WITHOUT_POSIX = f"""{_BLOCK}
import os
del os.O_CLOEXEC, os.O_DIRECTORY, os.O_NOFOLLOW, os.getuid
import operator_console.private_files
operator_console.private_files._lock = lambda descriptor, *, shared: None  # stands for that of Windows
"""

_COMMAND = f"""{_WITHOUT_POSIX}
from operator_console.cli import main
try:
    code = main()
except SystemExit as ended:
    code = ended.code
sys.exit(code)
"""


def run(program: str, *arguments: str, home: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "DISPLAY": ":7777"} | ({"OPERATOR_CONSOLE_HOME": str(home)} if home else {})
    return subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, env=env, timeout=100
    )


def _dotted(module: str) -> str:
    return "operator_console." + module.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def _failed(names: list[str]) -> dict[str, str]:
    done = run(_IMPORT, json.dumps(names))
    assert done.returncode == 0, done.stderr
    failed: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return failed


def _elsewhere(*rooms: str) -> list[str]:
    left_out = (*_OF_A_PLATFORM, *_ASKS_FOR_THE_PLATFORM)
    return [_dotted(each) for each in modules() if each.startswith(rooms) and not each.startswith(left_out)]


def test_rooms_are_imported_on_every_platform() -> None:
    rooms = ("cli/", "computers/", "desktop/", "domain/", "engine/", "journal/", "policy/", "providers/", "settings/")
    assert (
        _failed(
            _elsewhere(
                *rooms,
                "perception/accessibility/",
                "tools/",
                "private_files",
                "resource_files",
                "loopback",
                "json_lines",
                "environment_proxies",
            )
        )
        == {}
    )


def test_the_guard_imports_modules_of_a_platform_in_its_backend_only() -> None:
    guard = ["guard.client", "guard.server.dispatch", "guard.server.session"]
    assert _failed([f"operator_console.{name}" for name in guard]) == {}


def test_the_injector_is_imported_on_every_platform_except_for_what_speaks_x11() -> None:
    names = [_dotted(each) for each in modules() if each.startswith("injector/") and each not in _OF_X11_IN_INJECTOR]
    assert "operator_console.injector.client" in names
    assert _failed(names) == {}


def test_the_modules_of_the_injector_that_speak_x11_are_no_more_than_listed() -> None:
    names = [_dotted(each) for each in _OF_X11_IN_INJECTOR]
    assert _failed(names).keys() == set(names)


def test_the_blocking_blocks() -> None:
    assert _failed(["operator_console.desktop.x11.keyboard_map"]).keys() == {
        "operator_console.desktop.x11.keyboard_map"
    }


@pytest.mark.parametrize("arguments", [["--help"], ["status", "--json"], ["sessions", "list", "--json"], ["stop"]])
def test_a_command_needs_no_module_of_one_platform(tmp_path: Path, arguments: list[str]) -> None:
    done = run(_COMMAND, *arguments, home=tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_stop_blocks_sessions_without_the_locks_of_posix(tmp_path: Path) -> None:
    assert run(_COMMAND, "stop", home=tmp_path).returncode == 0
    status = run(_COMMAND, "status", "--json", home=tmp_path)
    assert json.loads(status.stdout)["state"] == "stopped"


def test_a_recorded_session_is_listed_without_modules_of_one_platform(tmp_path: Path) -> None:
    record = f"""{_WITHOUT_POSIX}
from operator_console.domain.events import Warned
from operator_console.journal.write import SessionJournal
from operator_console.settings.file_locations import find_paths
paths = find_paths()
with SessionJournal.create(paths.new_session(), paths.anchors) as journal:
    journal.append(Warned(title="Recorded"))
"""
    recorded = run(record, home=tmp_path)
    assert recorded.returncode == 0, recorded.stderr
    listed = run(_COMMAND, "sessions", "list", "--json", home=tmp_path)
    assert listed.returncode == 0, listed.stderr
    assert [session["events"] for session in json.loads(listed.stdout)] == [1]
