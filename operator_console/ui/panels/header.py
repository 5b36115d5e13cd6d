"""The top line: title, state, record; Settings, Pause and, always top right, Stop.

It only reports that Stop was pressed. The button is filled red while an agent can act, outlined when idle, and grey,
with the reason, when the stop does not work.
"""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFont, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QWidget,
)

from operator_console.domain.stopping import PauseCause
from operator_console.domain.translations import _
from operator_console.ui.backend import Elsewhere, GuardStatus
from operator_console.ui.view.session_view import Phase, SessionView
from operator_console.ui.view.state_words import TIMED, PillTone, can_act, pill_words
from operator_console.ui.widgets.controls import GRID, ElidedLabel, button, enable, label, row_layout, set_role
from operator_console.ui.widgets.window_size import header_height
from operator_console.ui.window_shortcuts import ShortcutAction, keys_of

_LEAST_RECORD = 12
"""Characters of the record's name; it is not shown where there is room for fewer."""
_PILL_PADDING = 20
"""Logical pixels that the style sheet adds at both sides of a pill together."""


class StopButton(QPushButton):
    """The Stop button, with its hotkey written on it."""

    def __init__(self) -> None:
        super().__init__(_("Stop"))
        self.setAccessibleName(_("Stop"))
        self.setProperty("kind", "stop")
        self.setProperty("live", "idle")
        self._chord = ""

    def set_chord(self, chord: str) -> None:
        """Set the hotkey shown."""
        self._chord = chord
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Wide enough for the label and the hotkey."""
        hint = super().sizeHint()
        return QSize(hint.width() + self._chord_width() + 8, hint.height())

    def minimumSizeHint(self) -> QSize:
        """Same as sizeHint: the button never shrinks."""
        return self.sizeHint()

    def _small(self) -> QFont:
        font = QFont(self.font())
        font.setPixelSize(round(font.pixelSize() * 12 / 14))
        font.setBold(False)
        return font

    def _chord_width(self) -> int:
        from PySide6.QtGui import QFontMetrics

        return QFontMetrics(self._small()).horizontalAdvance(self._chord) if self._chord else 0

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Paint the button's background, then the label and the hotkey."""
        painter = QPainter(self)
        option = QStyleOptionButton()
        self.initStyleOption(option)
        option.text = ""
        self.style().drawControl(QStyle.ControlElement.CE_PushButton, option, painter, self)
        painter.setPen(option.palette.buttonText().color())
        painter.setFont(self.font())
        word, chord = self.fontMetrics().horizontalAdvance(_("Stop")), self._chord_width()
        left = (self.width() - word - (chord + 8 if chord else 0)) // 2
        box = self.rect().adjusted(left, 0, 0, 0)
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
        painter.drawText(box, flags, _("Stop"))
        painter.setFont(self._small())
        painter.drawText(box.adjusted(word + 8, 0, 0, 0), flags, self._chord)
        painter.end()


