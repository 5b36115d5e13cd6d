"""Card and bar count a yes only when they are attended, uncovered and still, now and for the second before."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QEvent, QPoint, QSize, Qt
from PySide6.QtGui import QCursor, QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget

from operator_console.domain import actions as a
from operator_console.domain import events as ev
from operator_console.domain.decisions import Question, Surface
from operator_console.domain.geometry import Rect, Size
from operator_console.domain.intents import Answer, Approve, ApproveNext
from operator_console.domain.permissions import PermissionOffer
from operator_console.ui.panels.action_card import ActionCard
from operator_console.ui.panels.compact_bar import CompactBar
from operator_console.ui.view.session_view import SessionView
from operator_console.ui.widgets.approval_delay import SHOWN_S
from tests.display.ui.scene import LOW, SUBMIT, SUBMITTING, Story, call_of, review
from tests.ui.view.folding import fold_all

AWAY, TRIES = QPoint(2_000, 2_000), [200, pytest.param(10_000, marks=pytest.mark.full)]


def asks() -> SessionView:
    story = Story()
    story.started()
    story.observed(1)
    action = a.Click(at=SUBMIT)
    story.proposed(1, call_of(0, action, LOW))
    story.add(ev.Asked(question=review(1, 0, action, LOW), step=1, call=0))
    return fold_all(story.records)


class Devices:
    """Tells every press alike."""

    def __init__(self, *, physical: bool) -> None:
        self.physical, self.watching = physical, False

    def watch(self, watcher: int, *, pointer: bool, keys: bool) -> None:
        self.watching = pointer or keys

    def from_device(self, time_ms: int) -> bool:
        return self.physical


class Asking:
    """A card or a bar that asks, with a clock in the test's hands and another window that may cover it."""

    def __init__(self, panel: ActionCard | CompactBar) -> None:
        self.panel, self.now, self.covered = panel, 1000.0, False
        self.parts: list[Rect | None] = []
        self.said: list[object] = []
        self.other = QWidget()
        panel.intent.connect(self.said.append)
        panel._delay._monotonic = lambda: self.now
        self.devices: Devices | None = None
        panel.protect(self._covers, lambda: self.devices)
        self.window = panel if isinstance(panel, CompactBar) else QWidget()
        if isinstance(panel, ActionCard):
            column = QVBoxLayout(self.window)
            column.addWidget(panel)
        self.window.resize(420, 600)
        QCursor.setPos(AWAY)

    def _covers(self, _window: int, part: Rect | None) -> bool:
        self.parts.append(part)
        return self.covered

    def show(self) -> None:
        self.window.show()
        self.window.activateWindow()
        QApplication.processEvents()
        view = asks()
        if isinstance(self.panel, ActionCard):
            self.panel.show_view(view, lambda _point, _size: None, Size(1280, 800), replay=False)
        else:
            self.panel.show_view(view)
        QApplication.processEvents()

    def pass_time(self, seconds: float) -> None:
        end = self.now + seconds
        while self.now < end:
            self.now = min(end, self.now + 0.05)
            self.panel._delay._look()

    def press(self) -> bool:
        """Whether a press was a yes."""
        QTest.mouseClick(self.panel.approve, Qt.MouseButton.LeftButton)
        return any(isinstance(each, Approve) for each in self.said)

    def close(self) -> None:
        for each in (self.window, self.other):
            each.close()
            each.deleteLater()


@pytest.fixture(params=[ActionCard, CompactBar])
def asking(app: QApplication, request: pytest.FixtureRequest) -> Iterator[Asking]:
    made = Asking(request.param())
    made.show()
    yield made
    made.close()


def test_a_deliberate_press_is_a_yes_once_it_was_shown_for_a_second(asking: Asking) -> None:
    asking.pass_time(SHOWN_S - 0.1)
    assert not asking.press()
    asking.pass_time(0.2)
    assert asking.press()


def test_deliberate_presses_always_count(app: QApplication) -> None:
    for _ in range(20):
        asking = Asking(ActionCard())
        asking.show()
        asking.pass_time(SHOWN_S + 0.1)
        assert asking.press()
        asking.close()


