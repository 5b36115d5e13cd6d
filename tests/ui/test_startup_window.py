"""The window's first moments: the task can be written, Start pressed for the last set-up, and both stay."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPalette
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea

from operator_console.domain.risk import Autonomy
from operator_console.domain.session_request import SessionRequest
from operator_console.domain.stopping import StopLiveness
from operator_console.ui.backend import Opening, Preferences
from operator_console.ui.console import Console
from operator_console.ui.startup_window import StartupWindow
from operator_console.ui.theme_choice import Look, ThemeChoice
from operator_console.ui.theme_colours import BODY_PX, DARK, LIGHT
from operator_console.ui.widgets import controls
from operator_console.ui.window_place import RememberedSetup
from tests.display.ui.fake_backend import RUNBOOK, FakeBackend
from tests.display.ui.scene import TARGET
from tests.ui.conftest import Run, until


def closed(startup: StartupWindow) -> None:
    startup.window.really_close()
    startup.window.deleteLater()


LAST = RememberedSetup(
    target="monitor:1", target_title=TARGET.title, model_title=RUNBOOK.title, autonomy="step", max_steps=7,
    max_minutes=8,
)  # fmt: skip
"""What the window showed when the last session of `started_last` began."""


def started_last(live: bool = True) -> FakeBackend:
    backend = FakeBackend(
        preferences=Preferences(
            start_page_seen=True, target="monitor:1", provider="runbook", autonomy=Autonomy.STEP, max_steps=7,
            max_minutes=8,
        )
    )  # fmt: skip
    if not live:
        backend.say_guard(liveness=StopLiveness(live=False, detail="The probe did not come back."))
    return backend


def shown(app: QApplication, setup: RememberedSetup | None = None) -> StartupWindow:
    """The window with its set-up column, the task in focus."""
    startup = StartupWindow(app, setup=setup)
    startup.show()
    startup.make_setup()
    return startup


def test_the_task_alone_can_be_written_at_first(app: QApplication) -> None:
    startup = shown(app)
    setup = startup.window.setup
    assert setup.task.isEnabled()
    rest = (setup.start, setup.target, setup.refresh, setup.model, setup.max_steps, setup.max_minutes, *setup.segments)
    assert not any(part.isEnabled() for part in rest)
    assert setup.start.text() == "Getting ready…"
    said = {each.text() for each in startup.window.findChildren(QLabel) if each.isVisible()}
    assert {"Getting ready", "Stop not ready: the safety process is starting"} <= said
    assert not any(words.isdigit() for words in (setup.max_steps.text(), setup.max_minutes.text()))
    closed(startup)


FIRST_WINDOW = """
from PySide6.QtWidgets import QApplication
from operator_console.ui.startup_window import StartupWindow
from operator_console.ui.theme_choice import Look
app = QApplication([])
startup = StartupWindow(app, Look(text_size=1.5))
startup.show()
startup.make_setup()
app.processEvents()
setup = startup.window.setup
print(startup.theme.px, *(part.font().pixelSize() for part in (setup.start, setup.target, setup.task, setup.max_steps)))
"""


def test_the_fields_of_the_first_window_of_a_process_have_the_chosen_text_size() -> None:
    ran = subprocess.run([sys.executable, "-c", FIRST_WINDOW], capture_output=True, text=True, check=True)
    wanted, *sizes = map(int, ran.stdout.split())
    assert wanted > BODY_PX
    assert sizes == [wanted] * 4


def test_what_is_typed_before_there_is_a_task_field_is_the_task(app: QApplication) -> None:
    startup = StartupWindow(app)
    startup.show()
    QTest.keyClicks(startup.window, "Copy ")
    QTest.keyClick(startup.window, Qt.Key.Key_Return)
    startup.make_setup()
    QTest.keyClicks(startup.window.setup.task, "it")
    assert startup.window.setup.task.toPlainText() == "Copy it"
    closed(startup)


@pytest.mark.usefixtures("each_press_counts")
def test_start_can_be_pressed_and_taken_back_where_the_last_setup_is_known(app: QApplication) -> None:
    startup = shown(app, LAST)
    setup = startup.window.setup
    assert (setup.target.currentText(), setup.model.currentText()) == (TARGET.title, RUNBOOK.title)
    assert (setup.autonomy, setup.max_steps.text(), setup.max_minutes.text()) == (Autonomy.STEP, "7 steps", "8 min")
    assert not {
        each.text() for each in setup.findChildren(QLabel) if each.property("role") == "trouble" and each.text()
    }
    rest = (setup.target, setup.refresh, setup.model, setup.max_steps, setup.max_minutes, *setup.segments)
    assert not any(part.isEnabled() for part in rest)
    setup.start.click()
    assert (startup.awaited, setup.start.text()) == (LAST, "Cancel the start")
    setup.start.click()
    assert (startup.awaited, setup.start.text()) == (None, "Start")
    closed(startup)


def test_a_double_click_on_start_does_not_take_it_back(app: QApplication) -> None:
    startup = shown(app, LAST)
    for _ in range(3):
        startup.window.setup.start.click()
    assert startup.awaited == LAST
    closed(startup)


def test_the_key_of_start_presses_it_and_takes_nothing_back(app: QApplication) -> None:
    startup = shown(app, LAST)
    for _ in range(2):
        QTest.keyClick(startup.window.setup.task, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
        assert startup.awaited == LAST
    closed(startup)


def test_the_key_of_start_does_nothing_where_no_setup_is_known(app: QApplication) -> None:
    startup = shown(app)
    QTest.keyClick(startup.window.setup.task, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert startup.awaited is None
    closed(startup)


def run_awaited(
    app: QApplication, on_qt: Run, backend: FakeBackend, *, wanted: RememberedSetup = LAST, cancel: bool = False
) -> list[str]:
    """Let a console take over after Start was pressed for `wanted`; the texts of its banner, if it has one."""
    said: list[str] = []

    async def work() -> None:
        startup = shown(app, wanted)
        startup.window.setup.task.setPlainText("Copy the receipt.")
        startup.window.setup.start.click()
        console = Console(app, backend, None, startup)
        setup, banner = console.window.setup, console.window.banner
        assert setup.start.text() == "Cancel the start"
        if cancel:
            setup.start.click()
        life = asyncio.ensure_future(console.run())
        await until(lambda: not console.targets.looking and setup.chosen_model is not None, "targets and models")
        await until(lambda: setup.start.text() == "Start" or backend.requests, "an end of the waiting")
        await until(lambda: backend.requests or cancel or banner.isVisible(), "a session, or why there is none")
        said.extend(each.text() for each in banner.findChildren(QLabel) if banner.isVisible() and each.text())
        console.close()
        assert await asyncio.wait_for(life, 15) == 0

    on_qt(work())
    return said


def test_a_start_that_was_pressed_early_begins_what_was_shown(app: QApplication, on_qt: Run) -> None:
    backend = started_last()
    assert run_awaited(app, on_qt, backend) == []
    [request] = backend.requests
    assert (request.task, request.target, request.provider) == ("Copy the receipt.", "monitor:1", "runbook")
    assert (request.autonomy, request.max_steps, request.max_minutes) == (Autonomy.STEP, 7, 8)
    assert backend.setup == LAST


@pytest.mark.parametrize(
    ("wanted", "part"),
    [
        (LAST._replace(target="window:0x7"), "the target"),
        (LAST._replace(target_title="Monitor 1 · 640 × 480"), "the target’s title"),
        (LAST._replace(model_title="Gemini"), "the model"),
        (LAST._replace(autonomy="auto"), "the autonomy"),
        (LAST._replace(max_steps=9), "the limit of steps"),
    ],
)
def test_an_early_start_of_another_setup_than_there_is_now_begins_nothing(
    app: QApplication, on_qt: Run, wanted: RememberedSetup, part: str
) -> None:
    backend = started_last()
    said = run_awaited(app, on_qt, backend, wanted=wanted)
    assert backend.requests == []
    changed = "The set-up has changed since you pressed Start. Check it, then press Start again."
    assert {"The session was not started.", f"{changed} Different: {part}."} <= set(said)


def test_an_early_start_begins_nothing_while_the_stop_is_not_ready(app: QApplication, on_qt: Run) -> None:
    backend = started_last(live=False)
    said = run_awaited(app, on_qt, backend)
    assert backend.requests == []
    assert "The session was not started." in said
    assert any("The probe did not come back." in each for each in said)


@pytest.mark.usefixtures("each_press_counts")
def test_an_early_start_can_be_taken_back_until_it_begins(app: QApplication, on_qt: Run) -> None:
    backend = started_last()
    assert run_awaited(app, on_qt, backend, cancel=True) == []
    assert backend.requests == []


def test_what_was_written_stays_when_the_rest_comes(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        startup, backend = shown(app), FakeBackend()
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
    startup = shown(app)
    area = startup.window.setup.findChild(QScrollArea)
    assert area is not None
    assert area.horizontalScrollBarPolicy() is Qt.ScrollBarPolicy.ScrollBarAlwaysOff
    assert area.focusPolicy() is Qt.FocusPolicy.NoFocus
    closed(startup)


def test_the_chosen_segment_stands_out_once_it_can_be_changed(app: QApplication) -> None:
    startup = shown(app)
    segments = startup.window.setup.segments
    plain, chosen = QPalette.ColorRole.WindowText, QPalette.ColorRole.Link
    assert [each.foregroundRole() for each in segments] == [plain] * 5
    startup.window.setup.set_ready(True)
    assert [each.foregroundRole() for each in segments] == [plain, plain, chosen, plain, plain]
    segments[0].click()
    assert [each.foregroundRole() for each in segments] == [chosen, plain, plain, plain, plain]
    closed(startup)
