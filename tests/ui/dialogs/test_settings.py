"""The settings dialog hands out what was chosen, and nothing where it was cancelled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel

from operator_console.domain.hotkeys import DEFAULT_HOTKEYS, HotkeyChords, chord_words
from operator_console.domain.risk import Category
from operator_console.domain.translations import _
from operator_console.guard.hotkey_matching import parse_hotkey
from operator_console.ui.backend import Preferences
from operator_console.ui.dialogs.settings import ChosenSettings, SettingsContext, SettingsDialog
from operator_console.ui.theme_choice import ContrastChoice, Look, ThemeChoice
from operator_console.ui.widgets.hotkey_field import HotkeyField, used_elsewhere
from operator_console.ui.window_shortcuts import ShortcutAction
from tests.display.ui.fake_backend import FakeBackend

BEFORE = Preferences(
    look=Look(ThemeChoice.LIGHT),
    typing_delay_s=0.015,
    press_time_s=0.05,
    allow=(Category.SEND,),
    target="window:kept",
    max_minutes=2.5,
)
CONTROL, ALT, SHIFT = (
    Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ShiftModifier,
)  # fmt: skip


@pytest.fixture
def dialog(app: QApplication) -> Iterator[SettingsDialog]:
    made = opened()
    yield made
    made.close()
    made.deleteLater()


def opened(*, hotkeys_free: bool = True, motion_reduced: bool = False) -> SettingsDialog:
    backend = FakeBackend()
    context = SettingsContext(
        hotkeys=backend.hotkeys, hotkeys_free=hotkeys_free, check_hotkeys=backend.hotkey_trouble,
        folders=backend.folders, told={"gemini": "Google Gemini"}, motion_reduced=motion_reduced,
    )  # fmt: skip
    dialog = SettingsDialog(BEFORE, context, None)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, on=False)
    dialog.open()
    return dialog


def saved(dialog: SettingsDialog) -> ChosenSettings:
    kept: list[ChosenSettings] = []
    dialog.kept.connect(kept.append)
    dialog.keep.click()
    return kept[0]


def said(dialog: SettingsDialog) -> str:
    return "\n".join(part.text() for part in dialog.findChildren(QLabel) if not part.isHidden())


@pytest.mark.parametrize("reduced", [True, False])
def test_reduced_motion_by_the_desktop_is_said_beside_the_choice(app: QApplication, reduced: bool) -> None:
    dialog = opened(motion_reduced=reduced)
    assert (_("Your desktop asks for reduced motion, so it is reduced anyway.") in said(dialog)) is reduced
    assert dialog.motion.accessibleDescription() == (
        _("Your desktop asks for reduced motion, so it is reduced anyway.") if reduced else ""
    )
    assert (dialog.motion.isChecked(), dialog.motion.isEnabled()) == (reduced, not reduced)
    dialog.close()
    dialog.deleteLater()


def test_what_is_chosen_is_handed_out_and_the_rest_kept(dialog: SettingsDialog) -> None:
    dialog.pace.setValue(40)
    dialog.paste.click()
    dialog.motion.click()
    dialog.accessibility.click()
    dialog.contrast.setCurrentIndex(2)
    dialog.size_field.setValue(150)
    dialog.steps.setValue(12)
    look = Look(ThemeChoice.LIGHT, ContrastChoice.HIGH, 1.5)
    expected = replace(
        BEFORE, look=look, typing_delay_s=0.04, pastes=True, reduced_motion=True, accessibility=False, max_steps=12
    )
    assert saved(dialog) == ChosenSettings(preferences=expected)


def test_cancelled_it_hands_out_nothing(dialog: SettingsDialog) -> None:
    kept: list[object] = []
    dialog.kept.connect(kept.append)
    dialog.paste.click()
    dialog.cancel.click()
    assert kept == []


def test_a_hotkey_is_recorded_by_pressing_it(dialog: SettingsDialog) -> None:
    QTest.keyClick(dialog.pause, Qt.Key.Key_F9, CONTROL | SHIFT)
    assert dialog.pause.text() == "Ctrl+Shift+F9"
    assert saved(dialog).hotkeys == HotkeyChords(
        stop=DEFAULT_HOTKEYS.stop, pause="<ctrl>+<shift>+<f9>", approve=DEFAULT_HOTKEYS.approve
    )


def test_a_conflict_is_told_and_cannot_be_saved(dialog: SettingsDialog) -> None:
    dialog.pause.set_chord(dialog.stop.chord)
    assert "Two of them are the same" in said(dialog)
    assert not dialog.keep.isEnabled()
    QTest.keyClick(dialog.pause, Qt.Key.Key_Backspace)
    assert dialog.pause.chord == DEFAULT_HOTKEYS.pause
    assert dialog.keep.isEnabled()


def test_what_else_uses_a_chord_is_told(dialog: SettingsDialog) -> None:
    dialog.stop.set_chord("<ctrl>+<alt>+t")
    assert "open a terminal" in said(dialog)
    dialog.stop.set_chord("<ctrl>+o")
    assert f"This window uses it, too: {ShortcutAction.OPEN_SESSION.words}" in said(dialog)
    assert dialog.keep.isEnabled()


def test_while_a_session_runs_hotkeys_stay(app: QApplication) -> None:
    dialog = opened(hotkeys_free=False)
    assert not dialog.stop.isEnabled()
    assert _("Hotkeys can be changed when no session runs and nothing is stopped.") in said(dialog)
    dialog.close()
    dialog.deleteLater()


def test_folders_are_opened_and_services_told_again(dialog: SettingsDialog) -> None:
    pressed: list[object] = []
    dialog.open_pressed.connect(pressed.append)
    for push in dialog.folder_buttons:
        push.click()
    folders = FakeBackend().folders
    assert pressed == [folders.sessions, folders.logs, Path("/home/operator/.config/operator-console")]
    assert "Google Gemini" in said(dialog)
    dialog.again["gemini"].click()
    assert saved(dialog).forget == ("gemini",)


def test_every_page_can_be_shown(dialog: SettingsDialog) -> None:
    names = (_("Appearance"), _("Hotkeys"), _("Sessions"), _("Auto"), _("Folders"), _("Privacy"))
    for place, name in enumerate(names):
        dialog.show_page(name)
        assert dialog.pages.currentIndex() == place


@pytest.mark.parametrize(
    ("key", "held", "chord"),
    [
        (Qt.Key.Key_X, CONTROL | ALT, "<ctrl>+<alt>+x"), (Qt.Key.Key_Return, CONTROL, "<ctrl>+<enter>"),
        (Qt.Key.Key_Pause, ALT, "<alt>+<pause>"), (Qt.Key.Key_Space, CONTROL | SHIFT, "<ctrl>+<shift>+<space>"),
    ],
)  # fmt: skip
def test_keys_are_written_as_the_guard_reads_them(
    app: QApplication, key: Qt.Key, held: Qt.KeyboardModifier, chord: str
) -> None:
    field = HotkeyField("Stop", DEFAULT_HOTKEYS.stop, DEFAULT_HOTKEYS.stop)
    QTest.keyClick(field, key, held)
    assert field.chord == chord
    parse_hotkey(chord)
    field.deleteLater()


def test_chords_have_words() -> None:
    assert chord_words("<ctrl>+<alt>+<page_up>") == "Ctrl+Alt+Page Up"
    assert used_elsewhere(DEFAULT_HOTKEYS.stop) == ""
    assert "text console" in used_elsewhere("<ctrl>+<alt>+<f2>")
    assert "Applications" in used_elsewhere("<ctrl>+s")


def test_what_is_hidden_is_chosen_in_lines(dialog: SettingsDialog) -> None:
    dialog.show_page(_("Privacy"))
    labels = [each.text() for each in dialog.findChildren(QLabel) if each.buddy() is dialog.hide_field]
    assert labels == [dialog.hide_field.accessibleName()]
    dialog.hide_field.setPlainText("app:KeePassXC\n\nwindow\n")
    assert not dialog.keep.isEnabled()
    assert "“window”" in said(dialog)
    dialog.hide_field.setPlainText("app:KeePassXC\n\nmonitor:1 region:0,0,9x9\napp:KeePassXC")
    dialog.passwords.click()
    preferences = saved(dialog).preferences
    assert preferences.hide == ("app:KeePassXC", "monitor:1 region:0,0,9x9")
    assert not preferences.hide_passwords
