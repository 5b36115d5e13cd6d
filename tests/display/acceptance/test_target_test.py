"""`targets test` on real targets: what it says, how it ends, and what is left."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.display.acceptance.harness import start_console
from tests.display.rig import AccessibleDesktop, Desktop
from tests.display.rig.sheet import Sheet

NAMES_OF_MARKS = ["Mark 1", "Mark 2", "Mark 3", "Word", "Stop"]
NAMES_OF_PLACES = ["Picture", "Place 1", "Place 2", "Place 3", "Word", "Stop"]


def home() -> Path:
    return Path(os.environ["OPERATOR_CONSOLE_HOME"])


def result_of(desktop: Desktop, folder: Path, target: str) -> tuple[int, dict[str, Any]]:
    """The exit code and the result of a Test; the stop that it ends with is reset, as a person does."""
    console = start_console(desktop, folder, "targets", "test", target, "--json")
    code = console.wait()
    text = console.stdout.read_text(encoding="utf-8")
    assert text.startswith("{"), console.report()
    reset = start_console(desktop, folder, "reset", "--yes")
    assert reset.wait() == 0
    assert "Reset." in reset.stdout.read_text(encoding="utf-8"), "it ends stopped"
    result: dict[str, Any] = json.loads(text)
    return code, result


def lines(result: dict[str, Any]) -> list[tuple[str, str]]:
    return [(line["name"], line["outcome"]) for line in result["lines"]]


def errors(result: dict[str, Any]) -> list[float]:
    return [line["error_px"] for line in result["lines"] if line["error_px"] is not None]


def require_proven(code: int, result: dict[str, Any], names: list[str]) -> None:
    """Everything was tried and is well, to the pixel."""
    assert lines(result) == [(name, "ok") for name in names], result
    assert errors(result) == [0.0, 0.0, 0.0]
    assert (code, result["ok"], result["stopped"]) == (0, True, True)


@pytest.mark.full
def test_a_monitor_is_proven_by_marks_a_word_and_a_stop_and_the_test_is_recorded(
    accessible_desktop: AccessibleDesktop, tmp_path: Path
) -> None:
    """In each run: tests/app/test_target_trial.py."""
    code, result = result_of(accessible_desktop.desktop, tmp_path, "monitor:1")
    require_proven(code, result, ["Picture", *NAMES_OF_MARKS])
    assert accessible_desktop.desktop.find_window(title="Target test") is None
    (record,) = (home() / "sessions").glob("*.ocsession")
    with sqlite3.connect(record) as file:
        kinds = [kind for (kind,) in file.execute("select kind from events order by seq")]
    assert kinds.count("granted") == 5, "three presses, the word, and the text that was stopped"
    assert kinds[-2:] == ["stopped", "ended"]


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.timeout(180)
def test_an_isolated_desktop_is_proven_in_the_same_way(desktop: Desktop, tmp_path: Path) -> None:
    code, result = result_of(desktop, tmp_path, "virtual:1024x768")
    require_proven(code, result, ["Picture", *NAMES_OF_MARKS])


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.timeout(180)
def test_a_browser_is_proven_on_a_page_of_the_consoles(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: tests/app/test_target_trial.py, whose browser shows that page."""
    home().mkdir(parents=True, exist_ok=True)
    (home() / "settings.toml").write_text("[browser]\nheadless = true\n")
    code, result = result_of(desktop, tmp_path, "browser")
    require_proven(code, result, NAMES_OF_MARKS)


@pytest.mark.full
def test_a_window_is_only_moved_over(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: tests/app/test_target_trial.py, without marks."""
    with Sheet(desktop, (200, 150, 600, 400), managed=True) as sheet:
        code, result = result_of(desktop, tmp_path, f"window:{sheet.xid:#x}")
        assert sheet.hits() == [], "nothing is pressed there"
    assert lines(result) == [(name, "not tried" if name == "Word" else "ok") for name in NAMES_OF_PLACES]
    assert (code, errors(result)) == (0, [0.0, 0.0, 0.0])


def test_a_stopped_display_is_not_tested(desktop: Desktop, tmp_path: Path) -> None:
    assert start_console(desktop, tmp_path, "stop").wait() == 0
    console = start_console(desktop, tmp_path, "targets", "test", "monitor:1")
    assert console.wait() == 5
    assert start_console(desktop, tmp_path, "reset", "--yes").wait() == 0
