"""The practice window: a form, a list, a slider, a canvas and a Save button, which log every input they receive.

It is a target for the console, not part of its interface, and runs in its own process (`python -m
operator_console.practice`).
"""

from __future__ import annotations

import functools
import os
from typing import Literal

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeySequence, QMouseEvent, QPaintEvent, QShortcut
from PySide6.QtWidgets import (
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from operator_console.practice.event_log import (
    Chosen,
    Clicked,
    PracticeEvent,
    PracticeLog,
    Pressed,
    Ready,
    Saved,
    Scrolled,
    Slid,
    Typed,
    line,
)
from operator_console.practice.widgets import STYLE, Canvas, WordSlider

TITLE = "Plant diary"
MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_BUTTONS = {
    Qt.MouseButton.LeftButton: "left",
    Qt.MouseButton.MiddleButton: "middle",
    Qt.MouseButton.RightButton: "right",
}


class PracticeWindow(QWidget):
    """The window. `ambiguous` adds a second button labelled Save."""

    def __init__(self, log: PracticeLog, *, ambiguous: bool = False) -> None:
        super().__init__()
        self._log = log
        self._saves = 0
        self._shown = False
        self.setObjectName("window")
        self.setWindowTitle(TITLE)
        self.setStyleSheet(STYLE)
        self.resize(780, 580)
        self._create_widgets()
        self._lay_out(ambiguous)
        self._connect()

    # -- building --------------------------------------------------------------------------------------------------

    def _create_widgets(self) -> None:
        self.plant, self.room, self.notes = QLineEdit(), QLineEdit(), QPlainTextEdit()
        self.notes.setTabChangesFocus(True)
        self.notes.setFixedHeight(92)
        self.months = QListWidget()
        self.months.addItems(MONTHS)
        self.months.setFixedHeight(166)
        self.months.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.months.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.water = WordSlider("Little", "Plenty")
        self.canvas = Canvas({"Root": (0.14, 0.78), "Leaf": (0.86, 0.22)})
        self.save, self.save_water, self.clear = QPushButton("Save"), QPushButton("Save"), QPushButton("Clear")
        self.save.setObjectName("save")
        self.status = QLabel("Nothing saved yet")
        self.status.setObjectName("status")
        for widget, name in self._accessible_names().items():
            widget.setAccessibleName(name)

    def _accessible_names(self) -> dict[QWidget, str]:
        return {
            self.plant: "Plant", self.room: "Room", self.notes: "Notes", self.months: "Month", self.water: "Water",
            self.canvas: "Sketch", self.save: "Save", self.save_water: "Save water", self.clear: "Clear",
        }  # fmt: skip

    def _lay_out(self, ambiguous: bool) -> None:
        title, about = QLabel(TITLE), QLabel("A window for trying out the console. All input to it is logged.")
        title.setObjectName("title")
        about.setObjectName("about")
        grid = QGridLayout()
        grid.setHorizontalSpacing(32)
        grid.setVerticalSpacing(20)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 1)
        grid.addLayout(self._form(), 0, 0)
        grid.addLayout(_headed("Month", self.months), 0, 1)
        water = _headed("Water", self.water)
        grid.addLayout(water, 1, 0, Qt.AlignmentFlag.AlignTop)
        grid.addLayout(_headed("Sketch", self.canvas), 1, 1)
        self.save_water.setVisible(ambiguous)
        if ambiguous:
            water.addSpacing(8)
            water.addWidget(self.save_water, 0, Qt.AlignmentFlag.AlignLeft)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(28, 24, 28, 20)
        whole.setSpacing(4)
        whole.addWidget(title)
        whole.addWidget(about)
        whole.addSpacing(16)
        whole.addLayout(grid)
        whole.addStretch(1)
        whole.addLayout(self._footer())

    def _form(self) -> QVBoxLayout:
        form = QGridLayout()
        form.setHorizontalSpacing(16)
        form.setVerticalSpacing(10)
        for row, (name, field) in enumerate((("Plant", self.plant), ("Room", self.room))):
            form.addWidget(_heading(name, field), row, 0)
            form.addWidget(field, row, 1)
        whole = QVBoxLayout()
        whole.setSpacing(6)
        whole.addLayout(form)
        whole.addSpacing(6)
        whole.addWidget(_heading("Notes", self.notes))
        whole.addWidget(self.notes)
        whole.addStretch(1)
        return whole

    def _footer(self) -> QHBoxLayout:
        footer = QHBoxLayout()
        footer.setSpacing(12)
        footer.addWidget(self.status, 1)
        footer.addWidget(self.clear)
        footer.addWidget(self.save)
        return footer

    def _connect(self) -> None:
        for field in (self.plant, self.room):
            field.textChanged.connect(functools.partial(self._typed, field))
        self.notes.textChanged.connect(self._notes_typed)
        self.months.itemSelectionChanged.connect(self._selected)
        self.months.itemDoubleClicked.connect(self._starred)
        self.months.customContextMenuRequested.connect(self._pinned)
        self.months.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.water.released.connect(self._slid)
        self.canvas.drawn.connect(self._log.write)
        self.save.clicked.connect(functools.partial(self._save_clicked, "Save"))
        self.save_water.clicked.connect(functools.partial(self._save_clicked, "Save water"))
        self.clear.clicked.connect(self._clear)
        QShortcut(QKeySequence("Ctrl+S"), self).activated.connect(functools.partial(self._save, "Ctrl+S"))
        for widget in [self, *self.findChildren(QWidget)]:
            widget.installEventFilter(self)

    # -- input -------------------------------------------------------------------------------------------------------

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Log every press at its position before the widget handles it."""
        kinds = {QEvent.Type.MouseButtonPress: 1, QEvent.Type.MouseButtonDblClick: 2}
        count = kinds.get(event.type())
        if count and isinstance(event, QMouseEvent) and isinstance(watched, QWidget) and event.spontaneous():
            # An ignored press propagates to the parents; only its first receiver is logged.
            place = watched.mapTo(self, event.position())
            hit = self.childAt(place.toPoint()) or self
            if hit is watched:
                self._press(watched, event, count)
        return super().eventFilter(watched, event)

    def _press(self, widget: QWidget, event: QMouseEvent, count: int) -> None:
        scale = self.devicePixelRatioF()
        place = widget.mapTo(self, event.position())
        name = widget.accessibleName() or (widget.parentWidget() or widget).accessibleName()
        button = _BUTTONS.get(event.button(), "other")
        x, y = int(place.x() * scale), int(place.y() * scale)
        self._log.write(Pressed(widget=name, button=button, x=x, y=y, count=count))

    def _typed(self, field: QLineEdit, text: str) -> None:
        self._log.write(Typed(field=field.accessibleName(), text=text))

    def _notes_typed(self) -> None:
        self._log.write(Typed(field="Notes", text=self.notes.toPlainText()))

    def _selected(self) -> None:
        for item in self.months.selectedItems():
            self._chose(item, "selected")

    def _starred(self, item: QListWidgetItem) -> None:
        self._chose(item, "starred")
        self._set_status(f"Starred {item.text()}")

    def _pinned(self, place: object) -> None:
        item = self.months.itemAt(place)  # type: ignore[call-overload]
        if item is not None:
            self._chose(item, "pinned")
            self._set_status(f"Pinned {item.text()}")

    def _chose(self, item: QListWidgetItem, how: Literal["selected", "starred", "pinned"]) -> None:
        self._log.write(Chosen(item=item.text(), how=how))

    def _scrolled(self) -> None:
        top = self.months.itemAt(8, 8)
        self._log.write(Scrolled(first=top.text() if top is not None else ""))

    def _slid(self, value: object) -> None:
        assert isinstance(value, int)
        self._log.write(Slid(value=value))

    def _save_clicked(self, button: str) -> None:
        self._log.write(Clicked(button=button))
        self._save(button)

    def _save(self, by: str) -> None:
        self._saves += 1
        self._log.write(
            Saved(
                by=by,
                plant=self.plant.text(),
                room=self.room.text(),
                notes=self.notes.toPlainText(),
                month="".join(item.text() for item in self.months.selectedItems()),
                water=self.water.value,
                strokes=self.canvas.strokes,
            )
        )
        self._set_status("Saved once" if self._saves == 1 else f"Saved {self._saves} times", saved=True)

    def _clear(self) -> None:
        self._log.write(Clicked(button="Clear"))
        for field in (self.plant, self.room, self.notes):
            field.clear()
        self.canvas.clear()

    def _set_status(self, text: str, *, saved: bool = False) -> None:
        self.status.setText(text)
        self.status.setProperty("saved", saved)
        self.status.style().polish(self.status)

    # -- showing ---------------------------------------------------------------------------------------------------

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._shown:
            self._shown = True
            QTimer.singleShot(0, self, self._report_shown)

    def _report_shown(self) -> None:
        """Report that the window is shown, in the log and on stdout."""
        scale = self.devicePixelRatioF()
        ready: PracticeEvent = Ready(
            pid=os.getpid(),
            window_id=int(self.winId()),
            width=round(self.width() * scale),
            height=round(self.height() * scale),
            scale=scale,
        )
        self._log.write(ready)
        print(line(ready), end="", flush=True)


def _heading(text: str, buddy: QWidget) -> QLabel:
    label = QLabel(text)
    label.setObjectName("heading")
    label.setBuddy(buddy)
    return label


def _headed(text: str, widget: QWidget) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(6)
    column.addWidget(_heading(text, widget))
    column.addWidget(widget)
    column.addStretch(1)
    return column
