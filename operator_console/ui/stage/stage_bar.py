"""The line above the picture: live or step, zoom, age of the frame; before and after; the drawer button."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QWidget

from operator_console.ui.view.words import age_words
from operator_console.ui.widgets.controls import GRID, ElidedLabel, button, label


class StageBar(QFrame):
    """State of the preview on the left, buttons on the right.

    Signals:
        live_pressed, drawer_pressed: no payload.
        side_chosen: "before" or "after" of the chosen step.
    """

    live_pressed = Signal()
    drawer_pressed = Signal()
    side_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "stagebar")
        self.setFixedHeight(36)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 0, 12, 0)
        row.setSpacing(GRID)
        self._what = ElidedLabel("Live")
        self._zoom = label(role="stagechip")
        self._age = label(role="stagechip")
        self.before, self.after = button("Before"), button("After")
        self._sides = QButtonGroup(self)
        for side in (self.before, self.after):
            side.setCheckable(True)
            self._sides.addButton(side)
            side.clicked.connect(self._side_clicked)
        self.live = button("Back to live")
        self.drawer = button("Next and timeline")
        row.addWidget(self._what)
        self._what.setSizePolicy(self._zoom.sizePolicy())
        for widget in (self._zoom, self._age):
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addStretch(1)
        for push in (self.before, self.after, self.live, self.drawer):
            row.addWidget(push)
        self.drawer.hide()
        self.live.clicked.connect(self._live_clicked)
        self.drawer.clicked.connect(self._drawer_clicked)
        self.show_step("", both=False, after=False)

    def show_step(self, title: str, *, both: bool, after: bool, resting: str = "Live") -> None:
        """Show a chosen step's title; "" shows the `resting` text."""
        self._what.set_whole(title or resting)
        for side in (self.before, self.after):
            side.setVisible(bool(title) and both)
        (self.after if after else self.before).setChecked(True)
        self.live.setVisible(bool(title))
        self.live.setText("Back to live" if resting == "Live" else "Back to the record")
        self._age.setVisible(not title and bool(self._age.text()))

    def show_zoom(self, zoom: float) -> None:
        """Show the zoom in device pixels per native pixel."""
        self._zoom.setText(f"{zoom * 100:.0f} %")
        self._zoom.setVisible(zoom > 0)

    def show_age(self, age_s: float | None) -> None:
        """Show the age of the live frame; None hides it."""
        self._age.setText(f"updated {age_words(age_s)} ago" if age_s is not None else "")
        self._age.setVisible(age_s is not None and self.live.isHidden())

    def _side_clicked(self) -> None:
        self.side_chosen.emit("after" if self.after.isChecked() else "before")

    def _live_clicked(self) -> None:
        self.live_pressed.emit()

    def _drawer_clicked(self) -> None:
        self.drawer_pressed.emit()
