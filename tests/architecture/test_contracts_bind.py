"""The import contracts of pyproject.toml catch what they are for: each is shown a breach, in a copy of the package."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.architecture.source import PACKAGE, ROOT

_LINT = "import sys; from importlinter.cli import lint_imports_command; sys.exit(lint_imports_command(['--no-cache']))"

BREACHES = [
    ("domain/breach.py", "import operator_console.engine", "The stack"),
    ("policy/breach.py", "import operator_console.engine", "The stack"),
    ("ui/breach.py", "import operator_console.guard", "Protocols only"),
    ("engine/breach.py", "import operator_console.journal", "Protocols only"),
    ("engine/breach.py", "import operator_console.settings", "do not read settings"),
    ("engine/breach.py", "def f() -> None:\n    import subprocess", "touch no operating system"),
    ("journal/breach.py", "import operator_console.settings", "Rooms stand beside"),
    ("perception/breach.py", "import operator_console.desktop", "Rooms stand beside"),
    ("tools/breach.py", "import operator_console.engine", "Rooms stand beside"),
    ("injector/breach.py", "import operator_console.guard", "Rooms stand beside"),
    ("cli/breach.py", "import PySide6", "Qt lives"),
    ("desktop/breach.py", "import pyautogui", "Only the injector"),
    ("injector/breach.py", "import pynput", "Only the guard"),
    ("practice/breach.py", "import Xlib", "X is spoken"),
    ("computers/breach.py", "import operator_console.desktop.x11.windows", "computers knows"),
    ("computers/breach.py", "import xcffib", "X is spoken"),
    ("tools/breach.py", "from google import genai", "vendor's SDK"),
    ("settings/breach.py", "import sqlite3", "SQLite"),
    ("guard/breach.py", "import numpy", "guard starts fast"),
]


def lint(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", _LINT]
    return subprocess.run(command, cwd=root, env={"PYTHONPATH": str(root)}, capture_output=True, text=True, timeout=100)


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("copy")
    shutil.copytree(PACKAGE, root / "operator_console", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", root)
    (root / "operator_console" / "cli").mkdir(exist_ok=True)
    (root / "operator_console" / "cli" / "__init__.py").touch()
    return root


@pytest.mark.parametrize(("file", "source", "contract"), BREACHES)
def test_a_breach_is_caught(copy: Path, file: str, source: str, contract: str) -> None:
    breach = copy / "operator_console" / file
    breach.write_text(source + "\n")
    try:
        done = lint(copy)
    finally:
        breach.unlink()
    broken = [line for line in done.stdout.splitlines() if "BROKEN" in line]
    assert done.returncode == 1, done.stdout + done.stderr
    assert any(contract in line for line in broken), broken
