"""The import contracts of pyproject.toml catch what they are for: each is shown a breach, in a copy of the package."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import PACKAGE, ROOT

_CHECKS = Path(__file__).with_name("contract_checks.py")

BREACHES = [  # room, source, part of the contract's name
    ("domain", "import operator_console.engine", "The stack"),
    ("policy", "import operator_console.engine", "The stack"),
    ("ui", "import operator_console.guard", "Protocols only"),
    ("engine", "import operator_console.journal", "Protocols only"),
    ("engine", "import operator_console.settings", "do not read settings"),
    ("engine", "def f() -> None:\n    import subprocess", "touch no operating system"),
    ("journal", "import operator_console.settings", "Rooms stand beside"),
    ("perception", "import operator_console.desktop", "Rooms stand beside"),
    ("tools", "import operator_console.engine", "Rooms stand beside"),
    ("injector", "import operator_console.guard", "Rooms stand beside"),
    ("cli", "import PySide6", "Qt lives"),
    ("desktop", "import pyautogui", "Only the injector"),
    ("injector", "import pyautogui", "Only the injector"),
    ("injector", "import Xlib", "X is spoken"),
    ("injector", "import pynput", "Only the guard"),
    ("practice", "import Xlib", "X is spoken"),
    ("computers", "import operator_console.desktop.x11.windows", "know platforms"),
    ("app", "import operator_console.desktop.x11.layers", "know platforms"),
    ("computers", "import xcffib", "X is spoken"),
    ("tools", "from google import genai", "vendor's SDK"),
    ("settings", "import sqlite3", "SQLite"),
    ("guard", "import numpy", "guard starts fast"),
]


def breach_name(number: int) -> str:
    room = BREACHES[number][0]
    return f"operator_console.{room}.breach_{number}"


@pytest.fixture(scope="module")
def broken(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """For each breach by itself the contracts that it breaks; "" is the package as it is."""
    root = tmp_path_factory.mktemp("copy")
    shutil.copytree(PACKAGE, root / "operator_console", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", root)
    for number, (room, source, _) in enumerate(BREACHES):
        (root / "operator_console" / room / f"breach_{number}.py").write_text(source + "\n")
    done = subprocess.run(
        [sys.executable, str(_CHECKS), *map(breach_name, range(len(BREACHES)))],
        cwd=root,
        env={"PYTHONPATH": str(root)},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def test_without_a_breach_every_contract_holds(broken: dict[str, list[str]]) -> None:
    assert broken[""] == []


@pytest.mark.parametrize("number", range(len(BREACHES)), ids=lambda number: f"{BREACHES[number][0]}-{number}")
def test_a_breach_is_caught(broken: dict[str, list[str]], number: int) -> None:
    contract = BREACHES[number][2]
    assert any(contract in name for name in broken[breach_name(number)]), broken[breach_name(number)]
