"""In an artificial language no word of the window's own is left in English."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QLineEdit, QWidget

from operator_console.domain.stopping import StopLiveness
from operator_console.domain.translations import ENGLISH, use
from operator_console.ui.backend import GuardStatus
from operator_console.ui.dialogs.shortcuts import ShortcutsDialog
from operator_console.ui.dialogs.target_test import TargetTestDialog
from operator_console.ui.window import MainWindow
from tests.accented import Accented, in_english


@pytest.fixture(autouse=True)
def accented_language() -> Iterator[None]:
    use(Accented())
    yield
    use(ENGLISH)


def said(top: QWidget) -> Iterator[str]:
    """What the parts of a window say: texts, hints and names."""
    for each in (top, *top.findChildren(QWidget)):
        yield from (each.toolTip(), each.accessibleName(), each.accessibleDescription(), each.windowTitle())
        if isinstance(each, QLabel | QAbstractButton):
            yield each.text()
        if isinstance(each, QLineEdit):
            yield each.placeholderText()
    for action in top.findChildren(QAction):
        yield action.text()


NOT_OURS = {"Scroll Left", "Scroll Right"}
"""Qt's own, which has catalogues of its own."""
NAMES = {
    "Operator", "operator", "console", "Ctrl", "Alt", "Enter", "Return", "Esc", "Space", "Home", "End", "Left", "Right",
    "Comma", "Period",
}  # fmt: skip
"""Of keys, and of this program and its command."""


def left(top: QWidget, *names: str) -> list[str]:
    """The texts with English words, but for names."""
    return [text for text in said(top) if text not in NOT_OURS and set(in_english(text)) - NAMES - set(names)]


def test_no_word_of_the_main_window_is_left_in_english(app: QApplication) -> None:
    window = MainWindow()
    window.furnish()
    assert left(window, "reset") == []
    window.really_close()
    window.deleteLater()


def test_no_word_of_a_dialog_is_left_in_english(app: QApplication) -> None:
    guard = GuardStatus(liveness=StopLiveness(live=True), stop_chord="Ctrl+Alt+X")
    for dialog in (ShortcutsDialog(guard, None), TargetTestDialog("T", marks=True, parent=None)):
        assert left(dialog) == []
        dialog.close()
        dialog.deleteLater()
