"""In an artificial language, 40 % longer, no word of the window's own is left in English, and nothing is cut."""

from __future__ import annotations

import ast
import asyncio
import functools
import platform
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QApplication, QFileDialog, QLabel, QLineEdit, QWidget
from shiboken6 import isValid

from operator_console.domain.stopping import StopLiveness
from operator_console.domain.translations import ENGLISH, use
from operator_console.ui.backend import GuardStatus, Preferences
from operator_console.ui.dialogs.allow_or_deny import WORDS
from operator_console.ui.dialogs.shortcuts import ShortcutsDialog
from operator_console.ui.theme_choice import DEFAULT_LOOK
from tests.accented import Accented, accented, in_english
from tests.display.ui.fake_backend import FakeBackend
from tests.display.ui.gallery_scenes import SCENES
from tests.display.ui.layout_faults import layout_faults
from tests.ui.conftest import Run
from tests.ui.test_console import opened

SIZES = ((1280, 720), (1920, 1080))


@pytest.fixture(autouse=True)
def accented_language() -> Iterator[None]:
    use(Accented())
    yield
    use(ENGLISH)


def said(top: QWidget) -> Iterator[str]:
    """What the parts of a window say: texts, hints and names; not those inside Qt's dialogs, which has catalogues."""
    for each in (top, *top.findChildren(QWidget)):
        if isinstance(each.window(), QFileDialog) and each is not each.window():
            continue
        yield from (each.toolTip(), each.accessibleName(), each.accessibleDescription(), each.windowTitle())
        if isinstance(each, QLabel | QAbstractButton):
            yield each.text()
        if isinstance(each, QLineEdit):
            yield each.placeholderText()
    for action in top.findChildren(QAction):
        owner = action.parent()
        if not isinstance(owner, QWidget) or not isinstance(owner.window(), QFileDialog):
            yield action.text()


NOT_OURS = {"Scroll Left", "Scroll Right", "Show Size", "Show Type", "Show Date Modified"}
"""Qt's own, which has catalogues of its own."""
NAMES = {
    "Operator", "operator", "console", "Ctrl", "Alt", "Shift", "Enter", "Return", "Esc", "Space", "Home", "End", "Left",
    "Right", "Comma", "Period", "reset", "Python", "Qt", "offscreen", *WORDS,
}  # fmt: skip
"""Of keys, of this program, its command and what it is made with, and the words to type."""
OF_PROGRAMS = re.compile(
    rf"{accented('In the settings file: ')}\w+|\w*…\w*|\S+/\S+|\b[a-z]+(_[a-z]+)+( = false)?\b|"
    + re.escape(platform.platform())
)
"""Words that are cut in the middle, paths and addresses, names of settings and values, and this system."""


def left(top: QWidget, names: frozenset[str] = frozenset()) -> list[str]:
    """The texts with English words, but for names."""
    whole = ((text, OF_PROGRAMS.sub("…", text.replace("\u200b", ""))) for text in said(top) if text not in NOT_OURS)
    return [text for text, words in whole if set(in_english(words)) - NAMES - names]


def test_no_word_of_the_shortcuts_is_left_in_english(app: QApplication) -> None:
    guard = GuardStatus(liveness=StopLiveness(live=True), stop_chord="Ctrl+Alt+X")
    dialog = ShortcutsDialog(guard, None)
    assert left(dialog) == []
    dialog.close()
    dialog.deleteLater()


@functools.cache
def _told_by_the_doubles() -> frozenset[str]:
    """The words in what the doubles and scenes say in place of models, screens, files and services."""
    words: set[str] = set()
    for file in (Path(__file__).parent.parent / "display" / "ui").glob("*.py"):
        if file.name in ("fake_backend.py", "scene.py", "gallery_scenes.py"):
            for node in ast.walk(ast.parse(file.read_bytes())):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    words.update(re.findall(r"[^\W\d_]{2,}", node.value))
    return frozenset(words)


DAILY = (
    "idle", "reviewing", "question", "stopped", "handed-over", "sessions", "privacy-sheet", "replay-inspected",
)  # fmt: skip
"""Scenes that are tried each time; the others with `--full`."""


@pytest.mark.parametrize(
    "scene",
    [name if name in DAILY else pytest.param(name, marks=pytest.mark.full) for name in SCENES],
)
def test_a_state_of_the_window_is_translated_and_whole(scene: str, app: QApplication, on_qt: Run) -> None:
    faults: list[str] = []
    names = _told_by_the_doubles()

    async def work() -> None:
        preferences = Preferences(look=DEFAULT_LOOK, reduced_motion=False, start_page_seen=True)
        async with opened(app, FakeBackend(preferences=preferences), styled=True) as (console, backend):
            shots = [widget for _, widget in await SCENES[scene](console, backend)]
            for size in SIZES if console.window in shots else SIZES[:1]:
                if console.window in shots:
                    console.window.resize(*size)
                    await asyncio.sleep(0.02)
                    console.render()
                    await asyncio.sleep(0.02)
                for widget in filter(isValid, shots):
                    faults.extend(f"{size}: in English: {text}" for text in left(widget, names))
                    faults.extend(f"{size}: {fault}" for fault in layout_faults(widget))

    on_qt(work())
    assert faults == []
