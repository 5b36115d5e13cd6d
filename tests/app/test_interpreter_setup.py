"""How the interpreter runs the window's process."""

from __future__ import annotations

import builtins
import subprocess
import sys

import PySide6.QtCore  # noqa: F401
import pytest

from operator_console.app import interpreter_setup


def test_imports_do_not_go_through_pyside(monkeypatch: pytest.MonkeyPatch) -> None:
    hook = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", hook)  # comes back after the test
    interpreter_setup.remove_import_hook()
    assert builtins.__import__ is getattr(builtins, "__orig_import__")  # noqa: B009  PySide6 keeps Python's own there
    assert builtins.__import__ is not hook


_COLLECTION = """
import gc
from operator_console.app import interpreter_setup
interpreter_setup.pause_collection()
assert not gc.isenabled()
kept = [[]]
interpreter_setup.resume_collection()
assert gc.isenabled()
assert not any(each is kept for each in gc.get_objects())
assert gc.get_freeze_count() > 0
"""


def test_nothing_is_collected_until_the_window_can_be_used_and_then_only_what_is_new() -> None:
    """In a process of its own: here, widgets that other tests left would be collected while Qt walks over them."""
    subprocess.run([sys.executable, "-c", _COLLECTION], check=True)
