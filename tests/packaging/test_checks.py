"""The checks of the test command: each runs to its end, and a test that fails once is told from one that is broken."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

import bootstrap
import setup_python
from checks import MOST_UNSTEADY, Check, PytestCheck, closing_line, run_all

ROOT = Path(__file__).resolve().parents[2]
PYTEST = [sys.executable, "-m", "pytest", "-q"]

STEADY = "def test_steady():\n    pass\n"
BROKEN = "def test_broken():\n    assert False\n"
# Fails where it has not run before.
FIRST_TIME = """
import pathlib

def test_first_time():
    noted = pathlib.Path("noted")
    before = noted.exists()
    noted.touch()
    assert before
"""


def checked(folder: Path, source: str, *options: str, once_more: bool = True) -> PytestCheck:
    """The check of a project that has these tests only, after it ran."""
    (folder / "pytest.ini").write_text("[pytest]\n")
    (folder / "test_it.py").write_text(source)
    check = PytestCheck("display tests", PYTEST, [*options, "."], once_more=once_more)
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    check.run({**env, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}, str(folder))
    return check


def test_a_test_that_passes_alone_is_listed_as_unsteady_and_does_not_fail_the_run(tmp_path: Path) -> None:
    check = checked(tmp_path, STEADY + FIRST_TIME, "-p", "xdist", "-n", "2")
    assert check.code == 0
    assert check.unsteady == ["test_it.py::test_first_time"]
    assert "1 failed, 1 passed in" in check.summary()[0]
    assert check.summary()[1].strip() == "unsteady: test_it.py::test_first_time"


def test_a_test_that_fails_twice_fails_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check = checked(tmp_path, STEADY + FIRST_TIME + BROKEN)
    assert check.code == 1
    assert check.unsteady == ["test_it.py::test_first_time"]
    said = capsys.readouterr().out
    assert "2 failed, 1 passed in" in said
    assert said.count("display tests, once more:") == 2


def test_an_error_of_a_fixture_is_run_once_more_too(tmp_path: Path) -> None:
    fixture = FIRST_TIME.replace("def test_first_time", "import pytest\n\n@pytest.fixture\ndef place")
    check = checked(tmp_path, fixture + "\ndef test_there(place):\n    pass\n")
    assert (check.code, check.unsteady) == (0, ["test_it.py::test_there"])


def test_other_checks_run_nothing_twice(tmp_path: Path) -> None:
    check = checked(tmp_path, FIRST_TIME, once_more=False)
    assert (check.code, check.unsteady) == (1, [])


def test_a_project_that_cannot_be_collected_fails(tmp_path: Path) -> None:
    check = checked(tmp_path, "import nothing_of_that_name\n")
    assert check.code != 0
    assert check.unsteady == []


def test_where_much_fails_nothing_is_run_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check = checked(tmp_path, "".join(BROKEN.replace("broken", f"broken_{n}") for n in range(MOST_UNSTEADY + 1)))
    assert check.code == 1
    assert "too many to be unsteady" in capsys.readouterr().out


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
    todo = [Check("one", ["false"]), Check("two", ["true"])]
    monkeypatch.setattr(bootstrap, "checks", lambda _: todo)
    assert bootstrap.test(setup_python.Venv(ROOT)) == 1
    said = capsys.readouterr().out
    assert "FAILED: one in" in said
    assert [check.code for check in todo] == [1, 0]


def test_what_is_run_aside_is_run_beside_the_others_and_shown_when_it_has_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    there, back = tmp_path / "there", tmp_path / "back"
    os.mkfifo(there)
    os.mkfifo(back)
    quick = Check("quick", ["true"])
    aside = Check("aside", ["sh", "-c", f"echo said aside; echo go > {there}; cat {back}"], aside=True)
    waits = Check("waits", ["sh", "-c", f"cat {there}; echo said here; echo go > {back}"])
    run_all([quick, aside, waits], os.environ, str(tmp_path))
    assert [check.code for check in (quick, aside, waits)] == [0, 0, 0]
    said = capsys.readouterr().out
    assert said.index("== quick") < said.index("== waits")
    assert "said aside\ngo\n" in said
    assert "said here\n" in said


class Interrupted(Check):
    """Ctrl+C while it runs."""

    def run(self, env: Mapping[str, str], cwd: str) -> None:
        Path(self.name).read_text()
        raise KeyboardInterrupt


def test_an_interrupt_ends_what_is_run_aside_and_starts_no_more_of_it(tmp_path: Path) -> None:
    running, later = tmp_path / "running", tmp_path / "later"
    os.mkfifo(running)
    aside = [
        Check("aside", ["sh", "-c", f"echo > {running}; exec sleep 600"], aside=True),
        Check("later", ["touch", str(later)], aside=True),
    ]
    with pytest.raises(KeyboardInterrupt):
        run_all([*aside, Interrupted(str(running), [])], os.environ, str(tmp_path))
    assert [check.code for check in aside] == [-signal.SIGTERM, 130]
    assert not later.exists()


def test_the_summary_shows_what_pytest_counted_and_what_was_unsteady(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    (tmp_path / "test_it.py").write_text(STEADY + FIRST_TIME)
    monkeypatch.setattr(bootstrap, "ROOT", tmp_path)
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    todo = [PytestCheck("display tests", PYTEST, ["."], once_more=True)]
    monkeypatch.setattr(bootstrap, "checks", lambda _: todo)
    assert bootstrap.test(setup_python.Venv(ROOT)) == 0
    summary = capsys.readouterr().out.partition("\nSummary\n")[2]
    assert "display tests: 1 failed, 1 passed in" in summary
    assert "unsteady: test_it.py::test_first_time" in summary
    assert summary.rstrip().endswith("(1 unsteady).")


def test_the_checks_are_those_that_are_promised() -> None:
    todo = bootstrap.checks(setup_python.Venv(ROOT))
    commands = [" ".join(check.command) for check in todo]
    for part in ("ruff check", "ruff format --check", "lint-imports", "mypy", "tests/display"):
        assert any(part in command for command in commands), part
    assert {check.name for check in todo if isinstance(check, PytestCheck)} == {"unit tests", "display tests"}
