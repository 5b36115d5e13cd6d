"""The small always-on-top bar shown while the console is minimised: what happens next, Approve, Skip, Open, Stop.

It never takes the keyboard focus from the target. Safety questions are answered in the console (Open).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from operator_console.domain.decisions import Surface
from operator_console.domain.intents import Approve, Skip
from operator_console.domain.translations import _
from operator_console.ui.backend import InputDevices
from operator_console.ui.view.session_view import Phase, SessionView
from operator_console.ui.view.state_words import can_act, next_words, pill_words
from operator_console.ui.view.words import risk_words
from operator_console.ui.widgets.approval_delay import ApprovalDelay, Attended, Covering, Obstacle, refused_words
from operator_console.ui.widgets.controls import (
    ElidedLabel,
    GuardedButton,
    TwoLines,
    button,
    column,
    enable,
    label,
    set_role,
    wide,
)

WIDTH, EDGE = 480, 12
"""Width, and distance from the edges of the screen, in logical pixels."""
HAND_BACK = QSize(120, 40)
CLEAR = 48
"""Distance kept from the next point, in logical pixels."""


class CompactBar(QWidget):
    """A frameless window that never takes the focus. It can be dragged, and stays there until the run ends.

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
        self.setWindowTitle(_("Operator console bar"))
        self._view = SessionView()
        self._run = ""
        self._question_id = ""
        self._held: QPoint | None = None
        self._own_place: QPoint | None = None
        self._out_of_reach = ""
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        frame = QFrame()
        frame.setProperty("role", "bar")
        frame.setToolTip(_("Drag to move"))
        outer.addWidget(frame)
        rows = column(frame, spacing=4, margins=(10, 6, 6, 6))
        self._build(rows)
        # It never gets the focus; that it is above all others is looked at instead.
        self._delay = ApprovalDelay(self, self._unfit, press=self.approve, attended=Attended.SHOWN)
        self.approve.clicked.connect(self._approve)
        self.skip.clicked.connect(self._skip)
        self.hand_back.clicked.connect(self.hand_back_pressed)
        self.stop.clicked.connect(self.stop_pressed)
        self.open_console.clicked.connect(self.open_pressed)
        self._delay.changed.connect(self._show_delay)

    def _build(self, rows: QVBoxLayout) -> None:
        upper, lower = QHBoxLayout(), QHBoxLayout()
        upper.setSpacing(6)
        lower.setSpacing(6)
        self._state = ElidedLabel(role="strong")
        self._risk = label(role="badge")
        self._next = TwoLines()
        self.approve = GuardedButton(_("Approve"), "primary")
        self.skip = button(_("Skip"))
        self.hand_back = button(_("Hand back"), "primary")
        self.hand_back.setMinimumSize(HAND_BACK)
        self.open_console = button(_("Open"), name=_("Open console"))
        self.stop = button(_("Stop"), "stop")
        upper.addWidget(self._state, 1)
        upper.addWidget(self._risk)
        lower.addWidget(self._next, 1)
        for push, row in (
            (self.open_console, upper), (self.stop, upper), (self.approve, lower), (self.skip, lower),
            (self.hand_back, lower),
        ):  # fmt: skip
            push.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            row.addWidget(push)
        rows.addLayout(upper)
        rows.addLayout(lower)

    def sizeHint(self) -> QSize:
        """A fixed width, and the height of its two rows whether or not it has the buttons of a question."""
        push = self.approve.sizeHint().height()
        return QSize(wide(WIDTH), 2 * 6 + 4 + push + max(HAND_BACK.height(), push, self._next.sizeHint().height()))

    def show_view(self, view: SessionView) -> None:
        """Show the state and the next action."""
        self._view = view
        if view.run_began != self._run:
            self._run, self._own_place = view.run_began, None
        question = view.question
        state = pill_words(view)[0]
        self._state.set_whole(state)
        card = question is not None and question.about == "review" and question.surface is Surface.CARD
        upcoming = _("Nothing is observed or sent.") if view.phase is Phase.HANDED_OVER else next_words(view)
        if card and self._out_of_reach:
            upcoming = self._out_of_reach
        self._next.set_whole(upcoming if upcoming != state else "")
        self.hand_back.setVisible(view.phase is Phase.HANDED_OVER)
        call = view.asked_call or view.leading_call
        assessment = (question.assessment if question is not None else None) or (call.assessment if call else None)
        self._risk.setVisible(call is not None and assessment is not None)
        if assessment is not None:
            self._risk.setText(risk_words(assessment))
            set_role(self._risk, risk=str(int(assessment.risk)))
        self.approve.setVisible(card)
        self.skip.setVisible(card)
        set_role(self.stop, live="acting" if can_act(view) else "idle")
        question_id = question.question_id if question is not None and card else ""
        if question_id != self._question_id:
            self._question_id = question_id
            if question_id:
                self._delay.begin()
            else:
                self._delay.end()

    def set_out_of_reach(self, why: str) -> None:
        """Say why the target cannot be seen or reached; "": it can. Until then nothing is approved."""
        self._out_of_reach = why

    def protect(self, covering: Covering, devices: Callable[[], InputDevices | None]) -> None:
        """What tells whether another program's window covers the bar, and which presses are a person's."""
        self._delay.covering, self._delay.gate.devices = covering, devices

    def _unfit(self) -> str:
        return self._out_of_reach

    def place(self, screen: QRect, away_from: Sequence[QPoint]) -> None:
        """Move to where it was dragged, else to the first corner of the screen that is away from the points.

        Args:
            screen: the part of the screen for windows.
            away_from: where the next action takes place, on the same desktop.
        """
        self.setFixedSize(self.sizeHint())
        if self._held is not None:
            return
        left, right = screen.left() + EDGE, screen.right() + 1 - self.width() - EDGE
        top, bottom = screen.top() + EDGE, screen.bottom() + 1 - self.height() - EDGE
        corners = [QPoint(right, bottom), QPoint(right, top), QPoint(left, bottom), QPoint(left, top)]
        places = corners if self._own_place is None else [self._own_place, *corners]
        self.move(next((place for place in places if self._is_clear(place, away_from)), places[0]))

    def _is_clear(self, place: QPoint, points: Sequence[QPoint]) -> bool:
        around = QRect(place, self.size()).adjusted(-CLEAR, -CLEAR, CLEAR, CLEAR)
        return not any(around.contains(point) for point in points)

    # dragging

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of the bar."""
        if event.button() is Qt.MouseButton.LeftButton:
            self._held = event.globalPosition().toPoint() - self.pos()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag it."""
        if self._held is not None:
            self.move(event.globalPosition().toPoint() - self._held)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Leave it there, within the screen."""
        if self._held is None or event.button() is not Qt.MouseButton.LeftButton:
            return
        self._held = None
        room = self.screen().availableGeometry()
        x = min(max(room.left(), self.x()), room.right() + 1 - self.width())
        y = min(max(room.top(), self.y()), room.bottom() + 1 - self.height())
        self.move(x, y)
        self._own_place = QPoint(x, y)

    # answering

    def _show_delay(self) -> None:
        if self._delay.refused:
            self._next.set_whole(refused_words())
        enable(self.approve, "" if self._delay.open else self._approval_waits())

    def _approval_waits(self) -> str:
        if self._delay.obstacle is Obstacle.COVERED:
            return _("Another window is over this. Approve opens when it is in view.")
        return self._out_of_reach or _("Approve opens after a second on the screen.")

    def _approve(self) -> None:
        question = self._view.question
        if question is not None and self._delay.check():
            self._delay.end()
            self.intent.emit(Approve(question_id=question.question_id))

    def _skip(self) -> None:
        question = self._view.question
        if question is not None and question.step is not None and question.call is not None:
            self.intent.emit(Skip(step=question.step, call=question.call))
