"""Runbooks choose entries of menus by role and name with nobody to ask, judged by what the applications did."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.display.acceptance.harness import performed, start_console
from tests.display.perception.controls import SYSTEM_PYTHON
from tests.display.rig import AccessibleDesktop, Application, launch, wait_until

MENUS = Path(__file__).parents[1] / "perception" / "controls" / "menus.py"
SCREEN_CHANGED = "The screen changed under the target since the picture was taken."
TEXT = "one word and one word\n"


def edit(desktop: AccessibleDesktop, folder: Path) -> Application:
    note = folder / "note.txt"
    note.write_text(TEXT)
    command = ["mousepad", "--disable-server", str(note)]
    return launch(desktop.desktop, command, wm_class="mousepad", env=desktop.env)


def run(desktop: AccessibleDesktop, folder: Path, steps: Sequence[str]) -> None:
    """A run that may do what needs no question, in which nobody answers one, does all steps.

    A menu that still moves when its entry is to be chosen makes it look again.
    """
    options = ("--json", "--provider", "runbook", "--autonomy", "auto")
    console = start_console(desktop.desktop, folder, "run", "\n".join(steps), *options, **desktop.env)
    assert console.wait() == 0, console.report()
    undone = {(result, detail) for result, detail in performed(console.events()) if result != "done"}
    assert undone <= {("failed", SCREEN_CHANGED)}, console.report()


def selected(desktop: AccessibleDesktop, app: Application, start: int, end: int) -> None:
    """Wait until the editor has selected these characters."""
    node = desktop.tree.wait(role="text", pid=app.pid)
    wait_until(lambda: desktop.tree.selection(node) == (start, end), f"characters {start} to {end} to be selected")


@pytest.mark.full
def test_entries_with_explanations_are_chosen_without_a_question(
    accessible_desktop: AccessibleDesktop, tmp_path: Path
) -> None:
    """In each run: entries of mousepad in perception/test_open_menus.py."""
    app = edit(accessible_desktop, tmp_path)
    first, second = TEXT.index("word"), TEXT.rindex("word")
    steps = ["press Ctrl+F", 'type "word"', "press Return", "press Escape"]
    run(accessible_desktop, tmp_path, steps)
    selected(accessible_desktop, app, first, first + 4)
    run(accessible_desktop, tmp_path, ['click menu "Search"', 'click menu item "Find Next"'])
    selected(accessible_desktop, app, second, second + 4)
    run(accessible_desktop, tmp_path, ['click menu "Search"', 'click menu item "Find Previous"'])
    selected(accessible_desktop, app, first, first + 4)
    run(accessible_desktop, tmp_path, ['click menu "View"', 'click menu item "Menubar"'])
    accessible_desktop.tree.wait_gone("Search", "menu", pid=app.pid)


@pytest.mark.full
def test_an_entry_of_an_editors_context_menu_is_chosen(accessible_desktop: AccessibleDesktop, tmp_path: Path) -> None:
    """In each run: context menus of mousepad in perception/test_open_menus.py."""
    app = edit(accessible_desktop, tmp_path)
    run(accessible_desktop, tmp_path, [f'right-click "{TEXT.strip()}"', 'click menu item "Select All"'])
    selected(accessible_desktop, app, 0, len(TEXT))


@pytest.mark.full
@pytest.mark.parametrize("toolkit", ["GTK3", "GTK4", "Qt"])
def test_entries_of_context_menus_are_chosen(
    accessible_desktop: AccessibleDesktop, tmp_path: Path, toolkit: str
) -> None:
    """In each run: all three in perception/test_open_menus.py."""
    command = [sys.executable if toolkit == "Qt" else SYSTEM_PYTHON, str(MENUS), toolkit]
    with accessible_desktop.tree.announced():
        app = launch(accessible_desktop.desktop, command, title="Menus of", env=accessible_desktop.env)
    row = 'right-click "Row 5"'
    steps = [row, 'click menu item "Rename"', row, 'click menu item "Sort"', 'click menu item "Newest first"']
    run(accessible_desktop, tmp_path, steps)
    expected = ["chosen: Rename", "chosen: Newest first"]

    def received() -> list[str]:
        return [line for line in app.child.log_text().splitlines() if line.startswith("chosen: ")]

    wait_until(lambda: received() == expected, f"{expected} instead of {received()}")
