"""The window's first picture: the task alone can be written, and what was written stays when the rest comes."""

from __future__ import annotations

import asyncio

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea

from operator_console.domain.requests import SessionRequest
from operator_console.ui.backend import Opening, Preferences
from operator_console.ui.console import Console
from operator_console.ui.startup_window import StartupWindow
from operator_console.ui.theme_choice import Look, ThemeChoice
from operator_console.ui.theme_colours import DARK, LIGHT
from operator_console.ui.widgets import controls
from tests.display.ui.fake_backend import FakeBackend
from tests.ui.conftest import Run, until


def closed(startup: StartupWindow) -> None:
    startup.window.really_close()
    startup.window.deleteLater()


def test_the_task_alone_can_be_written_at_first(app: QApplication) -> None:
    startup = StartupWindow(app)
    startup.show()
    setup = startup.window.setup
    assert setup.task.isEnabled()
    rest = (setup.start, setup.target, setup.refresh, setup.model, setup.max_steps, setup.max_minutes, *setup.segments)
    assert not any(part.isEnabled() for part in rest)
    assert setup.start.text() == "Getting ready…"
    said = {each.text() for each in startup.window.findChildren(QLabel) if each.isVisible()}
    assert {"Getting ready", "Stop not ready: the safety process is starting"} <= said
    assert not any(words.isdigit() for words in (setup.max_steps.text(), setup.max_minutes.text()))
    closed(startup)


def test_what_was_written_stays_when_the_rest_comes(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        startup, backend = StartupWindow(app), FakeBackend()
        startup.show()
        QTest.keyClicks(startup.window.setup.task, "My own words")
        request = SessionRequest(task='click "Save"', provider="runbook", max_steps=7)
        console = Console(app, backend, Opening(request=request), startup)
        life = asyncio.ensure_future(console.run())
        setup = console.window.setup
        await until(lambda: setup.chosen_target is not None, "the targets")
        assert console.window is startup.window
        assert setup.task.toPlainText() == "My own words"
        assert app.focusWidget() is setup.task
        assert setup.start.isEnabled()
        assert setup.start.text() == "Start"
        assert setup.max_steps.value() == 7
        said = {each.text() for each in console.window.findChildren(QLabel) if each.isVisible()}
        assert "Getting ready" not in said
        console.close()
        assert await asyncio.wait_for(life, 15) == 0

    on_qt(work())


def test_a_window_that_was_closed_early_ends_in_order(
    app: QApplication, on_qt: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        startup = StartupWindow(app)
        startup.show()
        startup.window.close()
        assert startup.closing
        assert not startup.window.isVisible()
        shown: list[bool] = []
        monkeypatch.setattr(startup.window, "show", lambda: shown.append(True))
        console = Console(app, FakeBackend(), None, startup)
        assert await asyncio.wait_for(console.run(), 15) == 0
        assert shown == []

    on_qt(work())


def test_a_signal_while_the_console_takes_the_window_over_closes_it(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        startup = StartupWindow(app)
        startup.show()
        console = Console(app, FakeBackend(), None, startup)
        startup.close()  # what the handler of signals does until `Console.run` is near
        assert await asyncio.wait_for(console.run(), 15) == 0

    on_qt(work())


@pytest.mark.parametrize(("word", "tokens"), [("dark", DARK), ("light", LIGHT), ("", LIGHT), ("purple", LIGHT)])
def test_the_first_picture_is_in_the_saved_theme(app: QApplication, word: str, tokens: object) -> None:
    StartupWindow(app, Look(ThemeChoice.LIGHT))  # an earlier test's palette is no system's
    startup = StartupWindow(app, Look.read(word, "", 1.0))
    assert startup.theme.tokens is tokens
    closed(startup)


def test_the_settings_scheme_counts_in_the_end(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        startup = StartupWindow(app, Look(ThemeChoice.LIGHT))
        console = Console(app, FakeBackend(preferences=Preferences(look=Look(ThemeChoice.DARK))), None, startup)
        assert console.theme.tokens is DARK
        console.theme.choose(Look(ThemeChoice.LIGHT))
        console.close()
        assert await asyncio.wait_for(console.run(), 15) == 0

    on_qt(work())


def test_qts_own_properties_are_what_their_names_say(app: QApplication) -> None:
    made = controls.label("x")
    assert made.textFormat() is Qt.TextFormat.PlainText
    assert controls.ElidedLabel("x").textFormat() is Qt.TextFormat.PlainText
    assert Qt.AlignmentFlag.AlignCenter.value == controls.CENTRED
    startup = StartupWindow(app)
    area = startup.window.setup.findChild(QScrollArea)
    assert area is not None
    assert area.horizontalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    assert area.focusPolicy() is Qt.FocusPolicy.NoFocus
    closed(startup)


def test_the_chosen_segment_stands_out_once_it_can_be_changed(app: QApplication) -> None:
    startup = StartupWindow(app)
    segments = startup.window.setup.segments
    plain, chosen = QPalette.ColorRole.WindowText, QPalette.ColorRole.Link
    assert [each.foregroundRole() for each in segments] == [plain] * 4
    startup.window.setup.set_ready(True)
    assert [each.foregroundRole() for each in segments] == [plain, plain, chosen, plain]
    segments[0].click()
    assert [each.foregroundRole() for each in segments] == [chosen, plain, plain, plain]
    closed(startup)
