"""What is written for one platform stays in that platform's folder, and is loaded only when it is used."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from tests.architecture.source import modules

_OF_A_PLATFORM = ("desktop/x11/", "desktop/freedesktop/")
_NOT_EVERYWHERE = ("Xlib", "xcffib", "mss", "jeepney", "fcntl")

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


def test_the_blocking_blocks() -> None:
    assert _failed(["operator_console.desktop.x11.input_xkb"], _NOT_EVERYWHERE).keys() == {
        "operator_console.desktop.x11.input_xkb"
    }
