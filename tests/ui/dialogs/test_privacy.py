"""What leaves the machine is read before the first start that succeeds with a service, and can be read again."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget

from operator_console.domain.errors import OperatorError
from operator_console.ui.console import Console
from operator_console.ui.dialogs.privacy import LEAST_LINES, PrivacySheet
from operator_console.ui.panels.setup_column import SetupColumn
from tests.display.ui.fake_backend import GEMINI, RUNBOOK, FakeBackend
from tests.ui.conftest import Run, until
from tests.ui.test_console import opened, press


async def with_gemini(console: Console, backend: FakeBackend) -> None:
    backend.choices = [replace(GEMINI, has_key=True)]
    console.window.setup.show_models(await backend.models())
    console.window.setup.task.setPlainText("Do it.")


def test_the_sheet_comes_before_the_first_start_and_a_refusal_does_not_use_it_up(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with opened(app) as (console, backend):
            await with_gemini(console, backend)
            backend.refusal = OperatorError("No live stop.")
            press(console.window.setup.start)
            sheet = console.privacy.sheet
            assert sheet is not None
            assert "Google" in sheet.leaves.text()
            assert backend.requests == []
            press(sheet.agree)
            await until(lambda: "No live stop" in console.window.banner.accessibleName(), "the refusal")
            assert backend.told == []
            backend.refusal = None
            press(console.window.setup.start)
            assert console.privacy.sheet is not None, "it is read again"
            press(console.privacy.sheet.agree)
            await until(lambda: backend.told == ["gemini"], "the mark")

    on_qt(work())


def test_cancel_starts_nothing(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with opened(app) as (console, backend):
            await with_gemini(console, backend)
            press(console.window.setup.start)
            sheet = console.privacy.sheet
            assert sheet is not None
            QTest.keyClick(sheet, Qt.Key.Key_Escape)
            await until(lambda: console.privacy.sheet is None, "the sheet to close")
            assert backend.requests == []
            assert not console.sessions.starting

    on_qt(work())


def test_it_stays_below_the_model(app: QApplication) -> None:
    column = SetupColumn()
    column.show_models([replace(GEMINI, told=True, has_key=True), RUNBOOK])
    assert not column.privacy.isHidden()
    assert column._leaves_frame.isHidden()
    column.privacy.click()
    assert not column._leaves_frame.isHidden()
    assert "Google" in column._leaves.text()
    assert not column.change_key.isHidden()
    column.model.setCurrentIndex(1)
    assert column.privacy.isHidden()
    assert column._leaves_frame.isHidden()


def test_long_texts_scroll_and_the_buttons_stay(app: QApplication) -> None:
    parent = QWidget()
    sheet = PrivacySheet(replace(GEMINI, title="M" * 90, leaves="all of it " * 900), parent, "Start the session")
    sheet.show()
    room = sheet.screen().availableSize()
    assert sheet.height() <= room.height()
    assert sheet.text.height() >= sheet.fontMetrics().lineSpacing() * LEAST_LINES
    assert sheet.rect().contains(sheet.agree.geometry())
    sheet.close()
    parent.deleteLater()
