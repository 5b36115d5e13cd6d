"""A question in the side card: its ways to answer stand apart, whatever the question's length."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, QSize
from PySide6.QtGui import QEnterEvent, QImage
from PySide6.QtWidgets import QApplication, QLineEdit, QPushButton, QVBoxLayout, QWidget

from operator_console.domain.actions import Choice, QuestionKind
from operator_console.domain.decisions import Question, Surface
from operator_console.domain.geometry import NativePoint, Rect
from operator_console.domain.intents import Answer
from operator_console.ui.panels.question_panel import QuestionPanel, told_apart
from operator_console.ui.window import MainWindow


@pytest.mark.parametrize("text", ["Which?", "“Save” appears 2 times. Which one is meant? " * 3])
def test_choices_stand_below_each_other(app: QApplication, text: str) -> None:
    window = MainWindow()
    window.furnish()
    window.resize(1264, 752)
    window.show()
    choices = tuple(Choice(label=f"“Save” near “{word}”", region=Rect(1, 1, 9, 9)) for word in ("Clear", "Plenty"))
    question = Question(question_id="q", answer=QuestionKind.CHOOSE, surface=Surface.CARD, text=text, choices=choices)
    panel = window.side.card.question
    panel.show_question(question, enabled=True)
    app.processEvents()
    buttons = [each for each in panel.findChildren(QPushButton) if each.isVisible()]
    named = [each for each in buttons if "Save" in each.accessibleName()]
    assert [each.accessibleName() for each in named] == ["1 · “Save” near “Clear”", "2 · “Save” near “Plenty”"]
    tops = [QRect(each.mapTo(panel, QPoint()), each.size()) for each in named]
    for above, below in pairwise([panel._text.geometry(), *tops]):
        assert above.bottom() < below.top()
    window.really_close()
    window.deleteLater()


REGIONS = (Rect(10, 10, 40, 20), Rect(10, 100, 40, 20))
NAMED = tuple(
    Choice(label=f"button “Open file” near “{near}”, at 3, 4", region=region)
    for near, region in zip(("Recent", "All of them"), REGIONS, strict=True)
)
WHICH = Question(question_id="q", answer=QuestionKind.CHOOSE, surface=Surface.CARD, text="Which?", choices=NAMED)


@pytest.fixture
def panel(app: QApplication) -> Iterator[QuestionPanel]:
    made = QuestionPanel()
    made.resize(328, 400)
    yield made
    made.hide()
    made.deleteLater()


def test_a_button_shows_first_what_sets_its_choice_apart(panel: QuestionPanel) -> None:
    asked: list[tuple[NativePoint, QSize]] = []

    def crop(point: NativePoint, size: QSize) -> QImage:
        asked.append((point, size))
        return QImage(size, QImage.Format.Format_RGB32)

    panel.show_question(WHICH, enabled=True, crop=crop)
    assert [push.words.text() for push in panel.choices.buttons] == [
        "near “Recent”, at 3, 4",
        "near “All of them”, at 3, 4",
    ]
    assert [point for point, _ in asked] == [NativePoint(30, 20), NativePoint(30, 110)]
    assert not any(push.crop.isHidden() for push in panel.choices.buttons)
    panel.show_question(
        replace(WHICH, question_id="r", choices=(Choice(label="yes"), Choice(label="no"))), enabled=True
    )
    assert [push.words.text() for push in panel.choices.buttons] == ["yes", "no"]
    assert all(push.crop.isHidden() for push in panel.choices.buttons), "they refer to no place"


def test_a_box_in_the_preview_answers_as_its_button_and_only_once_armed(panel: QuestionPanel) -> None:
    sent: list[object] = []
    panel.intent.connect(sent.append)
    panel.show_question(WHICH, enabled=True)
    panel.choose(2)
    panel.choices.buttons[1].click()
    assert sent == []
    panel.set_armed(True)
    panel.choose(2)
    panel.choices.buttons[1].click()
    panel.choose(3)
    assert sent == [Answer(question_id="q", answer="1")] * 2


def test_pointing_highlights_the_choice_there_and_here(panel: QuestionPanel) -> None:
    pointed: list[object] = []
    panel.pointed.connect(pointed.append)
    panel.show_question(WHICH, enabled=True)
    second = panel.choices.buttons[1]
    QApplication.sendEvent(second, QEnterEvent(QPointF(), QPointF(), QPointF()))
    QApplication.sendEvent(second, QEvent(QEvent.Type.Leave))
    assert pointed == [2, None]
    panel.show_pointed(2)
    assert [push.property("pointed") or "" for push in panel.choices.buttons] == ["", "yes"]
    panel.show_pointed(None)
    assert [push.property("pointed") or "" for push in panel.choices.buttons] == ["", ""]


def test_many_choices_are_scrolled(panel: QuestionPanel) -> None:
    many = tuple(Choice(label=f"button {number} " + "long " * 30) for number in range(40))
    panel.show_question(replace(WHICH, choices=many), enabled=True)
    assert len(panel.choices.buttons) == 40
    assert panel.choices.height() <= 400
    assert all(push.height() >= push.words.heightForWidth(push.words.width()) for push in panel.choices.buttons[:1])


def test_the_likely_choice_has_the_keyboard_once_the_answers_count(app: QApplication, panel: QuestionPanel) -> None:
    """Not while words are being written; a limit leads to Continue."""
    message = QLineEdit()
    window = QWidget()
    column = QVBoxLayout(window)
    column.addWidget(panel)
    column.addWidget(message)
    window.show()
    lines = tuple(Choice(label=f"Line {number}: press F{number}") for number in range(1, 30))
    panel.show_question(replace(WHICH, choices=lines, suggested=20), enabled=True)
    likely = panel.choices.buttons[20]
    assert [push.property("suggested") or "" for push in panel.choices.buttons].count("yes") == 1
    panel.set_armed(True)
    assert window.focusWidget() is likely
    assert panel.choices.viewport().rect().contains(likely.mapTo(panel.choices.viewport(), likely.rect().center()))
    message.setText("hello")
    message.setFocus()
    panel.show_question(replace(WHICH, question_id="r", choices=lines, suggested=2), enabled=True)
    panel.set_armed(True)
    assert window.focusWidget() is message
    message.clear()
    limit = Question(question_id="l", answer=QuestionKind.CONFIRM, surface=Surface.CARD, text="Go on?", about="limit")
    panel.show_question(limit, enabled=True)
    panel.set_armed(True)
    assert window.focusWidget() is panel.yes
    column.removeWidget(panel)
    panel.setParent(None)
    window.hide()
    window.deleteLater()


@pytest.mark.parametrize(
    ("labels", "own", "common"),
    [
        (("Save (top)", "Save (bottom)"), ["Save (top)", "Save (bottom)"], ""),
        (
            ("button “Open file” near “A”, at 1, 2", "button “Open file” near “B”, at 3, 4"),
            ["near “A”, at 1, 2", "near “B”, at 3, 4"], "button “Open file”",
        ),
        (("link “Open file”", "link “Open folder”"), ["“Open file”", "“Open folder”"], "link"),
        (("“Open file”, at 1, 2", "“Open file”, at 3, 4"), ["at 1, 2", "at 3, 4"], "“Open file”"),
        (("a", "b"), ["a", "b"], ""),
        (("the same", "the same"), ["the same", "the same"], ""),
        (("Name", "Name, again"), ["Name", "Name, again"], ""),
        (("Line 3: wait", "Line 11: click"), ["Line 3: wait", "Line 11: click"], ""),
        (("only one",), ["only one"], ""),
        ((), [], ""),
    ],
)  # fmt: skip
def test_choices_are_told_apart(labels: tuple[str, ...], own: list[str], common: str) -> None:
    words = told_apart(labels)
    assert [each.own for each in words] == own
    assert all(each.common == common for each in words)
