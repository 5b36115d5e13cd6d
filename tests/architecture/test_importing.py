"""Importing a module does nothing: no display, no thread, no process, nothing slow that a command does not need."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from tests.architecture.source import modules

_IMPORT_ALL = """
import importlib, json, sys, threading, warnings
warnings.simplefilter("ignore")
before = threading.active_count()
for name in json.loads(sys.argv[1]):
    importlib.import_module(name)
bound_to_a_display = [n for n in ("pyautogui", "pynput.keyboard", "pynput.mouse", "pywinctl") if n in sys.modules]
print(json.dumps({"bound": bound_to_a_display, "threads": threading.active_count() - before}))
"""


def dotted(module: str) -> str:
    return "operator_console." + module.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def test_importing_everything_without_a_display_does_nothing() -> None:
    names = [dotted(m) for m in modules() if not m.endswith("__main__.py") and m != "__init__.py"]
    env = {name: value for name, value in os.environ.items() if name not in {"DISPLAY", "QT_QPA_PLATFORM"}}
    done = subprocess.run(
        [sys.executable, "-c", _IMPORT_ALL, json.dumps(names)], capture_output=True, text=True, env=env, timeout=110
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {"bound": [], "threads": 0}


_RUN = """
import json, sys
from operator_console.cli import main
try:
    code = main()
except SystemExit as ended:
    code = ended.code
heavy = ("PySide6", "qasync", "google.genai", "anthropic", "openai", "rapidocr", "numpy")
print(json.dumps([name for name in heavy if name in sys.modules]))
"""


@pytest.mark.parametrize("arguments", [["--help"], ["run", "--help"], ["status"], ["stop"]])
def test_quick_commands_load_neither_qt_nor_a_vendor(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *arguments], capture_output=True, text=True, env=dict(os.environ), timeout=60
    )
    assert done.stdout.strip(), done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == []
