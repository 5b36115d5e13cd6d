"""A notice is read out as well as shown: a stop and an error at once, other news when the reader is free."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QApplication

from operator_console.ui.panels.banner import Banner, Notice, Tone


def test_progress_follows_the_title_and_is_not_read_out(app: QApplication, monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    where = "operator_console.ui.widgets.announcement.QAccessible"
    monkeypatch.setattr(f"{where}.isActive", lambda: True)
    monkeypatch.setattr(f"{where}.updateAccessibility", lambda event: said.append(event.message()))
    banner = Banner()
    for progress in ("", "1 of 9 steps", "9 of 9 steps"):
        banner.show_notice(Notice(tone=Tone.INFO, title="Exporting…", progress=progress, act="Cancel", key="k"))
    assert banner._title.text() == "Exporting… 9 of 9 steps"
    banner.show_notice(Notice(tone=Tone.INFO, title="Exported."))
    assert said == ["Exporting…", "Exported."]


@pytest.mark.parametrize(
    ("tone", "urgent"), [(Tone.STOP, True), (Tone.ERROR, True), (Tone.INFO, False)]
)  # fmt: skip
def test_a_notice_is_read_out_once(
    app: QApplication, monkeypatch: pytest.MonkeyPatch, tone: Tone, urgent: bool
) -> None:
    said: list[tuple[str, bool]] = []

    def hear(event: QAccessibleAnnouncementEvent) -> None:
        said.append((event.message(), event.politeness() is QAccessible.AnnouncementPoliteness.Assertive))

    where = "operator_console.ui.widgets.announcement.QAccessible"
    monkeypatch.setattr(f"{where}.isActive", lambda: True)
    monkeypatch.setattr(f"{where}.updateAccessibility", hear)
    banner = Banner()
    for _ in range(2):
        banner.show_notice(Notice(tone=tone, title="Stopped by hotkey.", detail="Nothing can act until you reset."))
    banner.show_notice(None)
    assert said == [("Stopped by hotkey. Nothing can act until you reset.", urgent)]
