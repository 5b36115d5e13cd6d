"""A question in the side card: its ways to answer stand apart, whatever the question's length."""

from __future__ import annotations

from itertools import pairwise

import pytest
from PySide6.QtWidgets import QApplication, QPushButton

from operator_console.domain.actions import Choice, QuestionKind
from operator_console.domain.decisions import Question, Surface
from operator_console.domain.geometry import Rect
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
    assert [each.text() for each in buttons if "Save" in each.text()] == [
        "1 · “Save” near “Clear”",
        "2 · “Save” near “Plenty”",
    ]
    tops = sorted((each.geometry() for each in buttons if "Save" in each.text()), key=lambda place: place.y())
    for above, below in pairwise([panel._text.geometry(), *tops]):
        assert above.bottom() < below.top()
    window.really_close()
    window.deleteLater()
