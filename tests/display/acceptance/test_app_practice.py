"""The practice run in the window, judged by the practice window's own file; an ambiguous label is asked about."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from operator_console.practice.log import read_log
from operator_console.practice.verdict import judge, pressed_saves
from tests.display.acceptance.app_harness import App
from tests.display.acceptance.harness import console_env
from tests.display.rig import AccessibleDesktop, launch


@pytest.mark.slow
@pytest.mark.timeout(180)
def test_practice_succeeds_in_the_app(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    app = App(accessible_desktop, tmp_path, "practice")
    app.wait("Refresh targets", enabled=True)  # they are listed
    assert "runbook" in app.wait("Model", "combo box").name
    assert "Plant diary" in app.wait("Target", "combo box").name
    app.press("Start")
    app.wait_record("ended", outcome="finished", timeout_s=150)
    logs = sorted((app.home / "sessions").glob("*.practice.jsonl"))
    assert len(logs) == 1
    assert judge(read_log(logs[0])).missing == ()
    assert app.close() == 0


def test_two_labels_of_the_same_name_are_asked_about(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    log = tmp_path / "diary.jsonl"
    command = [sys.executable, "-m", "operator_console.practice", "--log", str(log), "--ambiguous"]
    env = {"PYTHONPATH": console_env(accessible_desktop.desktop)["PYTHONPATH"], "QT_QPA_PLATFORM": "xcb"}
    launch(accessible_desktop.desktop, command, title="Plant diary", env=env, active=False)
    app = App(accessible_desktop, tmp_path)
    app.start("Plant diary", task='click "Save"', autonomy="Guarded", model="runbook")
    question = app.wait_record("question")["question"]
    assert question["answer"] == "choose"
    places = [choice["region"] for choice in question["choices"]]
    assert len(places) == 2
    assert places[0] != places[1]
    second = max(range(2), key=lambda place: (places[place]["y"], places[place]["x"]))
    app.press(f"{second + 1} · {question['choices'][second]['label']}")
    app.wait_record("ended", outcome="finished")
    pressed = pressed_saves(read_log(log))
    assert len(pressed) == 1
    assert app.close() == 0
