"""Plays, pauses and steps through a record: the controls below the preview. The keys are in `window_shortcuts`."""

from __future__ import annotations

from typing import assert_never

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QSlider,
    QWidget,
)

from operator_console.domain.translations import _, ngettext
from operator_console.ui.view.replayed_record import Replay
from operator_console.ui.view.session_view import Item, seconds_between
from operator_console.ui.widgets.controls import GRID, button, column, enable, label, shown_width
from operator_console.ui.window_shortcuts import REPLAY_KEYS, ReplayKey

MARGIN = 12
LONGEST_S = 1.5
SHORTEST_S = 0.05
FASTEST_S = 0.04
"""For each step, at the highest speed."""
SPEEDS: tuple[float | None, ...] = (0.5, 1.0, 2.0, 4.0, None)
"""None: step by step, as fast as they can be seen."""

_OTHER_KEYS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier


class Transport(QFrame):
    """The playback controls below the preview: the scrubber goes over steps, playing over events.

    Signals:
        moved: the place changed; carries how many records to show, from the first.
        closed: the record should be closed (no payload).
    """

    moved = Signal(object)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "stagebar")
        self._replay = Replay.of(())
        self._at = 0
        rows = column(self, margins=(MARGIN, 8, MARGIN, 8))
        self._above, self._row = QHBoxLayout(), QHBoxLayout()
        for row in (self._above, self._row):
            row.setSpacing(GRID)
            rows.addLayout(row)
        self.back = button(_("Step back"), tip=_("To the step before (J or Left)"))
        self.play = button(_("Play"), tip=_("Play or pause (K or Space)"))
        self.forward = button(_("Step forward"), tip=_("To the next step (L or Right)"))
        self.place = QSlider(Qt.Orientation.Horizontal)
        self.place.setAccessibleName(_("Place in the record"))
        self.place.setToolTip(_("Home and End: first and last step. Comma and full stop: one event back and on."))
        self.place.setMinimumWidth(60)
        self._count = label("")
        self.speed = QComboBox()
        self.speed.setAccessibleName(_("Speed"))
        self.speed.setToolTip(_("How fast the record plays; waits are never longer than 1.5 s"))
        for factor in SPEEDS:
            self.speed.addItem(_("Max") if factor is None else f"{factor:g}×")
        self.speed.setCurrentIndex(SPEEDS.index(1.0))
        self.close_record = button(_("Close record"))
        for push in (self.back, self.play, self.forward):
            self._row.addWidget(push)
        self._row.addStretch()
        for widget in (self.place, self._count, self.speed, self.close_record):
            self._row.addWidget(widget)
        self._row.setStretchFactor(self.place, 1)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._next)
        self.back.clicked.connect(self.step_back)
        self.forward.clicked.connect(self.step_forward)
        self.play.clicked.connect(self.play_or_pause)
        self.place.valueChanged.connect(self._scrubbed)
        self.speed.currentIndexChanged.connect(self._speed_chosen)
        self.close_record.clicked.connect(self.closed)

    def minimumSizeHint(self) -> QSize:
        """As wide as the buttons, although the scrubber may stand beside them now."""
        width = self._buttons_width() + 2 * MARGIN - GRID
        return QSize(width, super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The scrubber gets a row of its own where the buttons leave too little room."""
        super().resizeEvent(event)
        self._arrange()

    def _buttons_width(self) -> int:
        return shown_width(self.back, self.play, self.forward, self.speed, self.close_record)

    def _arrange(self) -> None:
        needed = 2 * MARGIN + self._buttons_width() + self.place.minimumWidth() + GRID + self._count.sizeHint().width()
        above = self.width() < needed
        if above == (self._above.indexOf(self.place) >= 0):
            return
        for part in (self.place, self._count):
            (self._row if above else self._above).removeWidget(part)
        if above:
            self._above.addWidget(self.place, 1)
            self._above.addWidget(self._count)
        else:
            self._row.insertWidget(4, self.place, 1)
            self._row.insertWidget(5, self._count)

    def focus_order(self) -> tuple[QWidget, ...]:
        """What Tab goes through."""
        return (self.back, self.play, self.forward, self.place, self.speed, self.close_record)

    def open_replay(self, replay: Replay) -> None:
        """Load a record, positioned at its end."""
        self.pause()
        self._replay = replay
        self.place.blockSignals(True)
        self.place.setRange(0, replay.steps)
        self.place.setPageStep(max(1, replay.steps // 10))
        self.place.blockSignals(False)
        self._at = -1
        self.go_to(len(replay.records))

    @property
    def at(self) -> int:
        """How many records are shown."""
        return self._at

    @property
    def playing(self) -> bool:
        """Whether playback is running."""
        return self._timer.isActive()

    def go_to(self, place: int) -> None:
        """Show so many records."""
        place = max(0, min(place, len(self._replay.records)))
        if place == self._at:
            return
        self._at = place
        step = self._replay.step_at(place)
        words = _step_of(step, self._replay)
        self.place.blockSignals(True)
        self.place.setValue(step)
        self.place.blockSignals(False)
        self.place.setAccessibleDescription(words)
        self._count.setText(words)
        self._enable_steps(step)
        self._arrange()
        self.moved.emit(place)

    def _enable_steps(self, step: int) -> None:
        """A step button that leads nowhere is off; the keyboard goes on at the scrubber."""
        at_end = self._at >= len(self._replay.records)
        for push, leads_nowhere in ((self.back, step == 0), (self.forward, at_end)):
            if leads_nowhere and self.window().focusWidget() is push:
                self.place.setFocus()
        at_start = _("This is the start of the record.") if step == 0 else ""
        enable(self.back, at_start, tip=_("To the step before (J or Left)"))
        enable(
            self.forward, _("This is the end of the record.") if at_end else "", tip=_("To the next step (L or Right)")
        )

    def go_to_item(self, item: Item) -> None:
        """Pause at the end of a step, or at a note."""
        self.pause()
        self.go_to(self._replay.end_of(item))

    def step_back(self) -> None:
        """Pause at the end of the step before."""
        self.pause()
        self.go_to(self._replay.end_of_step(max(0, self._replay.step_at(self._at) - 1)))

    def step_forward(self) -> None:
        """Pause at the end of this step, or of the next one."""
        self.pause()
        step = self._replay.step_at(self._at)
        end = self._replay.end_of_step(step)
        self.go_to(end if self._at < end else self._replay.end_of_step(step + 1))

    def play_or_pause(self) -> None:
        """Play on, from the beginning after the end; or pause."""
        if self.playing:
            self.pause()
            return
        if self._at >= len(self._replay.records):
            self.go_to(self._replay.end_of_step(0))
        self._name_play(_("Pause playback"))
        self._schedule()

    def pause(self) -> None:
        """Pause playback."""
        self._timer.stop()
        self._name_play(_("Play"))

    def key(self, event: QKeyEvent) -> bool:
        """Obey a key of the replay; whether it is one."""
        if event.modifiers() & _OTHER_KEYS:
            return False
        action = next((action for action, keys in REPLAY_KEYS.items() if event.key() in keys), None)
        if action is None:
            return False
        match action:
            case ReplayKey.PLAY:
                self.play_or_pause()
            case ReplayKey.BACK:
                self.step_back()
            case ReplayKey.ON:
                self.step_forward()
            case ReplayKey.FIRST:
                self._pause_at(self._replay.end_of_step(0))
            case ReplayKey.LAST:
                self._pause_at(len(self._replay.records))
            case ReplayKey.EVENT_BACK:
                self._pause_at(self._at - 1)
            case ReplayKey.EVENT_ON:
                self._pause_at(self._at + 1)
            case _:
                assert_never(action)
        return True

    def _pause_at(self, place: int) -> None:
        self.pause()
        self.go_to(place)

    def _name_play(self, words: str) -> None:
        if self.play.text() != words:
            self.play.setText(words)
            self.play.setAccessibleName(words)

    @property
    def _speed(self) -> float | None:
        return SPEEDS[self.speed.currentIndex()]

    def _schedule(self) -> None:
        if self._at >= len(self._replay.records):
            self.pause()
            return
        self._timer.start(round(self._wait_s() * 1000))

    def _wait_s(self) -> float:
        """Until the next event is shown: as long as it took, within bounds, at the speed chosen."""
        speed, records = self._speed, self._replay.records
        if speed is None:
            return FASTEST_S
        took = seconds_between(records[self._at - 1].time, records[self._at].time) if self._at else None
        return min(LONGEST_S, max(SHORTEST_S, LONGEST_S if took is None else took)) / speed

    def _next(self) -> None:
        if self._speed is None:
            self.go_to(self._replay.end_of_step(self._replay.step_at(self._at) + 1))
        else:
            self.go_to(self._at + 1)
        self._schedule()

    def _scrubbed(self, step: int) -> None:
        self.pause()
        self.go_to(self._replay.end_of_step(step))

    def _speed_chosen(self, _index: int) -> None:
        if self.playing:
            self._schedule()


def _step_of(step: int, replay: Replay) -> str:
    """Which of the record's steps is shown; 0: none yet."""
    steps = replay.steps
    if not steps:
        return _("No steps")
    if not step:
        return ngettext("Start of {count} step", "Start of {count} steps", steps).format(count=steps)
    name = replay.name_of(step)
    if name.runs == 1:
        return _("Step {step} of {steps}").format(step=name.number, steps=name.of)
    words = _("Run {run} of {runs} · step {step} of {steps}")
    return words.format(run=name.run, runs=name.runs, step=name.number, steps=name.of)
