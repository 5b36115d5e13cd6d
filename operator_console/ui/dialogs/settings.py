"""The settings dialog: theme, lead time, typing, accessibility, what Auto runs without asking. Opened with `open()`."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDialog,
    QDoubleSpinBox,
    QGridLayout,
    QHBoxLayout,
    QLabel,
    QSpinBox,
    QVBoxLayout,
    QWidget,
)

from operator_console.domain.risk import ALWAYS_ASKED, Category
from operator_console.ui.backend import GuardStatus, Preferences
from operator_console.ui.texts import targets as texts
from operator_console.ui.theme_choice import ThemeChoice
from operator_console.ui.view.words import CATEGORY_NAMES, names_of
from operator_console.ui.widgets.controls import GRID, button, column, label, roomy

_THEMES = {ThemeChoice.SYSTEM: "Follow system", ThemeChoice.LIGHT: "Light", ThemeChoice.DARK: "Dark"}


class SettingsDialog(QDialog):
    """Emits changed preferences on Save.

    Signals:
        kept: carries the Preferences.
    """

    kept = Signal(object)

    def __init__(self, preferences: Preferences, guard: GuardStatus, parent: QWidget | None) -> None:
        super().__init__(parent)
        self._before = preferences
        self.setProperty("role", "sheet")
        self.setWindowTitle("Settings — Operator console")
        self.setWindowModality(Qt.WindowModality.WindowModal)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setMinimumWidth(520)
        rows = column(self, spacing=GRID + 4, margins=(24, 20, 24, 20))
        rows.addWidget(label("Settings", "title"))
        self._build_look(rows)
        self._build_typing(rows)
        self._build_accessibility(rows)
        self._build_auto(rows)
        chords = f"Stop {guard.stop_chord} · Pause {guard.pause_chord} · Approve {guard.approve_chord}"
        rows.addWidget(label("Global hotkeys", "heading"))
        rows.addWidget(label(chords, wrap=True))
        rows.addStretch(1)
        line = QHBoxLayout()
        line.addStretch(1)
        self.cancel, self.keep = button("Cancel"), button("Save", "primary")
        line.addWidget(self.cancel)
        line.addWidget(self.keep)
        rows.addLayout(line)
        self.cancel.clicked.connect(self.reject)
        self.keep.clicked.connect(self._keep)

    def _build_look(self, rows: QVBoxLayout) -> None:
        grid = QGridLayout()
        grid.setHorizontalSpacing(GRID * 2)
        grid.setVerticalSpacing(GRID)
        grid.setColumnStretch(1, 1)
        self.theme = QComboBox()
        self.theme.addItems(list(_THEMES.values()))
        self.theme.setCurrentIndex(list(_THEMES).index(self._before.theme))
        self.lead = QDoubleSpinBox()
        self.lead.setRange(0.0, 10.0)
        self.lead.setSingleStep(0.1)
        self.lead.setDecimals(1)
        self.lead.setSuffix(" s")
        self.lead.setValue(self._before.lead_time_s)
        self.lead.setAccessibleName("Lead time")
        roomy(self.lead)
        fields: tuple[tuple[str, QWidget], ...] = (("Theme", self.theme), ("Lead time", self.lead))
        for row, (name, field) in enumerate(fields):
            title = label(name)
            title.setBuddy(field)
            grid.addWidget(title, row, 0)
            grid.addWidget(field, row, 1)
        grid.addWidget(label("How long the target ring shows before an action runs", "secondary", wrap=True), 2, 1)
        rows.addLayout(grid)
        self.motion = QCheckBox("Reduce motion")
        self.motion.setChecked(self._before.reduced_motion)
        rows.addWidget(self.motion)
        self.frame = QCheckBox(texts.FRAME)
        self.frame.setChecked(self._before.target_frame)
        self.frame.setToolTip(texts.FRAME_TIP)
        rows.addWidget(self.frame)

    def _build_typing(self, rows: QVBoxLayout) -> None:
        rows.addWidget(label("Typing", "heading"))
        line = QHBoxLayout()
        self.pace = QSpinBox()
        self.pace.setRange(0, 1000)
        self.pace.setSingleStep(5)
        self.pace.setSuffix(" ms")
        self.pace.setValue(round(self._before.typing_delay_s * 1000))
        self.pace.setAccessibleName("Pause after each character")
        roomy(self.pace)
        title = label("Pause after each character")
        title.setBuddy(self.pace)
        line.addWidget(title)
        line.addWidget(self.pace)
        line.addStretch(1)
        rows.addLayout(line)
        self.paste = QCheckBox("Paste long texts that the keyboard cannot type")
        self.paste.setChecked(self._before.pastes)
        rows.addWidget(self.paste)
        said = (
            "Your clipboard is restored afterwards. Secrets are never pasted, and nothing is pasted into terminals. "
            "Leave this off for remote desktop windows: Ctrl+V would use the remote computer’s clipboard."
        )
        rows.addWidget(_note(said))

    def _build_accessibility(self, rows: QVBoxLayout) -> None:
        self.accessibility = QCheckBox("Switch accessibility on while a session runs")
        self.accessibility.setChecked(self._before.accessibility)
        rows.addWidget(self.accessibility)
        rows.addWidget(_note("Applications then tell the names of their controls. It is put back afterwards."))

    def _build_auto(self, rows: QVBoxLayout) -> None:
        rows.addWidget(label("Auto runs these without asking", "heading"))
        self._boxes: dict[Category, QCheckBox] = {}
        boxes = QGridLayout()
        free = [category for category in Category if category not in ALWAYS_ASKED]
        for place, category in enumerate(free):
            box = QCheckBox(CATEGORY_NAMES[category])
            box.setChecked(category in self._before.allow)
            self._boxes[category] = box
            boxes.addWidget(box, place // 2, place % 2)
        rows.addLayout(boxes)
        always = names_of(category for category in Category if category in ALWAYS_ASKED)
        asked = f"Always asked: {always}, and whatever the model’s service wants confirmed."
        rows.addWidget(label(asked, "secondary", wrap=True))

    def _keep(self) -> None:
        chosen = tuple(category for category, box in self._boxes.items() if box.isChecked())
        self.lead.interpretText()
        self.pace.interpretText()
        made = replace(
            self._before, theme=list(_THEMES)[self.theme.currentIndex()], lead_time_s=round(self.lead.value(), 1),
            reduced_motion=self.motion.isChecked(), target_frame=self.frame.isChecked(),
            typing_delay_s=self.pace.value() / 1000, pastes=self.paste.isChecked(),
            accessibility=self.accessibility.isChecked(), allow=chosen,
        )  # fmt: skip
        self.kept.emit(made)
        self.accept()


def _note(text: str) -> QLabel:
    made = label(text, "secondary", wrap=True)
    made.setContentsMargins(26, 0, 0, 0)  # aligned with the text of the check box above it
    return made
