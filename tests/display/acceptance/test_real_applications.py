"""Real applications are worked through the whole console by a scripted Gemini, and judged by what they hold."""

from __future__ import annotations

from pathlib import Path

from tests.display.acceptance.harness import final, grid, insistent, start_run, turn
from tests.display.acceptance.log_page import LogPage
from tests.display.rig import Desktop, launch_chromium, launch_galculator, launch_mousepad, wait_until
from tests.servers.gemini_server import GeminiServerThread
from tests.servers.scripted_server import Turn

TEXT = "Zażółć gęślą jaźń — 你好, 日本語 €"

# Centres of galculator's buttons, in pixels from its client area's corner.
_KEYPAD = {
    "7": (35, 200), "8": (100, 200), "9": (165, 200), "/": (230, 200),
    "4": (35, 240), "5": (100, 240), "6": (165, 240), "*": (230, 240),
    "1": (35, 280), "2": (100, 280), "3": (165, 280), "-": (230, 280),
    "0": (35, 320), "=": (295, 300), "+": (230, 320),
}  # fmt: skip


def test_a_text_in_many_scripts_and_a_calculators_result_are_typed_and_saved(desktop: Desktop, tmp_path: Path) -> None:
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


def test_a_page_is_opened_clicked_scrolled_and_its_form_filled(desktop: Desktop, tmp_path: Path) -> None:
    with LogPage() as page:
        browser = launch_chromium(desktop, "about:blank", "--window-size=1000,700")
        size = desktop.server.size
        places = page.places
        turns: list[Turn] = [
            turn(("hotkey", {"keys": ["ctrl", "l"]}), ("type", {"text": page.url, "press_enter": True})),
            turn(("wait", {"seconds": 0.5})),
            lambda seen: turn(("click", grid(places.at("button"), size))),
            lambda seen: turn(
                ("scroll", {**grid(places.at("list"), size), "direction": "down", "magnitude_in_wheel_clicks": 3})
            ),
            lambda seen: turn(("click", grid(places.at("name"), size))),
            turn(("type", {"text": TEXT})),
            lambda seen: turn(("click", grid(places.at("done"), size))),
            final(),
        ]
        with GeminiServerThread(insistent(*turns), api_key="test-key") as server:
            console = start_run(desktop, tmp_path, server.url)
            assert console.wait() == 0, console.report()
            assert server.violations == []
        wait_until(lambda: page.logged("done"), "the page's own log to tell of the last click")
        assert page.logged("button")[0]["trusted"] is True
        assert page.logged("scroll")[-1]["top"] > 0
        assert page.logged("done")[0]["value"] == TEXT
    assert browser.child is not None
