"""The settings dialog hands out what was chosen, and nothing where it was cancelled."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtWidgets import QApplication

from operator_console.domain.risk import Category
from operator_console.ui.backend import GuardStatus, Preferences
from operator_console.ui.dialogs.settings import SettingsDialog
from operator_console.ui.theme_choice import ThemeChoice
from tests.display.ui.fake_backend import FakeBackend

BEFORE = Preferences(theme=ThemeChoice.LIGHT, typing_delay_s=0.015, allow=(Category.SEND,), target="window:kept")


def opened() -> tuple[SettingsDialog, list[Preferences]]:
    guard: GuardStatus = FakeBackend().guard
    dialog = SettingsDialog(BEFORE, guard, None)
    kept: list[Preferences] = []
    dialog.kept.connect(kept.append)
    dialog.open()
    return dialog, kept


def test_what_is_chosen_is_handed_out_and_the_rest_kept(app: QApplication) -> None:
    dialog, kept = opened()
    dialog.pace.setValue(40)
    dialog.paste.click()
    dialog.motion.click()
    dialog.accessibility.click()
    dialog.keep.click()
    assert kept == [replace(BEFORE, typing_delay_s=0.04, pastes=True, reduced_motion=True, accessibility=False)]


def test_cancelled_it_hands_out_nothing(app: QApplication) -> None:
    dialog, kept = opened()
    dialog.paste.click()
    dialog.cancel.click()
    assert kept == []
