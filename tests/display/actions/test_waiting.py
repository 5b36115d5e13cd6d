"""Each step waits exactly as long as the application needs: for a late repaint, but not for a caret or a clock.

Through `run` with a scripted Gemini; checked by the pictures that the model got and the recorded waits.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.display.acceptance.harness import final, grid, performed, start_run, turn
from tests.display.rig import Application, Desktop, launch
from tests.servers.gemini_server import GeminiServerThread
from tests.servers.scripted_server import Seen, Turn

_PROGRAM = Path(__file__).with_name("late_window.py")
_LATE, _LATER = (200, 30, 30), (30, 30, 200)
_AT = (350, 200)


def window(desktop: Desktop, *kinds: str) -> Application:
    """The window of `late_window`, with these kinds of changes."""
    args = [sys.executable, str(_PROGRAM), *kinds]
    return launch(desktop, args, title="Late", env={"QT_QPA_PLATFORM": "xcb"})


@pytest.mark.full
@pytest.mark.slow
def test_a_late_repaint_is_waited_for_and_no_step_waits_for_a_caret_or_a_clock(
    desktop: Desktop, tmp_path: Path
) -> None:
    """It is painted two seconds after the first click, beside a caret and a clock.

    In each run: tests/display/computers/test_stillness.py, for window and monitor.
    """
    late = window(desktop, "late", "caret", "clock").now()
    size = desktop.server.size
    seen: list[Any] = []
    clicks = [turn(("click", grid((late.x + 60 + 40 * n, late.y + _AT[1]), size))) for n in range(6)]

    def look(request: Seen) -> dict[str, Any]:
        seen.append(Image.open(io.BytesIO(request.png)).convert("RGB").getpixel((late.x + 20, late.y + 150)))
        return clicks[0]

    first = turn(("right_click", grid((late.x + _AT[0], late.y + _AT[1]), size)))
    with GeminiServerThread([first, look, *clicks[1:], final()], api_key="test-key") as server:
        console = start_run(desktop, tmp_path, server.url)
        assert console.wait() == 0, console.report()
    assert [result for result, _ in performed(console.events())] == ["done"] * 7, console.report()
    assert seen == [_LATE]
    waits = [event for event in console.events() if event["kind"] == "settled"]
    assert [event["reason"] for event in waits] == ["quiet"] * 7, waits


@pytest.mark.full
@pytest.mark.slow
def test_the_model_sees_the_second_of_two_stages(desktop: Desktop, tmp_path: Path) -> None:
    """A part is painted at once and everything 2 s later: by a responsive application, whose new picture replaces the
    former one while the model thinks; and by an application that blocks.

    In each run: tests/display/computers/test_stillness.py and tests/engine/test_changes_told.py.
    """
    place = window(desktop, "stages").now()
    middle = grid(place.centre, desktop.server.size)
    seen: list[Any] = []

    def look(request: Seen, turn: dict[str, Any]) -> dict[str, Any]:
        seen.append(Image.open(io.BytesIO(request.png)).convert("RGB").getpixel((place.x + 20, place.y + 150)))
        return turn

    def think(request: Seen) -> dict[str, Any]:
        """For longer than it takes to paint, and of what was asked first; asked anew, at once."""
        return look(request, turn(("click", middle)) | ({} if seen else {"delay_s": 60.0}))

    turns: list[Turn] = [turn(("right_click", middle)), think, lambda request: look(request, final())]
    with GeminiServerThread(turns, api_key="test-key") as server:
        console = start_run(desktop, tmp_path, server.url)
        assert console.wait() == 0, console.report()
    assert seen[1:] == [_LATER, _LATE]
    assert seen[0] not in seen[1:]
    events = console.events()
    assert [event["changed"] for event in events if event["kind"] == "settled"] == [True, True]
    assert [event["kind"] for event in events].count("granted") == 2, "the answer to the old picture counts for nothing"
