"""Each step waits exactly as long as the application needs: for a late repaint, but not for a caret or a clock.

Through `run` with a scripted Gemini; checked by the pictures that the model got and the recorded waits.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from subprocess import TimeoutExpired
from typing import Any

import pytest
from PIL import Image

from tests.display.acceptance.harness import Console, final, grid, performed, start_run, turn
from tests.display.rig import Desktop, WindowInfo, launch
from tests.servers.gemini_server import GeminiServerThread
from tests.servers.scripted_server import Seen, Turn

_PROGRAM = Path(__file__).with_name("late_window.py")
_LATE, _LATER = (200, 30, 30), (30, 30, 200)
_AT = (350, 200)


@contextmanager
def window(desktop: Desktop, *kinds: str) -> Iterator[WindowInfo]:
    """The window of `late_window`, with these kinds of changes."""
    args = [sys.executable, str(_PROGRAM), *kinds]
    shown = launch(desktop, args, title="Late", env={"QT_QPA_PLATFORM": "xcb"})
    try:
        yield shown.now()
    finally:
        shown.stop()


def unpaused(play: Callable[[], Console]) -> list[dict[str, Any]]:
    """The events of a session that was played to its end; played anew where a busy machine has paused it.

    Such a pause cuts a wait short, or a turn; not so one before the first action.
    """
    while True:
        console = play()
        events = console.events()
        acted = next((at for at, event in enumerate(events) if event["kind"] == "granted"), len(events))
        if not any(event["kind"] == "paused" and event["by"] == "lease" for event in events[acted:]):
            assert console.wait() == 0, console.report()
            return events
        print(console.report())


@pytest.mark.full
@pytest.mark.slow
def test_a_late_repaint_is_waited_for_and_no_step_waits_for_a_caret_or_a_clock(
    desktop: Desktop, tmp_path: Path
) -> None:
    """It is painted two seconds after the first click, beside a caret and a clock.

    In each run: tests/display/computers/test_stillness.py, for window and monitor.
    """
    size = desktop.server.size
    seen: list[Any] = []

    def play() -> Console:
        seen.clear()
        with window(desktop, "late", "caret", "clock") as late:
            clicks = [turn(("click", grid((late.x + 60 + 40 * n, late.y + _AT[1]), size))) for n in range(6)]

            def look(request: Seen) -> dict[str, Any]:
                seen.append(pixel(request, late))
                return clicks[0]

            first = turn(("right_click", grid((late.x + _AT[0], late.y + _AT[1]), size)))
            return played(desktop, tmp_path, [first, look, *clicks[1:], final()])

    events = unpaused(play)
    assert [result for result, _ in performed(events)] == ["done"] * 7, events
    assert seen == [_LATE]
    waits = [event for event in events if event["kind"] == "settled"]
    assert [event["reason"] for event in waits] == ["quiet"] * 7, waits


@pytest.mark.full
@pytest.mark.slow
def test_the_model_sees_the_second_of_two_stages(desktop: Desktop, tmp_path: Path) -> None:
    """A part is painted at once and everything 2 s later: by a responsive application, whose new picture replaces the
    former one while the model thinks; and by an application that blocks.

    In each run: tests/display/computers/test_stillness.py and tests/engine/test_changes_told.py.
    """
    seen: list[Any] = []

    def play() -> Console:
        seen.clear()
        with window(desktop, "stages") as place:
            middle = grid(place.centre, desktop.server.size)

            def look(request: Seen, turn: dict[str, Any]) -> dict[str, Any]:
                seen.append(pixel(request, place))
                return turn

            def think(request: Seen) -> dict[str, Any]:
                """For longer than it takes to paint, and of what was asked first; asked anew, at once."""
                return look(request, turn(("click", middle)) | ({} if seen else {"delay_s": 60.0}))

            turns: list[Turn] = [turn(("right_click", middle)), think, lambda request: look(request, final())]
            return played(desktop, tmp_path, turns)

    events = unpaused(play)
    assert seen[1:] == [_LATER, _LATE]
    assert seen[0] not in seen[1:]
    assert [event["changed"] for event in events if event["kind"] == "settled"] == [True, True]
    assert [event["kind"] for event in events].count("granted") == 2, "the answer to the old picture counts for nothing"


def played(desktop: Desktop, folder: Path, turns: Sequence[Turn]) -> Console:
    """A session in which the model says these turns, once it has ended."""
    with GeminiServerThread(turns, api_key="test-key") as server:
        console = start_run(desktop, folder, server.url)
        try:
            console.wait(100.0)  # before the limit of a test, which says nothing of the session
        except TimeoutExpired:
            pytest.fail(console.report())
    return console


def pixel(request: Seen, window: WindowInfo) -> Any:
    """A pixel of the window's background, as the model sees it."""
    picture = Image.open(io.BytesIO(request.png)).convert("RGB")
    return picture.getpixel((window.x + 20, window.y + 150))
