"""The whole window on Qt's own event loop, with a backend in the test's hands: what is pressed, posted and shown."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QColor, QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain import states as st
from operator_console.domain.decisions import DecidedBy, DecisionKind, Question, Surface
from operator_console.domain.elements import Element, Exposure, Role
from operator_console.domain.errors import (
    ComputerUnavailable,
    ConsoleError,
    OperatorError,
    TaskMistake,
    UnavailableReason,
)
from operator_console.domain.frames import Frame, StackedWindow, TargetKind, TargetRef, WindowInfo, WindowTarget
from operator_console.domain.geometry import NativePoint, Rect, ScreenPoint, Size
from operator_console.domain.intents import (
    Answer,
    Approve,
    ApproveNext,
    Edit,
    End,
    HandBack,
    Pause,
    Resume,
    RetryNow,
    Say,
    SetAutonomy,
    Skip,
    Stop,
    TakeOver,
)
from operator_console.domain.proposals import Usage
from operator_console.domain.risk import Autonomy
from operator_console.domain.stopping import PauseCause, StopCause, StopLiveness
from operator_console.providers.shared.http_faults import HttpFault, Service, from_status, reported
from operator_console.ui import theme_colours
from operator_console.ui.backend import (
    Elsewhere,
    InputDevices,
    KnownElements,
    Latch,
    ModelChoice,
    Opening,
    Preferences,
    SessionSummary,
    TargetChoice,
    TargetSketch,
)
from operator_console.ui.console import Console
from operator_console.ui.dialogs.api_key import KeyDialog
from operator_console.ui.panels.timeline_model import ENTRY_ROLE
from operator_console.ui.preview.element_boxes import INK
from operator_console.ui.startup_window import StartupWindow
from operator_console.ui.theme_choice import Look, ThemeChoice
from operator_console.ui.view.next_steps import NextStep
from operator_console.ui.view.session_view import Phase
from operator_console.ui.widgets import approval_delay
from operator_console.ui.widgets.images import image_of
from operator_console.ui.widgets.window_size import SIDE_WIDTH
from operator_console.ui.window_place import Part, RememberedSetup, WindowPlace
from tests.display.ui.fake_backend import GEMINI, FakeBackend, FakeHandle
from tests.display.ui.layout_faults import unexplained
from tests.display.ui.scene import HEADLESS, HIGH, LOW, NOTES, SUBMIT, TARGET, Story, desktop_image, frame_of, review
from tests.fakes.targets import target_of
from tests.ui.conftest import until

Run = Callable[[Coroutine[Any, Any, None]], None]
Work = Callable[[Console, FakeBackend], Awaitable[None]]


@asynccontextmanager
async def opened(
    app: QApplication, backend: FakeBackend | None = None, opening: Opening | None = None, *, styled: bool = False
) -> AsyncIterator[tuple[Console, FakeBackend]]:
    """A console that runs, and is closed at the end; `styled` for tests of sizes and colours.

    Without the style sheet, it is made in half the time.
    """
    behind = backend or FakeBackend()
    with nullcontext() if styled else patch.object(theme_colours, "sheet_of", lambda *_: ""):
        console = Console(app, behind, opening)
    life = asyncio.ensure_future(console.run())
    try:
        await until(lambda: console.window.setup.chosen_target is not None or life.done(), "the targets")
        yield console, behind
    finally:
        if behind.handle is not None:
            behind.handle.over.set()
        console.close()
        assert await asyncio.wait_for(life, 15) == 0


def running(test: Work, *, styled: bool = False) -> Callable[[QApplication, Run], None]:
    """A test of a console that runs, on Qt's own loop."""

    def run(app: QApplication, on_qt: Run) -> None:
        async def work() -> None:
            async with opened(app, styled=styled) as (console, backend):
                await test(console, backend)

        on_qt(work())

    run.__doc__ = test.__doc__
    return run


running_styled = partial(running, styled=True)


def broken_off() -> FakeBackend:
    """Behind it lies a record that broke off."""
    backend, path = FakeBackend(), Path("kept", "broken.ocsession")
    backend.files[path] = Story(image=desktop_image(64, 48))
    backend.files[path].history(1)
    backend.broken = SessionSummary(path=path, task="Copy the receipt")
    return backend


async def begun(console: Console, backend: FakeBackend) -> FakeHandle:
    """A session that has begun."""
    console.window.setup.task.setPlainText("Copy the receipt.")
    console.window.setup.start.click()
    await until(lambda: backend.handle is not None, "the session")
    assert backend.handle is not None
    assert backend.audience is not None
    backend.audience.on_frame(frame_of(backend.story.image))
    return backend.handle


async def reviewed(console: Console, backend: FakeBackend) -> FakeHandle:
    """A session whose first call waits in the card, its second for later."""
    handle = await begun(console, backend)
    backend.story.started()
    backend.story.batch(1)
    action = a.TypeText(text="Train to Kraków", at=NOTES)
    backend.story.add(ev.Asked(question=review(1, 0, action, LOW), step=1, call=0))
    backend.play()
    with pytest.MonkeyPatch.context() as at_once:
        at_once.setattr(approval_delay, "SHOWN_S", 0.0)
        await until(console.window.side.card.approve.isEnabled, "Approve, without the delay")
    return handle


async def approve(console: Console) -> None:
    """Press Approve once the card has taken its place, without the second in which it must be seen there."""
    card = console.window.side.card
    with pytest.MonkeyPatch.context() as at_once:
        at_once.setattr(approval_delay, "SHOWN_S", 0.0)
        card._delay.disturb()

        def in_place() -> bool:
            QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest.value)  # else a press lays the card out
            card._delay.check()
            return card.approve.isEnabled() and (card._delay.open or card._paused_to_edit)

        await until(in_place, "Approve")
        press(card.approve)


def step_of(console: Console) -> int:
    """The number of the newest step that is shown."""
    step = console.sessions.view.step
    return step.number if step is not None else 0


def press(widget: QWidget) -> None:
    QTest.mouseClick(widget, Qt.MouseButton.LeftButton)


@running
async def test_a_start_asks_for_what_is_set(console: Console, backend: FakeBackend) -> None:
    setup = console.window.setup
    press(setup.start)
    await until(console.window.banner.isVisible, "what is missing")
    assert backend.requests == []
    setup.task.setPlainText("Do it.\nCarefully.")
    setup.max_steps.setValue(7)
    setup.max_minutes.setValue(3)
    setup.segments[1].click()
    press(setup.start)
    await until(lambda: backend.requests, "the request")
    request = backend.requests[0]
    assert (request.task, request.target, request.provider) == ("Do it.\nCarefully.", "monitor:1", "runbook")
    assert (request.autonomy, request.max_steps, request.max_minutes) == (Autonomy.STEP, 7, 3.0)
    assert request.lead_time_s == 0.5
    assert backend.kept.max_steps == 7


@running
async def test_preferences_that_cannot_be_written_are_reported_and_the_session_starts(
    console: Console, backend: FakeBackend
) -> None:
    backend.unwritable = OperatorError("The settings file cannot be written.")
    console.window.setup.task.setPlainText("Do it.")
    console.window.setup.max_steps.setValue(7)
    press(console.window.setup.start)
    await until(lambda: backend.handle is not None, "the start")
    await until(lambda: "cannot be written" in console.window.banner.accessibleName(), "the sentence")


@running
async def test_what_leaves_the_machine_counts_as_told_once_a_session_started(
    console: Console, backend: FakeBackend
) -> None:
    backend.refusal = OperatorError("No key.")
    console.window.setup.task.setPlainText("Do it.")
    press(console.window.setup.start)
    await until(lambda: "No key" in console.window.banner.accessibleName(), "the refusal")
    assert backend.told == []
    backend.refusal = None
    press(console.window.setup.start)
    await until(lambda: backend.told == ["runbook"], "the mark")


@running
async def test_the_setup_folds_while_a_session_runs(console: Console, backend: FakeBackend) -> None:
    await reviewed(console, backend)
    assert console.window.setup.isHidden()
    assert console.window.line.isVisible()
    press(console.window.line.unfold)
    await until(console.window.setup.isVisible, "the set-up, unfolded")
    assert not console.window.setup.isEnabled()
    assert backend.watching == "monitor:1"