def test_a_press_of_a_program_does_not_count_and_an_accessibility_press_does(asking: Asking) -> None:
    asking.devices = Devices(physical=False)
    asking.panel._delay.begin()
    assert asking.devices.watching
    asking.pass_time(SHOWN_S + 0.1)
    assert not asking.press()
    assert asking.panel._delay.refused
    QTest.keyClick(asking.window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert not any(isinstance(each, Approve) for each in asking.said)
    asking.panel.approve.click()
    assert any(isinstance(each, Approve) for each in asking.said)


@pytest.mark.parametrize("how", ["covered", "moved", "hidden"])
def test_a_disturbance_begins_the_second_anew(asking: Asking, how: str) -> None:
    asking.pass_time(SHOWN_S + 0.1)
    match how:
        case "covered":
            asking.covered = True
            assert not asking.press()
            asking.pass_time(0.1)
            asking.covered = False
        case "moved":
            asking.window.move(asking.window.pos() + QPoint(60, 0))
        case _:
            asking.window.hide()
            asking.window.show()
            QCursor.setPos(asking.panel.mapToGlobal(asking.panel.rect().center()))
    QApplication.processEvents()
    assert not asking.press()
    asking.pass_time(SHOWN_S - 0.2)
    assert not asking.press()
    asking.pass_time(0.4)
    assert asking.press()


def test_another_window_over_it_is_said(asking: Asking) -> None:
    asking.covered = True
    asking.pass_time(SHOWN_S + 1)
    assert "Another window is over this" in asking.panel.approve.toolTip()


def test_only_the_card_must_be_in_view_and_not_the_whole_window(app: QApplication) -> None:
    asking = Asking(ActionCard())
    asking.show()
    asking.pass_time(0.1)
    corner = asking.panel.mapToGlobal(QPoint(0, 0))
    size: QSize = asking.panel.size()
    assert asking.parts[-1] == Rect(corner.x(), corner.y(), size.width(), size.height())
    asking.close()


def test_the_card_waits_while_another_window_is_active_unless_the_pointer_rests_on_it(app: QApplication) -> None:
    asking = Asking(ActionCard())
    asking.show()
    asking.pass_time(SHOWN_S + 0.1)
    asking.other.show()
    asking.other.activateWindow()
    QApplication.processEvents()
    assert asking.other.isActiveWindow()
    asking.pass_time(SHOWN_S + 0.1)
    assert not asking.press()
    QCursor.setPos(asking.panel.mapToGlobal(asking.panel.rect().center()))
    asking.pass_time(SHOWN_S - 0.1)
    assert not asking.press()
    asking.pass_time(0.3)
    assert asking.press()
    asking.close()


def test_a_screen_reader_approves_without_the_focus(app: QApplication) -> None:
    asking = Asking(ActionCard())
    asking.show()
    asking.other.show()
    asking.other.activateWindow()
    QApplication.processEvents()
    asking.pass_time(SHOWN_S + 0.2)
    asking.panel.approve.click()
    assert any(isinstance(each, Approve) for each in asking.said)
    asking.close()


def test_approving_the_next_takes_a_second_under_the_pointer_as_approve_does(app: QApplication) -> None:
    asking = Asking(ActionCard())
    card = asking.panel
    assert isinstance(card, ActionCard)
    asking.show()
    asking.other.show()
    asking.other.activateWindow()
    QApplication.processEvents()
    asking.pass_time(SHOWN_S + 0.2)
    QTest.mouseClick(card.approve_next, Qt.MouseButton.LeftButton)
    assert asking.said == []
    QCursor.setPos(card.mapToGlobal(card.rect().center()))
    asking.pass_time(SHOWN_S + 0.2)
    QTest.mouseClick(card.approve_next, Qt.MouseButton.LeftButton)
    assert [type(each) for each in asking.said] == [ApproveNext, Approve]
    asking.close()


@pytest.mark.parametrize("first", ["the press", "the focus"])
@pytest.mark.parametrize("what", ["a choice", "its box", "Continue"])
def test_the_first_click_on_an_answer_counts_in_a_window_without_the_focus(
    app: QApplication, what: str, first: str
) -> None:
    asking = Asking(ActionCard())
    card = asking.panel
    assert isinstance(card, ActionCard)
    boxes = QPushButton()  # stands for the preview
    boxes.clicked.connect(lambda _checked: card.question.choose(1))
    asking.window.layout().addWidget(boxes)  # type: ignore[union-attr]
    card.set_boxed_in(boxes)
    asking.show()
    kind = a.QuestionKind.CONFIRM if what == "Continue" else a.QuestionKind.CHOOSE
    choices = () if what == "Continue" else (a.Choice(label="Save", region=Rect(1, 1, 9, 9)), a.Choice(label="Quit"))
    question = Question(
        question_id="c", answer=kind, surface=Surface.CARD, text="Which?", choices=choices,
        about="limit" if what == "Continue" else "model",
    )  # fmt: skip
    card.show_view(replace(asks(), question=question), lambda _point, _size: None, Size(1280, 800), replay=False)
    push = boxes if what == "its box" else (*card.question.choices.buttons, card.question.yes)[0]
    asking.other.show()
    asking.other.activateWindow()
    QApplication.processEvents()
    asking.pass_time(SHOWN_S + 0.2)
    QTest.mouseClick(push, Qt.MouseButton.LeftButton)
    assert asking.said == [], "the pointer was not there for a second"
    QCursor.setPos(push.mapToGlobal(push.rect().center()))
    asking.pass_time(SHOWN_S + 0.2)
    if first == "the press":
        QTest.mousePress(push, Qt.MouseButton.LeftButton)
    asking.window.activateWindow()
    QApplication.processEvents()
    if first == "the focus":
        card.question.yes.click()
        card.question.choose(1)
        assert asking.said == [], "keys wait: they may have been meant for another window"
        QTest.mousePress(push, Qt.MouseButton.LeftButton)
    QTest.mouseRelease(push, Qt.MouseButton.LeftButton)
    assert asking.said == [Answer(question_id="c", answer="yes" if what == "Continue" else "0")]
    asking.close()


@pytest.mark.parametrize("tries", TRIES)
def test_storms_at_what_appears_approve_nothing(asking: Asking, tries: int) -> None:
    """Clicks, double clicks, held and repeated keys, moves and covers, never a second in peace."""
    chance = random.Random(tries)
    panel = asking.panel
    quiet_s = 0.0
    for number in range(tries):
        match chance.randrange(5):
            case 0:
                QTest.mouseClick(panel.approve, Qt.MouseButton.LeftButton)
            case 1:
                QTest.mouseDClick(panel.approve, Qt.MouseButton.LeftButton)
            case 2:
                key = chance.choice([Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_A])
                QTest.keyClick(panel.approve, key)
            case 3:
                control = Qt.KeyboardModifier.ControlModifier
                QApplication.sendEvent(
                    panel.approve, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Return, control, "", True)
                )
            case _:
                QTest.keyClick(asking.window, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
        passed = chance.uniform(0.01, 0.3)
        asking.pass_time(passed)
        quiet_s += passed
        if quiet_s > SHOWN_S - 0.4:
            quiet_s = 0.0
            if number % 2:
                asking.covered = True
                asking.pass_time(0.05)
                asking.covered = False
            else:
                asking.window.move(chance.randrange(300), chance.randrange(200))
                asking.pass_time(0.05)
    assert not any(isinstance(each, Approve) for each in asking.said)


def test_the_choice_that_permits_after_quick_answers_counts_from_a_device_alone(app: QApplication) -> None:
    asking = Asking(ActionCard())
    card = asking.panel
    assert isinstance(card, ActionCard)
    asking.show()
    offer = PermissionOffer(coverage=SUBMITTING)
    question = Question(
        question_id="h", answer=a.QuestionKind.CHOOSE, surface=Surface.CARD, text="How should it go on?", about="haste",
        step=1, call=0, offer=offer, choices=(a.Choice(label=offer.coverage.sentence), a.Choice(label="Pause")),
    )  # fmt: skip
    view = replace(asks(), question=question)
    card.show_view(view, lambda _point, _size: None, Size(1280, 800), replay=False)
    asking.pass_time(SHOWN_S + 0.2)
    push = card.question.choices.buttons[0]
    asking.devices = Devices(physical=False)
    QTest.mouseClick(push, Qt.MouseButton.LeftButton)
    assert asking.said == []
    asking.devices = Devices(physical=True)
    QTest.mouseClick(push, Qt.MouseButton.LeftButton)
    assert asking.said == [Answer(question_id="h", answer="0")]
    asking.close()
