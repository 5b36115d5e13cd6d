"""What the window remembers: written for this user alone, and nothing where the file is damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from operator_console.settings.remembered_window import (
    KEPT_MACHINES,
    KEPT_TASKS,
    LONGEST_TASK,
    RememberedWindow,
    read_remembered,
    write_remembered,
)


def test_what_was_written_is_read_and_private(tmp_path: Path) -> None:
    path = tmp_path / "state" / "window.json"
    remembered = RememberedWindow(
        "AdnQ",
        ("Copy the receipt.", "Naïve — ✓"),
        {"side": 420},
        {"target": "monitor:1", "max_steps": 7},
        ("build-7.example:5901",),
    )
    write_remembered(path, remembered)
    assert read_remembered(path) == remembered
    assert path.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(
    "text",
    [
        None, "", "[]", "{", '{"geometry": 3, "tasks": "x"}', '{"tasks": [1, null]}', '{"sizes": [4]}',
        '{"sizes": {"side": 0, "b": true, "c": "9", "d": 99999}}',
        '{"machines": "host:5900"}', '{"machines": [5900]}',
        '{"setup": ["monitor:1"]}', '{"setup": {"target": null, "max_steps": 1.5, "max_minutes": true}}',
    ],
)  # fmt: skip
def test_a_missing_or_damaged_file_is_empty(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "window.json"
    if text is not None:
        path.write_text(text, encoding="utf-8")
    assert read_remembered(path) == RememberedWindow()


def test_the_newest_tasks_are_kept_once_each_and_no_huge_one() -> None:
    remembered = RememberedWindow()
    for task in ("a", "b", "a", "  ", "x" * (LONGEST_TASK + 1)):
        remembered = remembered.with_task(task)
    assert remembered.tasks == ("a", "b")
    for number in range(KEPT_TASKS + 5):
        remembered = remembered.with_task(str(number))
    assert len(remembered.tasks) == KEPT_TASKS


def test_machines_are_kept_once_each_newest_first_and_one_can_be_taken_off() -> None:
    remembered = RememberedWindow()
    for address in ("a:1", "b:2", "a:1"):
        remembered = remembered.with_machine(address)
    assert remembered.machines == ("a:1", "b:2")
    assert remembered.without_machine("a:1").machines == ("b:2",)
    for port in range(KEPT_MACHINES + 5):
        remembered = remembered.with_machine(f"c:{port}")
    assert len(remembered.machines) == KEPT_MACHINES