class Header(QFrame):
    """The top line.

    Signals (without payload):
        stop_pressed, pause_pressed, resume_pressed, settings_pressed, fold_pressed.
    """

    stop_pressed = Signal()
    pause_pressed = Signal()
    resume_pressed = Signal()
    settings_pressed = Signal()
    fold_pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "header")
        self.fit_text()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        row = row_layout(self, spacing=GRID + 4, margins=(16, 0, 12, 0))
        self._brand = label("Operator console", "brand")
        self._pill = ElidedLabel(_("Ready"), "pill", pad=_PILL_PADDING)
        self._pill.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        self._record = ElidedLabel(role="secondary", mode=Qt.TextElideMode.ElideMiddle)
        self.menu = button(_("Menu"), tip=f"{_('Sessions, settings, folders, help')} ({keys_of(ShortcutAction.MENU)})")
        self.settings = button(_("Settings"), tip=f"{_('Settings')} ({keys_of(ShortcutAction.SETTINGS)})")
        self.fold = button(_("Fold away"), tip=_("Replace the window with a small bar. The session continues."))
        self.pause = button(_("Pause"))
        self.stop = StopButton()
        row.addWidget(self._brand)
        row.addWidget(self._pill, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self._record, 1)
        row.addStretch()
        for push in (self.menu, self.settings, self.fold, self.pause, self.stop):
            row.addWidget(push)
        self._paused = self._active = False
        self._no_pause = self._pause_chord = ""
        self.stop.clicked.connect(self.stop_pressed)
        self.pause.clicked.connect(self._pause_clicked)
        self.settings.clicked.connect(self.settings_pressed)
        self.fold.clicked.connect(self.fold_pressed)

    def show_view(self, view: SessionView, record: str, *, replay: bool, elsewhere: Elsewhere | None = None) -> None:
        """Show the state and the record, and enable Pause if it applies; `elsewhere`: what a terminal runs here."""
        text, tone = (_("Reading a record"), PillTone.PLAIN) if replay else pill_words(view, elsewhere=elsewhere)
        if replay or view.phase not in TIMED:
            self._pill.set_whole(text)
        set_role(self._pill, tone=tone.value)
        self._record.set_whole(record)
        active = view.phase.active and not replay
        self._paused = active and view.phase is Phase.PAUSED
        word = _("Resume") if self._paused else _("Pause")
        if self.pause.text() != word:
            self.pause.setText(word)
            self.pause.setAccessibleName(word)
        self.pause.setVisible(active or (view.phase is Phase.STOPPED and view.stopped is not None))
        let_go = self._paused and view.pause is not None and view.pause.by is PauseCause.HOLD
        self._no_pause = _("It goes on while you hold the key or “Hold to run”.") if let_go else _no_pause(view.phase)
        self._show_pause()
        self._active = active
        self._fit()

    def show_time(self, view: SessionView, now_s: float, since_s: float, *, replay: bool) -> None:
        """Update the seconds in the state pill; `since_s` is when the phase began."""
        if view.phase in TIMED and not replay:
            self._pill.set_whole(pill_words(view, now_s, since_s)[0])

    def fit_text(self) -> None:
        """Take the height for the present text size."""
        self.setMinimumHeight(header_height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the parts into the new width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Hide what matters least where there is no room for all; the state, Pause and Stop stay.

        A record's name that is hidden is in the tooltip of the line.
        """
        row = self.layout()
        assert row is not None
        margins = row.contentsMargins()
        room = self.width() - margins.left() - margins.right()
        optional = [self._brand, self.menu, self.fold if self._active else self.settings]
        always = [self._pill, self.stop, *([self.pause] if not self.pause.isHidden() else [])]
        record = self._record.least_width(_LEAST_RECORD) if self._record.whole else 0
        for part in (self._brand, self._record, self.settings, self.fold, self.menu):
            needed = record + sum(each.sizeHint().width() + row.spacing() for each in (*optional, *always))
            if needed <= room:
                break
            if part is self._record:
                record = 0
            elif part in optional:
                optional.remove(part)
        self._record.setVisible(record > 0)
        self.setToolTip(self._record.whole if not record else "")
        for part in (self._brand, self.settings, self.fold, self.menu):
            part.setVisible(part in optional)

    def show_guard(self, status: GuardStatus, view: SessionView, *, replay: bool) -> None:
        """Show on the Stop button whether the stop works."""
        self.stop.set_chord(status.stop_chord)
        live = status.liveness.live
        acting = ((can_act(view) and not replay) or status.elsewhere is not None) and status.latch is None
        # A session whose stop failed is paused; the button looks disabled but still ends the session when pressed.
        self.stop.setEnabled(live or acting or status.latch is not None)
        dead = not live and status.latch is None
        set_role(self.stop, live="dead" if dead else "acting" if acting else "idle")
        if live:
            how = (
                _("{keys} works from anywhere").format(keys=status.stop_chord)
                if status.stop_chord
                else _(
                    "In a Wayland session no stop keys are heard: stop with this button, or with operator-console stop"
                )
            )
            tip = _("Stops everything at once, even when nothing is running ({how})").format(how=how)
        else:
            why = status.liveness.detail or _("the safety process has not answered yet")
            tip = _("Stop is not ready: {why}").format(why=why)
        self._pause_chord = status.pause_chord
        self._show_pause()
        self.stop.setToolTip(tip)
        self.stop.setAccessibleDescription(tip)

    def _show_pause(self) -> None:
        tip = f"{self.pause.text()} ({self._pause_chord})" if self._pause_chord else ""
        enable(self.pause, self._no_pause, tip=tip)

    def _pause_clicked(self) -> None:
        if self._paused:
            self.resume_pressed.emit()
        else:
            self.pause_pressed.emit()


def _no_pause(phase: Phase) -> str:
    """Why there is nothing to pause; "" where there may be."""
    match phase:
        case Phase.STARTING:
            return _("The session is starting.")
        case Phase.HANDED_OVER:
            return _("Hand back when you are done.")
        case Phase.STOPPED:
            return _("The session is stopped.")
        case _:
            return ""
