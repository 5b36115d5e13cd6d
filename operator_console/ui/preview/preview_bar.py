"""The line above the picture: live or step, zoom, age of the frame; before and after; the drawer button."""

from __future__ import annotations

from enum import Enum, auto

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QResizeEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QMenu,
    QSizePolicy,
    QSlider,
    QWidget,
)

from operator_console.domain.translations import _
from operator_console.ui.preview.viewpoint import ZoomStep, percent
from operator_console.ui.view.words import age_words
from operator_console.ui.widgets.controls import GRID, ElidedLabel, button, column, label, shown_width, width_with_space
from operator_console.ui.widgets.qt_accessibility import close_when_run
from operator_console.ui.window_shortcuts import ShortcutAction, shortcut_text

SCALES = (0.5, 2.0, 4.0, 8.0)
"""Offered by the zoom menu, besides the steps."""


class ZoomMenu(QMenu):
    """The ways to zoom, with their keys.

    Signals:
        chosen: carries a ZoomStep, or a scale (float).
        loupe_switched: carries whether the loupe is wanted.
    """

    chosen = Signal(object)
    loupe_switched = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._zooms: dict[QAction, ZoomStep | float] = {}
        steps = (
            (ZoomStep.FIT, _("Fit"), ShortcutAction.ZOOM_FIT),
            (ZoomStep.ACTUAL, _("1:1"), ShortcutAction.ZOOM_ACTUAL),
            (ZoomStep.IN, _("Zoom in"), ShortcutAction.ZOOM_IN),
            (ZoomStep.OUT, _("Zoom out"), ShortcutAction.ZOOM_OUT),
        )
        for step, words, key in steps:
            # The key is only shown here: an action with it would take it away from the window.
            self._offer(f"{words}\t{shortcut_text(key)}", step)
        self.addSeparator()
        for scale in SCALES:
            self._offer(percent(scale), scale)
        self.addSeparator()
        self.loupe = self.addAction(_("Loupe at the next target"))
        self.loupe.setCheckable(True)
        self.loupe.setChecked(True)
        self.triggered.connect(self._triggered)
        close_when_run(self)

    def _offer(self, words: str, zoom: ZoomStep | float) -> None:
        self._zooms[self.addAction(words)] = zoom

    def _triggered(self, action: QAction) -> None:
        if action is self.loupe:
            self.loupe_switched.emit(self.loupe.isChecked())
        else:
            self.chosen.emit(self._zooms[action])


class Resting(Enum):
    """What the picture is while no step is chosen."""

    LIVE = auto()
    NOT_LIVE = auto()
    PREVIEW = auto()
    RECORD = auto()


def _resting_words(resting: Resting | None) -> str:
    match resting:
        case Resting.LIVE:
            return _("Live")
        case Resting.NOT_LIVE:
            return _("Not live")
        case Resting.PREVIEW:
            return _("Preview")
        case Resting.RECORD:
            return _("Record")
        case None:
            return ""


MARGIN, HEIGHT = 12, 36
_LEAST_WORDS, _FIRST = 16, 4
"""Characters that are shown of the state or the step; the place of the first part of a step in a row for all."""


