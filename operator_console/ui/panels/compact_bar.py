"""The small always-on-top bar shown while the console is minimised: state, next action, Approve, Skip, Stop.

It never takes the keyboard focus from the target. Safety questions are answered in the console (Open).
"""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from operator_console.domain.decisions import Surface
from operator_console.domain.intents import Approve, Skip
from operator_console.ui.texts.targets import NOTHING_SENT
from operator_console.ui.view.session_view import Phase, SessionView
from operator_console.ui.view.state_words import can_act, next_words, pill_words
from operator_console.ui.widgets.approval_delay import ApprovalDelay
from operator_console.ui.widgets.controls import ElidedLabel, GuardedButton, button, set_role

WIDTH, HEIGHT, EDGE = 320, 40, 12
HAND_BACK = QSize(120, 40)
HANDED_OVER_WIDTH, HANDED_OVER_HEIGHT = 480, 56


class CompactBar(QWidget):
    """A frameless window that never takes the focus.

    Signals:
        intent: carries an Intent.
        stop_pressed, open_pressed, hand_back_pressed: no payload.
    """

    intent = Signal(object)
    stop_pressed = Signal()
    open_pressed = Signal()
    hand_back_pressed = Signal()

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
        self._stale = False
        self._delay = ApprovalDelay(self._presentable, self)
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
        self.hand_back = button("Hand back", "primary")
        self.hand_back.setMinimumSize(HAND_BACK)
        self.open_console = button("Open", name="Open console")
        self.stop = button("Stop", "stop")
        for push in (self.approve, self.skip, self.open_console, self.hand_back, self.stop):
            push.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            row.addWidget(push)
        self.approve.clicked.connect(self._approve)
        self.skip.clicked.connect(self._skip)
        self.hand_back.clicked.connect(self._hand_back_clicked)
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
        handed_over = view.phase is Phase.HANDED_OVER
        self.hand_back.setVisible(handed_over)
        self.setFixedSize(HANDED_OVER_WIDTH if handed_over else WIDTH, HANDED_OVER_HEIGHT if handed_over else HEIGHT)
        if handed_over:
            self._next.set_whole(NOTHING_SENT)
            self._next.show()
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

    def set_stale(self, stale: bool) -> None:
        """While the target cannot be seen, nothing is approved; the delay begins again after it."""
        self._stale = stale

    def _presentable(self) -> bool:
        return self.isVisible() and not self._stale

    def place(self, screen: QRect, away_from: QRect | None) -> None:
        """Move to the bottom right, or to the top right if the next action is at the bottom."""
        x = screen.right() - self.width() - EDGE + 1
        low = away_from is not None and away_from.center().y() > screen.center().y()
        y = screen.top() + EDGE if low else screen.bottom() - self.height() - EDGE + 1
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

    def _hand_back_clicked(self) -> None:
        self.hand_back_pressed.emit()

    def _stop_clicked(self) -> None:
        self.stop_pressed.emit()

    def _open_clicked(self) -> None:
        self.open_pressed.emit()
