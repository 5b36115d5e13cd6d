"""The bottom line: step, elapsed time, tokens and cost, human input, and when the stop was last tested."""

from __future__ import annotations

from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from operator_console.domain.message_texts import notice, worded
from operator_console.domain.notices import NoticeCode
from operator_console.domain.question_load import QuestionLoad
from operator_console.domain.translations import _
from operator_console.engine.action_wording import capital
from operator_console.ui.backend import GuardStatus
from operator_console.ui.theme_colours import LIGHT, Tokens
from operator_console.ui.view.runbook_lines import progress_words
from operator_console.ui.view.session_view import SessionView
from operator_console.ui.view.usage_words import asked_details, asked_words, costs_words, tokens_words, used_details
from operator_console.ui.view.words import age_words, clock_words
from operator_console.ui.widgets.controls import ElidedLabel, label, row_layout, set_role

HUMAN_QUIET_S = 2.0
_LEAST_PAGE = 16
"""Characters that are shown of what a page asks."""


class Dot(QWidget):
    """A small coloured dot beside a text."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(8, 8)
        self._colour = LIGHT.ok

    def set_colour(self, colour: str) -> None:
        """Set the colour."""
        self._colour = colour
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the dot."""
        from PySide6.QtCore import Qt
        from PySide6.QtGui import QColor

        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._colour))
        painter.drawEllipse(self.rect())
        painter.end()


class StatusLine(QFrame):
    """Session figures on the left, the stop's state on the right."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "status")
        self.setMinimumHeight(32)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self._tokens = LIGHT
        row = row_layout(self, spacing=4, margins=(16, 0, 16, 0))
        self._step = _pair(row, _("Step"))[1]
        self._runbook_title, self._runbook = _pair(row, _("Runbook"))
        self._elapsed = _pair(row, _("Elapsed"))[1]
        self.used = _pair(row, _("Tokens"))[1]
        self._cost_title, self.cost = _pair(row, _("Cost"))
        self._asked_title, self.asked = _pair(row, _("Questions"))
        self.asked.clear()
        self.page = ElidedLabel(role="warning")
        row.addWidget(self.page, 100)
        row.addStretch(1)
        self._human = label(role="secondary")
        row.addWidget(self._human)
        row.addSpacing(16)
        self._dot = Dot()
        row.addWidget(self._dot)
        row.addSpacing(4)
        self._stop = ElidedLabel()
        row.addWidget(self._stop)
        self._stop.setSizePolicy(self._step.sizePolicy())

    def set_tokens(self, tokens: Tokens) -> None:
        """Apply a theme's colours."""
        self._tokens = tokens

    def show_view(self, view: SessionView, elapsed_s: float | None) -> None:
        """Show the session's figures."""
        self._step.setText(str(view.step_reached or "–"))
        played = progress_words(view.started, view.line) if view.started is not None else ""
        self._runbook.setText(played)
        for part in (self._runbook_title, self._runbook):
            part.setVisible(bool(played))
        self._elapsed.setText(clock_words(elapsed_s) if elapsed_s is not None else "–")
        self._show_used(view)
        self._show_asked(view.load.since(view.load_before))

    def _show_asked(self, load: QuestionLoad) -> None:
        words, details = asked_words(load.questions, load.actions), capital(asked_details(load.answer_s))
        self.asked.setText(words)
        if self.asked.toolTip() != details:
            self.asked.setToolTip(details)
            self.asked.setAccessibleDescription(details)
        self._fit()

    def _fit(self) -> None:
        """Leave the questions out where not all has room."""
        pair, row = (self._asked_title, self.asked), self.layout()
        assert row is not None
        own = sum(part.sizeHint().width() + row.spacing() for part in pair)
        needed = row.sizeHint().width() + (own if self.asked.isHidden() else 0)
        for part in pair:
            part.setVisible(bool(self.asked.text()) and needed <= self.width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit what is said to the width."""
        super().resizeEvent(event)
        self._fit()

    def show_page(self, words: str) -> None:
        """Show what the page of a browser waits with; "" for nothing."""
        self.page.set_whole(words)
        self.page.setVisible(bool(words))
        self.page.setMinimumWidth(self.page.least_width(_LEAST_PAGE) if words else 0)

    def _show_used(self, view: SessionView) -> None:
        used = view.used_in_run  # as steps and time are: what they are limited to counts for a run
        cost, details = costs_words(used.costs), used_details(view)
        self.used.setText(tokens_words(used) or "–")
        self.cost.setText(cost or "–")
        for value in (self.used, self.cost):
            if value.toolTip() != details:
                value.setToolTip(details)
                value.setAccessibleDescription(details)
        for part in (self._cost_title, self.cost):
            part.setVisible(bool(cost))

    def show_guard(self, status: GuardStatus, now_s: float) -> None:
        """Show the state of the stop and of human input."""
        self._stop.set_whole(stop_words(status, now_s))
        live = status.liveness.live and status.latch is None
        self._dot.set_colour(self._tokens.ok if live else self._tokens.stop)
        set_role(self._stop, tone="" if live else "bad")
        words, tip = human_words(status.human_input_s, now_s), ""
        if status.devices_told is False:
            words, tip = _("A program’s presses count here as yours"), _untold_tip()
        elif status.liveness.viewed:
            words = _("Input through x11vnc counts as a program’s")
            tip = worded(notice(NoticeCode.INPUT_OF_X11VNC_NOT_TOLD))
        if self._human.toolTip() != tip:
            self._human.setToolTip(tip)
            self._human.setAccessibleDescription(tip)
        self._human.setText(words)
        self._human.setVisible(bool(words))
        self._fit()


def _untold_tip() -> str:
    return _(
        "This display has no mouse or keyboard of its own (a VNC session, say), so a press of Allow by a program "
        "cannot be told from yours, and your use of the mouse or keyboard does not pause the model."
    )


def _pair(row: QHBoxLayout, title: str) -> tuple[QLabel, QLabel]:
    """A title and its value, added to the row."""
    name, value = label(title), label("–")
    value.setProperty("value", "true")
    value.setContentsMargins(0, 0, 16, 0)  # hidden with it
    row.addWidget(name)
    row.addWidget(value)
    return name, value


def stop_words(status: GuardStatus, now_s: float) -> str:
    """Whether the stop works, and when it was last tested."""
    if status.latch is not None:
        return _("Stopped until reset")
    liveness = status.liveness
    if not liveness.live:
        return _("Stop not ready: {detail}").format(detail=liveness.detail) if liveness.detail else _("Stop not ready")
    ready = _("Stop ready") if status.stop_chord else _("Stop ready: by its button or operator-console stop, no keys")
    if liveness.proven_s is None:
        return ready
    # Translators: {ready} says that the stop works, as in: Stop ready · tested 2 s ago.
    return _("{ready} · tested {time} ago").format(ready=ready, time=age_words(now_s - liveness.proven_s))


def human_words(input_s: float | None, now_s: float) -> str:
    """Whether a person used keyboard or pointer in the last seconds."""
    if input_s is None:
        return ""
    return _("Human input: active") if now_s - input_s < HUMAN_QUIET_S else _("Human input: idle")
