"""The operator uses an isolated desktop by real keys and buttons in the preview; judged on that desktop."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.display.acceptance.app_harness import BUTTON, App
from tests.display.acceptance.event_window import ButtonEvent, EventWindow
from tests.display.acceptance.harness import final, insistent, turn
from tests.display.rig import AccessibleDesktop, Desktop, RigError, launch_mousepad, wait_until
from tests.display.rig.server import server_of_another
from tests.servers.gemini_server import GeminiServerThread

TYPED = {"us": "Az /?:\"'\\|@#[]{}", "de": "Yz /?\"'@{}ß äÖ", "fr": "Qaw 159.?;:! éà"}
_SIZE = (1440, 900)
_MARGIN = 10
PASTED = " pasted 你好 😀"


@contextmanager
def isolated(name: str, folder: Path) -> Iterator[Desktop]:
    """The started desktop, as one of its own clients sees it."""
    desktop = Desktop(server_of_another(name, _SIZE, folder), folder, wm=False)
    try:
        yield desktop
    finally:
        desktop.close()


class Preview:
    """Where the picture is on the person's screen: all of it, centred, with a margin around it."""

    def __init__(self, app: App) -> None:
        extents = app.wait("Live preview").extents
        assert extents is not None
        x, y, width, height = extents
        self.zoom = min((width - 2 * _MARGIN) / _SIZE[0], (height - 2 * _MARGIN) / _SIZE[1])
        self.width, self.height = (round(side * self.zoom) for side in _SIZE)
        self.x, self.y = x + (width - self.width) // 2, y + (height - self.height) // 2

    def shows(self, x: int, y: int) -> tuple[int, int]:
        """The pixel of the desktop that is under a pixel of the screen."""
        return (x - self.x) * _SIZE[0] // self.width, (y - self.y) * _SIZE[1] // self.height

    def near(self, x: int, y: int) -> tuple[str, str]:
        """The pixel of the screen at which a pixel of the desktop is shown."""
        return str(self.x + int(x * self.zoom)), str(self.y + int(y * self.zoom))


def _drags(here: Desktop, preview: Preview, window: EventWindow) -> None:
    """Each press and release arrives at the pixel that is under the pointer."""
    place = window.application.now()
    expected = []
    for number, (x, y) in enumerate(((place.x + 40, place.y + 30), (place.x + 333, place.y + 211))):
        at = preview.near(x, y)
        here.xdo("mousemove", *at)
        here.xdo("mouseup" if number else "mousedown", "1")
        shown = preview.shows(int(at[0]), int(at[1]))
        kind = "Release" if number else "Press"
        expected.append(ButtonEvent(kind, shown[0] - place.x, shown[1] - place.y, 1))
        wait_until(lambda: len(window.buttons()) >= len(expected), f"the {kind.lower()} to arrive")
    assert window.buttons() == expected


def _copies(here: Desktop, file: Path) -> None:
    """On the person's own desktop."""
    file.write_text(PASTED, "utf-8")
    launch_mousepad(here, file)
    before = here.clipboard_owner()
    here.xdo("key", "ctrl+a", "ctrl+c")
    wait_until(lambda: here.clipboard_owner() not in (0, before), "the text to be copied")


def _writes(here: Desktop, file: Path, wanted: str) -> None:
    """The editor takes in what is pasted when it comes, which may be after the keys that save."""

    def written() -> bool:
        here.xdo("key", "ctrl+s")
        return file.exists() and file.read_text("utf-8").removesuffix("\n") == wanted

    try:
        wait_until(written, "the note", interval_s=0.5)
    except RigError:
        assert file.read_text("utf-8").removesuffix("\n") == wanted
        raise


@pytest.mark.full
@pytest.mark.timeout(300)
def test_what_is_typed_dragged_and_pasted_in_the_preview_arrives(
    accessible_desktop: AccessibleDesktop, tmp_path: Path
) -> None:
    """In each run: tests/ui/test_taking_over_in_preview.py, and computers/test_hand_on_isolated_desktop.py."""
    here = accessible_desktop.desktop
    turns = insistent(turn(("click_at", {"x": 500, "y": 500})), final("Done."))
    with GeminiServerThread(turns, api_key="test-key") as server:
        app = App(accessible_desktop, tmp_path, url=server.url)
        app.start("Virtual desktop")
        app.wait("Approve", BUTTON, enabled=True)
        app.press("Take over")
        app.wait_record("handed_over")
        asked = len(server.received)
        preview = Preview(app)
        with isolated(app.wait_record("session_started")["target"]["display"], tmp_path) as there:
            window = EventWindow(there)
            _drags(here, preview, window)
            file = tmp_path / "note.txt"
            editor = launch_mousepad(there, file)
            place = editor.now()
            here.xdo("mousemove", *preview.near(place.x + place.width // 2, place.y + place.height // 2), "click", "1")
            for layout, text in TYPED.items():
                here.set_layout(layout)
                here.xdo("type", "--delay", "30", text)
                here.xdo("key", "Return")
            here.set_layout("us")
            _copies(here, tmp_path / "source.txt")
            here.activate(app.window.xid)
            app.focus("Live preview")
            here.xdo("key", "ctrl+v")
            _writes(here, file, "\n".join([*TYPED.values(), PASTED]))
            assert len(server.received) == asked
        app.press("Hand back")
        used = app.wait_record("handed_back")["by_hand"]
        assert (used["presses"], used["texts"]) == (2, 1)
        assert used["keys"] >= len("".join(TYPED.values()))
        app.wait_record("ended", outcome="finished")
        assert app.close() == 0