@running
async def test_approve_counts_after_a_second_and_once(console: Console, backend: FakeBackend) -> None:
    handle = await begun(console, backend)
    backend.story.started()
    backend.story.batch(1)
    backend.story.add(ev.Asked(question=review(1, 0, a.Click(at=NOTES), LOW), step=1, call=0))
    backend.play()
    card = console.window.side.card
    await until(card.edit.isEnabled, "the question")
    assert not card.approve.isEnabled()
    press(card.approve)
    QTest.keyClick(console.window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert handle.intents == []
    await until(card.approve.isEnabled, "Approve")
    for key in (Qt.Key.Key_Space, Qt.Key.Key_Return):
        QTest.keyClick(card.approve, key)
    assert handle.intents == []
    QTest.mouseDClick(card.approve, Qt.MouseButton.LeftButton)
    press(card.approve)
    press(card.approve)
    assert handle.intents == [Approve(question_id="q1.0")]


@running
async def test_ctrl_return_approves(console: Console, backend: FakeBackend) -> None:
    handle = await reviewed(console, backend)
    await until(console.window.isActiveWindow, "the window in front")
    QTest.keyClick(console.window.preview, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert handle.intents == [Approve(question_id="q1.0")]


@running
async def test_ctrl_return_approves_nothing_while_words_are_written(console: Console, backend: FakeBackend) -> None:
    handle = await reviewed(console, backend)
    await until(console.window.isActiveWindow, "the window in front")
    card, message = console.window.side.card, console.window.line.message
    press(card.skip)
    for field in (card.feedback, message):
        field.setFocus()
        QTest.keyClicks(field, "not this one")
        QTest.keyClick(field, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        assert handle.intents == []
        assert field.text() == "not this one"
    message.clear()
    QTest.keyClick(message, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert handle.intents == [Approve(question_id="q1.0")]


@running
async def test_edit_sends_text_and_place(console: Console, backend: FakeBackend) -> None:
    handle = await reviewed(console, backend)
    card = console.window.side.card
    press(card.edit)
    assert (card.editor.text.exact(), card.editor.x_field.value()) == ("Train to Kraków", NOTES.x)
    card.editor.text.replace("Bus to Kraków")
    card.editor.x_field.setValue(0)
    console.window.preview.picked.emit(NativePoint(11, 22))
    await until(lambda: console.pictures.marks(console.sessions.view, console._edited)[0].points[0].x == 11, "the mark")
    await approve(console)
    edited = a.TypeText(text="Bus to Kraków", at=NativePoint(11, 22))
    assert handle.intents == [Approve(question_id="q1.0", action=edited)]


@running
async def test_an_edit_that_changes_nothing_is_an_approval(console: Console, backend: FakeBackend) -> None:
    handle = await reviewed(console, backend)
    press(console.window.side.card.edit)
    await approve(console)
    assert handle.intents == [Approve(question_id="q1.0")]


@running
async def test_skip_sends_the_feedback(console: Console, backend: FakeBackend) -> None:
    handle = await reviewed(console, backend)
    card = console.window.side.card
    press(card.skip)
    assert card.feedback.isVisible()
    QTest.keyClicks(card.feedback, "not needed")
    assert handle.intents == []
    QTest.keyClick(card.feedback, Qt.Key.Key_Return)
    assert handle.intents == [Skip(step=1, call=0, feedback="not needed")]
    assert not card.feedback.isVisible()


@pytest.mark.usefixtures("each_press_counts")
def test_a_start_can_be_taken_back(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        backend = FakeBackend()
        gate, ended = asyncio.Event(), asyncio.Event()

        async def slow(*_args: object) -> FakeHandle:
            try:
                await gate.wait()
            finally:
                ended.set()
            raise AssertionError

        backend.start = slow  # type: ignore[method-assign, assignment]
        async with opened(app, backend) as (console, _):
            start = console.window.setup.start
            console.window.setup.task.setPlainText("Do it.")
            press(start)
            await until(lambda: start.accessibleName() == "Cancel the start", "the way back")
            assert console.window.header._pill.whole == "Starting"
            press(start)
            await until(lambda: start.accessibleName() == "Start", "Start")
            await ended.wait()
            assert console.window.header._pill.whole == "Ready"

    on_qt(work())


@running
async def test_a_refused_start_leaves_start_behind(console: Console, backend: FakeBackend) -> None:
    backend.refusal = OperatorError("No live stop.", remedy="See doctor.")
    start = console.window.setup.start
    console.window.setup.task.setPlainText("Do it.")
    press(start)
    await until(lambda: "No live stop." in console.window.banner.accessibleName(), "the refusal")
    await until(lambda: start.accessibleName() == "Start", "Start")
    assert start.isVisible()


@running
async def test_a_mistake_in_the_task_is_said_at_its_line(console: Console, backend: FakeBackend) -> None:
    setup = console.window.setup
    setup.task.setPlainText("\nclick OK\npay the bill\n")
    backend.refusal = TaskMistake("The runbook has a mistake in line 3, column 1.", detail="Unknown word.", line=3)
    press(setup.start)
    said = setup.findChild(QLabel, "mistake")
    assert isinstance(said, QLabel)
    await until(said.isVisible, "the mistake")
    assert said.text() == "The runbook has a mistake in line 3, column 1.\nUnknown word."
    assert setup.task.textCursor().selectedText() == "pay the bill"
    assert setup.task.hasFocus()
    assert console.sessions.view.phase is Phase.IDLE
    assert not console.window.banner.isVisible()
    setup.task.appendPlainText("x")
    assert not said.isVisible()


@running
async def test_a_session_that_fails_says_why_and_offers_the_set_up(console: Console, backend: FakeBackend) -> None:
    await begun(console, backend)
    backend.story.started()
    backend.story.observed(1)
    backend.story.add(ev.Ended(outcome=ev.EndedOutcome.FAILED, message="The key was rejected.", steps=1, usage=Usage()))
    backend.play()
    offered = console.window.side.card.next_steps.buttons[NextStep.CHANGE_SETUP]
    await until(offered.isVisible, "the way on")
    assert any(words.startswith("The key was rejected.") for words in shown_in(console.window.side.card))
    assert not console.window.banner.isVisible()
    entry = console.window.side.timeline.rows.index(1).data(ENTRY_ROLE)
    assert (entry.title, entry.detail) == ("Looking at the screen and thinking", "interrupted")
    press(offered)
    await until(console.window.setup.isVisible, "the set-up")
    assert console.window.line.start.isVisible()


@contextmanager
def read_out() -> Iterator[list[tuple[str, bool]]]:
    """What a screen reader is told, and whether at once."""
    said: list[tuple[str, bool]] = []

    def hear(event: QAccessibleAnnouncementEvent) -> None:
        said.append((event.message(), event.politeness() is QAccessible.AnnouncementPoliteness.Assertive))

    where = "operator_console.ui.widgets.announcement.QAccessible"
    with patch(f"{where}.isActive", return_value=True), patch(f"{where}.updateAccessibility", hear):
        yield said


@running
async def test_a_refused_key_is_told_once_in_whole_with_its_button_alone(
    console: Console, backend: FakeBackend
) -> None:
    """The card says it beside the button, and a screen reader; nothing tells of a terminal where a button helps."""
    service = Service(title="Gemini", provider="gemini", key_variable="GEMINI_API_KEY", url_variable="X")
    message = reported("401 UNAUTHENTICATED", "Your API key was reported as leaked")
    refused = from_status(service, HttpFault(code=401, message=message)).text
    assert "reported as leaked. Enter another with" in refused, "the sentences do not run together"
    await begun(console, backend)
    backend.story.started()
    backend.story.observed(1)
    backend.story.add(ev.Ended(outcome=ev.EndedOutcome.FAILED, message=refused, steps=1, usage=Usage()))
    card = console.window.side.card
    with read_out() as said:
        backend.play()
        await until(card.next_steps.buttons[NextStep.ENTER_KEY].isVisible, "its button")
    ((words, urgent),) = said
    assert urgent
    assert "Gemini did not accept the key." in words
    assert "models key" not in words
    for sentence in ("Gemini did not accept the key.", "reported as leaked."):
        assert sum(sentence in words for words in shown_in(console.window)) == 1
    assert any("Gemini did not accept the key." in words for words in shown_in(card))
    line = console.window.line
    pushes = (card.next_steps.buttons[NextStep.ENTER_KEY], line.go_on, line.start)
    assert [each.property("kind") or "" for each in pushes] == ["primary", "", ""], "Continue would fail again"
    assert not any("models key" in words for words in shown_in(console.window))


class Noting:
    """Tells devices apart; nothing is pressed."""

    def __init__(self) -> None:
        self.noted: dict[int, tuple[bool, bool]] = {}

    def watch(self, watcher: int, *, pointer: bool, keys: bool) -> None:
        self.noted[watcher] = (pointer, keys)

    def from_device(self, time_ms: int) -> bool:
        return False


class BackendOfDevices(FakeBackend):
    """Its display tells devices apart."""

    def __init__(self, told: InputDevices) -> None:
        super().__init__()
        self._told = told

    @property
    def devices(self) -> InputDevices:
        return self._told


def test_whose_press_it_is_is_known_wherever_one_counts_and_keys_are_not_noted_while_a_model_types(
    app: QApplication, on_qt: Run
) -> None:
    """A tap presses in the moment in which the pointer comes: noted from then on, it was taken for a program's."""

    async def work() -> None:
        noting = Noting()
        async with opened(app, BackendOfDevices(noting)) as (console, backend):
            start, autonomy, hold = map(id, console._gates)
            await until(lambda: noting.noted.get(start) == (True, True), "the presses of Start to be noted")
            await begun(console, backend)
            backend.story.started()
            backend.play()
            await until(lambda: noting.noted.get(autonomy) == (True, False), "those of the levels to be noted")
            assert noting.noted[start] == (False, False)
            assert hold not in noting.noted
            backend.emit(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
            await until(lambda: noting.noted[start] == (True, True), "those of Continue to be noted")

    on_qt(work())


@running
async def test_a_session_that_is_gone_is_never_shown_as_running(console: Console, backend: FakeBackend) -> None:
    """Its task ended without a word in the record: an error of ours, a guard that died in mid-action."""
    handle = await begun(console, backend)
    backend.story.started()
    backend.story.observed(1)
    backend.play()
    await until(lambda: console.sessions.view.phase is Phase.THINKING, "the model to think")
    handle.error = ConsoleError("An internal error ended the session.", detail="KeyError: 'x'")
    handle.over.set()
    await until(lambda: console.sessions.view.phase is Phase.ENDED, "the end")
    await until(lambda: any("KeyError" in words for words in shown_in(console.window.side.card)), "what failed")
    assert console.window.line.start.isVisible()
    assert console.window.header.stop.property("live") != "acting"
    ended = console.sessions.view.ended
    assert ended is not None
    assert ended.outcome is ev.EndedOutcome.FAILED
    assert "KeyError" in ended.message


@running
async def test_take_over_hand_back_pause_resume_and_messages(console: Console, backend: FakeBackend) -> None:
    handle = await reviewed(console, backend)
    line, header = console.window.line, console.window.header
    QTest.keyClicks(line.message, "the second receipt")
    QTest.keyClick(line.message, Qt.Key.Key_Return)
    press(line.take_over)
    assert console.sessions.view.open_calls
    backend.emit(ev.HandedOver())
    await until(console.bar.isVisible, "the console to fold")
    console.render()
    await until(lambda: backend.forward == [backend.watching], "the target to be in front")
    assert console.window.preview._marks == (), "the ring of the action that was dropped is gone"
    assert not line.take_over.isVisible(), "the bar hands back"
    assert "Nothing is observed or sent" in console.bar._next.whole
    QTest.keyClicks(line.message, "signed in")
    press(console.bar.hand_back)
    backend.emit(ev.HandedBack(note="signed in"))
    await until(lambda: line.take_over.isVisible() and line.take_over.accessibleName() == "Take over", "Take over")
    assert not console.window.isMinimized()
    assert not console.bar.isVisible()
    press(header.pause)
    backend.emit(ev.Paused(by=PauseCause.HUMAN))
    await until(lambda: header.pause.accessibleName() == "Resume", "Resume")
    press(header.pause)
    assert handle.intents == [
        Say(text="the second receipt"), TakeOver(), HandBack(note="signed in"), Pause(), Resume(),
    ]  # fmt: skip


@running
async def test_what_the_dialog_asks_the_card_only_shows(console: Console, backend: FakeBackend) -> None:
    handle = await begun(console, backend)
    backend.story.started()
    backend.story.batch(1)
    backend.play()
    backend.emit(ev.Asked(question=review(1, 1, a.Click(at=SUBMIT), HIGH, dialog=True), step=1, call=1))
    await until(lambda: console.questions.dialog is not None, "the dialog")
    dialog, card = console.questions.dialog, console.window.side.card
    assert dialog is not None
    assert not card.approve.isEnabled()
    assert not card.skip.isEnabled()
    assert console.window.dim.isVisible()
    await until(dialog.allow.isEnabled, "Allow")
    press(dialog.allow)
    assert handle.intents == [Answer(question_id="q1.1", answer="yes")]
    assert not console.window.dim.isVisible()


@running
async def test_a_withdrawn_question_closes_its_dialog_and_says_nothing(console: Console, backend: FakeBackend) -> None:
    handle = await begun(console, backend)
    backend.story.started()
    backend.story.batch(1)
    backend.play()
    backend.emit(ev.Asked(question=review(1, 1, a.Click(at=SUBMIT), HIGH, dialog=True), step=1, call=1))
    await until(lambda: console.questions.dialog is not None, "the dialog")
    backend.emit(ev.Stopped(reason=StopCause.HOTKEY, latched=True))
    await until(lambda: console.questions.dialog is None, "no dialog")
    assert handle.intents == []


@running
async def test_a_choose_question_is_answered_by_its_place(console: Console, backend: FakeBackend) -> None:
    handle = await begun(console, backend)
    backend.story.started()
    backend.story.observed(1)
    backend.play()
    choices = (
        a.Choice(label="top", region=Rect(1, 1, 9, 9)),
        a.Choice(label="bottom", region=Rect(1, 99, 9, 9)),
    )
    question = Question(
        question_id="c", answer=a.QuestionKind.CHOOSE, surface=Surface.CARD, text="Which?", choices=choices
    )
    backend.emit(ev.Asked(question=question))
    panel = console.window.side.card.question
    console.window.preview.show_frame(frame_of(backend.story.image))
    await until(lambda: panel.choices.buttons, "the choices")
    press_box(console, choices[0])
    assert handle.intents == [], "it was not shown for a second"
    await until(lambda: panel.choices.buttons and panel.choices.buttons[1].isEnabled(), "the choices, after a second")
    press(panel.choices.buttons[1])
    assert handle.intents.pop() == Answer(question_id="c", answer="1")
    press_box(console, choices[0])
    assert handle.intents.pop() == Answer(question_id="c", answer="0")
    await until(console.window.isActiveWindow, "the window in front")
    panel.choices.buttons[1].setFocus()
    assert console.window.preview._choice == 2, "its box is highlighted"
    QTest.keyClick(panel.choices.buttons[1], Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert handle.intents == [Answer(question_id="c", answer="1")]


def press_box(console: Console, choice: a.Choice) -> None:
    fit = console.window.preview.fit
    assert fit is not None
    assert choice.region is not None
    at = fit.to_device(NativePoint(*choice.region.centre))
    QTest.mouseClick(console.window.preview, Qt.MouseButton.LeftButton, pos=QPoint(int(at.x), int(at.y)))


@running
async def test_a_text_question_sends_the_line_and_decline_sends_none(console: Console, backend: FakeBackend) -> None:
    handle = await begun(console, backend)
    backend.story.started()
    backend.play()
    question = Question(question_id="t", answer=a.QuestionKind.TEXT, surface=Surface.CARD, text="Which date?")
    backend.emit(ev.Asked(question=question))
    panel = console.window.side.card.question
    await until(panel.answer.isVisible, "the line")
    QTest.keyClicks(panel.answer, "2026-11-19")
    QTest.keyClick(panel.answer, Qt.Key.Key_Return)
    press(panel.decline)
    assert handle.intents == [
        Answer(question_id="t", answer="2026-11-19"), Answer(question_id="t", answer=None),
    ]  # fmt: skip


def test_editing_during_the_lead_time_pauses_first(app: QApplication, on_qt: Run) -> None:
    from operator_console.domain.decisions import DecidedBy, DecisionKind

    async def work() -> None:
        async with opened(app) as (console, backend):
            handle = await begun(console, backend)
            backend.story.started()
            backend.story.batch(1)
            backend.play()
            backend.emit(
                ev.Decided(
                    step=1, call=0, decision=DecisionKind.APPROVE, by=DecidedBy.POLICY, rule="r", lead_s=0.5,
                    assessment=LOW,
                )
            )  # fmt: skip
            card = console.window.side.card
            await until(card.edit.isEnabled, "Edit")
            press(card.edit)
            backend.emit(ev.Paused(by=PauseCause.HUMAN))
            await until(lambda: console.sessions.view.phase is Phase.PAUSED, "the pause")
            card.editor.text.replace("Bus")
            await approve(console)
            assert [type(intent) for intent in handle.intents] == [Pause, Edit, Resume]
            assert handle.intents[1] == Edit(step=1, call=0, action=a.TypeText(text="Bus", at=NOTES))

    on_qt(work())


@running
async def test_stop_latches_start_is_refused_and_reset_is_a_human_act(console: Console, backend: FakeBackend) -> None:
    await reviewed(console, backend)
    stop, receipt = console.window.header.stop, console.window.side.receipt
    assert stop.property("live") == "acting"
    press(stop)
    await until(lambda: backend.stops == 1, "the stop")
    backend.emit(ev.Stopped(reason=StopCause.BUTTON, latched=True))
    await until(receipt.isVisible, "the receipt")
    await until(lambda: stop.property("live") == "idle", "an outlined Stop")
    assert "Nothing can act until you reset" in console.window.banner.accessibleName()
    line = console.window.line
    await until(lambda: not line.start.isEnabled(), "a Start that cannot be pressed")
    assert not line.go_on.isEnabled()
    assert line.message.placeholderText() == "Reset the stop first"
    assert (
        line.start.accessibleDescription()
        == line.go_on.toolTip()
        == "Reset the stop first, with Reset stop on the right. Nothing can start until then."
    )
    for key in (Qt.Key.Key_Space, Qt.Key.Key_Return):
        QTest.keyClick(receipt.reset, key)
    assert backend.resets == 0
    assert "Reset becomes available after one second." in receipt._hint.text()
    await until(receipt.reset.isEnabled, "Reset, after a second")
    assert receipt._hint.text() == "Resetting does not start anything. Press Start or Continue afterwards."
    press(receipt.reset)
    await until(lambda: backend.resets == 1 and not receipt.isVisible(), "the reset")
    assert line.go_on.isEnabled()
    press(line.go_on)
    await until(lambda: len(backend.requests) == 2, "Continue, the second press")
    assert backend.requests[1].resume is not None


@running
async def test_the_receipt_of_a_stop_stays_within_reach(console: Console, backend: FakeBackend) -> None:
    await reviewed(console, backend)
    side = console.window.side
    backend.emit(ev.Stopped(reason=StopCause.BUTTON, latched=True, released_keys=2))
    backend.say_guard(latch=Latch(reason=StopCause.BUTTON))
    backend.emit(ev.Ended(outcome=ev.EndedOutcome.STOPPED, usage=Usage()))
    await until(side.receipt.isVisible, "the receipt")
    assert side.receipt.close_receipt.isHidden()
    await backend.reset()
    steps = side.card.next_steps
    await until(steps.buttons[NextStep.STOP_RECEIPT].isVisible, "its button")
    press(steps.buttons[NextStep.STOP_RECEIPT])
    await until(side.receipt.isVisible, "the receipt, again")
    assert not side.receipt.reset.isVisible()
    press(side.receipt.close_receipt)
    await until(side.card.isVisible, "the card")
    row = next(r for r in range(9) if "Stopped by" in (side.timeline.rows.index(r).data() or ""))
    side.timeline.setCurrentIndex(side.timeline.rows.index(row))
    await until(side.receipt.isVisible, "the receipt of the row")
    assert any("2 keys" in part.text() for part in side.receipt.findChildren(QLabel))


def test_a_window_opened_on_a_latched_stop_is_stopped_until_the_reset(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        backend = FakeBackend()
        backend.say_guard(latch=Latch(reason=StopCause.HOTKEY))
        async with opened(app, backend) as (console, _):
            header = console.window.header
            await until(console.window.side.receipt.isVisible, "the receipt")
            assert header._pill.whole == "STOPPED"
            assert header.pause.isHidden()  # there is nothing to pause
            console.window.showMinimized()
            await until(console.bar.isVisible, "the bar")
            assert console.bar._state.whole == "STOPPED"
            await backend.reset()
            await until(lambda: header._pill.whole == "Ready", "that it is ready")

    on_qt(work())


@running
async def test_a_stop_after_the_end_of_a_session_is_in_its_state(console: Console, backend: FakeBackend) -> None:
    await begun(console, backend)
    backend.story.started()
    backend.story.add(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
    backend.play()
    header = console.window.header
    await until(lambda: header._pill.whole == "Finished", "the end")
    backend.say_guard(latch=Latch(reason=StopCause.HOTKEY))
    await until(lambda: header._pill.whole == "STOPPED", "the stop")
    backend.say_guard(latch=None)
    await until(lambda: header._pill.whole == "Finished", "the state before")


def shown_in(widget: QWidget) -> list[str]:
    """The texts of its labels that are shown."""
    return [each.text() for each in widget.findChildren(QLabel) if not each.isHidden()]


@running
async def test_a_stop_after_a_stopped_session_has_a_receipt_of_its_own(console: Console, backend: FakeBackend) -> None:
    await reviewed(console, backend)
    backend.emit(ev.Stopped(reason=StopCause.BUTTON, latched=True, released_keys=2))
    backend.say_guard(latch=Latch(reason=StopCause.BUTTON))
    receipt = console.window.side.receipt
    await until(lambda: "The Stop button" in shown_in(receipt), "the receipt")
    backend.say_guard(latch=None)
    await until(receipt.isHidden, "the reset")
    backend.say_guard(latch=Latch(reason=StopCause.CORNER, detail="top left"))
    await until(lambda: not receipt.isHidden(), "the second receipt")
    assert "The pointer in a screen corner\ntop left" in shown_in(receipt)
    assert "Released" not in shown_in(receipt)


@running
async def test_while_it_is_stopped_the_set_up_says_why_start_is_off(console: Console, backend: FakeBackend) -> None:
    backend.say_guard(latch=Latch(reason=StopCause.CORNER))
    setup = console.window.setup
    await until(lambda: not setup.start.isEnabled(), "Start, disabled")
    said = [part.text() for part in setup.findChildren(QLabel) if part.isVisible()]
    assert "Reset the stop first, with Reset stop on the right. Nothing can start until then." in said
    backend.say_guard(latch=None)
    await until(setup.start.isEnabled, "Start")
    assert setup.start.toolTip() == "Start (Ctrl+R)"


@running
async def test_while_the_stop_is_not_ready_the_set_up_says_why_start_is_off(
    console: Console, backend: FakeBackend
) -> None:
    setup, line = console.window.setup, console.window.line
    backend.say_guard(liveness=StopLiveness(live=False, detail="The guard ended. It is being restarted."))
    await until(lambda: not setup.start.isEnabled(), "Start, disabled")
    why = "Nothing can start until the stop is ready. The guard ended. It is being restarted."
    assert why in [part.text() for part in setup.findChildren(QLabel) if part.isVisible()]
    assert setup.start.toolTip() == why
    backend.say_guard(liveness=backend.live)
    await until(setup.start.isEnabled, "Start")
    await begun(console, backend)
    backend.story.started()
    backend.play()
    backend.say_guard(liveness=StopLiveness(live=False, detail="The probe was lost."))
    await until(lambda: "probe was lost" in console.window.header.stop.toolTip(), "the news")
    assert line.message.isEnabled()  # a session that runs is told things
    backend.emit(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
    await until(lambda: line.go_on.isVisible() and not line.go_on.isEnabled(), "Continue, disabled")
    assert not line.message.isEnabled()
    assert line.message.placeholderText() == "The stop is not ready"
    assert "The probe was lost." in line.start.toolTip()
    backend.say_guard(liveness=backend.live)
    await until(lambda: line.go_on.isEnabled() and line.message.isEnabled(), "Continue")


@running
async def test_a_wait_for_the_service_can_be_ended(console: Console, backend: FakeBackend) -> None:
    handle = await begun(console, backend)
    backend.story.started()
    backend.story.observed(1)
    backend.story.add(ev.Retrying(step=1, attempt=2, of=5, wait_s=30.0, reason="The service is busy."))
    backend.play()
    push = console.window.side.card.next_steps.buttons[NextStep.TRY_NOW]
    await until(lambda: not push.isHidden(), "Try now")
    push.click()
    assert handle.intents == [RetryNow()]


@running
async def test_a_recent_task_comes_back_and_undo_brings_back_what_was_written(
    console: Console, backend: FakeBackend
) -> None:
    setup = console.window.setup
    assert setup.recent.isHidden()
    handle = await begun(console, backend)
    await until(lambda: backend.tasks == ["Copy the receipt."], "the task, remembered")
    backend.story.started()
    backend.play()
    backend.emit(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
    handle.over.set()
    await until(console.window.line.go_on.isVisible, "the end")
    setup.write_task("Something else")
    setup.recent.click()
    menu = console.recent.menu
    assert menu is not None
    menu.actions()[0].trigger()
    menu.close()
    assert setup.task.toPlainText() == "Copy the receipt."
    setup.task.undo()
    assert setup.task.toPlainText() == "Something else"


def test_the_windows_place_is_remembered_and_taken_again(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        backend = FakeBackend()
        async with opened(app, backend) as (console, _):
            console.window.resize(790, 590)
            await until(lambda: console.window.width() == 790, "another size")
        again = StartupWindow(app, place=backend.place)
        assert (again.window.width(), again.window.height()) == (790, 590)
        again.window.restore(WindowPlace("damaged"))
        assert again.window.width() == 790
        again.window.really_close()
        again.window.deleteLater()

    on_qt(work())


def test_the_columns_that_were_resized_are_so_at_the_next_start(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        backend = FakeBackend()
        async with opened(app, backend) as (console, _):
            window = console.window
            window.resize(1440, 900)
            window._body.moveSplitter(1440 - 500, 2)
            assert window.side.width() == 500
            window.resize(900, 700)
            console._render_soon.start()
            await until(lambda: window.side.parent() is window._whole, "the drawer")
            window.resize(1440, 900)
            await until(lambda: window.side.width() == 500, "the column again")
        assert backend.place.sizes == {Part.SIDE.value: 500}
        again = StartupWindow(app)
        again.window.resize(1440, 900)  # larger than this screen, on which no place so large is taken again
        again.window.restore(WindowPlace("", backend.place.sizes))
        again.show()
        again.make_setup()
        assert again.window._early.side.width() == 500
        console = Console(app, FakeBackend(), None, again)
        await until(lambda: console.window.side.width() == 500, "the column")
        console.close()
        assert await asyncio.wait_for(console.run(), 15) == 0

    on_qt(work())


@running
async def test_the_seconds_of_thinking_are_told(console: Console, backend: FakeBackend) -> None:
    await begun(console, backend)
    backend.story.started()
    backend.story.observed(1)
    backend.play()
    pill = next(part for part in console.window.header.findChildren(QLabel) if part.property("role") == "pill")
    await until(lambda: pill.text() == "Thinking", "the phase")
    await until(lambda: pill.text() == "Thinking · 1 s", "its seconds")


@running
async def test_the_keyboard_is_led_from_a_stop_to_its_word_and_on_to_continue(
    console: Console, backend: FakeBackend
) -> None:
    await reviewed(console, backend)
    line, receipt = console.window.line, console.window.side.receipt
    line.message.setFocus()
    backend.emit(ev.Stopped(reason=StopCause.BUTTON, latched=True))
    backend.say_guard(latch=Latch(reason=StopCause.BUTTON))
    await until(receipt.word.hasFocus, "the word")
    console.window.activateWindow()
    await until(lambda: "By keyboard: type “reset”" in shown_in(receipt), "the keyboard here")
    other = QWidget()
    other.show()
    other.activateWindow()
    await until(lambda: not console.window.isActiveWindow(), "the keyboard in another window, as after a hotkey")
    assert "Click here, then type “reset”" in shown_in(receipt)
    other.deleteLater()
    console.window.activateWindow()
    await until(lambda: "By keyboard: type “reset”" in shown_in(receipt), "the keyboard here")
    backend.say_guard(latch=None)
    await until(line.go_on.hasFocus, "Continue")
    assert (line.go_on.property("kind"), line.start.property("kind") or "") == ("primary", "")


@pytest.mark.parametrize("first", ["the press", "the focus"])
def test_the_first_click_on_reset_counts_in_a_window_without_the_focus(
    app: QApplication, on_qt: Run, first: str
) -> None:
    """As after a stop by the hotkey, while the target has it; window managers differ in what comes first."""

    async def work() -> None:
        async with opened(app) as (console, backend):
            reset, other = console.window.side.receipt.reset, QWidget()
            other.show()
            other.activateWindow()
            await until(lambda: not console.window.isActiveWindow(), "the focus elsewhere")
            backend.say_guard(latch=Latch(reason=StopCause.HOTKEY))
            await until(reset.isEnabled, "Reset")
            QCursor.setPos(reset.mapToGlobal(reset.rect().center()))
            if first == "the press":
                QTest.mousePress(reset, Qt.MouseButton.LeftButton)
            console.window.activateWindow()
            await until(console.window.isActiveWindow, "the focus here")
            if first == "the focus":
                QTest.mousePress(reset, Qt.MouseButton.LeftButton)
            QTest.mouseRelease(reset, Qt.MouseButton.LeftButton)
            await until(lambda: backend.resets == 1, "the reset")
            other.deleteLater()

    on_qt(work())


@running
async def test_after_an_end_the_keyboard_is_where_more_is_said_and_never_on_stop(
    console: Console, backend: FakeBackend
) -> None:
    await reviewed(console, backend)
    window, line = console.window, console.window.line
    await until(window.side.card.approve.isEnabled, "Approve")
    window.side.card.approve.setFocus()
    backend.emit(ev.Answered(question_id="q1.0", answer="yes", by=DecidedBy.HUMAN, step=1, call=0))
    backend.emit(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
    await until(lambda: window.focusWidget() is line.message, "the line for more")
    assert (line.go_on.property("kind") or "", line.start.property("kind")) == ("", "primary")


@running
async def test_a_stop_leaves_the_keyboard_where_a_task_is_written(console: Console, backend: FakeBackend) -> None:
    console.window.setup.task.setFocus()
    backend.say_guard(latch=Latch(reason=StopCause.CORNER))
    await until(lambda: not console.window.side.receipt.isHidden(), "the receipt")
    assert console.window.setup.task.hasFocus()


@running
async def test_ctrl_r_starts_once_and_not_while_start_is_off(console: Console, backend: FakeBackend) -> None:
    window = console.window
    window.setup.task.setPlainText("Press it.")
    backend.say_guard(latch=Latch(reason=StopCause.CORNER))
    await until(lambda: not window.setup.start.isEnabled(), "Start to be off")
    QTest.keyClick(window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    assert backend.requests == []
    backend.say_guard(latch=None)
    await until(window.setup.start.isEnabled, "Start")
    for _ in range(2):  # the second neither starts again nor cancels
        QTest.keyClick(window, Qt.Key.Key_R, Qt.KeyboardModifier.ControlModifier)
    await until(lambda: len(backend.requests) == 1, "the session")
    assert backend.requests[0].task == "Press it."


@running
async def test_a_reset_by_keyboard_takes_the_word(console: Console, backend: FakeBackend) -> None:
    backend.say_guard(latch=Latch(reason=StopCause.CORNER, detail="top left"))
    receipt = console.window.side.receipt
    await until(receipt.reset.isEnabled, "Reset")
    QTest.keyClicks(receipt.word, "yes")
    receipt.word.clear()
    assert backend.resets == 0
    QTest.keyClicks(receipt.word, "reset")
    await until(lambda: backend.resets == 1, "the reset")


@pytest.mark.parametrize("narrowed", ["before", "after"])
def test_on_a_narrow_window_a_stop_brings_its_receipt_in(app: QApplication, on_qt: Run, narrowed: str) -> None:
    async def work() -> None:
        async with opened(app) as (console, backend):
            window = console.window
            if narrowed == "after":
                window.resize(1200, 700)
                await until(window.side.isVisible, "the column")
                backend.say_guard(latch=Latch(reason=StopCause.HOTKEY))
                await until(window.side.receipt.isVisible, "the receipt")
            window.resize(800, 600)
            await until(window.preview_bar.drawer.isVisible, "the drawer")
            if narrowed == "before":
                assert window.side.isHidden()
                assert window.preview_bar.drawer.text() == "Show timeline"
                backend.say_guard(latch=Latch(reason=StopCause.HOTKEY))
            await until(window.side.receipt.reset.isEnabled, "Reset")
            assert window.side.receipt.isVisible()
            assert window.preview_bar.drawer.text() == "Hide timeline"

    on_qt(work())


@pytest.mark.parametrize("narrowed", ["before", "after"])
def test_on_a_narrow_window_an_action_to_review_brings_its_card_in(
    app: QApplication, on_qt: Run, narrowed: str
) -> None:
    async def work() -> None:
        async with opened(app) as (console, backend):
            window = console.window
            window.resize(*((1200, 700) if narrowed == "after" else (800, 600)))
            await until(lambda: window.side.isHidden() is (narrowed == "before"), "the size")
            await reviewed(console, backend)
            window.resize(800, 600)
            await until(window.preview_bar.drawer.isVisible, "the drawer")
            assert window.side.card.approve.isVisible()
            assert window.preview._free.width() == window.preview.width() - window.side.width()
            window.resize(1400, 900)
            await until(window.preview_bar.drawer.isHidden, "the column")
            assert window.preview._free == window.preview.size()
            assert window.side.width() == SIDE_WIDTH

    on_qt(work())


@running
async def test_a_stop_that_is_not_live_is_grey_and_says_why(console: Console, backend: FakeBackend) -> None:
    backend.say_guard(liveness=StopLiveness(live=False, detail="the listener died"))
    stop = console.window.header.stop
    await until(lambda: not stop.isEnabled(), "a grey Stop")
    assert "the listener died" in stop.toolTip()
    assert stop.property("live") == "dead"


@running
async def test_words_that_ended_a_session_can_be_answered(console: Console, backend: FakeBackend) -> None:
    await begun(console, backend)
    backend.story.started()
    backend.story.observed(1)
    backend.play()
    backend.emit(ev.Proposed(step=1, calls=(), narration="Which name should I use?", finished=True, usage=Usage()))
    backend.emit(ev.Ended(outcome=ev.EndedOutcome.FINISHED, message="Which name should I use?", usage=Usage()))
    line, buttons = console.window.line, console.window.side.card.next_steps.buttons
    await until(lambda: not buttons[NextStep.ANSWER].isHidden(), "Answer")
    assert not buttons[NextStep.DONE].isHidden()
    await until(lambda: console.window.focusWidget() is line.message, "the answer's field")
    kinds = [each.property("kind") or "" for each in (buttons[NextStep.ANSWER], line.go_on, line.start)]
    assert kinds == ["primary", "", ""], "what stands out agrees with where the keyboard is"
    line.start.setFocus()
    assert line.message.placeholderText() == "Answer to the model"
    buttons[NextStep.ANSWER].click()
    assert console.window.focusWidget() is line.message
    QTest.keyClicks(line.message, "Ada")
    QTest.keyClick(line.message, Qt.Key.Key_Return)
    await until(lambda: len(backend.requests) == 2, "the answer")
    assert (backend.requests[1].task, backend.requests[1].resume) == ("Ada", Path("expense-report.ocsession"))


@running
async def test_after_the_end_a_follow_up_goes_on_in_the_same_record(console: Console, backend: FakeBackend) -> None:
    await begun(console, backend)
    backend.story.started()
    backend.play()
    backend.emit(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
    line = console.window.line
    await until(line.go_on.isVisible, "Continue")
    QTest.keyClicks(line.message, "And the next one")
    QTest.keyClick(line.message, Qt.Key.Key_Return)
    await until(lambda: len(backend.requests) == 2, "the follow-up")
    assert backend.requests[1].resume == Path("expense-report.ocsession")
    assert backend.requests[1].task == "And the next one"


def test_a_record_is_played_through_the_same_view(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        backend = FakeBackend()
        story = Story(image=desktop_image(320, 200))
        story.history()
        path = Path("kept.ocsession")
        backend.files[path] = story
        async with opened(app, backend, Opening(record=path)) as (console, _):
            transport = console.window.transport
            await until(transport.isVisible, "the record")
            await until(lambda: step_of(console) == 5, "its end")
            await until(lambda: console.window.preview._still is not None, "its picture")
            assert console.window.focusWidget() is transport.place  # so that Space plays, and starts nothing
            press(transport.back)
            await until(lambda: step_of(console) == 4, "a step back")
            press(transport.forward)
            await until(
                lambda: step_of(console) == 5,
                "a step forward",
            )
            timeline = console.window.side.timeline
            rows = timeline.rows.rowCount()
            transport.place.setValue(2)
            await until(lambda: step_of(console) == 2, "the second step")
            assert timeline.rows.rowCount() == rows
            later = [True] * 3 + [False] * 3
            await until(
                lambda: [timeline.rows.is_ahead(timeline.rows.row(row)) for row in range(rows)] == later,
                "later steps to be dimmed",
            )
            press(transport.play)
            await until(lambda: (step_of(console) or 0) > 2, "the play")
            press(transport.play)
            assert not transport.playing
            timeline.setCurrentIndex(timeline.rows.index(1))
            await until(lambda: step_of(console) == 4, "the chosen step")
            await until(console.window.inspector.isVisible, "the inspector")
            QTest.keyClick(timeline, Qt.Key.Key_J)
            await until(lambda: step_of(console) == 3, "the step before")
            assert timeline.currentIndex().row() == 2
            await until(lambda: console.window.inspector._title.text() == "Step 3", "its facts")
            QTest.keyClick(timeline, Qt.Key.Key_Escape)
            await until(console.window.inspector.isHidden, "the inspector to close")
            assert step_of(console) == 3
            press(transport.close_record)
            await until(lambda: not transport.isVisible(), "the record to be closed")
            assert console.window.setup.isVisible()

    on_qt(work())


def test_a_file_that_is_no_session_is_said_plainly(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with opened(app, None, Opening(record=Path("holiday.jpg"))) as (console, _):
            await until(lambda: "no session file" in console.window.banner.accessibleName(), "the sentence")
            assert console.window.setup.isVisible()

    on_qt(work())


@running
async def test_a_chosen_step_shows_before_and_after(console: Console, backend: FakeBackend) -> None:
    await begun(console, backend)
    backend.story.history(3)
    backend.play()
    timeline = console.window.side.timeline
    await until(lambda: timeline.rows.rowCount() >= 4, "the rows")
    row = next(n for n in range(timeline.rows.rowCount()) if timeline.rows.index(n).data().startswith("2 "))
    timeline.setCurrentIndex(timeline.rows.index(row))
    await until(lambda: console.window.preview._still is not None, "the picture after")
    after = console.window.preview._still
    press(console.window.preview_bar.before)
    await until(lambda: console.window.preview._still is not after, "the picture before")
    QTest.keyClick(timeline, Qt.Key.Key_Escape)
    await until(lambda: console.window.preview._still is None, "live again")


@running
async def test_live_frames_come_from_a_thread_latest_wins(console: Console, backend: FakeBackend) -> None:
    shown: list[object] = []
    console.bridge.frame.connect(shown.append)
    frames = [frame_of(desktop_image(64, 48, tint)) for tint in range(0, 80, 2)]
    assert backend.on_frame is not None

    def flood(on_frame: Callable[[Any], None] = backend.on_frame) -> None:
        for frame in frames:
            on_frame(frame)

    thread = threading.Thread(target=flood)
    thread.start()
    await until(lambda: bool(shown) and shown[-1] is frames[-1], "the latest frame")
    thread.join()
    assert len(shown) < len(frames)
    live = console.window.preview._live
    assert live is not None
    assert live[1].constBits() == image_of(frames[-1]).constBits()


@running
async def test_a_target_that_goes_is_said_in_the_stage(console: Console, backend: FakeBackend) -> None:
    assert backend.on_trouble is not None
    backend.on_frame(frame_of(desktop_image(64, 48, 30)))  # type: ignore[misc]
    what, empty = console.window.preview_bar._what, console.window.empty
    await until(lambda: what.whole == "Live", "the picture")
    backend.on_trouble(ComputerUnavailable("The window is minimised.", reason=UnavailableReason.MINIMISED))
    await until(empty.isVisible, "the sentence")
    assert what.whole == "Not live"
    assert empty.act.text() == "Restore the window"
    press(empty.act)
    await until(lambda: backend.forward == [backend.watching], "it to be restored")
    backend.on_frame(frame_of(desktop_image(64, 48, 40)))  # type: ignore[misc]
    await until(lambda: not empty.isVisible() and what.whole == "Live", "it to go")


@running
async def test_motion_is_reduced_where_the_desktop_asks_for_it(console: Console, backend: FakeBackend) -> None:
    window, stage = console.window, console.window.preview
    window.show_waiting(True)
    assert window.progress.maximum() == 0  # moves
    assert backend.on_motion is not None
    await asyncio.to_thread(backend.on_motion, True)
    await until(lambda: stage._motion.reduced, "the stage to hear it")
    window.show_waiting(True)
    assert (window.progress.maximum(), window.progress.value()) == (1, 1)
    assert not backend.preferences.reduced_motion, "what the operator chose is kept"
    await asyncio.to_thread(backend.on_motion, False)
    await until(lambda: not stage._motion.reduced, "the stage to hear it")


@running
async def test_nothing_is_approved_by_a_picture_that_is_not_live(console: Console, backend: FakeBackend) -> None:
    await reviewed(console, backend)
    card = console.window.side.card
    await until(card.approve.isEnabled, "Approve")
    assert backend.on_trouble is not None
    backend.on_trouble(ComputerUnavailable("The window is minimised.", reason=UnavailableReason.MINIMISED))
    await until(lambda: not card.approve.isEnabled(), "Approve to wait")
    for said in (card._note.text(), card.approve.toolTip(), card.edit.toolTip(), card.edit.accessibleDescription()):
        assert said == "The picture is not live. Approve waits until the target can be seen."
    assert not card.edit.isEnabled()
    assert card.skip.isEnabled()
    assert not console.window.preview._seen
    backend.on_frame(frame_of(desktop_image(64, 48, 40)))  # type: ignore[misc]
    await until(card.approve.isEnabled, "Approve")
    assert card.edit.isEnabled()
    assert console.window.preview._seen


def with_over(at: NativePoint) -> Frame:
    """A frame in which a window covers this point and little else."""
    frame = frame_of(desktop_image(1280, 800, 30))
    origin = frame.geometry.origin
    part = Rect(origin.x + at.x - 20, origin.y + at.y - 20, 40, 40)
    over = WindowInfo(window_id=9, title="Calculator", app="kcalc", pid=1, rect=part)
    return replace(frame, covering=(StackedWindow(info=over, parts=(part,)),))


@running
async def test_an_action_at_a_covered_place_waits_for_the_target_to_come_to_the_front(
    console: Console, backend: FakeBackend
) -> None:
    handle = await reviewed(console, backend)
    card, hint = console.window.side.card, console.window.hint
    assert backend.on_frame is not None
    backend.on_frame(with_over(SUBMIT))  # where the second action of the batch is, which is not asked about yet
    await until(lambda: console.targets.live is not None and console.targets.live.covering, "the window")
    assert card.approve.isEnabled()
    backend.on_frame(with_over(NOTES))
    await until(lambda: not card.approve.isEnabled(), "Approve to wait")
    press(card.approve)
    assert handle.intents == []
    assert (
        card._note.text()
        == card.approve.toolTip()
        == "Another window covers this place. Approve waits until the target is in front."
    )
    assert card.edit.isEnabled(), "it can be moved to another place"
    assert card.skip.isEnabled()
    press(hint.act)
    await until(lambda: backend.forward == [backend.watching], "the target to come to the front")
    backend.on_frame(frame_of(desktop_image(1280, 800, 30)))
    await until(card.approve.isEnabled, "Approve")


@running
async def test_a_session_whose_target_is_gone_is_ended_by_the_one_button(
    console: Console, backend: FakeBackend
) -> None:
    handle = await reviewed(console, backend)
    card, empty = console.window.side.card, console.window.empty
    assert backend.on_trouble is not None
    backend.on_trouble(ComputerUnavailable("The window is gone.", reason=UnavailableReason.GONE))
    await until(empty.isVisible, "the sentence")
    assert empty.act.text() == "End the session"
    await until(lambda: not card.approve.isEnabled(), "Approve to be off")
    assert card._note.text() == "The target is closed. Nothing more can be approved in this session."
    press(empty.act)
    assert handle.intents[-1] == End(why="The window is gone.")
    assert not any(isinstance(intent, Pause) for intent in handle.intents)


@running
async def test_the_dialog_about_a_closed_target_says_so_and_ends_the_session(
    console: Console, backend: FakeBackend
) -> None:
    handle = await reviewed(console, backend)
    backend.story.done(1, 0)
    question = review(1, 1, a.Click(at=SUBMIT), HIGH, dialog=True)
    backend.emit(ev.Asked(question=question, step=1, call=1))
    await until(lambda: console.questions.dialog is not None, "the dialog")
    dialog = console.questions.dialog
    assert dialog is not None
    assert dialog.end.isHidden()
    assert backend.on_trouble is not None
    backend.on_trouble(ComputerUnavailable("The window is gone.", reason=UnavailableReason.GONE))
    await until(dialog.end.isVisible, "the way on")
    assert dialog.allow.isHidden()
    assert not dialog.word.isVisible()
    assert dialog._note.text().startswith(
        "The target was closed, so nothing more can be allowed. End the session; then you can choose another target."
    )
    press(dialog.end)
    assert handle.intents[-1] == End(why="The window is gone.")
    assert not any(isinstance(intent, Pause) for intent in handle.intents)


@running
async def test_continue_does_not_go_on_in_another_window_that_got_the_id(
    console: Console, backend: FakeBackend
) -> None:
    listed = [replace(each, pid=7) for each in await backend.list_targets()]
    assert backend.on_targets is not None
    backend.on_targets(listed)
    await until(lambda: (console.window.setup.chosen_target or listed[0]).pid == 7, "the list")
    console.window.setup.chooser.choose(TARGET.spec)
    handle = await reviewed(console, backend)
    backend.emit(ev.Ended(outcome=ev.EndedOutcome.FAILED, message="The window was closed.", usage=Usage()))
    handle.over.set()
    await until(lambda: not console.sessions.view.phase.active, "the end")
    backend.on_targets([replace(each, pid=8) for each in listed])
    go_on = console.window.line.go_on
    await until(lambda: console.targets.is_replaced(TARGET.spec), "the list")
    press(go_on)
    await until(lambda: "The target of this session is closed." in console.window.banner.accessibleName(), "the reason")
    assert len(backend.requests) == 1


@running
async def test_continue_with_a_closed_window_leads_to_another_target(console: Console, backend: FakeBackend) -> None:
    setup = console.window.setup
    setup.chooser.choose("window:0x7")
    handle = await begun(console, backend)
    record = backend.story.started()
    assert isinstance(record.event, ev.SessionStarted)
    window = WindowTarget(spec="window:0x7", title=TARGET.title, window_id=7)
    backend.story.records[-1] = replace(record, event=replace(record.event, target=window))
    backend.story.add(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
    backend.play()
    handle.over.set()
    await until(lambda: console.sessions.view.phase is Phase.ENDED, "the end")
    assert backend.on_targets is not None
    backend.on_targets([each for each in await backend.list_targets() if each.spec != "window:0x7"])
    await until(lambda: setup.chosen_target is not None and setup.chosen_target.closed, "the list")
    press(console.window.line.go_on)
    banner = console.window.banner
    await until(banner.isVisible, "the reason")
    assert banner.accessibleName() == (
        "The target of this session is closed. Start a new session with the target that you want."
    )
    press(banner._act)
    await until(setup.isVisible, "the set-up")
    assert len(backend.requests) == 1


@running
async def test_nothing_is_allowed_by_a_picture_that_is_not_live(console: Console, backend: FakeBackend) -> None:
    await begun(console, backend)
    backend.story.started()
    backend.story.batch(1)
    backend.story.add(ev.Asked(question=review(1, 0, a.Click(at=SUBMIT), HIGH, dialog=True), step=1, call=0))
    assert backend.on_trouble is not None
    backend.on_trouble(ComputerUnavailable("The window is minimised.", reason=UnavailableReason.MINIMISED))
    await until(lambda: console.targets.trouble is not None, "the trouble")
    backend.play()
    await until(lambda: console.questions.dialog is not None, "the dialog")
    dialog = console.questions.dialog
    assert dialog is not None
    await until(lambda: "can be seen" in dialog._note.text(), "the reason")
    backend.on_frame(frame_of(desktop_image(64, 48, 40)))  # type: ignore[misc]
    await until(dialog.allow.isEnabled, "Allow")
    backend.on_trouble(ComputerUnavailable("The window is minimised.", reason=UnavailableReason.MINIMISED))
    await until(lambda: not dialog.allow.isEnabled(), "Allow to wait again")


@running
async def test_nothing_is_allowed_at_a_covered_place(console: Console, backend: FakeBackend) -> None:
    await begun(console, backend)
    backend.story.started()
    backend.story.batch(1)
    backend.story.add(ev.Asked(question=review(1, 0, a.Click(at=SUBMIT), HIGH, dialog=True), step=1, call=0))
    backend.play()
    await until(lambda: console.questions.dialog is not None, "the dialog")
    dialog = console.questions.dialog
    assert dialog is not None
    assert backend.on_frame is not None
    await until(dialog.allow.isEnabled, "Allow")
    backend.on_frame(with_over(SUBMIT))
    await until(lambda: not dialog.allow.isEnabled(), "Allow to wait")
    assert "Allow opens when no other window covers the target." in dialog._note.text()
    backend.on_frame(frame_of(desktop_image(1280, 800, 30)))
    await until(dialog.allow.isEnabled, "Allow")


@running
async def test_a_window_that_covers_the_target_is_said_over_the_preview(console: Console, backend: FakeBackend) -> None:
    hint = console.window.hint
    frame = frame_of(desktop_image(64, 48, 30))
    over = WindowInfo(window_id=9, title="Calculator", app="kcalc", pid=1, rect=Rect(0, 0, 64, 40))
    covered = replace(frame, covering=(StackedWindow(info=over, parts=(Rect(0, 0, 64, 40),)),))
    assert backend.on_frame is not None
    backend.on_frame(covered)
    await until(hint.isVisible, "the line")
    assert hint._title.whole == "Covered by “Calculator”"
    press(hint.act)
    await until(lambda: backend.forward == [backend.watching], "the target to come to the front")
    backend.on_frame(frame)
    await until(lambda: not hint.isVisible(), "it to go")


def test_no_target_is_said_to_be_missing_before_the_targets_were_listed(app: QApplication, on_qt: Run) -> None:
    class Slow(FakeBackend):
        listing = asyncio.Event()

        async def list_targets(self) -> Sequence[TargetChoice]:
            await self.listing.wait()
            return ()

    async def work() -> None:
        backend = Slow()
        console = Console(app, backend)
        console.render()
        assert console.window.empty._title.text() == "Looking for targets…"
        life = asyncio.ensure_future(console.run())
        backend.listing.set()
        await until(lambda: console.window.empty._title.text() == "No target available.", "the list")
        console.close()
        assert await asyncio.wait_for(life, 15) == 0

    on_qt(work())


@running
async def test_a_window_that_is_closed_never_becomes_the_whole_monitor(console: Console, backend: FakeBackend) -> None:
    setup, empty = console.window.setup, console.window.empty
    setup.chooser.choose("window:0x7")
    setup.task.setPlainText("press Enter")
    assert backend.watching == "window:0x7"
    assert backend.on_trouble is not None
    backend.gone.add("window:0x7")
    backend.on_trouble(ComputerUnavailable("The window is gone.", reason=UnavailableReason.GONE))
    await until(lambda: setup.chosen_target is not None and setup.chosen_target.closed, "the target to be closed")
    empty.act.click()
    await until(lambda: not console.targets.looking, "the list")
    assert setup.target.currentText() == "Expense report — Chromium (closed)"
    assert backend.watching == ""
    assert console.window.preview.fit is None
    press(setup.start)
    await until(console.window.banner.isVisible, "what is missing")
    assert backend.requests == []
    setup.chooser.choose("monitor:1")
    press(setup.start)
    await until(lambda: backend.requests, "the request")
    assert backend.requests[0].target == "monitor:1"


@pytest.mark.parametrize(
    ("title", "chosen"), [("Expense report — Chromium", "window:0x7"), ("Mousepad — notes.txt", None)]
)
def test_another_window_with_the_id_of_the_last_target_is_not_chosen(
    app: QApplication, on_qt: Run, title: str, chosen: str | None
) -> None:
    async def work() -> None:
        backend = FakeBackend(preferences=Preferences(start_page_seen=True, target="window:0x7"))
        backend.setup = RememberedSetup("window:0x7", title, GEMINI.title, "guarded", 100, 30)
        console = Console(app, backend)
        life = asyncio.ensure_future(console.run())
        setup = console.window.setup
        await until(lambda: not console.targets.looking, "the targets")
        assert (setup.chosen_target.spec if setup.chosen_target is not None else None) == chosen
        shown = [each.text() for each in setup.findChildren(QLabel) if each.isVisible()]
        assert ("The target used last is not open. Choose another one." in shown) is (chosen is None)
        console.close()
        assert await asyncio.wait_for(life, 15) == 0

    on_qt(work())


@pytest.mark.parametrize(
    ("kept", "title", "chosen"),
    [
        ("vm:0x7", "Virtual machine · debian", "vm:0x9"),
        ("vm:0x7", "Virtual machine · fedora", None),
        ("vm:debian", "", "vm:0x9"),
    ],
    ids=["another window of its viewer", "another machine", "by its name"],
)
def test_a_machine_used_last_is_found_by_its_name(
    app: QApplication, on_qt: Run, kept: str, title: str, chosen: str | None
) -> None:
    async def work() -> None:
        backend = FakeBackend(preferences=Preferences(start_page_seen=True, target=kept))
        backend.machine_window = "vm:0x9"
        if title:
            backend.setup = RememberedSetup(kept, title, GEMINI.title, "guarded", 100, 30)
        console = Console(app, backend)
        life = asyncio.ensure_future(console.run())
        setup = console.window.setup
        await until(lambda: not console.targets.looking, "the targets")
        assert (setup.chosen_target.spec if setup.chosen_target is not None else None) == chosen
        console.close()
        assert await asyncio.wait_for(life, 15) == 0

    on_qt(work())


@running
async def test_the_list_of_targets_keeps_itself_current(console: Console, backend: FakeBackend) -> None:
    chooser = console.window.setup.chooser
    await until(lambda: backend.on_targets is not None, "the list to be followed")
    watching, listed = backend.on_frame, await backend.list_targets()
    told = threading.Thread(target=backend.on_targets, args=(listed[1:],))
    told.start()
    await until(lambda: chooser.choice is not None and chooser.choice.closed, "the chosen one to be closed")
    told.join()
    assert backend.watching == ""
    backend.on_targets(listed)  # type: ignore[misc]
    await until(lambda: backend.watching == "monitor:1", "it to be back")
    assert backend.on_frame is not watching


@running
async def test_pictures_of_the_targets_are_taken_while_the_list_is_open(console: Console, backend: FakeBackend) -> None:
    from operator_console.ui.panels.target_rows import PICTURE

    chooser = console.window.setup.chooser
    assert backend.pictured == []
    chooser.target.showPopup()
    row = chooser.target.findData("window:0x8")
    await until(lambda: chooser.target.itemData(row, PICTURE) is not None, "the picture")
    assert set(backend.pictured) == {"monitor:1", "window:0x7", "window:0x8"}
    chooser.target.hidePopup()
    await until(lambda: not console.bridge.running("pictures of the targets"), "the end of it")


def test_windows_cannot_be_pointed_at_where_a_person_cannot_see_them_here(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        backend = FakeBackend()
        backend.points_at_windows = False
        async with opened(app, backend) as (console, _):
            assert not console.window.setup.chooser.point.isVisibleTo(console.window.setup.chooser)

    on_qt(work())


@pytest.mark.parametrize(("title", "stands_first"), [("Notes", True), ("Another window", False)])
def test_the_window_used_in_the_last_start_stands_first_unless_another_one_has_its_id(
    app: QApplication, on_qt: Run, title: str, stands_first: bool
) -> None:
    async def work() -> None:
        backend = FakeBackend()
        used = next(each for each in await backend.list_targets() if each.spec == "window:0x8")
        backend.setup = RememberedSetup(used.spec, title.replace("Notes", used.title), "Model", "step", 7, 8)
        async with opened(app, backend) as (console, _):
            row = console.window.setup.chooser.target
            assert (row.itemText(0) == "Last used") is stands_first
            assert row.findData("window:0x8") > 0

    on_qt(work())


@running
async def test_the_target_of_a_session_stands_first_from_then_on(console: Console, backend: FakeBackend) -> None:
    chooser = console.window.setup.chooser
    assert chooser.choose("window:0x8")
    assert "Last used" not in [chooser.target.itemText(row) for row in range(chooser.target.count())]
    await begun(console, backend)
    assert [chooser.target.itemText(0), chooser.target.itemData(1)] == ["Last used", "window:0x8"]


@running
async def test_a_window_is_chosen_by_pointing_at_it(console: Console, backend: FakeBackend) -> None:
    window, chooser = console.window, console.window.setup.chooser
    press(chooser.point)
    await until(lambda: window.hint._title.whole.startswith("Click the window"), "what to do")
    backend.pointed.put_nowait("window:0x7")
    await until(lambda: backend.watching == "window:0x7", "the window to be chosen")
    await until(lambda: not window.hint.isVisible(), "the end of pointing")

    press(chooser.point)
    await until(window.hint.isVisible, "what to do")
    press(window.hint.act)
    await until(lambda: not console.targets.pointing and not window.hint.isVisible(), "Cancel")
    press(chooser.point)
    await until(window.hint.isVisible, "what to do")
    QTest.keyClick(window, Qt.Key.Key_Escape)
    await until(lambda: not console.targets.pointing and not window.hint.isVisible(), "Esc to cancel")
    press(chooser.point)
    await until(window.hint.isVisible, "what to do")
    await backend.stop()
    assert not console.targets.pointing, "a stop releases the pointer"
    assert backend.watching == "window:0x7"


def sketch(backend: FakeBackend) -> TargetSketch | None:
    """What is drawn on the desktop now."""
    return backend.drawn


@running
async def test_the_target_of_a_session_is_drawn_on_the_desktop(console: Console, backend: FakeBackend) -> None:
    assert backend.on_frame is not None
    backend.on_frame(frame_of(desktop_image()))
    await until(lambda: console.targets.live is not None, "the picture")
    console.render()
    assert sketch(backend) is None, "no session runs"
    await reviewed(console, backend)
    backend.on_frame(frame_of(desktop_image(tint=5), origin=ScreenPoint(100, 50)))
    await until(lambda: backend.drawn is not None and backend.drawn.rect.x == 100, "its frame")
    point = next(mark.points[0] for mark in console.window.preview._marks if mark.points)
    console.render()
    ring = ScreenPoint(100 + point.x, 50 + point.y)
    assert sketch(backend) == TargetSketch(rect=Rect(100, 50, 1280, 800), ring=ring, ring_colour=0x2F6FD0)
    machine = replace(frame_of(desktop_image(tint=5), origin=ScreenPoint(120, 50)), target=target_of(TargetKind.VM))
    backend.on_frame(machine)
    await until(lambda: backend.drawn is not None and backend.drawn.rect.x == 120, "its frame")
    assert backend.drawn is not None
    assert backend.drawn.window_id is None, "around the machine's screen, not around the viewer's window"
    console.preferences.kept = replace(console.preferences.kept, target_frame=False)
    console.render()
    assert sketch(backend) is None, "switched off"
    console.preferences.kept = replace(console.preferences.kept, target_frame=True)
    console.render()
    assert sketch(backend) is not None
    await backend.stop()
    await until(lambda: backend.drawn is None, "it to go with the stop")


@running
async def test_the_isolated_desktop_starts_with_the_session(console: Console, backend: FakeBackend) -> None:
    window = console.window
    assert window.setup.chooser.choose("virtual")
    said = window.empty.findChildren(QLabel)[1]
    await until(lambda: "starts with the session" in said.text(), "that there is nothing to see yet")
    assert backend.watching == ""
    handle = await begun(console, backend)
    backend.story.started()
    backend.play()
    await until(lambda: backend.watching == "virtual", "its preview")
    assert backend.on_frame is not None
    backend.on_frame(frame_of(desktop_image(64, 48, 30)))
    await until(lambda: window.preview.fit is not None and not window.empty.isVisible(), "its picture")
    backend.emit(ev.Ended(outcome=ev.EndedOutcome.FINISHED, message="Done.", steps=1, usage=Usage()))
    handle.over.set()
    await until(lambda: backend.watching == "", "the preview to end with it")
    assert window.preview.fit is not None, "the last picture stays"
    assert not window.empty.isVisible()


@running
async def test_a_sessions_preview_shows_its_own_target_whatever_is_chosen(
    console: Console, backend: FakeBackend
) -> None:
    window = console.window
    window.setup.chooser.choose("window:0x7")
    handle = await begun(console, backend)
    backend.story.started()
    backend.play()
    await until(lambda: window.line.isVisible() and backend.watching == "window:0x7", "the session")
    backend.gone.add("window:0x7")
    console.targets.refresh()
    await until(lambda: not console.targets.looking, "the list")
    window.setup.chooser.choose("monitor:1")
    assert backend.watching == "window:0x7"
    console.render()
    assert window.line._target.whole == TARGET.title
    backend.emit(ev.Ended(outcome=ev.EndedOutcome.FINISHED, message="Done.", steps=1, usage=Usage()))
    handle.over.set()
    await until(lambda: console.sessions.view.phase is Phase.ENDED, "the end")
    console.render()
    window.setup.chooser.choose("window:0x8")
    console.render()
    assert (backend.watching, window.line._target.whole) == ("window:0x8", "receipts.txt — xterm")


def test_a_key_is_entered_checked_and_kept(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        backend = FakeBackend()
        backend.choices = [GEMINI]
        async with opened(app, backend) as (console, _):
            setup = console.window.setup
            assert setup._leaves_frame.isVisible()
            assert "Google" in setup._leaves.text()
            assert "generativelanguage" in setup.model.toolTip()
            press(setup.key)
            dialog = console.keys.dialog
            assert isinstance(dialog, KeyDialog)
            QTest.keyClicks(dialog.key, "k-123")
            press(dialog.keep)
            await until(dialog._result.isVisible, "the check")
            assert backend.keys == {"gemini": "k-123"}
            assert "works" in dialog._result.text()
            assert not setup.key.isVisible()
            press(dialog.cancel)

    on_qt(work())


def test_closing_while_a_session_runs_asks_and_ends_it_in_order(app: QApplication, on_qt: Run) -> None:
    from operator_console.ui.dialogs.confirm import ConfirmDialog

    async def work() -> None:
        backend = FakeBackend()
        console = Console(app, backend)
        life = asyncio.ensure_future(console.run())
        await until(lambda: console.window.setup.chosen_target is not None, "the targets")
        handle = await begun(console, backend)
        handle.ends_at_stop = False
        backend.story.started()
        backend.play()
        await until(lambda: console.sessions.view.phase.active, "the session")
        console.window.close()
        assert console.window.isVisible()
        dialog = console.window.findChild(ConfirmDialog)
        assert dialog is not None
        press(dialog.yes)
        await until(lambda: handle.intents, "the end in order")
        assert isinstance(handle.intents[0], Stop)
        assert handle.intents[0].reason is StopCause.INTERRUPT
        assert not life.done()
        handle.over.set()
        assert await asyncio.wait_for(life, 15) == 0

    on_qt(work())


def test_a_session_that_broke_off_is_offered(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        async with opened(app, broken_off()) as (console, _):
            banner = console.window.banner
            await until(banner.isVisible, "the offer")
            assert banner.notice is not None
            assert banner.notice.detail == "Its record is kept as “broken.ocsession” in kept. Task: Copy the receipt"
            press(banner._act)
            await until(console.window.transport.isVisible, "the record")

    on_qt(work())


def test_the_offer_of_a_runbook_that_broke_off_names_its_file(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        backend = broken_off()
        assert backend.broken is not None
        backend.broken = replace(backend.broken, task="@steps/receipts.runbook", model="runbook")
        async with opened(app, backend) as (console, _):
            await until(console.window.banner.isVisible, "the offer")
            said = console.window.banner.accessibleName()
            assert said.endswith("in kept. Task: Runbook receipts.runbook")

    on_qt(work())


def test_the_offer_of_what_broke_off_follows_its_file(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        backend = broken_off()
        assert backend.broken is not None
        before = backend.broken.path
        after = before.with_name("Receipt.ocsession")
        backend.files[after] = backend.story
        async with opened(app, backend) as (console, _):
            banner = console.window.banner
            await until(banner.isVisible, "the offer")
            console.library.moved.emit((before, after))
            await until(lambda: "Receipt.ocsession" in banner.accessibleName(), "the new name")
            assert before.name not in banner.accessibleName()
            console.library.deleted.emit(after)
            await until(lambda: not banner.isVisible(), "no offer of a file that is gone")

    on_qt(work())


@running
async def test_what_the_setup_lacks_is_said_until_it_is_there(console: Console, backend: FakeBackend) -> None:
    setup, banner = console.window.setup, console.window.banner
    setup.task.clear()
    setup.start.click()
    await until(lambda: banner.accessibleName() == "Enter a task first." and banner.isVisible(), "what is lacking")
    setup.task.setPlainText(" ")
    assert console._notice is not None, "a task of spaces is none"
    setup.task.setPlainText("Copy it")
    await until(lambda: not banner.isVisible(), "nothing is lacking")


@running
async def test_a_session_of_a_terminal_is_told_and_nothing_else_starts(console: Console, backend: FakeBackend) -> None:
    window = console.window
    at_work = Elsewhere(pid=4711, since="2026-01-01T10:00:00Z", paused=False, record="a.ocsession")
    window.setup.task.setPlainText("Copy it")
    backend.say_guard(elsewhere=at_work)
    await until(window.banner.isVisible, "who is at work")
    said = window.banner.accessibleName()
    assert said.startswith(
        "A session that was started in a terminal works on this display. Process 4711, working since"
    )
    assert "a.ocsession" in said
    assert window.header._pill.whole == "Working in a terminal"
    assert window.header.stop.property("live") == "acting"
    assert not window.setup.start.isEnabled()
    assert "A terminal runs a session" in window.setup.start.toolTip()
    backend.say_guard(elsewhere=replace(at_work, paused=True))
    await until(lambda: window.header._pill.whole == "Waiting in a terminal", "that it waits")
    backend.say_guard(elsewhere=None)
    await until(lambda: not window.banner.isVisible() and window.setup.start.isEnabled(), "its end")
    assert window.header.stop.property("live") == "idle"


def test_a_latch_and_the_offer_of_what_broke_off_are_said_together(app: QApplication, on_qt: Run) -> None:
    async def work() -> None:
        backend = broken_off()
        backend.say_guard(latch=Latch(reason=StopCause.CONSOLE_DIED))
        async with opened(app, backend) as (console, _):
            banner = console.window.banner
            await until(lambda: "interrupted" in banner.accessibleName(), "the offer")
            assert "Nothing can act until you reset" in banner.accessibleName()
            assert "Copy the receipt" in banner.accessibleName()
            await until(console.window.side.receipt.reset.isEnabled, "Reset")
            press(banner._act)
            await until(console.window.transport.isVisible, "the record")

    on_qt(work())


@running
async def test_a_keyring_that_does_not_answer_holds_nothing_up(console: Console, backend: FakeBackend) -> None:
    answered, before = asyncio.Event(), backend.choices

    async def slow() -> list[ModelChoice]:
        await answered.wait()
        return before

    backend.models = slow  # type: ignore[method-assign]
    handle = await begun(console, backend)
    backend.story.started()
    backend.play()
    await until(lambda: console.sessions.view.started is not None, "the session, while the keyring is asked")
    assert console.bridge.running("models")
    answered.set()
    await until(lambda: not console.bridge.running("models"), "the models")
    assert handle is backend.handle


@running
async def test_errors_of_ours_are_said_and_survived(console: Console, backend: FakeBackend) -> None:

    async def broken() -> None:
        raise ZeroDivisionError("oops")

    console.bridge.run("broken", broken())
    await until(lambda: "Something went wrong" in console.window.banner.accessibleName(), "the sentence")
    assert (await begun(console, backend)).intents == []


@pytest.mark.parametrize("theme", list(ThemeChoice))
def test_a_theme_is_applied_whole(app: QApplication, on_qt: Run, theme: ThemeChoice) -> None:
    async def work() -> None:
        async with opened(app, FakeBackend(preferences=Preferences(look=Look(theme)))) as (console, _):
            assert console.theme.tokens.name == ("dark" if theme is ThemeChoice.DARK else "light")
            assert "$" not in app.styleSheet()

    on_qt(work())


@running
async def test_folding_away_shows_the_bar(console: Console, backend: FakeBackend) -> None:
    handle = await reviewed(console, backend)
    press(console.window.header.fold)
    await until(console.bar.isVisible, "the bar")
    assert console.bar._next.whole == "Type “Train to Kraków” into “Notes”"
    assert console.bar._risk.text() == "Low risk"
    assert console.bar.open_console.isVisible()
    await until(console.bar.approve.isEnabled, "Approve in the bar")
    press(console.bar.approve)
    press(console.bar.stop)
    await until(lambda: backend.stops == 1, "Stop in the bar")
    assert handle.intents == [Approve(question_id="q1.0")]
    console.window.showNormal()
    await until(lambda: not console.bar.isVisible(), "the bar to go")


@running
async def test_the_bar_stays_when_the_session_ends_until_the_console_is_opened(
    console: Console, backend: FakeBackend
) -> None:
    await begun(console, backend)
    backend.story.started()
    backend.play()
    await until(lambda: console.sessions.view.phase.active, "the session")
    console.window.showMinimized()
    await until(console.bar.isVisible, "the bar")
    backend.emit(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
    await until(lambda: console.sessions.view.phase is Phase.ENDED, "the end")
    console.render()
    assert console.bar.isVisible()
    console.bar.open_console.click()
    await until(lambda: not console.bar.isVisible(), "the bar to go")


@running
async def test_a_question_comes_forward_over_its_own_target_alone(console: Console, backend: FakeBackend) -> None:
    """The target lies over the console after each approved action, a browser's window from the start; another program's
    window is left in front."""
    raised: list[int] = []
    console.window.raise_ = lambda: raised.append(step_of(console))  # type: ignore[method-assign]
    other = QWidget()
    other.show()
    other.activateWindow()
    await begun(console, backend)
    window = WindowTarget(spec="window:0x1", title="Expense report", window_id=1)
    action = a.Click(at=SUBMIT)
    assert backend.audience is not None
    assert backend.on_frame is not None
    shown = replace(HEADLESS, display=":1")
    cases: tuple[tuple[TargetRef, bool], ...] = (
        (window, True),
        (window, False),
        (TARGET, True),
        (TARGET, False),
        (shown, True),
        (HEADLESS, True),
    )
    for step, (target, in_target) in enumerate(cases, 1):
        live = replace(frame_of(backend.story.image, target=target), frame_id=f"l{step}", focus_in_target=in_target)
        backend.on_frame(live)
        other.activateWindow()
        await until(lambda: not console.window.isActiveWindow(), "the focus elsewhere")
        if step == 1:
            backend.emit(backend.story.started().event)
        backend.emit(backend.story.observed(step).event)
        backend.emit(ev.Asked(question=review(step, 0, action, LOW), step=step, call=0))
        question = f"q{step}.0"
        await until(lambda: console.questions._question_id, "the question")
        backend.emit(ev.Answered(question_id=question, answer="yes", by=DecidedBy.HUMAN, step=step, call=0))
        await until(lambda: not console.questions._question_id, "the answer")
    assert raised == [1, 3, 5]
    other.deleteLater()


@pytest.mark.parametrize("how", ["stopped", "ended"])
def test_what_a_session_leaves_to_do_comes_forward_over_its_target(app: QApplication, on_qt: Run, how: str) -> None:
    """The receipt with Reset, the model's last words with Answer."""

    async def work() -> None:
        async with opened(app) as (console, backend):
            await begun(console, backend)
            window = WindowTarget(spec="window:0x1", title="Expense report", window_id=1)
            other = QWidget()
            other.show()
            other.activateWindow()
            await until(lambda: not console.window.isActiveWindow(), "the focus in the target")
            backend.emit(backend.story.started().event)
            assert backend.on_frame is not None
            backend.on_frame(replace(frame_of(backend.story.image, target=window), focus_in_target=True))
            raised: list[Phase] = []
            console.window.raise_ = lambda: raised.append(console.sessions.view.phase)  # type: ignore[method-assign]
            if how == "stopped":
                backend.emit(ev.Stopped(reason=StopCause.HOTKEY, latched=True))
                backend.say_guard(latch=Latch(reason=StopCause.HOTKEY))
                await until(lambda: raised == [Phase.STOPPED], "the receipt")
            else:
                backend.emit(ev.Ended(outcome=ev.EndedOutcome.FINISHED, usage=Usage()))
                await until(lambda: raised == [Phase.ENDED], "the end")
            other.deleteLater()

    on_qt(work())


@running
async def test_a_question_behind_other_windows_is_announced(console: Console, backend: FakeBackend) -> None:
    await begun(console, backend)
    other = QWidget()
    other.show()
    other.activateWindow()
    await until(lambda: not console.window.isActiveWindow(), "another window in front")
    backend.story.started()
    backend.story.batch(1)
    backend.story.add(ev.Asked(question=review(1, 0, a.Click(at=NOTES), LOW), step=1, call=0))
    backend.play()
    await until(lambda: backend.notes, "the notification")
    other.close()


def test_every_state_has_its_words(app: QApplication, on_qt: Run) -> None:
    from operator_console.ui.view.state_words import pill_words

    async def work() -> None:
        async with opened(app) as (console, backend):
            await begun(console, backend)
            backend.story.started()
            backend.play()
            seen = set()
            states: tuple[st.State, ...] = (
                st.Starting(), st.Observing(), st.Thinking(), st.Retrying(until_s=0.0, reason="busy"),
                st.Acting(step=1, call=0), st.Settling(), st.Paused(by=PauseCause.LEASE), st.HandedOver(),
                st.Stopped(reason=StopCause.HOTKEY), st.Ended(outcome=ev.EndedOutcome.LIMIT),
            )  # fmt: skip
            for state in states:
                backend.enter(state)
                console.render()
                seen.add(pill_words(console.sessions.view)[0])
                parts = [each for each in console.window.findChildren(QWidget) if each.isVisible()]
                assert unexplained(parts) == [], state
            assert len(seen) == len(states)

    on_qt(work())


def element(role: Role, name: str, box: Rect) -> Element:
    return Element(element_id=name, role=role, name=name, box=box)


KNOWN = KnownElements(
    elements=(
        element(Role.BUTTON, "Submit report", Rect(90, 576, 180, 40)),
        element(Role.TEXT_FIELD, "Notes", Rect(90, 410, 320, 120)),
        element(Role.FORM, "Expense report", Rect(60, 50, 700, 640)),
    ),
    exposure=Exposure.FULL,
    native=Size(1280, 800),
)


def note(console: Console) -> str:
    """What Set-up says about the elements of the target; "" where it says nothing."""
    shown = [part.text() for part in console.window.setup.findChildren(QLabel) if part.isVisible()]
    return next((text for text in shown if "element" in text or text == "Asking…"), "")


@running
async def test_the_elements_of_the_target_are_shown_on_the_preview_and_hidden_again(
    console: Console, backend: FakeBackend
) -> None:
    setup, stage = console.window.setup, console.window.preview
    stage.show_frame(frame_of(backend.story.image))
    backend.known = KNOWN
    assert setup.elements.accessibleName() == "Show elements"
    setup.elements.click()
    await until(lambda: note(console).startswith("3 elements known."), "the number")
    assert backend.asked_for_elements == ["monitor:1"]
    fit = stage.fit
    assert fit is not None

    def outlined() -> list[bool]:
        seen, boxes = stage.grab().toImage(), (fit.to_box(each.box) for each in KNOWN.elements)
        return [seen.pixelColor(round(box.x) + 9, round(box.y)) == QColor(INK) for box in boxes]

    assert outlined() == [True] * 3
    unpointed = stage.grab().toImage()
    QTest.mouseMove(stage, QPoint(round(fit.x + 180 * fit.zoom), round(fit.y + 596 * fit.zoom)))
    await until(lambda: stage.grab().toImage() != unpointed, "the name of the element under the pointer")
    setup.elements.click()
    assert note(console) == ""
    assert outlined() == [False] * 3
    assert backend.requests == []


@running
async def test_elements_are_asked_for_again_when_picture_or_target_change(
    console: Console, backend: FakeBackend
) -> None:
    backend.known = KNOWN
    console.window.setup.elements.click()
    await until(lambda: len(backend.asked_for_elements) == 1, "the first answer")
    assert backend.on_frame is not None
    backend.on_frame(frame_of(desktop_image(1280, 800, 20)))
    await until(lambda: len(backend.asked_for_elements) == 2, "a new picture to be asked about")
    console.window.setup.chooser.choose("window:0x7")
    await until(lambda: backend.asked_for_elements[-1] == "window:0x7", "another target to be asked about")


@pytest.mark.parametrize(
    ("exposure", "words"),
    [
        (Exposure.FULL, "no elements that can be used"),
        (Exposure.NOTHING, "tells nothing"),
        (Exposure.SWITCHED_OFF, "once accessibility is switched on"),
        (Exposure.NOT_ANSWERING, "does not answer"),
        (Exposure.NO_SERVICE, "no accessibility service"),
    ],
)
def test_why_no_elements_are_known_is_said(app: QApplication, on_qt: Run, exposure: Exposure, words: str) -> None:
    async def work() -> None:
        async with opened(app) as (console, backend):
            backend.known = KnownElements(exposure=exposure, native=Size(1280, 800))
            console.window.setup.elements.click()
            await until(lambda: words in note(console), words)

    on_qt(work())


@running
async def test_a_session_hides_the_elements(console: Console, backend: FakeBackend) -> None:
    backend.known = KNOWN
    console.window.setup.elements.click()
    await until(lambda: note(console).startswith("3 elements"), "the number")
    await begun(console, backend)
    assert not console.window.setup.elements.isChecked()
    assert note(console) == ""


@running
async def test_a_target_that_cannot_be_asked_is_said_and_the_button_comes_up(
    console: Console, backend: FakeBackend
) -> None:
    backend.no_elements = ComputerUnavailable("The window is closed.", reason=UnavailableReason.GONE)
    console.window.setup.elements.click()
    await until(lambda: not console.window.setup.elements.isChecked(), "the button to come up")
    assert note(console) == ""
    await until(lambda: "The window is closed." in console.window.banner.accessibleName(), "the reason")


@pytest.mark.parametrize("restartable", [True, False])
def test_a_browser_that_tells_no_controls_is_restarted_where_that_loses_nothing(
    app: QApplication, on_qt: Run, restartable: bool
) -> None:
    async def work() -> None:
        backend = FakeBackend()
        backend.restartable = {7} if restartable else set()
        async with opened(app, backend) as (console, behind):
            handle = await begun(console, behind)
            warned = ev.Warned(title="Chromium does not tell its controls.", detail="Start it again: chromium", pid=7)
            behind.emit(warned)
            banner = console.window.banner
            await until(banner.isVisible, "the offer")
            assert banner.accessibleName() == f"{warned.title} {warned.detail}"
            assert banner._act.isVisible() is restartable
            if restartable:
                press(banner._act)
                await until(lambda: len(handle.intents) == 3, "the restart")
                assert [type(each).__name__ for each in handle.intents] == ["Pause", "Say", "Resume"]
                assert behind.restarted == [7]

    on_qt(work())


@running
async def test_a_browser_that_does_not_close_leaves_the_session_paused(console: Console, backend: FakeBackend) -> None:
    handle = await begun(console, backend)
    backend.restartable = {7}
    backend.not_restarted = OperatorError("The browser did not close.", remedy="Answer it.")
    backend.emit(ev.Warned(title="Chromium does not tell its controls.", pid=7))
    banner = console.window.banner
    await until(banner.isVisible, "the offer")
    press(banner._act)
    await until(lambda: "did not close" in banner.accessibleName(), "the failure")
    assert [type(each).__name__ for each in handle.intents] == ["Pause"]


@running
async def test_guarded_becomes_step_at_one_press_and_what_is_approved_ahead_is_shown_and_taken_back(
    console: Console, backend: FakeBackend
) -> None:
    handle = await reviewed(console, backend)
    line, card = console.window.line, console.window.side.card
    step = line.autonomy.levels[Autonomy.STEP]
    assert line.autonomy.levels[Autonomy.GUARDED].isChecked()
    press(step)
    assert handle.intents == [SetAutonomy(autonomy=Autonomy.STEP)]
    backend.emit(ev.AutonomyChanged(autonomy=Autonomy.STEP))
    title = "Autonomy is now Step"
    await until(lambda: console.window.side.timeline.rows.index(0).data(ENTRY_ROLE).title == title, "the note")
    assert not line.ahead.isVisible()
    handle.intents.clear()
    await until(card.approve_next.isVisible, "Approve the next")
    card.many.setValue(3)
    with pytest.MonkeyPatch.context() as at_once:
        at_once.setattr(approval_delay, "SHOWN_S", 0.0)
        card._delay.disturb()
        await until(card.approve_next.isEnabled, "it, without the delay")
        press(card.approve_next)
    assert handle.intents == [ApproveNext(count=2), Approve(question_id="q1.0")]
    backend.emit(ev.AutonomyChanged(autonomy=Autonomy.STEP, approve_next=2))
    await until(lambda: line.ahead.text() == "2 approved ahead ×", "how many are left")
    backend.emit(ev.Decided(step=1, call=1, decision=DecisionKind.APPROVE, by=DecidedBy.POLICY, rule=ev.APPROVED_NEXT))
    await until(lambda: line.ahead.text() == "1 approved ahead ×", "one less")
    handle.intents.clear()
    press(line.ahead)
    assert handle.intents == [ApproveNext(count=0)]
    backend.emit(ev.AutonomyChanged(autonomy=Autonomy.STEP))
    await until(lambda: not line.ahead.isVisible(), "none left")


@running
async def test_what_a_running_session_offers_has_keys_that_also_count_while_words_are_written(
    console: Console, backend: FakeBackend
) -> None:
    """None of them writes anything, or collides with the keys of a text."""
    handle = await reviewed(console, backend)
    window, line, card = console.window, console.window.line, console.window.side.card
    window.activateWindow()
    await until(window.isActiveWindow, "the window in front")
    both = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    QTest.keyClick(window, Qt.Key.Key_M, Qt.KeyboardModifier.ControlModifier)
    assert window.focusWidget() is line.message
    QTest.keyClicks(line.message, "hm")
    QTest.keyClick(line.message, Qt.Key.Key_S, both)
    assert handle.intents == [SetAutonomy(autonomy=Autonomy.STEP)]
    handle.intents.clear()
    QTest.keyClick(line.message, Qt.Key.Key_F2)
    assert card.editing
    QTest.keyClick(window, Qt.Key.Key_Escape)
    await until(lambda: not card.editing and card.skip.isEnabled(), "the action again")
    QTest.keyClick(window, Qt.Key.Key_F8)
    assert window.focusWidget() is card.feedback
    QTest.keyClick(card.feedback, Qt.Key.Key_Return)
    assert handle.intents == [Skip(step=1, call=0)]
    handle.intents.clear()
    QTest.keyClick(window, Qt.Key.Key_F9)
    assert handle.intents == [TakeOver()]
    handle.intents.clear()
    backend.emit(ev.Paused(by=PauseCause.HUMAN))
    await until(lambda: console.sessions.view.phase is Phase.PAUSED, "the pause")
    QTest.keyClick(window, Qt.Key.Key_R, both)
    assert handle.intents == [Resume()]
    assert line.message.text() == "hm"
    assert all("(" in push.toolTip() for push in (line.take_over, line.message, line.autonomy.levels[Autonomy.STEP]))


@running
async def test_after_a_stop_it_goes_on_at_two_presses_or_two_entries_of_the_keyboard(
    console: Console, backend: FakeBackend
) -> None:
    """Reset and Continue; the word and Enter. A runbook asks for its line too: Ctrl+Enter."""
    await reviewed(console, backend)
    line, receipt = console.window.line, console.window.side.receipt
    backend.emit(ev.Stopped(reason=StopCause.HOTKEY, latched=True))
    backend.emit(ev.Ended(outcome=ev.EndedOutcome.STOPPED, usage=Usage()))
    assert backend.handle is not None
    backend.handle.over.set()
    backend.say_guard(latch=Latch(reason=StopCause.HOTKEY))
    await until(receipt.reset.isEnabled, "Reset")
    word = console.window.focusWidget()
    assert word is receipt.word
    QTest.keyClicks(word, "reset")
    await until(lambda: backend.resets == 1, "the reset")
    backend.say_guard(latch=None)
    await until(lambda: console.window.focusWidget() is line.go_on, "Continue")
    QTest.keyClick(line.go_on, Qt.Key.Key_Return)
    await until(lambda: len(backend.requests) == 2, "the session that goes on")
