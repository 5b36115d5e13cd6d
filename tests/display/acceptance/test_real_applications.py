"""Real applications are worked through the whole console by a scripted Gemini, and judged by what they hold.

A page in a browser, in every dialect: test_dialects.py.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.display.acceptance.harness import final, grid, insistent, start_run, turn
from tests.display.rig import Desktop, launch_galculator, launch_mousepad
from tests.servers.gemini_server import GeminiServerThread

TEXT = "Zażółć gęślą jaźń — 你好, 日本語 €"

# Centres of galculator's buttons, in pixels from its client area's corner.
_KEYPAD = {
    "7": (35, 200), "8": (100, 200), "9": (165, 200), "/": (230, 200),
    "4": (35, 240), "5": (100, 240), "6": (165, 240), "*": (230, 240),
    "1": (35, 280), "2": (100, 280), "3": (165, 280), "-": (230, 280),
    "0": (35, 320), "=": (295, 300), "+": (230, 320),
}  # fmt: skip


@pytest.mark.full
def test_a_text_in_many_scripts_and_a_calculators_result_are_typed_and_saved(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: many scripts in actions/test_round_trip.py, a calculator in perception/test_toolkits.py."""
    note = tmp_path / "note.txt"
    calculator = launch_galculator(desktop)
    editor = launch_mousepad(desktop, note)
    desktop.move_window(editor.window.xid, 500, 100)
    size = desktop.server.size
    body = grid(editor.now().centre, size)
    corner = calculator.now()

    def press(key: str) -> tuple[str, dict[str, object]]:
        dx, dy = _KEYPAD[key]
        return "click", dict(grid((corner.x + dx, corner.y + dy), size))

    turns = [
        turn(("take_screenshot", {}), thought="I look first."),
        turn(("click", body)),
        turn(("type", {"text": TEXT[:9]})),
        turn(("type", {"text": TEXT[9:20]})),
        turn(("type", {"text": TEXT[20:] + "\n"})),
        turn(("press_key", {"key": "Home"})),
        turn(("hotkey", {"keys": ["shift", "End"]})),
        turn(("press_key", {"key": "End"})),
        turn(("scroll", {**body, "direction": "down", "magnitude_in_wheel_clicks": 2})),
        turn(("move", body), ("wait", {"seconds": 0.1})),
        turn(press("1")),
        turn(press("2"), press("*")),
        turn(press("3")),
        turn(press("4")),
        turn(press("=")),
        turn(("hotkey", {"keys": ["ctrl", "c"]})),
        turn(("click", body)),
        turn(("hotkey", {"keys": "ctrl+v"})),
        turn(("hotkey", {"keys": ["ctrl", "s"]})),
        turn(("take_screenshot", {})),
        final("The text is saved."),
    ]
    with GeminiServerThread(insistent(*turns), api_key="test-key", keep_screenshots=3) as server:
        console = start_run(desktop, tmp_path, server.url)
        code = console.wait()
        assert code == 0, console.report()
        assert server.violations == []
    assert note.read_text(encoding="utf-8").splitlines() == [TEXT, "408"]
    ended = console.events()[-1]
    assert (ended["kind"], ended["outcome"]) == ("ended", "finished")
    assert ended["steps"] >= 21
