"""The keys of the window are those of the help page, and each runs what it is connected to."""

from __future__ import annotations

import re

import pytest
from PySide6.QtGui import QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from operator_console.resource_files import resource_path
from operator_console.ui.window_shortcuts import REPLAY_KEYS, SHORTCUTS, ShortcutAction, add_shortcut


def test_the_help_page_states_each_key_and_what_it_does() -> None:
    page = resource_path("help", "first-steps.md").read_text("utf-8").replace("`Ctrl+Enter`", "`Ctrl+Return`")
    stated = dict(re.findall(r"^\| `([^`]+)` \| console \| (.+) \|$", page, re.MULTILINE))
    assert stated == {QKeySequence(keys).toString(): action.words for action, keys in SHORTCUTS.items()}


def test_the_help_page_states_each_key_of_the_replay() -> None:
    page = resource_path("help", "first-steps.md").read_text("utf-8")
    stated = dict(re.findall(r"^\| (`[^|]+`) \| ([^|]+) \|$", page, re.MULTILINE))
    assert stated == {
        " or ".join(f"`{QKeySequence(key).toString()}`" for key in keys): action.words
        for action, keys in REPLAY_KEYS.items()
    }


@pytest.mark.parametrize("action", ShortcutAction)
def test_a_key_runs_its_slot(app: QApplication, action: ShortcutAction) -> None:
    ran: list[ShortcutAction] = []
    window = QWidget()
    add_shortcut(action, window, lambda: ran.append(action))
    window.show()
    window.activateWindow()
    assert QTest.qWaitForWindowActive(window)
    keys = SHORTCUTS[action]
    QTest.keyClick(window, keys.key(), keys.keyboardModifiers())
    assert ran == [action]
    window.close()
