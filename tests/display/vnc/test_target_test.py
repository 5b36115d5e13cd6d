"""`targets test` on a machine over VNC: its pointer is moved, and found again in its pictures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.display.acceptance.harness import start_console
from tests.display.rig import Desktop
from tests.display.vnc.machine import Machine


@pytest.mark.full
def test_the_pointer_of_a_machine_is_found_in_its_pictures(desktop: Desktop, tmp_path: Path, machine: Machine) -> None:
    """In each run: tests/computers/vnc/test_drawn_pointer.py and tests/app/test_target_trial.py, without marks."""
    console = start_console(desktop, tmp_path, "targets", "test", machine.target.spec, "--json")
    assert console.wait() == 0, console.report()
    result = json.loads(console.stdout.read_text(encoding="utf-8"))
    assert [(line["name"], line["outcome"], line["error_px"]) for line in result["lines"]] == [
        ("Picture", "ok", None), ("Place 1", "ok", 0.0), ("Place 2", "ok", 0.0), ("Place 3", "ok", 0.0),
        ("Word", "not tried", None), ("Stop", "ok", None),
    ]  # fmt: skip
    assert start_console(desktop, tmp_path, "reset", "--yes").wait() == 0
