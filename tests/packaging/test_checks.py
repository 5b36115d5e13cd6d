"""The checks of the test command: each runs to its end, and what failed is named."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import bootstrap
import setup_python
from checks import Check, closing_line

ROOT = Path(__file__).resolve().parents[2]

# Fails where it has not run before.
FIRST_TIME = """
import pathlib

def test_steady():
    pass

def test_first_time():
    noted = pathlib.Path("noted")
    before = noted.exists()
    noted.touch()
    assert before
"""


def test_a_test_that_would_pass_when_repeated_fails_the_check(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "test_it.py").write_text(FIRST_TIME)
    check = Check("tests", [sys.executable, "-m", "pytest", "-q", "."])
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    check.run({**env, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, str(tmp_path))
    assert check.code == 1
    assert "FAILED" in check.summary()
    assert "1 failed, 1 passed in" in check.summary()


@pytest.mark.parametrize(
    ("output", "line"),
    [
        ("....\n4 passed in 0.01s\n", "4 passed in 0.01s"),
        ("===== 1 failed, 4 passed in 61.20s (0:01:01) =====\n", "1 failed, 4 passed in 61.20s (0:01:01)"),
        ("\x1b[32m\x1b[1m4 passed\x1b[0m\x1b[32m in 0.01s\x1b[0m\n", "4 passed in 0.01s"),
        ("2 passed\nno tests ran in 0.01s\n", "2 passed"),
        ("INTERNALERROR> it broke\n", ""),
    ],
)
def test_the_closing_line_is_found(output: str, line: str) -> None:
    assert closing_line(output) == line


def test_every_check_is_run_and_failures_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    todo = [Check("one", ["false"]), Check("two", ["echo", "said"])]
    monkeypatch.setattr(bootstrap, "checks", lambda _: todo)
    assert bootstrap.test(setup_python.Venv(ROOT)) == 1
    said = capsys.readouterr().out
    assert "== two: echo said\nsaid\n" in said
    assert "FAILED: one in" in said
    assert [check.code for check in todo] == [1, 0]


def test_the_checks_are_those_that_are_promised() -> None:
    todo = bootstrap.checks(setup_python.Venv(ROOT))
    commands = [" ".join(check.command) for check in todo]
    for part in (
        "ruff check",
        "ruff format --check",
        "lint-imports",
        "mypy",
        "--ignore=tests/display",
        " tests/display",
    ):
        assert any(part in command for command in commands), part
