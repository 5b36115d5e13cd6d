"""What is written for one platform stays in that platform's folder, and is loaded only when it is used."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.architecture.source import modules

_OF_A_PLATFORM = ("desktop/x11/", "desktop/freedesktop/")
_OF_X11_IN_INJECTOR = (
    "injector/x11_backend.py",
    "injector/xtest_connection.py",
    "injector/keyboard/delivery.py",
    "injector/keyboard/spare_keycodes.py",
    "injector/keyboard/typist.py",
    "injector/clipboard/holder_process.py",
)
_NOT_EVERYWHERE = ("Xlib", "xcffib", "mss", "jeepney", "fcntl", "pyautogui")

_IMPORT = """
import importlib, importlib.abc, json, sys
names, blocked = json.loads(sys.argv[1]), set(json.loads(sys.argv[2]))

class Blocked(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in blocked:
            raise ImportError(f"{name} is not on every platform")

sys.meta_path.insert(0, Blocked())
for name in blocked:
    sys.modules.pop(name, None)
failed = {}
for name in names:
    try:
        importlib.import_module(name)
    except ImportError as error:
        failed[name] = str(error)
print(json.dumps(failed))
"""


def _dotted(module: str) -> str:
    return "operator_console." + module.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def _failed(names: list[str], blocked: tuple[str, ...]) -> dict[str, str]:
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT, json.dumps(names), json.dumps(blocked)],
        capture_output=True, text=True, env=dict(os.environ), timeout=100,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    failed: dict[str, str] = json.loads(done.stdout.splitlines()[-1])
    return failed


def _elsewhere(*rooms: str) -> list[str]:
    return [_dotted(each) for each in modules() if each.startswith(rooms) and not each.startswith(_OF_A_PLATFORM)]


def test_desktop_computers_and_commands_are_imported_on_every_platform() -> None:
    assert _failed(_elsewhere("desktop/", "computers/", "cli/"), _NOT_EVERYWHERE) == {}


def test_the_injector_is_imported_on_every_platform_except_for_what_speaks_x11() -> None:
    names = [_dotted(each) for each in modules() if each.startswith("injector/") and each not in _OF_X11_IN_INJECTOR]
    assert {"operator_console.injector.client", "operator_console.injector.wire"} < set(names)
    assert _failed(names, _NOT_EVERYWHERE) == {}


def test_the_modules_of_the_injector_that_speak_x11_are_no_more_than_listed() -> None:
    names = [_dotted(each) for each in _OF_X11_IN_INJECTOR]
    assert _failed(names, _NOT_EVERYWHERE).keys() == set(names)


def test_the_blocking_blocks() -> None:
    assert _failed(["operator_console.desktop.x11.input_xkb"], _NOT_EVERYWHERE).keys() == {
        "operator_console.desktop.x11.input_xkb"
    }
