"""No step waits longer than its application needs, nor shorter: a late repaint is seen, a caret and a clock are not
waited for. Through `run` and a scripted Gemini, judged by the pictures the model got and the record of the waits.
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
from tests.servers.gemini_scripts import Seen
from tests.servers.gemini_server import GeminiServerThread

_PROGRAM = Path(__file__).with_name("late_window.py")
_LATE = (200, 30, 30)
_AT = (350, 200)


def window(desktop: Desktop, *kinds: str) -> Application:
    """A window that turns red 2 s after a click, and may have a blinking caret and a ticking clock."""
    args = [sys.executable, str(_PROGRAM), *kinds]
    return launch(desktop, args, title="Late", env={"QT_QPA_PLATFORM": "xcb"})


@pytest.mark.slow
def test_the_model_sees_what_is_painted_two_seconds_after_a_click(desktop: Desktop, tmp_path: Path) -> None:
    late = window(desktop, "late").now()
    seen: list[Any] = []

    def look(request: Seen) -> dict[str, Any]:
        seen.append(Image.open(io.BytesIO(request.png)).convert("RGB").getpixel((late.x + 20, late.y + 150)))
        return final()

    click = turn(("click", grid((late.x + _AT[0], late.y + _AT[1]), desktop.server.size)))
    with GeminiServerThread([click, look], api_key="test-key") as server:
        console = start_run(desktop, tmp_path, server.url)
        assert console.wait() == 0, console.report()
    assert performed(console.events())[0][0] == "done", console.report()
    assert seen == [_LATE]
    (settled,) = [event for event in console.events() if event["kind"] == "settled"]
    assert settled["reason"] == "quiet", settled


@pytest.mark.slow
def test_no_step_waits_for_a_caret_or_a_clock(desktop: Desktop, tmp_path: Path) -> None:
    place = window(desktop, "caret", "clock").now()
    size = desktop.server.size
    steps = [turn(("click", grid((place.x + 60 + 40 * n, place.y + _AT[1]), size))) for n in range(6)]
    with GeminiServerThread([*steps, final()], api_key="test-key") as server:
        console = start_run(desktop, tmp_path, server.url)
        assert console.wait() == 0, console.report()
    waits = [event for event in console.events() if event["kind"] == "settled"]
    assert len(waits) == len(steps)
    assert [event["reason"] for event in waits] == ["quiet"] * len(steps), waits
