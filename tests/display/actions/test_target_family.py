"""Windows that belong to a target (menus, file chooser, combo popup) can be used; windows that cover it are not hit.

Through `run --target window:0x…` with a scripted Gemini. The positions of popups are read from the X server, as a model
would read them from the picture.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.display.acceptance.event_window import EventWindow
from tests.display.acceptance.harness import Console, final, grid, performed, start_run, turn
from tests.display.rig import Application, Desktop, WindowInfo, launch, wait_until
from tests.servers.gemini_server import GeminiServerThread
from tests.servers.scripted_server import Turn

TEXT = "Kept by the file chooser: żółw"
FILE_MENU = (18, 12)  # in mousepad's window


class Target:
    """A target window and the windows that open over it."""

    def __init__(self, desktop: Desktop, application: Application) -> None:
        self.desktop, self.application = desktop, application
        self._console: Console | None = None

    def at(self, place: tuple[int, int]) -> dict[str, float]:
        """A screen pixel in the model's coordinates of the last picture, which dialogs enlarge."""
        pictures = [e["geometry"] for e in self._console.events() if e["kind"] == "observed"] if self._console else []
        if not pictures:
            window = self.application.now()
            return grid(place, (window.width, window.height), (window.x, window.y))
        size, origin = pictures[-1]["native"], pictures[-1]["origin"]
        return grid(place, (size["width"], size["height"]), (origin["x"], origin["y"]))

    def inside(self, x: int, y: int) -> dict[str, float]:
        """A pixel of the window in the model's coordinates."""
        window = self.application.now()
        return self.at((window.x + x, window.y + y))

    def popup(self) -> tuple[int, int, int, int]:
        """Left, top, width and height of the open menu or list."""
        found = wait_until(self._popup, "a popup to open", timeout_s=20)
        assert found is not None
        return found

    def dialog(self) -> WindowInfo:
        """The other window of the application."""
        own = self.application.window.xid

        def other() -> WindowInfo | None:
            return next((w for w in self.desktop.windows() if w.xid != own and self.desktop.viewable(w.xid)), None)

        found = wait_until(other, "the dialog", timeout_s=20)
        assert found is not None
        return found

    def run(self, folder: Path, *turns: Turn, closes: bool = False) -> list[dict[str, Any]]:
        """Run the turns; returns the events of the run. `closes`: whether the last turn closes the target."""
        with GeminiServerThread([*turns, final()], api_key="test-key") as server:
            spec = f"window:{self.application.window.xid:#x}"
            console = self._console = start_run(self.desktop, folder, server.url, "--target", spec)
            # One more picture may be taken before the window is gone.
            assert console.wait(80) in ({0, 1} if closes else {0}), console.report()
            assert server.violations == []
        return console.events()

    def _popup(self) -> tuple[int, int, int, int] | None:
        shown = [place for place in self.desktop.pop_ups().values() if place[2] > 40 and place[3] > 40]
        return shown[-1] if shown else None


def editor(desktop: Desktop, file: Path) -> Target:
    application = launch(desktop, ["mousepad", "--disable-server", str(file)], wm_class="mousepad")
    desktop.move_window(application.window.xid, 60, 40)
    desktop.resize_window(application.window.xid, 1000, 700)
    return Target(desktop, application)


@pytest.mark.full
@pytest.mark.slow
def test_a_menu_of_the_target_is_used(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: perception/test_open_menus.py, and the file chooser below."""
    file = tmp_path / "note.txt"
    file.write_text("words\n")
    target = editor(desktop, file)

    def last_item(_seen: object) -> dict[str, Any]:
        left, top, _, height = target.popup()
        return turn(("click", target.at((left + 40, top + height - 16))))  # Quit

    events = target.run(tmp_path, turn(("click", target.inside(*FILE_MENU))), last_item, closes=True)
    results = [result for result, _ in performed(events)]
    assert results == ["done"] * 2, performed(events)
    desktop.wait_gone(target.application.window.xid)


@pytest.mark.slow
@pytest.mark.full
def test_a_foreign_window_over_the_target_is_not_touched_and_its_own_file_chooser_is_used(
    desktop: Desktop, tmp_path: Path
) -> None:
    """In each run: injector/test_grants.py and computers/test_second_window.py."""
    target = editor(desktop, tmp_path / "first.txt")
    kept = tmp_path / "second.txt"
    foreign: list[EventWindow] = []

    def cover_the_menu(_seen: object) -> dict[str, Any]:
        foreign.append(EventWindow(desktop, geometry="500x200+60+20"))
        return turn(("click", target.inside(*FILE_MENU)))

    def uncover_and_write(_seen: object) -> dict[str, Any]:
        foreign[0].application.stop()
        desktop.wait_gone(foreign[0].xid)
        desktop.activate(target.application.window.xid)
        return turn(("type", {"text": TEXT}), ("hotkey", {"keys": ["ctrl", "shift", "s"]}))

    def name(_seen: object) -> dict[str, Any]:
        target.dialog()
        return turn(("hotkey", {"keys": ["ctrl", "a"]}), ("type", {"text": str(kept)}))

    def save(_seen: object) -> dict[str, Any]:
        dialog = target.dialog()
        return turn(("click", target.at((dialog.x + dialog.width - 40, dialog.y + dialog.height - 22))))

    events = target.run(tmp_path, cover_the_menu, uncover_and_write, name, save)
    covered, *others = [event for event in events if event["kind"] == "performed"]
    assert (covered["result"], covered["reason"]) == ("failed", "covered")
    assert "Event window" in covered["detail"]
    assert foreign[0].buttons() == []
    assert [event["result"] for event in others] == ["done"] * 5, performed(events)
    wait_until(kept.exists, "the file to be saved under its new name")
    assert kept.read_text(encoding="utf-8").rstrip("\n") == TEXT


@pytest.mark.full
@pytest.mark.slow
def test_the_popup_of_a_combo_box_is_used(desktop: Desktop, tmp_path: Path) -> None:
    """In each run: perception/test_open_menus.py, and the file chooser above."""
    args = ["zenity", "--forms", "--title=Choose", "--add-combo=Colour", "--combo-values=red|green|blue"]
    application = launch(desktop, [*args, "--width=700", "--height=500"], title="Choose")
    target = Target(desktop, application)

    def green(_seen: object) -> dict[str, Any]:
        left, top, _, height = target.popup()
        return turn(("click", target.at((left + 20, top + height // 2))))

    def ok(_seen: object) -> dict[str, Any]:
        return turn(("click", target.inside(700 - 60, 500 - 22)))

    events = target.run(tmp_path, turn(("press_key", {"key": "space"})), green, ok, closes=True)
    assert [result for result, _ in performed(events)] == ["done"] * 3, performed(events)
    wait_until(lambda: not application.child.running, "the dialog to be answered")
    assert application.child.log_text().splitlines()[-1] == "green"
