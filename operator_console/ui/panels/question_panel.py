"""A question of the model or the engine in the side card: yes or no, one of several choices, or a text.

Not for approvals of actions (the card's buttons and the dialog). The answer None means "declined".
"""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from operator_console.domain.actions import QuestionKind
from operator_console.domain.decisions import Question
from operator_console.domain.intents import Answer
from operator_console.engine.action_wording import brief, cut, shown_lines
from operator_console.ui.widgets.controls import GRID, GuardedButton, button, column, label

CHOICE = 42
"""Characters of a choice shown on its button; the tooltip has all of it, and the preview marks its place."""


class QuestionPanel(QWidget):
    """The question with its answer buttons or text field.

    Signals:
        intent: carries an Answer.
    """

    intent = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._question: Question | None = None
        self._armed = False
        self._enabled = True
        rows = column(self, spacing=GRID)
        self._text = label(wrap=True)
        rows.addWidget(self._text)
        self._choices = QVBoxLayout()
        self._choices.setSpacing(4)
        rows.addLayout(self._choices)
        self._options: list[QPushButton] = []
        self.answer = QLineEdit()
        self.answer.setAccessibleName("Answer")
        self.answer.setPlaceholderText("Your answer (Enter sends it)")
        rows.addWidget(self.answer)
        line = QHBoxLayout()
        line.setSpacing(GRID)
        self.yes = GuardedButton("Yes")
        self.decline = button("Decline", tip="The model is told that you declined")
        line.addWidget(self.yes, 1)
        line.addWidget(self.decline, 1)
        rows.addLayout(line)
        self.answer.returnPressed.connect(self._answered)
        self.yes.clicked.connect(self._yes_clicked)
        self.decline.clicked.connect(self._declined)

    def show_question(self, question: Question | None, *, enabled: bool) -> None:
        """Show a question; None hides the panel."""
        self.setVisible(question is not None)
        self._enabled = enabled
        if question is None or question == self._question:
            self._question = question
            return
        self._question = question
        self._text.setText(shown_lines(cut(question.text, 2_000)))
        self._make_choices(question)
        self.answer.clear()
        self.answer.setVisible(question.answer is QuestionKind.TEXT)
        self.yes.setVisible(question.answer is QuestionKind.CONFIRM)
        limit = question.about == "limit"
        self.yes.setText("Continue" if limit else "Yes")
        self.yes.setAccessibleName("Continue" if limit else "Yes")
        self.decline.setText("End here" if limit else "Decline")
        self.decline.setAccessibleName(self.decline.text())
        self.set_armed(False)
        self._fit_text()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Refit the height: text wraps differently at a new width."""
        super().resizeEvent(event)
        self._fit_text()

    def _fit_text(self) -> None:
        # A wrapped label's size hint is one line high: without this the buttons below would overlap.
        self._text.setMinimumHeight(max(0, self._text.heightForWidth(self.width())))

    def set_armed(self, armed: bool) -> None:
        """Set whether Yes and the choices are enabled."""
        self._armed = armed and self._enabled
        for push in (self.yes, *self._options):
            push.setEnabled(self._armed)
        self.decline.setEnabled(self._enabled)
        self.answer.setEnabled(self._enabled)

    def _make_choices(self, question: Question) -> None:
        for push in self._options:
            self._choices.removeWidget(push)
            push.deleteLater()
        self._options = []
        for number, choice in enumerate(question.choices, start=1):
            push = GuardedButton(f"{number} · {brief(choice.label, CHOICE)}")
            push.setToolTip(shown_lines(cut(choice.label, 2_000)))
            push.setProperty("answer", str(number - 1))
            push.clicked.connect(self._chosen)
            self._choices.addWidget(push)
            self._options.append(push)

    def _chosen(self) -> None:
        self._send(str(self.sender().property("answer")))

    def _yes_clicked(self) -> None:
        self._send("yes")

    def _answered(self) -> None:
        if self._question is not None and self.answer.text().strip():
            self.intent.emit(Answer(question_id=self._question.question_id, answer=self.answer.text()))

    def _declined(self) -> None:
        if self._question is not None:
            self.intent.emit(Answer(question_id=self._question.question_id, answer=None))

    def _send(self, answer: str) -> None:
        if self._question is not None and self._armed:
            self.intent.emit(Answer(question_id=self._question.question_id, answer=answer))
