"""Plays, pauses and steps through a record: decides how many of its records are shown."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSlider, QWidget

from operator_console.domain.events import Observed, Record
from operator_console.ui.view.session_view import parse_time
from operator_console.ui.widgets.controls import GRID, button, label

LONGEST_S = 1.5
SHORTEST_S = 0.05


class Transport(QFrame):
    """The playback controls below the stage.

    Signals:
        moved: the playback position changed; carries how many records to show, from the first.
        closed: the record should be closed (no payload).
    """

    moved = Signal(object)
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "stagebar")
        self.setFixedHeight(44)
        self._records: Sequence[Record] = ()
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(GRID)
        self.back = button("Step back")
        self.play = button("Play")
        self.forward = button("Step forward")
        self.place = QSlider(Qt.Orientation.Horizontal)
        self.place.setAccessibleName("Place in the record")
        self._count = label("")
        self.close_record = button("Close record")
        for widget in (self.back, self.play, self.forward):
            row.addWidget(widget)
        row.addWidget(self.place, 1)
        row.addWidget(self._count)
        row.addWidget(self.close_record)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._next)
        self.back.clicked.connect(self._step_back)
        self.forward.clicked.connect(self._step_forward)
        self.play.clicked.connect(self._play_clicked)
        self.place.valueChanged.connect(self._moved)
        self.close_record.clicked.connect(self._close_clicked)

    def open_records(self, records: Sequence[Record]) -> None:
        """Load a record, positioned at its end."""
        self.pause()
        self._records = records
        self.place.blockSignals(True)
        self.place.setRange(min(1, len(records)), len(records))
        self.place.setValue(len(records))
        self.place.blockSignals(False)
        self._moved(len(records))

    def pause(self) -> None:
        """Pause playback."""
        self._timer.stop()
        self.play.setText("Play")
        self.play.setAccessibleName("Play")

    @property
    def playing(self) -> bool:
        """Whether playback is running."""
        return self._timer.isActive()

    def _play_clicked(self) -> None:
        if self.playing:
            self.pause()
            return
        if self.place.value() >= len(self._records):
            self.place.setValue(self.place.minimum())
        self.play.setText("Hold")
        self.play.setAccessibleName("Hold")
        self._schedule()

    def _schedule(self) -> None:
        place = self.place.value()
        if place >= len(self._records):
            self.pause()
            return
        wait_s = LONGEST_S
        if place > 0:
            before, after = parse_time(self._records[place - 1].time), parse_time(self._records[place].time)
            if before is not None and after is not None:
                wait_s = min(LONGEST_S, max(SHORTEST_S, (after - before).total_seconds()))
        self._timer.start(round(wait_s * 1000))

    def _next(self) -> None:
        self.place.setValue(self.place.value() + 1)
        self._schedule()

    def _step_forward(self) -> None:
        self.pause()
        place = self.place.value()
        steps = (n for n, record in enumerate(self._records, 1) if n > place and isinstance(record.event, Observed))
        ahead = next(steps, len(self._records) + 1)
        # Stop just before the next observation, so that the whole step is shown.
        self.place.setValue(max(place + 1, ahead - 1))

    def _step_back(self) -> None:
        self.pause()
        place = self.place.value()
        looks = [n for n, record in enumerate(self._records, 1) if n < place and isinstance(record.event, Observed)]
        self.place.setValue(looks[-1] - 1 if looks and looks[-1] > 1 else self.place.minimum())

    def _moved(self, place: int) -> None:
        self._count.setText(f"{place} of {len(self._records)}")
        self.moved.emit(place)

    def _close_clicked(self) -> None:
        self.closed.emit()
