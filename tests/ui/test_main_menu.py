"""The main menu and the windows that it opens."""

from __future__ import annotations

from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLabel, QPushButton

from operator_console import __version__
from operator_console.domain.stopping import StopLiveness
from operator_console.ui.backend import GuardStatus
from operator_console.ui.controllers.main_menu import MainMenu, MenuEntry
from operator_console.ui.dialogs.about import AboutDialog
from operator_console.ui.dialogs.shortcuts import ShortcutsDialog
from operator_console.ui.window_shortcuts import SHORTCUTS, ShortcutAction, keys_of

GUARD = GuardStatus(liveness=StopLiveness(live=True, detail=""), stop_chord="Ctrl+Alt+F12")


def test_an_entry_runs_what_it_names_and_some_only_while_nothing_runs(app: QApplication) -> None:
    ran: list[str] = []
    busy = [False]
    push = QPushButton()
    groups = (
        (MenuEntry(text="Open", run=lambda: ran.append("open"), keys=ShortcutAction.OPEN_SESSION),),
        (MenuEntry(text="Models", run=lambda: ran.append("models"), idle_only=True),),
    )
    menu = MainMenu(push, groups, lambda: busy[0])
    push.click()
    made = menu.menu
    assert made is not None
    first, line, second = made.actions()
    assert (first.text(), line.isSeparator()) == (f"Open\t{keys_of(ShortcutAction.OPEN_SESSION)}", True)
    first.trigger()
    second.trigger()
    assert ran == ["open", "models"]
    busy[0] = True
    menu.open()
    assert first.isEnabled()
    assert not second.isEnabled()
    made.close()
    push.deleteLater()


def test_the_list_of_keys_has_all_of_them_the_own_hotkeys_and_the_corners(app: QApplication) -> None:
    dialog = ShortcutsDialog(GUARD, None)
    said = {part.text() for part in dialog.findChildren(QLabel)}
    assert {keys_of(action) for action in SHORTCUTS} <= said
    assert {"Ctrl+Alt+F12", GUARD.pause_chord, GUARD.approve_chord} <= said
    assert any("corner of the screen" in text for text in said)
    pressed: list[bool] = []
    dialog.settings_pressed.connect(lambda: pressed.append(True))
    dialog.change.click()
    assert pressed == [True]


def test_about_tells_and_copies_the_version(app: QApplication) -> None:
    dialog = AboutDialog(None)
    dialog.copy.click()
    assert __version__ in QGuiApplication.clipboard().text()
    dialog.close_button.click()
