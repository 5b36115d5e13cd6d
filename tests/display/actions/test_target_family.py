"""What belongs to a target window (its menus, its file chooser, its combo popup) is usable; what covers it is not hit.

Through `run --target window:0x…` and a scripted Gemini; where things stand is read from the accessibility tree, as a
model would read it from the picture.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.display.acceptance.event_window import EventWindow
from tests.display.acceptance.harness import final, grid, performed, start_run, turn
from tests.display.rig import AccessibleDesktop, Application, WindowInfo, launch, wait_until
from tests.servers.gemini_scripts import Turn
from tests.servers.gemini_server import GeminiServerThread

_ACCESSIBLE = ("env", "-u", "NO_AT_BRIDGE")  # the rig's desktops keep GTK off the bus
TEXT = "Kept by the file chooser: żółw"


class Target:
    """A target window whose parts are found by their accessible names."""

    def __init__(self, accessible: AccessibleDesktop, application: Application) -> None:
        self._tree, self._pid = accessible.tree, application.pid
        self.desktop, self.application = accessible.desktop, application

    @property
    def window(self) -> WindowInfo:
        return self.application.now()

    def at(self, name: str, role: str) -> dict[str, float]:
        """The model's x and y of a part, once it shows."""
        place = self._tree.wait(name, role, pid=self._pid).centre
        window = self.window
        return grid(place, (window.width, window.height), (window.x, window.y))

    def click(self, name: str, role: str) -> Callable[[object], dict[str, Any]]:
        """A turn that clicks a part."""
        return lambda _seen: turn(("click", self.at(name, role)))

    def run(self, folder: Path, *turns: Turn) -> list[dict[str, Any]]:
        """Do the turns; the events of the run."""
        with GeminiServerThread([*turns, final()], api_key="test-key") as server:
            spec = f"window:{self.application.window.xid:#x}"
            console = start_run(self.desktop, folder, server.url, "--target", spec)
            assert console.wait() == 0, console.report()
            assert server.violations == []
        return console.events()


def editor(accessible: AccessibleDesktop, file: Path) -> Target:
    args = [*_ACCESSIBLE, "mousepad", "--disable-server", str(file)]
    application = launch(accessible.desktop, args, wm_class="mousepad", env=accessible.env)
    accessible.desktop.move_window(application.window.xid, 60, 40)
    accessible.desktop.resize_window(application.window.xid, 1000, 700)
    return Target(accessible, application)


@pytest.mark.slow
def test_a_menu_of_the_target_is_used(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    file = tmp_path / "note.txt"
    file.write_text("old words\n")
    target = editor(accessible_desktop, file)
    events = target.run(
        tmp_path,
        target.click("Edit", "menu"),
        target.click("Select All", "menu item"),
        turn(("type", {"text": TEXT})),
        turn(("hotkey", {"keys": ["ctrl", "s"]})),
    )
    assert [result for result, _ in performed(events)] == ["done"] * 4, performed(events)
    wait_until(lambda: file.read_text(encoding="utf-8") == TEXT, "the replaced text to be saved")


@pytest.mark.slow
def test_the_file_chooser_of_the_target_is_used(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    target = editor(accessible_desktop, tmp_path / "first.txt")
    kept = tmp_path / "second.txt"
    events = target.run(
        tmp_path,
        turn(("type", {"text": TEXT})),
        target.click("File", "menu"),
        target.click("Save As...", "menu item"),
        lambda _seen: turn(("hotkey", {"keys": ["ctrl", "a"]}), ("type", {"text": str(kept)})),
        target.click("Save", "push button"),
    )
    assert [result for result, _ in performed(events)] == ["done"] * 6, performed(events)
    wait_until(kept.exists, "the file to be saved under its new name")
    assert kept.read_text(encoding="utf-8").rstrip("\n") == TEXT


@pytest.mark.slow
def test_the_popup_of_a_combo_box_is_used(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    args = [*_ACCESSIBLE, "zenity", "--forms", "--title=Choose", "--add-combo=Colour", "--combo-values=red|green|blue"]
    args += ["--add-entry=Name", "--width=700", "--height=500"]
    application = launch(accessible_desktop.desktop, args, title="Choose", env=accessible_desktop.env)
    target = Target(accessible_desktop, application)
    tree = accessible_desktop.tree

    def combo(_seen: object) -> dict[str, Any]:
        (box,) = tree.find_all(role="combo box", pid=application.pid)
        window = target.window
        return turn(("click", grid(box.centre, (window.width, window.height), (window.x, window.y))))

    events = target.run(
        tmp_path,
        combo,
        target.click("green", "menu item"),
        target.click("OK", "push button"),
    )
    assert [result for result, _ in performed(events)] == ["done"] * 3, performed(events)
    assert application.child.log_text().splitlines()[-1].split("|")[0] == "green"


@pytest.mark.slow
def test_a_foreign_window_over_the_targets_menu_is_not_touched(
    accessible_desktop: AccessibleDesktop, tmp_path: Path
) -> None:
    file = tmp_path / "note.txt"
    file.write_text("old words\n")
    target = editor(accessible_desktop, file)
    foreign: list[EventWindow] = []

    def cover_the_menu(_seen: object) -> dict[str, Any]:
        at = target.at("Edit", "menu")
        foreign.append(EventWindow(accessible_desktop.desktop, geometry="500x200+60+20"))
        return turn(("click", at))

    events = target.run(tmp_path, cover_the_menu)
    (outcome,) = [event for event in events if event["kind"] == "performed"]
    assert (outcome["result"], outcome["reason"]) == ("failed", "covered")
    assert "Event window" in outcome["detail"]
    assert foreign[0].buttons() == []
