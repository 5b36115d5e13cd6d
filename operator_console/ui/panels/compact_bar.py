"""The small always-on-top bar shown while the console is minimised: state, next action, Approve, Skip, Stop.

It never takes the keyboard focus from the target. Safety questions are answered in the console (Open).
"""

from __future__ import annotations

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from operator_console.domain.decisions import Surface
from operator_console.domain.intents import Approve, Skip
from operator_console.ui.view.session_view import SessionView
from operator_console.ui.view.state_words import can_act, next_words, pill_words
from operator_console.ui.widgets.approval_delay import ApprovalDelay
from operator_console.ui.widgets.controls import ElidedLabel, GuardedButton, button, set_role

WIDTH, HEIGHT, EDGE = 320, 40, 12


class CompactBar(QWidget):
    """A frameless window that never takes the focus.

    Signals:
        intent: carries an Intent.
        stop_pressed, open_pressed: no payload.
    """

    intent = Signal(object)
    stop_pressed = Signal()
    open_pressed = Signal()

    def __init__(self) -> None:
        flags = (
            Qt.WindowType.Tool
            | Qt.WindowType.FramelessWindowHint
            | Qt.WindowType.WindowStaysOnTopHint
            | Qt.WindowType.WindowDoesNotAcceptFocus
        )
        super().__init__(None, flags)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setWindowTitle("Operator console bar")
        self.setFixedSize(WIDTH, HEIGHT)
        self._view = SessionView()
        self._question_id = ""
        self._delay = ApprovalDelay(self.isVisible, self)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        frame = QFrame()
        frame.setProperty("role", "bar")
        outer.addWidget(frame)
        row = QHBoxLayout(frame)
        row.setContentsMargins(10, 4, 6, 4)
        row.setSpacing(6)
        words = QVBoxLayout()
        words.setSpacing(0)
        self._state = ElidedLabel(role="strong")
        self._next = ElidedLabel(role="secondary")
        words.addWidget(self._state)
        words.addWidget(self._next)
        row.addLayout(words, 1)
        self.approve = GuardedButton("Approve", "primary")
        self.skip = button("Skip")
        self.open_console = button("Open", name="Open console")
        self.stop = button("Stop", "stop")
        for push in (self.approve, self.skip, self.open_console, self.stop):
            push.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            row.addWidget(push)
        self.approve.clicked.connect(self._approve)
        self.skip.clicked.connect(self._skip)
        self.stop.clicked.connect(self._stop_clicked)
        self.open_console.clicked.connect(self._open_clicked)
        self._delay.changed.connect(self._show_delay)

    def show_view(self, view: SessionView) -> None:
        """Show the state and the next action."""
        self._view = view
        question = view.question
        state = pill_words(view)[0]
        self._state.set_whole(state)
        upcoming = next_words(view)
        self._next.set_whole(upcoming if upcoming != state else "")
        self._next.setVisible(bool(self._next.whole))
        card = question is not None and question.about == "review" and question.surface is Surface.CARD
        self.approve.setVisible(card)
        self.skip.setVisible(card)
        self.open_console.setVisible(not card)
        set_role(self.stop, live="acting" if can_act(view) else "idle")
        question_id = question.question_id if question is not None and card else ""
        if question_id != self._question_id:
            self._question_id = question_id
            if question_id:
                self._delay.begin()
            else:
                self._delay.end()

    def place(self, screen: QRect, away_from: QRect | None) -> None:
        """Move to the bottom right, or to the top right if the next action is at the bottom."""
        x = screen.right() - WIDTH - EDGE + 1
        low = away_from is not None and away_from.center().y() > screen.center().y()
        y = screen.top() + EDGE if low else screen.bottom() - HEIGHT - EDGE + 1
        self.move(x, y)

    def _show_delay(self) -> None:
        self.approve.setEnabled(self._delay.open)

    def _approve(self) -> None:
        question = self._view.question
        if question is not None and self._delay.check():
            self._delay.end()
            self.intent.emit(Approve(question_id=question.question_id))

    def _skip(self) -> None:
        question = self._view.question
        if question is not None and question.step is not None and question.call is not None:
            self.intent.emit(Skip(step=question.step, call=question.call))

    def _stop_clicked(self) -> None:
        self.stop_pressed.emit()

    def _open_clicked(self) -> None:
        self.open_pressed.emit()
