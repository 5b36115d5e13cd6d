"""The main menu and the windows that it opens."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QAccessible, QGuiApplication, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QPushButton

from operator_console import __version__
from operator_console.domain.stopping import StopLiveness
from operator_console.ui.backend import GuardStatus
from operator_console.ui.controllers.main_menu import MainMenu, MenuEntry
from operator_console.ui.dialogs.about import AboutDialog
from operator_console.ui.dialogs.shortcuts import ShortcutsDialog
from operator_console.ui.widgets.qt_accessibility import mend_accessibility
from operator_console.ui.window_shortcuts import (
    REPLAY_KEYS,
    SHORTCUTS,
    ShortcutAction,
    add_shortcut,
    keys_of,
    replay_keys_of,
)

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
    assert (first.text(), line.isSeparator()) == ("Open", True)
    assert first.shortcut() == QKeySequence(SHORTCUTS[ShortcutAction.OPEN_SESSION])
    first.trigger()
    second.trigger()
    assert ran == ["open", "models"]
    busy[0] = True
    menu.open()
    assert first.isEnabled()
    assert not second.isEnabled()
    made.close()
    push.deleteLater()


def test_an_entry_may_say_why_it_is_not_available_or_not_be_offered(app: QApplication) -> None:
    why_not: list[str | None] = ["Pause first."]
    push = QPushButton()
    entries = (
        MenuEntry(text="Take", run=lambda: None, why_not=lambda: why_not[0]), MenuEntry(text="Open", run=lambda: None),
    )  # fmt: skip
    menu = MainMenu(push, (entries,), lambda: False)
    for reason, visible, enabled in (("Pause first.", True, False), ("", True, True), (None, False, True)):
        why_not[0] = reason
        menu.open()
        assert menu.menu is not None
        take = menu.menu.actions()[0]
        assert (take.isVisible(), take.isEnabled() or not visible) == (visible, enabled)
        assert take.toolTip() == (reason or "") or not reason
        menu.menu.close()
    push.deleteLater()


def test_a_reader_finds_the_open_menu_in_its_window_and_runs_an_entry(app: QApplication) -> None:
    mend_accessibility()
    ran: list[str] = []
    window = QMainWindow()
    push = QPushButton("Menu", window)
    entries = (
        MenuEntry(text="Models", run=lambda: ran.append("models"), idle_only=True),
        MenuEntry(text="Open", run=lambda: ran.append("open"), keys=ShortcutAction.OPEN_SESSION),
    )
    menu = MainMenu(push, (entries,), lambda: True)
    window.show()
    described = QAccessible.queryAccessibleInterface(window)
    others = described.childCount()
    push.click()
    assert menu.menu is not None
    found = described.child(described.childCount() - 1)
    assert (described.childCount(), found.role()) == (others + 1, QAccessible.Role.PopupMenu)
    assert described.indexOfChild(found) == others
    items = [found.child(index) for index in range(found.childCount())]
    assert [item.text(QAccessible.Text.Name) for item in items] == ["Models", "Open"]
    assert [item.state().disabled for item in items] == [1, 0]
    assert items[1].state().focused, "the first that can be used has the keyboard"
    items[1].actionInterface().doAction("Press")
    assert ran == ["open"]
    assert not menu.menu.isVisible()
    assert described.childCount() == others
    window.close()
    window.deleteLater()


def test_the_keys_of_an_entry_stay_the_windows(app: QApplication) -> None:
    ran: list[str] = []
    window = QMainWindow()
    push = QPushButton("Menu", window)
    add_shortcut(ShortcutAction.OPEN_SESSION, window, lambda: ran.append("window"))
    entry = MenuEntry(text="Open", run=lambda: ran.append("menu"), keys=ShortcutAction.OPEN_SESSION)
    menu = MainMenu(push, ((entry,),), lambda: False)
    window.show()
    window.activateWindow()
    assert QTest.qWaitForWindowActive(window)
    menu.open()
    assert menu.menu is not None
    menu.menu.close()
    QTest.keyClick(window, Qt.Key.Key_O, Qt.KeyboardModifier.ControlModifier)
    assert ran == ["window"]
    window.close()
    window.deleteLater()


def test_the_list_of_keys_has_all_of_them_the_own_hotkeys_and_the_corners(app: QApplication) -> None:
    dialog = ShortcutsDialog(GUARD, None)
    said = {part.text() for part in dialog.findChildren(QLabel)}
    assert {keys_of(action) for action in SHORTCUTS} <= said
    assert {replay_keys_of(action) for action in REPLAY_KEYS} <= said
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