class PreviewBar(QFrame):
    """State of the preview on the left, buttons on the right.

    Signals:
        live_pressed, drawer_pressed: no payload.
        share_chosen: how much of the picture after the chosen step to show: 0.0 to 1.0.
        zoom_chosen: carries a ZoomStep, or a scale (float).
    """

    live_pressed = Signal()
    drawer_pressed = Signal()
    share_chosen = Signal(object)
    zoom_chosen = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "stagebar")
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        rows = column(self, spacing=4, margins=(MARGIN, 0, MARGIN, 0))
        row, self._below = QHBoxLayout(), QHBoxLayout()
        for each in (row, self._below):
            each.setSpacing(GRID)
            rows.addLayout(each)
        self._row = row
        self._zoomable = self._aged = False
        self._what = ElidedLabel()
        self.zoom = button("", name=_("Zoom"), tip=_("Zoom. The mouse wheel zooms too; drag to move the picture."))
        self.menu = ZoomMenu(self.zoom)
        self.zoom.setMenu(self.menu)
        self.menu.chosen.connect(self.zoom_chosen)
        self._age = label(role="stagechip")
        self.before, self.after = button(_("Before")), button(_("After"))
        self._sides = QButtonGroup(self)
        for side in (self.before, self.after):
            side.setCheckable(True)
            self._sides.addButton(side)
            side.clicked.connect(self._side_clicked)
        self.wipe = QSlider(Qt.Orientation.Horizontal)
        self.wipe.setRange(0, 100)
        self.wipe.setPageStep(25)
        self.wipe.setFixedWidth(96)
        self.wipe.setAccessibleName(_("Before and after"))
        self.wipe.setToolTip(_("Drag to compare the screen before and after this step"))
        self.wipe.valueChanged.connect(self._wiped)
        self.live = button(_("Back to live"))
        self.drawer = button("")
        row.addWidget(self._what)
        self._what.setSizePolicy(self._age.sizePolicy())
        for widget in (self.zoom, self._age):
            row.addWidget(widget, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addStretch(1)
        self._of_step: tuple[QWidget, ...] = (self.before, self.after, self.wipe, self.live)
        for push in (*self._of_step, self.drawer):
            row.addWidget(push)
        self._below.addStretch()
        self.drawer.hide()
        self.live.clicked.connect(self.live_pressed)
        self.drawer.clicked.connect(self.drawer_pressed)
        self.show_step("", both=False, share=0.0)

    def show_step(self, title: str, *, both: bool, share: float, resting: Resting | None = None) -> None:
        """Show a chosen step's title and how much of the picture after it is shown; "" shows what it is `resting`."""
        self._what.set_whole(title or _resting_words(resting))
        for side in (self.before, self.wipe, self.after):
            side.setVisible(bool(title) and both)
        self._sides.setExclusive(False)  # between the two, neither is shown alone
        self.before.setChecked(share <= 0.0)
        self.after.setChecked(share >= 1.0)
        self._sides.setExclusive(True)
        self.wipe.blockSignals(True)
        self.wipe.setValue(100 - round(share * 100))  # its handle is where the line is in the picture
        self.wipe.blockSignals(False)
        self.live.setVisible(bool(title))
        self.live.setText(_("Back to the record") if resting is Resting.RECORD else _("Back to live"))
        self._aged = not title and bool(self._age.text())
        self._arrange()

    def show_drawer(self, drawer: bool, *, is_open: bool) -> None:
        """Show or hide the button that opens and closes the right column."""
        text = _("Hide timeline") if is_open else _("Show timeline")
        self.drawer.setText(text)
        self.drawer.setAccessibleName(text)
        self.drawer.setVisible(drawer)
        self._arrange()

    def show_zoom(self, scale: float, *, fitted: bool) -> None:
        """Show the zoom in device pixels per native pixel; 0: there is no picture."""
        words = _("Fit · {percent}").format(percent=percent(scale)) if fitted else percent(scale)
        self.zoom.setText(words)
        self.zoom.setAccessibleDescription(words)
        self._zoomable = scale > 0
        self._arrange()

    def show_age(self, age_s: float | None) -> None:
        """Show the age of the live frame; None hides it."""
        self._age.setText(_("updated {time} ago").format(time=age_words(age_s)) if age_s is not None else "")
        self._aged = age_s is not None and self.live.isHidden()
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        """As wide as it is with little room, although it may show more now."""
        least = shown_width(self._what, self.drawer)
        height = max(HEIGHT, super().minimumSizeHint().height())
        return QSize(2 * MARGIN + max(least, shown_width(*self._of_step)), height)

    def sizeHint(self) -> QSize:
        """As high as its rows."""
        return super().sizeHint().expandedTo(QSize(0, HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the parts into the new width."""
        super().resizeEvent(event)
        self._arrange()

    def _arrange(self) -> None:
        """With little room, what belongs to a step has a row of its own; then the age goes, and at last the zoom."""
        self._what.setMinimumWidth(self._what.least_width(_LEAST_WORDS))
        zoom = width_with_space(self.zoom) if self._zoomable else 0
        age = width_with_space(self._age) if self._aged else 0
        room = self.width() - 2 * MARGIN - shown_width(self._what, self.drawer)
        of_step = shown_width(*self._of_step)
        below = of_step > 0 and of_step + zoom + age > room
        room -= 0 if below else of_step
        self.zoom.setVisible(self._zoomable and zoom <= room)
        self._age.setVisible(self._aged and zoom + age <= room)
        if below != (self._below.indexOf(self.live) >= 0):
            for part in self._of_step:
                (self._row if below else self._below).removeWidget(part)
            for place, part in enumerate(self._of_step):
                if below:
                    self._below.addWidget(part)
                else:
                    self._row.insertWidget(_FIRST + place, part)

    def _side_clicked(self) -> None:
        self.share_chosen.emit(1.0 if self.sender() is self.after else 0.0)

    def _wiped(self, percent: int) -> None:
        self.share_chosen.emit(1.0 - percent / 100)
